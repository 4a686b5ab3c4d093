"""``watch``: keep the index fresh in the foreground."""

from __future__ import annotations

from typing import Any

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.interrupt import interruptible
from openclaw_memory_core.cli.settings import Settings
from openclaw_memory_core.errors import UsageError

_LOOK_SECONDS = 0.5


@click.command(name="watch", cls=Command)
@click.pass_obj
def command(settings: Settings) -> int:
    """Keep the index fresh until interrupted.

    Each update is a line on stderr. Ctrl-C ends it; the index stays.
    """
    config = settings.load_ours()
    with interruptible() as stop, settings.core(config, background=True) as core:
        if not core.agent.search.enabled:
            raise UsageError("memory search is switched off", hint="set memory.search.enabled to true")
        core.index.start()
        core.index.request("cli")
        root = core.workspace.root
        missing = "" if root.is_dir() else ", which does not exist yet (see agents.defaults.workspace)"
        output.note(f"Watching {output.visible(root, note=True)}{missing}; Ctrl-C ends it.")
        seen: dict[str, Any] = {}
        while not stop.wait(_LOOK_SECONDS):
            last = core.index.engine.last() or {}
            if last != seen:
                seen = last
                _say(last)
        state = core.index.describe_worker()
    if settings.json:
        output.document({"ok": True, "agentId": core.agent.id, **state})
    return 0


def _say(last: dict[str, Any]) -> None:
    changes = ", ".join(f"{last[name]} {name}" for name in ("added", "changed", "removed") if last.get(name))
    output.note(f"Index updated: {changes or 'no changes'}.")
    for path, failed in last.get("failed", {}).items():
        output.note(output.visible(f"{path}: {failed['message']}", note=True))
