"""Writes docs/report.md: how well the search finds, and how fast everything is, with plots.  ``make report`` runs it.

    python -m benchmarks.page [--full] [--locomo locomo10.json] [--keep]

Figures are kept in benchmarks/results; ``--keep`` uses those that are there.  Speed is measured with small sizes, or
all of them with ``--full``.  LoCoMo is measured where its file is given, for the data set is not part of this project.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw

from benchmarks.plot import Bar, bars
from openclaw_memory_core import __version__

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results"
PAGE = ROOT / "docs" / "report.md"
PICTURES = ROOT / "docs" / "report"
COLUMNS = ("shown@6", "recall@6", "recall@10", "mrr@10", "ndcg@10", "newer first")

HEAD = """# Report

Written by `make report`; do not edit. {day}, version {version}, Python {python}, SQLite {sqlite}, {machine}.

Intervals are 95 % by bootstrap over questions. *shown@6*: the whole line that answers stands in the first six snippets.
*recall@k*: it lies in the lines of the first *k* results. [Search](search.md) has the formulas and what was tried.
"""
MIXED = """## Ranking: mixed notes

Identifiers, code, errors, paraphrases, four languages, dates, facts that changed; among 120 generated logs that share
their words. Model of the package, offline. The notes are in `benchmarks/data/mixed`.
"""
LOCOMO = """## Ranking: LoCoMo

A year of chat as daily notes (Maharana et al., 2024), one line a turn, the newest of yesterday.
"""

SPEED = """## Speed

Every figure beside what limits it, measured in the same run on a machine that did nothing else. `!` marks a
figure that misses its target. [Performance](performance.md) says what is behind them.
"""


def measure(name: str, command: Sequence[str], *, keep: bool) -> dict[str, Any]:
    """What a benchmark wrote as JSON, after running it unless that is to be kept."""
    target = RESULTS / f"{name}.json"
    if not (keep and target.is_file()):
        RESULTS.mkdir(exist_ok=True)
        subprocess.run([sys.executable, *command, "--json", str(target)], cwd=ROOT, check=True)
    found: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return found


def ranking(title: str, name: str, report: Mapping[str, Any]) -> str:
    """A table and a plot of each configuration, and a table by kind of question."""
    figures = {run: entry["figures"] for run, entry in report.items()}
    columns = [column for column in COLUMNS if column in next(iter(figures.values()))]
    rows = [[run, *(_cell(found.get(column)) for column in columns)] for run, found in figures.items()]
    plot = [
        Bar(run, **{k: found["shown@6"][k] for k in ("low", "high")}, value=found["shown@6"]["mean"])
        for run, found in figures.items()
    ]
    first = next(iter(report.values()))
    kinds = [
        [kind, *(str(found.get(column, "–")) for column in ("questions", "shown@6", "recall@10", "mrr@10"))]
        for kind, found in first["kinds"].items()
    ]
    times = first["milliseconds"]
    return "\n".join(
        [
            title,
            picture(f"shown-{name}", "shown@6, with its interval", bars("shown@6", plot, top=1)),
            table(["", *columns], rows),
            f"A search took {times['p50']} ms (median), {times['p95']} ms (95 %). With default settings, by kind:\n",
            table(["kind", "questions", "shown@6", "recall@10", "mrr@10"], kinds),
        ]
    )


def speed(report: Mapping[str, Any]) -> str:
    """A table of all figures and a plot of searches against size."""
    rows = report["rows"]
    searches = [
        Bar(f"{row['chunks']:,} × {row['dimensions']}", row["value"]) for row in rows if row["what"] == "search p95"
    ]
    parts = [SPEED]
    if searches:
        svg = bars("search, 95 % are faster: chunks × dimensions", searches, unit=" ms", digits=1)
        parts.append(picture("search", "time of a search against the size of the index", svg))
    parts.append(table(["", "chunks", "dimensions", "value", "target", "beside"], [_figure(row) for row in rows]))
    return "\n".join(parts)


def _figure(row: Mapping[str, Any]) -> list[str]:
    beside = f"{row['ratio']:.2f} × {row['reference']}" if row["ratio"] is not None else row["reference"]
    what = f"! {row['what']}" if row["reached"] is False else row["what"]
    size = [f"{row[key]:,}" if row[key] else "" for key in ("chunks", "dimensions")]
    return [what, *size, f"{row['value']:,.2f} {row['unit']}".strip(), row["target"], beside]


def _cell(one: Mapping[str, float] | None) -> str:
    return f"{one['mean']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" if one else "–"


def picture(name: str, text: str, svg: str) -> str:
    """Write a picture and return the line that shows it."""
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")
    return f"![{text}](report/{name}.svg)\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="all sizes: ten minutes, with LoCoMo")
    parser.add_argument("--locomo", type=Path, help="the data set's file")
    parser.add_argument("--keep", action="store_true", help="use the figures that are there")
    args = parser.parse_args()
    machine = f"{platform.system()} {platform.machine()}"
    head = HEAD.format(
        day=dt.datetime.now(dt.UTC).date(),
        version=__version__,
        python=platform.python_version(),
        sqlite=apsw.sqlite_lib_version(),
        machine=machine,
    )
    parts = [head, ranking(MIXED, "mixed", measure("mixed", ["-m", "benchmarks.mixed"], keep=args.keep))]
    if args.locomo or (args.keep and (RESULTS / "locomo.json").is_file()):
        command = ["-m", "benchmarks.locomo", str(args.locomo)]
        parts.append(ranking(LOCOMO, "locomo", measure("locomo", command, keep=args.keep)))
    size = [] if args.full else ["--quick"]
    parts.append(speed(measure("speed", ["-m", "benchmarks", *size], keep=args.keep)))
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
