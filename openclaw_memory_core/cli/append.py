"""``append``: one more entry."""

from __future__ import annotations

import sys
from typing import Any

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.settings import Settings
from openclaw_memory_core.errors import UsageError

_TEXT_MARK = "\0"
"""No argument of a program can hold it."""


class _TextCommand(Command):
    """Takes an argument that begins with a dash and holds a blank for text: no option looks like that."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """See click; an unknown option is an error that says how to give a text like it."""
        end = args.index("--") if "--" in args else len(args)
        marked = [f"{_TEXT_MARK}{one}" if _is_text(one) else one for one in args[:end]]
        try:
            rest = super().parse_args(ctx, [*marked, *args[end:]])
        except click.NoSuchOption as error:
            hint = f"a text that begins with a dash needs -- before it: openclaw-memory append -- {error.option_name} …"
            raise UsageError(error.format_message(), hint=hint) from error
        ctx.params = {name: _without_mark(value) for name, value in ctx.params.items()}
        return rest


def _is_text(argument: str) -> bool:
    # "--trigger=the ferry" is an option.
    return argument[:1] == "-" and any(char.isspace() for char in argument.partition("=")[0])


def _without_mark(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_without_mark, value))
    return value.removeprefix(_TEXT_MARK) if isinstance(value, str) else value


@click.command(name="append", cls=_TextCommand)
@click.argument("text", nargs=-1, required=True)
@click.option("--target", type=click.Choice(["today", "curated"]), default="today", help="Today's note, or MEMORY.md.")
@click.option("--trigger", metavar="PHRASES", help="Phrases that call the entry up, with commas between them.")
@click.option("--importance", type=click.IntRange(1, 10), help="From 1 to 10.")
@click.pass_obj
def command(
    settings: Settings, *, text: tuple[str, ...], target: str, trigger: str | None, importance: int | None
) -> int:
    """Add one entry to a note. TEXT may be - for the standard input.

    Several words are one text. Nothing that is in the note already is changed; an entry that stands at its end already
    is added again, and that is said. A word that looks like an option needs -- before the text.
    """
    config = settings.load_ours()
    entry = sys.stdin.read() if text == ("-",) else " ".join(text)
    with settings.core(config) as core:
        answer = core.append(entry, target=target, trigger=trigger, importance=importance)
    if settings.json:
        output.document(answer)
    else:
        output.data(f"Added to {answer['path']}:{answer['startLine']}")
        if answer.get("duplicate"):
            output.note("The same entry stands right before it.")
    return 0
