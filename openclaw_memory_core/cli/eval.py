"""``eval``: measure the search on one's own questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.settings import Settings
from openclaw_memory_core.errors import NoteNotFoundError, StoreError, UsageError

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

    QUESTIONS is a file of JSON lines: {"question": "…", "evidence": [{"path": "memory/x.md", "line": 3}]}, or with
    "path" and "lines": [first, last]. A line is found if one of the first results covers it, and shown if its whole
    text stands in a snippet. Evidence that does not exist is named and not counted, blank lines are not counted, and
    questions without evidence are named and left out; with -v the questions that fail are listed.
    """
    from openclaw_memory_core.search.evaluation import differences, read_rows

    with questions.open(encoding="utf-8") as lines:
        rows = read_rows(lines, where=str(questions))
    if not any(row.evidence for row in rows):
        raise UsageError(f"{questions} holds no question with evidence")
    config = settings.load_ours()
    asked, unknown, left_out = _judgeable(settings, config, rows)
    for line in unknown:
        output.note(str(line))
    if left_out:
        output.note(f"{output.count(len(left_out), 'question')} left out: {'; '.join(map(str, left_out))}")
    if not asked:
        raise NoteNotFoundError(
            f"nothing in {questions} can be judged: its evidence does not exist in the notes, or is blank",
            hint='"path" is relative to the workspace, as search prints it, and lines count from 1',
        )
    runs = {name: _run(settings, one, asked) for name, one in _variants(config, settings.agent, legs=legs).items()}
    gained: dict[str, Estimate] = {}
    if compare is not None:
        other = Settings()
        other.config, other.state_dir, other.agent = compare, settings.state_dir, settings.agent
        runs[compare] = _run(other, other.load(), asked)
        gained = differences(runs["configured"], runs[compare])
    failed = {name: _failed(asked, rows) for name, rows in runs.items()} if settings.verbose else {}
    if settings.json:
        _document(runs, gained, asked, unknown, left_out, failed)
    else:
        _tables(runs, gained, len(asked))
        _list(failed)
    return 0


@dataclass(frozen=True, slots=True)
class _Unknown:
    """Evidence that is not there."""

    question: str
    path: str
    line: int

    def __str__(self) -> str:
        return f"question {self.question}: {self.path}:{self.line} does not exist and is not counted"


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """A question that cannot be judged."""

    question: str
    reason: str

    def __str__(self) -> str:
        return f"{self.question} ({self.reason})"


@dataclass(frozen=True, slots=True)
class _Failed:
    """A question whose evidence is not all shown in six results."""

    question: Question
    figures: Mapping[str, float]

    @property
    def reason(self) -> str:
        if self.figures["recall@10"] == 0:
            return "not found"
        if self.figures["recall@6"] == 0:
            return "not found in six results, but in ten"
        if self.figures["recall@6"] < 1:
            return f"found in part: {self.figures['recall@6']:.0%} in six results"
        return "found, not all of it shown"

    def to_dict(self) -> dict[str, Any]:
        evidence = [{"path": path, "line": line} for path, line in self.question.evidence]
        return {"id": self.question.id, "question": self.question.text, "evidence": evidence, "reason": self.reason}


def _failed(asked: Sequence[Question], rows: Sequence[Mapping[str, float]]) -> list[_Failed]:
    return [_Failed(one, row) for one, row in zip(asked, rows, strict=True) if row["shown@6"] < 1]


def _judgeable(
    settings: Settings, config: MemoryConfig, rows: Sequence[Question]
) -> tuple[list[Question], list[_Unknown], list[_LeftOut]]:
    """The questions with the evidence that counts, the evidence that does not exist, and the questions left without."""
    from openclaw_memory_core.search.evaluation import is_blank

    kept, unknown, left_out = [], [], []
    with settings.core(config) as core:
        lines = _Lines(core)
        for question in rows:
            texts = {line: lines(*line) for line in question.evidence}
            unknown += [_Unknown(question.id, *line) for line, text in texts.items() if text is None]
            there = {line: text for line, text in texts.items() if text is not None}
            counted = tuple(line for line, text in there.items() if not is_blank(text))
            if counted:
                kept.append(replace(question, evidence=counted))
            elif there:
                left_out.append(_LeftOut(question.id, "its evidence is blank"))
            else:
                left_out.append(_LeftOut(question.id, "its evidence does not exist" if texts else "it has no evidence"))
    return kept, unknown, left_out


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
            there = part["status"] == "ok" and 1 <= number <= part["totalLines"]
            self._known[key] = str(part["text"]).split("\n")[0] if there else None
        return self._known[key]


def _document(
    runs: Mapping[str, Sequence[Mapping[str, float]]],
    gained: Mapping[str, Estimate],
    asked: Sequence[Question],
    unknown: Sequence[_Unknown],
    left_out: Sequence[_LeftOut],
    failed: Mapping[str, Sequence[_Failed]],
) -> None:
    from openclaw_memory_core.search.evaluation import summarise

    document: dict[str, Any] = {
        "questions": len(asked),
        "runs": {run: {name: e.to_dict() for name, e in summarise(rows).items()} for run, rows in runs.items()},
    }
    if gained:
        document["differences"] = {name: e.to_dict() for name, e in gained.items()}
    if unknown:
        document["unknownEvidence"] = [asdict(one) for one in unknown]
    if left_out:
        document["leftOut"] = [asdict(one) for one in left_out]
    if failed:
        document["failed"] = {run: [one.to_dict() for one in some] for run, some in failed.items()}
    output.document(document)


def _tables(runs: Mapping[str, Sequence[Mapping[str, float]]], gained: Mapping[str, Estimate], count: int) -> None:
    from openclaw_memory_core.search.evaluation import summarise

    output.data(f"{output.count(count, 'question')}; mean and 95 % confidence interval")
    for run, rows in runs.items():
        output.data(output.styled(run, "head"))
        _table(summarise(rows), signed=False)
    if gained:
        output.data(output.styled("difference", "head"))
        _table(gained, signed=True)


def _list(failed: Mapping[str, Sequence[_Failed]]) -> None:
    """Failed questions, for people."""
    for run, some in failed.items():
        if some:
            output.data(output.styled(f"{run}: {output.count(len(some), 'question')} failed", "head"))
        for one in some:
            where = ", ".join(f"{path}:{line}" for path, line in one.question.evidence)
            output.data(f"  {one.question.id}  {one.question.text}  ({where}; {one.reason})")


def _table(found: Mapping[str, Estimate], *, signed: bool) -> None:
    form = "+.3f" if signed else ".3f"
    for name in SHOWN:
        if name in found:
            one = found[name]
            output.data(f"  {name:<12} {one.mean:{form}}  [{one.low:{form}}, {one.high:{form}}]")
