"""``mcp``: the memory for every MCP client."""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.settings import Settings
from openclaw_memory_core.errors import UsageError

if TYPE_CHECKING:
    from openclaw_memory_core.integrations.door import Door

TOKEN_VARIABLE: Final = "OPENCLAW_MEMORY_MCP_TOKEN"  # noqa: S105 - the name of a variable
DEFAULT_PORT: Final = 8765
_CLIENTS: Final = (
    "all",
    "claude-code",
    "claude-desktop",
    "codex",
    "cursor",
    "gemini-cli",
    "vscode",
    "windsurf",
    "zed",
)


@click.command(name="mcp", cls=Command)
@click.option("--private", is_flag=True, help="Only the owner reads the answers: MEMORY.md and USER.md may be shown.")
@click.option("--session-key", metavar="KEY", help="Act as this session.")
@click.option("--read-only", is_flag=True, help="Offer no tool that writes.")
@click.option("--http", is_flag=True, help="Serve streamable HTTP on this machine instead of stdin and stdout.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Loopback address, with --http.")
@click.option("--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="With --http.")
@click.option("--token-file", type=click.Path(path_type=Path, dir_okay=False), help="File with the token, with --http.")
@click.option("--allow-origin", multiple=True, metavar="URL", help="An origin besides our own, with --http.")
@click.option(
    "--print-config",
    type=click.Choice(_CLIENTS),
    is_flag=False,
    flag_value="all",
    help="Print what a client needs to know of this server, and end.",
)
@click.pass_obj
def command(
    settings: Settings,
    *,
    private: bool,
    session_key: str | None,
    read_only: bool,
    http: bool,
    host: str,
    port: int,
    token_file: Path | None,
    allow_origin: tuple[str, ...],
    print_config: str | None,
) -> int:
    """Serve the memory tools over MCP on stdin and stdout.

    The client is not taken for private unless --private says so: MEMORY.md and USER.md stay out. Over HTTP a token is
    needed: that of --token-file or of $OPENCLAW_MEMORY_MCP_TOKEN, else one is made and shown on stderr.
    """
    if print_config is not None:
        _print_config(settings, print_config, private=private, session_key=session_key, read_only=read_only)
        return 0
    from openclaw_memory_core.integrations.door import Door, DoorOptions
    from openclaw_memory_core.integrations.mcp_server.server import require_sdk

    require_sdk()
    settings.start_logging()
    options = DoorOptions(
        name="mcp",
        config_path=Path(settings.config) if settings.config else None,
        state_dir=Path(settings.state_dir) if settings.state_dir else None,
        agent=settings.agent,
        session_key=session_key,
        private=private,
        read_only=read_only,
    )
    # A plugin that prints while it starts or stops must not speak into the protocol.
    protocol = sys.stdout
    with redirect_stdout(sys.stderr), Door(options) as door:
        _say_what_is_served(door)
        if http:
            _serve_http(door, host, port, token_file, allow_origin)
        else:
            from openclaw_memory_core.integrations.mcp_server.run import serve_stdio

            with redirect_stdout(protocol):
                serve_stdio(door)
    return 0


def _say_what_is_served(door: Door) -> None:
    if not door.slot.enabled:
        output.note(f"There is no memory to serve: {door.slot.slot_status().reason}.")
        return
    kind = "private" if door.audience.private else f"not private ({door.audience.reason})"
    output.note(f"Serving the memory of {door.audience.agent_id} to the session {door.session.key}; {kind}.")


def _serve_http(door: Door, host: str, port: int, token_file: Path | None, origins: tuple[str, ...]) -> None:
    from openclaw_memory_core.integrations.mcp_server.run import serve_http

    token, made = _token(token_file)

    def ready(url: str) -> None:
        output.note(f"MCP at {url}; Ctrl-C ends it.")
        if made:
            output.note(f"Token of this run: {token}")

    serve_http(door, host=host, port=port, token=token, origins=origins, ready=ready)


def _token(token_file: Path | None) -> tuple[str, bool]:
    """The token and whether it was made for this run."""
    if token_file is not None:
        try:
            token = token_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"the token file {token_file} cannot be read: {error}") from error
        if not token:
            raise UsageError(f"the token file {token_file} is empty")
        return token, False
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if token:
        return token, False
    import secrets

    return secrets.token_urlsafe(32), True


def _print_config(settings: Settings, client: str, *, private: bool, session_key: str | None, read_only: bool) -> None:
    from openclaw_memory_core.integrations.mcp_server.client_config import client_configs, command_line

    options: list[str] = []
    for name, value in (
        ("--config", settings.config and str(Path(settings.config).absolute())),
        ("--state-dir", settings.state_dir and str(Path(settings.state_dir).absolute())),
        ("--agent", settings.agent),
        ("--session-key", session_key),
    ):
        options += [name, value] if value else []
    options += ["--private"] if private else []
    options += ["--read-only"] if read_only else []
    configs = client_configs(command_line(options))
    chosen = list(configs.values()) if client == "all" else [configs[client]]
    if settings.json:
        output.document({"clients": {one.client: {"where": one.where, "text": one.text} for one in chosen}})
        return
    for one in chosen:
        output.note(output.styled(f"{one.client}: {one.where}", "head"))
        output.data(one.text)
