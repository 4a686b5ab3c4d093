"""How good a search is on a set of questions: recall, reciprocal rank, nDCG, shown evidence, with confidence intervals.

A question has evidence lines.  A line is *found* by a hit of its document whose line range holds it; it is *shown* if
its whole text also stands in the hit's snippet, white space aside.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from openclaw_memory_core.errors import UsageError
from openclaw_memory_core.workspace.annotations import strip_annotations

DEPTHS = (1, 5, 6, 10)
"""Numbers of results that are judged; 6 is the default of a search."""

ROUNDS = 1000
"""Resamples of a bootstrap."""

FORM: Final = (
    'each line is {"question": "…", "evidence": [{"path": "memory/x.md", "line": 3}]}, '
    'or has "path" and "lines": [first, last] in place of "evidence"'
)

_SHORT: Final = 60

Line = tuple[str, int]
LineText = Callable[[str, int], str | None]
"""Text of a line of a document; None if there is no such line."""


@dataclass(frozen=True, slots=True)
class Question:
    """One row of a question file.

    :param evidence: lines that answer it, as (path, number).
    :param superseded: lines that answered it once; a hit on them should come after the evidence.
    """

    id: str
    text: str
    evidence: tuple[Line, ...]
    superseded: tuple[Line, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % confidence interval (bootstrap over questions)."""

    mean: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        """Rounded to four digits."""
        return {"mean": round(self.mean, 4), "low": round(self.low, 4), "high": round(self.high, 4)}


def read_questions(lines: Iterable[str], *, where: str = "questions") -> list[Question]:
    """Questions of a JSON Lines file; rows without evidence cannot be judged and are left out.

    :raises UsageError: see :func:`read_rows`.
    """
    return [question for question in read_rows(lines, where=where) if question.evidence]


def read_rows(lines: Iterable[str], *, where: str = "questions") -> list[Question]:
    """Questions of a JSON Lines file, also those without evidence.

    A row has ``question`` and ``evidence: [{path, line}]``, or ``path`` and ``lines: [first, last]``.

    :raises UsageError: a row is not of that form; says what was expected and what stands there.
    """
    questions = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            questions.append(_question(json.loads(line), number))
        except (ValueError, TypeError) as error:
            why = f"it is not JSON ({error})" if isinstance(error, json.JSONDecodeError) else str(error)
            raise UsageError(f"line {number} of {where} is not a question: {why}", hint=FORM) from error
    return questions


def _question(row: Any, number: int) -> Question:
    """:raises ValueError, TypeError: what was expected, and what stands there."""
    if not isinstance(row, dict):
        raise TypeError(f"expected an object, not {_short(row)}")
    if "question" not in row:
        raise ValueError('"question" is missing')
    if not isinstance(row["question"], str):
        raise TypeError(f'"question" must be text, not {_short(row["question"])}')
    evidence = [*_lines(row, "evidence"), *_span(row)]
    return Question(
        id=str(row.get("id", number)),
        text=row["question"],
        evidence=tuple(dict.fromkeys(evidence)),
        superseded=tuple(_lines(row, "superseded")),
        kind=str(row.get("kind", row.get("category", ""))),
    )


def _lines(row: Mapping[str, Any], name: str) -> list[Line]:
    """The value of ``evidence`` or ``superseded``."""
    items = row.get(name, [])
    if not isinstance(items, list):
        raise TypeError(f'"{name}" must be a list of {{"path", "line"}}, not {_short(items)}')
    for item in items:
        if not (isinstance(item, dict) and isinstance(item.get("path"), str) and _is_number(item.get("line"))):
            raise ValueError(f'"{name}" must hold {{"path": text, "line": number}}, not {_short(item)}')
    return [(item["path"], item["line"]) for item in items]


