"""``bridge``: this memory in the slot of a real OpenClaw."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openclaw_memory_core.integrations.openclaw_bridge.install import Installation, Step

_EXECUTABLE = click.option("--openclaw", "executable", metavar="PATH", help="OpenClaw's program; default: openclaw.")
_FOLDER = click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the plugin folder is; in the state folder if not given.",
)


@click.group(name="bridge", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Put this memory into the slot of OpenClaw, the program."""
    if context.invoked_subcommand is None:
        output.data(context.get_help())


@command.command(cls=Command)
@_EXECUTABLE
@_FOLDER
@click.option("--dry-run", is_flag=True, help="Show what would be done.")
@click.option("--no-recall", is_flag=True, help="Do not let the plugin see conversations: no automatic recall.")
@click.pass_obj
def install(settings: Settings, *, executable: str | None, folder: Path | None, dry_run: bool, no_recall: bool) -> int:
    """Write the plugin folder, tell OpenClaw of it, and check who answers.

    May be repeated: what is in place stays. OpenClaw's configuration is changed by its own commands only.
    """
    installation = _installation(settings, executable, folder)
    steps = installation.install(recall=not no_recall, dry_run=dry_run, tell=_tell(settings))
    return _report(settings, steps, planned=dry_run)


@command.command(cls=Command)
@_EXECUTABLE
@_FOLDER
@click.option("--dry-run", is_flag=True, help="Show what would be done.")
@click.pass_obj
def uninstall(settings: Settings, *, executable: str | None, folder: Path | None, dry_run: bool) -> int:
    """Give the slot back to OpenClaw's own memory, then delete the plugin folder. Notes and index stay."""
    installation = _installation(settings, executable, folder)
    return _report(settings, installation.uninstall(dry_run=dry_run, tell=_tell(settings)), planned=dry_run)


@command.command(cls=Command)
@_EXECUTABLE
@_FOLDER
@click.pass_obj
def check(settings: Settings, *, executable: str | None, folder: Path | None) -> int:
    """Find out whether OpenClaw's memory is answered by this program, and what stands in the way."""
    installation = _installation(settings, executable, folder)
    return _report(settings, installation.check(tell=_tell(settings)))


@command.command(cls=Command)
@click.pass_obj
def serve(settings: Settings) -> int:
    """Answer OpenClaw's plugin on stdin and stdout until stdin ends. Started by the plugin, not by people."""
    from openclaw_memory_core.integrations.openclaw_bridge.stdio import serve_stdio

    settings.start_logging()
    serve_stdio(
        config_path=Path(settings.config) if settings.config else None,
        state_dir=Path(settings.state_dir) if settings.state_dir else None,
    )
    return 0


def _installation(settings: Settings, executable: str | None, folder: Path | None) -> Installation:
    from openclaw_memory_core.integrations.openclaw_bridge.folder import default_command
    from openclaw_memory_core.integrations.openclaw_bridge.host import OpenClaw
    from openclaw_memory_core.integrations.openclaw_bridge.install import Installation

    config = settings.load_quietly()
    config_path = Path(settings.config).absolute() if settings.config else None
    state_dir = Path(settings.state_dir).absolute() if settings.state_dir else None
    # The OpenClaw that is meant is the one of these places.
    env = dict(os.environ)
    env |= {"OPENCLAW_CONFIG_PATH": str(config_path)} if config_path is not None else {}
    env |= {"OPENCLAW_STATE_DIR": str(state_dir)} if state_dir is not None else {}
    command_line = default_command(config_path=config_path, state_dir=state_dir)
    return Installation(OpenClaw(executable, env=env), folder or config.state_dir / "memory-bridge", command_line)


def _tell(settings: Settings) -> Callable[[Step], None]:
    def tell(step: Step) -> None:
        if not settings.json:
            mark = output.styled("ok", "good") if step.done else output.styled("--", "bad")
            output.data(f"{mark} {step.name}{f': {step.detail}' if step.detail else ''}")

    return tell


def _report(settings: Settings, steps: Sequence[Step], *, planned: bool = False) -> int:
    """Exit code 1 if something is not as it must be."""
    failed = [step for step in steps if not step.done] if not planned else []
    if settings.json:
        done = {"ok": not failed, "steps": [step.to_dict() for step in steps]}
        if failed:
            first = failed[0]
            done["error"] = {"code": "plugin", "message": f"{first.name}: {first.detail}", "hint": None}
        output.document(done)
    elif failed:
        output.note(f"{output.count(len(failed), 'thing')} not as it must be; see docs/openclaw.md.")
    return 1 if failed else 0
