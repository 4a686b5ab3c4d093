"""Runs questions through the public search of a workspace, in several configurations, and tabulates the figures."""

from __future__ import annotations

import datetime as dt
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from openclaw_memory_core.config import load_config
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.search.evaluation import Question, differences, judge, read_questions, summarise
from openclaw_memory_hookspecs import Runtime

DEFAULT = "default"
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    "decay off": {"hybrid": {"temporalDecay": {"enabled": False}}},
    "keywords only": {"hybrid": {"vectorWeight": 0, "textWeight": 1}},
    "keywords, decay off": {"hybrid": {"vectorWeight": 0, "textWeight": 1, "temporalDecay": {"enabled": False}}},
    "vectors only": {"hybrid": {"enabled": False}},
    "no diversity": {"hybrid": {"mmr": {"enabled": False}}},
    "zscore": {"hybrid": {"fusion": "zscore"}},
    "rrf": {"hybrid": {"fusion": "rrf"}},
    "documented": {"hybrid": {"fusion": "documented"}},
    "documented, decay off": {"hybrid": {"fusion": "documented", "temporalDecay": {"enabled": False}}},
}
COLUMNS = ("recall@6", "recall@10", "shown@6", "mrr@10", "ndcg@10", "newer first")
RESULTS = 10

Row = dict[str, Any]


def run(workspace: Path, state: Path, today: dt.date, query: Mapping[str, Any]) -> list[Row]:
    """Figures of every question in ``queries.jsonl`` of a workspace.

    shown@6 and recall@6 come from a search with the default number of results, the rest from one with ten.
    """
    config = load_config(
        {
            "agents": {"defaults": {"workspace": str(workspace), "userTimezone": "UTC"}},
            "memory": {"search": {"provider": "embedded", "query": dict(query)}},
        },
        state_dir=state,
    )
    runtime = Runtime(clock=lambda: dt.datetime.combine(today, dt.time(10), dt.UTC), timezone="UTC")
    with (workspace / "queries.jsonl").open(encoding="utf-8") as lines:
        questions = read_questions(lines)
    with MemoryCore(config, runtime=runtime, background=False) as core:
        core.sync()
        return [_row(core, workspace, question) for question in questions]


def _row(core: MemoryCore, workspace: Path, question: Question) -> Row:
    started = time.perf_counter()
    first = core.search(question.text)["results"]
    seconds = time.perf_counter() - started
    ten = core.search(question.text, max_results=RESULTS)["results"]
    lines = _Lines(workspace)
    figures = judge(question, ten, lines)
    default = judge(question, first, lines)
    figures |= {name: default[name] for name in default if name.endswith("@6") or name == "newer first"}
    return {"kind": question.kind, "seconds": seconds, "figures": figures}


class _Lines:
    _files: dict[Path, list[str]] = {}  # noqa: RUF012 - shared on purpose: notes do not change during a run

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace

    def __call__(self, path: str, number: int) -> str | None:
        file = self._workspace / path
        if file not in self._files:
            self._files[file] = file.read_text(encoding="utf-8").split("\n")
        lines = self._files[file]
        return lines[number - 1] if number <= len(lines) else None


def compare(rows: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """Means with intervals, differences to the default, and means by kind of question."""
    report: dict[str, Any] = {}
    for name, found in rows.items():
        figures = [row["figures"] for row in found]
        entry: dict[str, Any] = {"figures": {k: v.to_dict() for k, v in summarise(figures).items()}}
        if name != DEFAULT and DEFAULT in rows:
            base = [row["figures"] for row in rows[DEFAULT]]
            entry["difference"] = {k: v.to_dict() for k, v in differences(base, figures).items()}
        kinds = dict.fromkeys(row["kind"] for row in found)
        entry["kinds"] = {
            kind: {
                "questions": sum(row["kind"] == kind for row in found),
                **{
                    k: round(v.mean, 3)
                    for k, v in summarise([r["figures"] for r in found if r["kind"] == kind]).items()
                },
            }
            for kind in kinds
        }
        times = sorted(row["seconds"] for row in found)
        entry["milliseconds"] = {
            "p50": round(times[len(times) // 2] * 1e3, 1),
            "p95": round(times[int(len(times) * 0.95)] * 1e3, 1),
        }
        report[name] = entry
    return report


def table(report: Mapping[str, Any]) -> str:
    """The report for people."""
    lines = [f"{'':<24}" + "".join(f"{column:>24}" for column in COLUMNS)]
    for name, entry in report.items():
        cells = []
        for column in COLUMNS:
            one = entry["figures"].get(column)
            cells.append(f"{one['mean']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" if one else "-")
        lines.append(f"{name:<24}" + "".join(f"{cell:>24}" for cell in cells))
    return "\n".join(lines)


def finish(report: Mapping[str, Any], target: Path | None) -> None:
    """Print the table and write the JSON."""
    print(table(report))
    if target is not None:
        target.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