def _span(row: Mapping[str, Any]) -> list[Line]:
    """The lines that ``path`` and ``lines`` name."""
    if "path" not in row and "lines" not in row:
        return []
    path, lines = row.get("path"), row.get("lines")
    if not isinstance(path, str):
        raise TypeError('"lines" needs a "path"' if path is None else f'"path" must be text, not {_short(path)}')
    if not (isinstance(lines, list) and len(lines) == 2 and all(map(_is_number, lines)) and lines[0] <= lines[1]):
        stands = f"not {_short(lines)}" if "lines" in row else "and is missing"
        raise ValueError(f'"lines" must be [first, last], two line numbers, {stands}')
    return [(path, line) for line in range(lines[0], lines[1] + 1)]


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def is_blank(text: str) -> bool:
    """True for a line that shows nothing, so that no result can show it."""
    return not strip_annotations(text).strip()


def judge(question: Question, results: Sequence[Mapping[str, Any]], line_text: LineText) -> dict[str, float]:
    """Figures of one question.

    :param results: hits as ``memory_search`` returns them, best first.
    """
    found = [[_covers(hit, line) for line in question.evidence] for hit in results]
    shown = [[_shows(hit, line, line_text) for line in question.evidence] for hit in results]
    figures: dict[str, float] = {}
    for depth in DEPTHS:
        figures[f"recall@{depth}"] = _share(found[:depth])
        figures[f"shown@{depth}"] = _share(shown[:depth])
    rank = next((place for place, row in enumerate(found[:10], 1) if any(row)), None)
    figures["mrr@10"] = 1 / rank if rank else 0.0
    figures["ndcg@10"] = _ndcg(found[:10], len(question.evidence))
    if question.superseded:
        old = next((p for p, hit in enumerate(results, 1) if any(_covers(hit, s) for s in question.superseded)), None)
        figures["newer first"] = float(rank is not None and (old is None or rank <= old))
    return figures


def _covers(hit: Mapping[str, Any], line: Line) -> bool:
    return bool(hit["path"] == line[0] and hit["startLine"] <= line[1] <= hit["endLine"])


def _shows(hit: Mapping[str, Any], line: Line, line_text: LineText) -> bool:
    if not _covers(hit, line):
        return False
    text = line_text(*line)
    # Annotation comments are never shown.
    return text is not None and " ".join(strip_annotations(text).split()) in " ".join(str(hit["snippet"]).split())


def _share(rows: Sequence[Sequence[bool]]) -> float:
    columns = list(zip(*rows, strict=True))
    return sum(map(any, columns)) / len(columns) if columns else 0.0


def _ndcg(rows: Sequence[Sequence[bool]], total: int) -> float:
    """A hit gains what it is the first to find (Järvelin and Kekäläinen, 2002)."""
    seen = [False] * total
    gain = 0.0
    for rank, row in enumerate(rows, 1):
        fresh = sum(now and not before for now, before in zip(row, seen, strict=True))
        seen = [now or before for now, before in zip(row, seen, strict=True)]
        gain += fresh / math.log2(rank + 1)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(total, 10) + 1))
    return min(1.0, gain / ideal) if ideal else 0.0


def summarise(rows: Sequence[Mapping[str, float]], *, seed: int = 1) -> dict[str, Estimate]:
    """Means over the questions that have a figure."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: estimate([row[name] for row in rows if name in row], seed=seed) for name in names}


def differences(
    before: Sequence[Mapping[str, float]], after: Sequence[Mapping[str, float]], *, seed: int = 1
) -> dict[str, Estimate]:
    """Paired differences, *after* − *before*, of the same questions in the same order."""
    pairs = list(zip(before, after, strict=True))
    names = dict.fromkeys(name for old, new in pairs for name in old if name in new)
    return {
        name: estimate([new[name] - old[name] for old, new in pairs if name in old and name in new], seed=seed)
        for name in names
    }


def estimate(values: Sequence[float], *, seed: int = 1, rounds: int = ROUNDS) -> Estimate:
    """Mean and percentile bootstrap interval (Efron, 1979)."""
    if not values:
        return Estimate(0.0, 0.0, 0.0)
    rng = random.Random(seed)  # noqa: S311 - resampling, not a secret
    count = len(values)
    means = sorted(sum(rng.choices(values, k=count)) / count for _ in range(rounds))
    return Estimate(sum(values) / count, means[int(rounds * 0.025)], means[min(rounds - 1, int(rounds * 0.975))])
