"""Retrieval on our own mixed notes: ids, config keys, errors, code, paraphrases, four languages, facts that changed.

    python -m benchmarks.mixed [--json OUT] [--only default,rrf]

A check that nothing was tuned to the form of one data set.  The notes in ``data/mixed`` stand among 120 generated logs
that share their words and none of their answers.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import random
import shutil
import tempfile
from pathlib import Path

from benchmarks.retrieval import CONFIGURATIONS, compare, finish, run

TODAY = dt.date(2026, 11, 30)
DATA = Path(__file__).parent / "data" / "mixed"
LOGS = 120
UNDATED = dt.datetime(2026, 1, 15, tzinfo=dt.UTC)
"""When notes without a date in their name were last changed."""

_PEOPLE = ["Ana", "Ben", "Chen", "Dara", "Emil", "Gita", "Hana", "Ivo", "Jana", "Karl", "Lars", "Mina", "Noor", "Otto"]
_DID = [
    "checked",
    "ordered",
    "moved",
    "repaired",
    "cancelled",
    "renamed",
    "postponed",
    "measured",
    "tested",
    "replaced",
]
_THINGS = [
    *("printer", "roof", "newsletter", "warehouse", "login form", "price list", "van", "bakery order", "translation"),
    *("website", "photo archive", "spare parts", "contract draft", "meeting room", "router", "paint", "shelf", "lamp"),
    *("import script", "dashboard", "coffee machine", "parking permit", "test suite", "sales report", "calendar"),
    *("training room", "ticket queue", "garden gate", "water pump", "insurance claim"),
]
_REMARKS = [
    *("it took longer than planned", "no answer yet", "the invoice follows", "needs another look next week"),
    *("works again", "everybody is happy with it", "costs less than last year", "waiting for a part"),
]


def write_logs(folder: Path) -> None:
    """Write the generated logs; the same at every run."""
    rng = random.Random(1)
    for number in range(LOGS):
        day = dt.date(2026, 1, 6) + dt.timedelta(days=int(number * 2.7))
        lines = [f"# {day.isoformat()} log"]
        for section in range(3):
            lines += ["", f"## {8 + 3 * section:02d}:{rng.randint(0, 59):02d}", ""]
            lines += [
                f"- {rng.choice(_PEOPLE)} {rng.choice(_DID)} the {rng.choice(_THINGS)}; {rng.choice(_REMARKS)}."
                for _ in range(6)
            ]
        (folder / "memory" / f"{day.isoformat()}-log.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_workspace(folder: Path) -> None:
    """Write the notes and their questions."""
    shutil.copytree(DATA, folder)
    write_logs(folder)
    for note in folder.rglob("*.md"):
        os.utime(note, (UNDATED.timestamp(), UNDATED.timestamp()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write all figures there")
    parser.add_argument("--only", help="configurations, with commas between them")
    args = parser.parse_args()
    names = args.only.split(",") if args.only else list(CONFIGURATIONS)
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        write_workspace(workspace)
        rows = {name: run(workspace, Path(folder) / "state", TODAY, CONFIGURATIONS[name]) for name in names}
    report = compare(rows)
    finish(report, args.json)
    for kind, figures in report[names[0]]["kinds"].items():
        print(f"{names[0]}, {kind:<14}", {k: figures[k] for k in ("questions", "recall@6", "shown@6", "mrr@10")})


if __name__ == "__main__":
    main()
