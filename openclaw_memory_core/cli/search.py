"""``search``: ask the memory."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.explained import hit_line, question_line
from openclaw_memory_core.cli.settings import Settings
from openclaw_memory_core.errors import UsageError

CATCH_UP_SECONDS = 10.0
"""A search brings a stale index up to date first, but not for longer than this."""


@click.command(name="search", cls=Command)
@click.argument("query", nargs=-1, required=True)
@click.option("--max-results", type=click.IntRange(min=1), help="Results at most.")
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    help="Least score of a result, as a share of the best hit; keyword hits below it still fill empty places.",
)
@click.option("--corpus", type=click.Choice(["memory", "sessions", "all"]), help="What to search.")
@click.option("--explain", is_flag=True, help="Show how every score came about.")
@click.pass_obj
def command(
    settings: Settings,
    *,
    query: tuple[str, ...],
    max_results: int | None,
    min_score: float | None,
    corpus: str | None,
    explain: bool,
) -> int:
    """Search the notes.

    Finding nothing is no failure. The index is brought up to date first where sync.onSearch is on.
    """
    words = " ".join(query).strip()
    if not words:
        raise UsageError("the query is empty", hint="openclaw-memory search WORDS")
    config = settings.load_ours()
    with settings.core(config) as core:
        wait = CATCH_UP_SECONDS if core.agent.search.sync.on_search else 0.0
        answer = core.search(
            words, max_results=max_results, min_score=min_score, corpus=corpus, explain=explain, wait=wait
        )
    if answer.get("unavailable"):
        return _unavailable(answer, as_json=settings.json)
    if settings.json:
        output.document(answer)
    else:
        _print(answer, words)
    return 0


def _marked(text: str, question: str) -> str:
    """*text* with the words of the question in bold, on a terminal."""
    if not output.is_terminal(sys.stdout):
        return text
    from openclaw_memory_core.search.marking import mark

    return mark(text, question, lambda word: click.style(word, bold=True))


def _unavailable(answer: Mapping[str, Any], *, as_json: bool) -> int:
    message = answer["error"] if as_json else f"memory search failed: {answer['error']}"
    return output.failed({"code": answer["code"], "message": message, "hint": answer.get("action")}, 1, as_json=as_json)


def _print(answer: Mapping[str, Any], question: str) -> None:
    if answer.get("disabled"):
        output.note(f"{answer['error']} {answer['action']}")
        output.data("Memory search disabled.")
        return
    for hit in answer["results"]:
        place = output.styled(f"{hit['path']}:{hit['startLine']}-{hit['endLine']}", "path")
        output.data(f"{hit['score']:.3f} {place}")
        output.data(_marked(output.visible(hit["snippet"]), question))
        if "debug" in hit:
            output.data(output.styled(hit_line(hit["debug"]), "dim"))
        output.data()
    if not answer["results"]:
        output.data("No matches.")
    if "terms" in answer.get("debug", {}):
        output.data(output.styled(question_line(answer["debug"]), "dim"))
    if "fallback" in answer:
        fallback = answer["fallback"]
        output.note(
            output.visible(
                f"{answer['provider']} answered in the place of {fallback['from']}: {fallback['reason']}", note=True
            )
        )
    for name in ("warning", "action"):
        if answer.get(name):
            output.note(output.visible(answer[name], note=True))
