"""What to put into the configuration of the common MCP clients."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

NAME: Final = "openclaw-memory"


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """How one client learns of the server.

    :param client: its name.
    :param where: where *text* belongs.
    :param text: a command to run, or what to write into the file.
    """

    client: str
    where: str
    text: str


def command_line(options: Sequence[str], env: Mapping[str, str] | None = None) -> list[str]:
    """The command that starts the server: absolute, since clients start it with a path of their own.

    Clients hand on only a few environment variables, so places that the environment names become options.
    """
    env = os.environ if env is None else env
    given = list(options)
    for option, variable in (("--config", "OPENCLAW_CONFIG_PATH"), ("--state-dir", "OPENCLAW_STATE_DIR")):
        if option not in given and env.get(variable, "").strip():
            given += [option, str(Path(env[variable]).expanduser().absolute())]
    return [*_program(), "mcp", *given]


def _program() -> list[str]:
    beside = Path(sys.executable).with_name(NAME + (".exe" if os.name == "nt" else ""))
    found = str(beside) if beside.is_file() else shutil.which(NAME)
    return (
        [found]
        if found
        else [sys.executable, "-c", "from openclaw_memory_core.cli import main; raise SystemExit(main())"]
    )


def client_configs(command: Sequence[str]) -> dict[str, ClientConfig]:
    """For each client that we know: where what has to stand."""
    program, *arguments = command
    entry: dict[str, Any] = {"command": program, "args": arguments}
    servers = _json({"mcpServers": {NAME: entry}})
    quoted = shlex.join(command)
    configs = (
        ClientConfig("claude-code", "run this", f"claude mcp add {NAME} -- {quoted}"),
        ClientConfig("claude-desktop", "claude_desktop_config.json (Settings, Developer, Edit Config)", servers),
        ClientConfig("codex", "~/.codex/config.toml", _toml(program, arguments)),
        ClientConfig("cursor", "~/.cursor/mcp.json", servers),
        ClientConfig("gemini-cli", "~/.gemini/settings.json", servers),
        ClientConfig("vscode", ".vscode/mcp.json", _json({"servers": {NAME: {"type": "stdio", **entry}}})),
        ClientConfig("windsurf", "~/.codeium/windsurf/mcp_config.json", servers),
        ClientConfig("zed", "settings.json of Zed", _json({"context_servers": {NAME: entry}})),
    )
    return {config.client: config for config in configs}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _toml(program: str, arguments: Sequence[str]) -> str:
    # A JSON string is a TOML basic string, except for DEL, which no path on a sane system holds.
    listed = ", ".join(json.dumps(one, ensure_ascii=False) for one in arguments)
    return f"[mcp_servers.{NAME}]\ncommand = {json.dumps(program, ensure_ascii=False)}\nargs = [{listed}]"
