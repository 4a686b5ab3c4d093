"""Four processes search while two others sync: no error, and how much slower the slowest search gets.

``python -m benchmarks.contention [--searches 200] [--notes 400]`` prints one JSON document: median and 99th percentile
of a search in milliseconds, with and without the two writers, and their ratio.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
import time
from pathlib import Path
from typing import Any

WORDS = ["heron", "kiln", "fuse", "ferry", "oak", "rent", "sail", "dentist", "invoice", "garden"]


def config(root: Path) -> dict[str, Any]:
    return {
        "agents": {"defaults": {"workspace": str(root / "workspace")}},
        "memory": {"search": {"provider": "none", "sync": {"watch": False, "onSearch": False}}},
    }


def core(root: Path) -> Any:
    from openclaw_memory_core.config import load_config
    from openclaw_memory_core.core import MemoryCore

    return MemoryCore(load_config(config(root), state_dir=root / "state", env={}), background=False)


def searcher(root: Path, searches: int, results: Any) -> None:
    took, errors = [], []
    with core(root) as memory:
        memory.search("heron")
        for number in range(searches):
            begun = time.perf_counter()
            answer = memory.search(f"{WORDS[number % len(WORDS)]} note {number % 50}")
            took.append(time.perf_counter() - begun)
            if answer.get("unavailable") or not answer["results"]:
                errors.append(str(answer.get("error", "no result")))
    results.put((took, errors))


def writer(root: Path, name: str, stop: Any) -> None:
    note = root / "workspace" / "memory" / f"{name}.md"
    number = 0
    with core(root) as memory:
        while not stop.is_set():
            number += 1
            note.write_text(f"# {name}\n\n- change {number} of the {WORDS[number % len(WORDS)]}\n", encoding="utf-8")
            memory.sync()


def round_of(root: Path, searches: int, writers: int) -> dict[str, Any]:
    context = multiprocessing.get_context("spawn")
    stop, results = context.Event(), context.Queue()
    writing = [context.Process(target=writer, args=(root, f"writer{n}", stop)) for n in range(writers)]
    reading = [context.Process(target=searcher, args=(root, searches, results)) for _ in range(4)]
    for process in writing + reading:
        process.start()
    collected = [results.get(timeout=600) for _ in reading]
    stop.set()
    for process in writing + reading:
        process.join()
    took = sorted(seconds * 1000 for one, _ in collected for seconds in one)
    errors = [error for _, some in collected for error in some]
    return {
        "searches": len(took),
        "errors": errors,
        "p50_ms": round(took[len(took) // 2], 1),
        "p99_ms": round(took[int(len(took) * 0.99)], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--searches", type=int, default=200, help="for each of the four processes")
    parser.add_argument("--notes", type=int, default=400)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        memory = root / "workspace" / "memory"
        memory.mkdir(parents=True)
        for number in range(args.notes):
            lines = [f"- {WORDS[(number + n) % len(WORDS)]} note {number} line {n}" for n in range(40)]
            (memory / f"n{number}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
        with core(root) as one:
            one.sync()
        quiet, busy = round_of(root, args.searches, 0), round_of(root, args.searches, 2)
    ratio = round(busy["p99_ms"] / quiet["p99_ms"], 2)
    print(json.dumps({"quiet": quiet, "with two writers": busy, "p99 ratio": ratio}, indent=2))


if __name__ == "__main__":
    main()
