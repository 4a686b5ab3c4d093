"""``get``: lines of a note."""

from __future__ import annotations

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.settings import Settings


@click.command(name="get", cls=Command)
@click.argument("path")
@click.option("--from", "from_line", type=click.IntRange(min=1), help="First line, counted from 1.")
@click.option("--lines", type=click.IntRange(min=1), help="How many lines.")
@click.pass_obj
def command(settings: Settings, *, path: str, from_line: int | None, lines: int | None) -> int:
    """Print lines of a note.

    PATH is as a search shows it: relative to the workspace, also with the lines behind it, memory/x.md:1-6.
    """
    config = settings.load()
    with settings.core(config) as core:
        answer = core.get(path, from_line=from_line, lines=lines)
    if answer["status"] != "ok":
        error = {"code": answer["code"], "message": answer["error"], "hint": answer.get("action")}
        return output.failed(error, 1, as_json=settings.json)
    if settings.json:
        output.document(answer)
        return 0
    if answer["lines"]:
        output.data(output.visible(answer["text"].rstrip("\n")))
    else:
        total = output.count(answer["totalLines"], "line")
        output.note(f"{output.visible(answer['path'], note=True)} has {total}; there is none from {answer['from']} on.")
    if "nextFrom" in answer:
        output.note(f"… goes on in line {answer['nextFrom']} of {answer['totalLines']}; see --from and --lines")
    return 0
