"""The plugin folder that OpenClaw loads: five small files; one of them holds what is defined in Python."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from openclaw_memory_core import __version__
from openclaw_memory_core.config.model import FlushConfig
from openclaw_memory_core.core.prompt import prompt_section
from openclaw_memory_core.flush.silent import SILENT_TOKEN
from openclaw_memory_core.integrations.openclaw_bridge import protocol
from openclaw_memory_core.tools.memory import GET_DESCRIPTION, SEARCH_DESCRIPTION

OLDEST_HOST: Final = "2026.9.6"
"""The version of OpenClaw that the plugin was tested with; an older one lacks what it needs."""

COMMANDS: Final = ("status", "index", "search", "get", "append", "doctor", "reset")
"""Commands of ours that ``openclaw memory`` offers."""

SCRIPTS: Final = ("index.js", "peer.js")

LIMITS: Final[Mapping[str, int]] = {
    "hello": 10_000,
    "ping": 2_000,
    "classify": 1_000,
    "recall": 3_000,
    "hook": 1_000,
    "status": 5_000,
    "search": 15_000,
    "tool": 30_000,
    "sync": 600_000,
}
"""Milliseconds that the plugin waits for each kind of answer.

A turn of OpenClaw waits for ``classify`` and ``recall``; the start of its gateway for ``hello``.
"""

_DATE: Final = "YYYY-MM-DD"
_WRITE_LINE: Final = (
    f"When something should be remembered, write it down at once: day-to-day notes at the end of memory/{_DATE}.md, "
    "lasting decisions, preferences and facts at the end of MEMORY.md. Never rewrite what is already there."
)
_FLUSH_PROMPT: Final = (
    "Memory flush: the older part of this conversation is about to leave the context. Save now what will be needed "
    "later and is not written down yet: decisions and their reasons, facts, preferences, promises, open tasks. "
    f"Use the write tool with the path memory/{_DATE}.md; in this turn it appends and changes nothing that is already "
    "there. Write each entry so that it can be understood without this conversation, and leave out passwords and "
    f"keys. Do nothing else. Then, or if there is nothing to save, answer with exactly {SILENT_TOKEN}."
)
_FLUSH_SYSTEM_PROMPT: Final = (
    "This turn is for saving memories only. The user does not see it: do not talk to the user, do not go on with the "
    f"task. The only file you may write is memory/{_DATE}.md, by appending. Finish with exactly {SILENT_TOKEN}."
)


def default_command(*, config_path: Path | None = None, state_dir: Path | None = None) -> list[str]:
    """How OpenClaw starts our program: an absolute interpreter, because a service has a bare ``PATH``.

    :param config_path: only if it is not the one that OpenClaw itself uses.
    """
    # Without -P a folder of our name in the present directory would be run in our place.
    command = [sys.executable, "-P", "-m", "openclaw_memory_core"]
    for option, path in (("--config", config_path), ("--state-dir", state_dir)):
        if path is not None:
            command += [option, str(path.absolute())]
    return command


def plugin_files(command: Sequence[str]) -> dict[str, str]:
    """Name and text of each file of the folder."""
    scripts = files(__package__).joinpath("plugin")
    return {
        "package.json": _json(_package()),
        "openclaw.plugin.json": _json(_manifest()),
        "bridge.json": _json(bridge_data(command)),
        **{name: scripts.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS},
    }


def write_folder(folder: Path, command: Sequence[str]) -> list[str]:
    """Write what is missing or different; the names of those files.

    :raises OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # OpenClaw refuses a plugin folder that everybody may write to.
    folder.chmod(0o755)
    changed: list[str] = []
    for name, text in plugin_files(command).items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8", errors="replace") != text:
            _replace(path, text)
            changed.append(name)
    return changed


def bridge_data(command: Sequence[str]) -> dict[str, Any]:
    """What the plugin must know before it has talked to Python."""
    from openclaw_memory_core.cli.app import COMMANDS as HELP

    flush = FlushConfig()
    return {
        "protocol": protocol.PROTOCOL,
        "version": __version__,
        "command": list(command),
        "limits": dict(LIMITS),
        "backOff": {"first": 250, "most": 30_000},
        "stop": {"term": 1_500, "kill": 3_000},
        "lastWords": 250,
        "tools": [
            _tool("memory_search", "Search memory", SEARCH_DESCRIPTION),
            _tool("memory_get", "Read memory", GET_DESCRIPTION),
        ],
        "promptLines": [*prompt_section(search=True, writable=False, private=True).splitlines(), _WRITE_LINE, ""],
        "flush": {
            "softThresholdTokens": flush.soft_threshold_tokens,
            "forceFlushTranscriptBytes": flush.force_flush_transcript_bytes,
            "reserveTokensFloor": flush.reserve_tokens_floor,
            "prompt": _FLUSH_PROMPT,
            "systemPrompt": _FLUSH_SYSTEM_PROMPT,
        },
        "cli": {
            "name": "memory",
            "description": "Search, read and keep the memory (openclaw-memory)",
            "commands": [[name, HELP[name]] for name in COMMANDS],
        },
    }


def _tool(name: str, label: str, description: str) -> dict[str, Any]:
    from openclaw_memory_schemas import load

    # Providers take plain JSON Schema; they know neither the dialect nor the title.
    parameters = {key: value for key, value in load(f"tool.{name}.input").items() if key not in {"$schema", "title"}}
    return {"name": name, "label": label, "description": description, "parameters": parameters}


def _package() -> dict[str, Any]:
    return {
        "name": protocol.PLUGIN_ID,
        "version": __version__,
        "description": "Memory of Markdown notes, served by the Python package openclaw-memory-core.",
        "license": "MIT",
        "private": True,
        "type": "module",
        "openclaw": {
            "extensions": ["./index.js"],
            "compat": {"pluginApi": f">={OLDEST_HOST}", "minGatewayVersion": OLDEST_HOST},
            "build": {"openclawVersion": OLDEST_HOST, "pluginSdkVersion": OLDEST_HOST},
        },
    }


def _manifest() -> dict[str, Any]:
    return {
        "id": protocol.PLUGIN_ID,
        "kind": "memory",
        "name": "OpenClaw Memory Core",
        "description": "Memory of Markdown notes, served by the Python package openclaw-memory-core.",
        "version": __version__,
        "categories": ["memory"],
        "activation": {"onStartup": True},
        "contracts": {"tools": ["memory_search", "memory_get"]},
        "toolMetadata": {"memory_search": {"replaySafe": True}, "memory_get": {"replaySafe": True}},
        "cliCommands": [
            {
                "name": "memory",
                "description": "Search, read and keep the memory (openclaw-memory)",
                "hasSubcommands": True,
            }
        ],
        "configSchema": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "command": {"type": "array", "items": {"type": "string"}, "minItems": 1},
                # OpenClaw reads this key of whoever owns the slot: true loads its own memory beside ours.
                "dreaming": {
                    "type": "object",
                    "default": {"enabled": False},
                    "properties": {"enabled": {"type": "boolean", "default": False}},
                },
            },
        },
    }


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _replace(path: Path, text: str) -> None:
    """Write *path* at once: OpenClaw may be copying the folder."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
