"""``eval``: measure the search on one's own questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.settings import Settings
from openclaw_memory_core.errors import StoreError, UsageError

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import MemoryConfig, QueryConfig
    from openclaw_memory_core.core import MemoryCore
    from openclaw_memory_core.search.evaluation import Estimate, Question

RESULTS = 10
SHOWN = ("recall@6", "recall@10", "shown@6", "shown@10", "mrr@10", "ndcg@10", "newer first")


@click.command(name="eval", cls=Command)
@click.argument("questions", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--legs", is_flag=True, help="Also with keywords alone and with vectors alone.")
@click.option("--compare", type=click.Path(exists=True, dir_okay=False), help="A second configuration to compare with.")
@click.pass_obj
def command(settings: Settings, *, questions: Path, legs: bool, compare: str | None) -> int:
    """Measure the search on a set of questions.

    QUESTIONS is a file of JSON lines: {"question": "…", "evidence": [{"path": "memory/x.md", "line": 3}]}. A line is
    found if one of the first results covers it, and shown if its whole text stands in a snippet.
    """
    from openclaw_memory_core.search.evaluation import differences, read_questions

    with questions.open(encoding="utf-8") as lines:
        asked = read_questions(lines, where=str(questions))
    if not asked:
        raise UsageError(f"{questions} holds no question with evidence")
    config = settings.load_ours()
    runs = {name: _run(settings, one, asked) for name, one in _variants(config, settings.agent, legs=legs).items()}
    gained: dict[str, Estimate] = {}
    if compare is not None:
        other = Settings()
        other.config, other.state_dir, other.agent = compare, settings.state_dir, settings.agent
        runs[compare] = _run(other, other.load(), asked)
        gained = differences(runs["configured"], runs[compare])
    _report(runs, gained, len(asked), as_json=settings.json)
    return 0


def _variants(config: MemoryConfig, agent: str | None, *, legs: bool) -> dict[str, MemoryConfig]:
    """The configuration, and the same with one leg alone."""
    variants = {"configured": config}
    if legs:
        query = config.agent(agent).search.query
        keyword = replace(query.hybrid, enabled=True, vector_weight=0.0, text_weight=1.0)
        variants["keywords"] = _with_query(config, agent, replace(query, hybrid=keyword))
        variants["vectors"] = _with_query(config, agent, replace(query, hybrid=replace(query.hybrid, enabled=False)))
    return variants


def _with_query(config: MemoryConfig, agent: str | None, query: QueryConfig) -> MemoryConfig:
    chosen = config.agent(agent)
    changed = replace(chosen, search=replace(chosen.search, query=query))
    return replace(config, agents={**config.agents, chosen.id: changed})


def _run(settings: Settings, config: MemoryConfig, asked: Sequence[Question]) -> list[dict[str, float]]:
    from openclaw_memory_core.search.evaluation import judge

    rows = []
    with settings.core(config) as core:
        core.sync()
        lines = _Lines(core)
        for question in asked:
            answer = core.search(question.text, max_results=RESULTS)
            if answer.get("unavailable") or answer.get("disabled"):
                raise StoreError(str(answer["error"]), hint=answer.get("action"))
            rows.append(judge(question, answer["results"], lines))
    return rows


class _Lines:
    """Lines of notes, each read once."""

    def __init__(self, core: MemoryCore) -> None:
        self._core = core
        self._known: dict[tuple[str, int], str | None] = {}

    def __call__(self, path: str, number: int) -> str | None:
        key = (path, number)
        if key not in self._known:
            part = self._core.get(path, from_line=number, lines=1)
            self._known[key] = str(part["text"]).split("\n")[0] if part["status"] == "ok" else None
        return self._known[key]


def _report(
    runs: Mapping[str, Sequence[Mapping[str, float]]], gained: Mapping[str, Estimate], count: int, *, as_json: bool
) -> None:
    from openclaw_memory_core.search.evaluation import summarise

    summaries = {name: summarise(rows) for name, rows in runs.items()}
    if as_json:
        document: dict[str, Any] = {
            "questions": count,
            "runs": {run: {name: e.to_dict() for name, e in found.items()} for run, found in summaries.items()},
        }
        if gained:
            document["differences"] = {name: e.to_dict() for name, e in gained.items()}
        output.document(document)
        return
    output.data(f"{output.count(count, 'question')}; mean and 95 % confidence interval")
    for run, found in summaries.items():
        output.data(output.styled(run, "head"))
        _table(found, signed=False)
    if gained:
        output.data(output.styled("difference", "head"))
        _table(gained, signed=True)


def _table(found: Mapping[str, Estimate], *, signed: bool) -> None:
    form = "+.3f" if signed else ".3f"
    for name in SHOWN:
        if name in found:
            one = found[name]
            output.data(f"  {name:<12} {one.mean:{form}}  [{one.low:{form}}, {one.high:{form}}]")
