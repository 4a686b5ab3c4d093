"""``reset``: delete the index."""

from __future__ import annotations

import sys

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.settings import Settings
from openclaw_memory_core.errors import UsageError


@click.command(name="reset", cls=Command)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(settings: Settings, *, yes: bool) -> int:
    """Delete the index; the notes stay.

    The next use builds it anew, which may cost calls to the embedding provider. While another process has it open
    the file stays, and holds nothing. A file of another program is left alone.
    """
    config = settings.load()
    agent = config.agent(settings.agent)
    path = agent.search.store.path
    if not yes:
        if settings.json or not sys.stdin.isatty():
            raise UsageError(f"this deletes {path}", hint="say --yes")
        click.confirm(f"Delete {path}?", abort=True, err=True)
    existed = path.exists()
    with settings.core(config) as core:
        core.reset()
    emptied = existed and path.exists()
    if settings.json:
        gone = {"removed": existed, "emptied": emptied}
        output.document({"ok": True, "agentId": agent.id, "dbPath": str(path), **gone})
    elif emptied:
        output.data(f"Emptied {path}, which another process has open.")
    else:
        output.data(f"Deleted {path}." if existed else f"There was no index at {path}.")
    return 0
