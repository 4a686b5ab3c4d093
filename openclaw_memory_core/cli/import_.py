"""``import``: notes of other agents."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.settings import Settings

if TYPE_CHECKING:
    from openclaw_memory_core.integrations.notes_import import PlannedNote

_WHO_READS: Final = "Notes below memory/ are found from group sessions, too; what is private belongs into MEMORY.md."


@click.command(name="import", cls=Command)
@click.argument("source", type=click.Choice(["claude-code", "codex", "hermes"]))
@click.option("--from", "folder", type=click.Path(path_type=Path, file_okay=False), help="Folder with the notes.")
@click.option("--keep-both", is_flag=True, help="Put a note that is in conflict beside the one that is there.")
@click.option("--yes", is_flag=True, help="Write without asking.")
@click.pass_obj
def command(settings: Settings, *, source: str, folder: Path | None, keep_both: bool, yes: bool) -> int:
    """Bring in notes of other agents, below memory/imports/.

    Shows first what would be written. Nothing that is in the workspace already is changed: a note that has grown gets
    its new end, a note that was rewritten is named as a conflict.
    """
    from openclaw_memory_core.integrations.notes_import import SOURCES, carry_out, plan_import, resolve_conflicts

    config = settings.load_ours()
    agent = config.agent(settings.agent)
    plans = plan_import(agent.workspace, SOURCES[source], folder=folder, env=os.environ, user_home=Path.home())
    if keep_both:
        plans = resolve_conflicts(agent.workspace, plans)
    if not settings.json:
        _show(plans)
    wanted = any(plan.writes for plan in plans) and (yes or _ask(settings, plans))
    if wanted:
        plans = carry_out(agent.workspace, plans)
        with settings.core(config) as core:
            core.index.request("import")
    if settings.json:
        output.document(_document(source, plans, written=wanted))
    else:
        _conclude(plans, written=wanted)
    return 1 if wanted and any(plan.state == "skipped" and plan.data for plan in plans) else 0


def _ask(settings: Settings, plans: Sequence[PlannedNote]) -> bool:
    if settings.json or not sys.stdin.isatty():
        return False
    output.note(_WHO_READS)
    notes = output.count(sum(plan.writes for plan in plans), "note")
    return click.confirm(f"Write {notes} to the workspace?", err=True)


def _show(plans: Sequence[PlannedNote]) -> None:
    for plan in plans:
        style = {"new": "good", "grown": "good", "conflict": "bad"}.get(plan.state, "dim")
        size = f" (+{len(plan.data):,} bytes)" if plan.writes else ""
        reason = f": {plan.reason}" if plan.reason else ""
        output.data(f"{output.styled(f'{plan.state:9}', style)} {plan.path}{size}{reason}")
    if not plans:
        output.data("No notes.")


def _conclude(plans: Sequence[PlannedNote], *, written: bool) -> None:
    conflicts = [plan for plan in plans if plan.state == "conflict"]
    if conflicts:
        output.note("Notes in conflict were left alone; --keep-both puts the other version beside them.")
    if written:
        output.note(f"Wrote {output.count(sum(plan.writes for plan in plans), 'note')}. {_WHO_READS}")
    elif any(plan.writes for plan in plans):
        output.note("Nothing was written; --yes writes it.")


def _document(source: str, plans: Sequence[PlannedNote], *, written: bool) -> dict[str, Any]:
    notes = []
    for plan in plans:
        note: dict[str, Any] = {"path": plan.path, "source": str(plan.source), "state": plan.state}
        if plan.writes:
            note["bytes"] = len(plan.data)
        if plan.reason is not None:
            note["reason"] = plan.reason
        notes.append(note)
    return {"ok": True, "source": source, "written": written, "notes": notes}
