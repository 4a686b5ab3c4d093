"""``append``: one more entry."""

from __future__ import annotations

import sys

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.settings import Settings


@click.command(name="append", cls=Command)
@click.argument("text")
@click.option("--target", type=click.Choice(["today", "curated"]), default="today", help="Today's note, or MEMORY.md.")
@click.option("--trigger", metavar="PHRASES", help="Phrases that call the entry up, with commas between them.")
@click.option("--importance", type=click.IntRange(1, 10), help="From 1 to 10.")
@click.pass_obj
def command(settings: Settings, *, text: str, target: str, trigger: str | None, importance: int | None) -> int:
    """Add one entry to a note. TEXT may be - for the standard input.

    Nothing that is in the note already is changed. A text that begins with a dash needs -- before it.
    """
    config = settings.load_ours()
    entry = sys.stdin.read() if text == "-" else text
    with settings.core(config) as core:
        answer = core.append(entry, target=target, trigger=trigger, importance=importance)
    if settings.json:
        output.document(answer)
    else:
        output.data(f"Added to {answer['path']}:{answer['startLine']}")
    return 0
