"""How fast the memory is, at sizes that nobody's diary reaches, with its limits measured in the same run.

    python -m benchmarks            everything: 1,000 to 100,000 chunks, 384 to 1,536 dimensions (six minutes)
    python -m benchmarks --quick    a first impression in less than two minutes
    python -m benchmarks --only start,session

Every figure stands beside what it is compared with: ``python -c pass``, sqlite-vec's exact scan, numpy's matrix
product, the embedded model by itself.  A figure that misses its target has a ``!`` in front.
"""

from __future__ import annotations

import argparse
import contextlib
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.measure import ROOT, machine
from benchmarks.report import Row, plot, table, write_json
from benchmarks.suite import FULL, QUICK, Suite, evaluate

RESULTS = ROOT / "benchmarks" / "results"


def main() -> int:
    """Measure, print, write; 0 also where a target is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--only", metavar="PARTS", help="start, session, index, search, recall, model")
    parser.add_argument("--sizes", type=_numbers, help="chunks, with commas between them")
    parser.add_argument("--dimensions", type=_numbers, help="of the vectors, with commas between them")
    parser.add_argument("--work", type=Path, help="folder for notes and indexes; a temporary one if not given")
    parser.add_argument("--json", type=Path, default=RESULTS / "speed.json", help="where all figures go")
    parser.add_argument("--plot", type=Path, default=RESULTS / "speed.svg", help="where the plot goes")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND", help="another program to start")
    parser.add_argument("--quality", action="store_true", help="also measure how good the search is, on our own notes")
    parser.add_argument("--locomo", type=Path, help="locomo10.json, for --quality")
    args = parser.parse_args()
    peers = {name: shlex.split(command) for name, _, command in (one.partition("=") for one in args.peer)}
    rows: list[Row] = []
    with _folder(args.work) as folder:
        scale = QUICK if args.quick else FULL
        scale = replace(scale, sizes=args.sizes or scale.sizes, dimensions=args.dimensions or scale.dimensions)
        suite = Suite(scale, folder, peers)
        parts = suite.parts()
        chosen = args.only.split(",") if args.only else list(parts)
        if unknown := [name for name in chosen if name not in parts]:
            parser.error(f"--only: no part {', '.join(unknown)}; there are {', '.join(parts)}")
        for name in chosen:
            begun = time.monotonic()
            rows += parts[name]()
            print(f"{name}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
            write_json(args.json, rows, machine())
    print(table(rows))
    print(f"load now: {machine()['load']}; figures: {args.json}; {plot(args.plot, rows)}", file=sys.stderr)
    if args.quality or args.locomo:
        for command in evaluate(args.locomo):
            subprocess.run(command, check=True)
    return 0


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


@contextlib.contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="openclaw-memory-bench-") as folder:
        yield Path(folder).resolve()


if __name__ == "__main__":
    raise SystemExit(main())
