"""What is measured, each part in a process of its own: ``python -m benchmarks.parts PART '{"argument": …}'``.

A part prints one JSON document.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import references
from benchmarks.corpus import LAST_DAY
from benchmarks.measure import peak_so_far, times_of
from benchmarks.setup import open_core
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.privacy import Visible
from openclaw_memory_core.search.query import parse
from openclaw_memory_hookspecs import Session

MAIN = Session(key="agent:main:main", session_id="bench")
WARMING = 5
"""Questions that are asked before the clock starts, and not again."""

PLACES = 48
"""Candidates that a search takes from each leg."""


def index(workspace: str, state: str, dimensions: int = 0, provider: str = "none") -> dict[str, Any]:
    """A first, full index."""
    with open_core(Path(workspace), Path(state), provider=provider, dimensions=dimensions) as core:
        begun = time.perf_counter()
        report = core.sync()
        seconds = time.perf_counter() - begun
    file = core.agent.search.store.path
    return {"seconds": seconds, "chunks": report.chunks, "bytes": file.stat().st_size, "complete": report.complete}


def sync(workspace: str, state: str, dimensions: int = 0, rounds: int = 5) -> dict[str, Any]:
    """Syncs of an open index: of nothing, and of one changed note until it is found."""
    note = Path(workspace) / "memory" / f"{LAST_DAY.isoformat()}.md"
    before = note.read_bytes()
    with open_core(Path(workspace), Path(state), dimensions=dimensions) as core:
        core.sync()
        nothing = times_of(lambda _: core.sync(), rounds)

        changed = []
        for number in range(rounds):
            with note.open("a", encoding="utf-8") as file:
                file.write(f"- the word of this round is xylograph{number}\n")
            begun = time.perf_counter()
            core.sync()
            if not core.search(f"xylograph{number}")["results"]:
                raise RuntimeError("a changed note was not found")
            changed.append((time.perf_counter() - begun) * 1e3)
        note.write_bytes(before)
        core.sync()
    return {"nothing": nothing["p50"], "changed": sorted(changed)[rounds // 2]}


def search(workspace: str, state: str, dimensions: int, questions: Sequence[str], rounds: int) -> dict[str, Any]:
    """Warm searches by leg and whole, beside an exact scan by sqlite-vec and numpy's matrix product.

    No search asks what was asked before in this process; the legs are asked the same questions once more, alone.  The
    questions are embedded beforehand, and the provider remembers them: that time is not the search's.
    """
    distinct = list(dict.fromkeys(questions))
    warming, asked = distinct[:WARMING], distinct[WARMING : WARMING + rounds]
    if len(asked) < rounds:
        raise ValueError(f"{rounds} rounds need {WARMING + rounds} different questions; there are {len(distinct)}")
    with open_core(Path(workspace), Path(state), dimensions=dimensions, background=True) as core:
        _as_in_a_host(core)
        begun = time.perf_counter()
        core.search(warming[0])
        first = (time.perf_counter() - begun) * 1e3
        for question in warming[1:]:
            core.search(question)
        queries = [core.index.provider.embed_query(one, timeout=60) for one in asked] if dimensions else []
        found: dict[str, Any] = {"first": {"p50": first}, "search": times_of(lambda n: core.search(asked[n]), rounds)}
        visible = Visible()
        terms = [[*parse(one, LAST_DAY).terms] for one in asked]
        with core.index.store.reader() as reader:
            found["keyword leg"] = times_of(lambda n: reader.keyword(terms[n], visible, 200), rounds)
            if dimensions:
                found["vector leg"] = times_of(lambda n: reader.vector(queries[n], visible, PLACES), rounds)
                found |= references.exact_scans(core.agent.search.store.path, queries, PLACES, min(rounds, 20))
    return found


def _as_in_a_host(core: MemoryCore) -> None:
    """A session has begun, files are watched, the first check is over."""
    core.session_start(MAIN)
    if core.index.scheduler is not None and not core.index.scheduler.wait(120):
        raise RuntimeError("the first check took too long")


def session(workspace: str, state: str, phrases: Sequence[str], rounds: int) -> dict[str, Any]:
    """The two hooks that a conversation waits for."""
    with open_core(Path(workspace), Path(state), background=True) as core:
        _as_in_a_host(core)
        starts = times_of(lambda _: core.session_start(MAIN), rounds)
        messages = [f"Could you tell me again about the {phrases[n % len(phrases)]}, please?" for n in range(rounds)]
        if core.before_turn(MAIN, messages[0]) is None:
            raise RuntimeError("a trigger was not recalled")
        turns = times_of(lambda n: core.before_turn(MAIN, messages[n]), rounds)
        long = " ".join(f"{phrase} and" for phrase in phrases[::7])[:4000]
        long_turns = times_of(lambda _: core.before_turn(MAIN, long), rounds)
    return {"session_start": starts, "before_turn": turns, "before_turn, 4,000 characters": long_turns}


def recall(workspace: str, state: str, questions: Sequence[str], limit: int = 10) -> dict[str, Any]:
    """How many of the exactly nearest chunks the search in two stages finds, on vectors of the embedded model."""
    with open_core(Path(workspace), Path(state), provider="embedded") as core:
        core.sync()
        queries = [core.index.provider.embed_query(one, timeout=60) for one in questions]
        exact = references.exact_neighbours(core.agent.search.store.path, queries, limit)
        with core.index.store.reader() as reader:
            # Equal texts have equal cosines: which of them is found does not matter.
            shares = [
                sum(hit.cosine >= last - 1e-5 for hit in reader.vector(query, Visible(), limit)) / limit
                for query, last in zip(queries, exact, strict=True)
            ]
            chunks = reader.counts().vectors
    return {"recall": sum(shares) / len(shares), "lowest": min(shares), "queries": len(shares), "chunks": chunks}


def model(workspace: str, state: str, rounds: int = 3) -> dict[str, Any]:
    """Texts a second of the embedded model while indexing, and by itself on the same texts; they take turns."""
    figures: dict[str, list[float]] = {}
    found: dict[str, Any] = {}
    alone = None
    for number in range(rounds):
        folder = Path(state) / str(number)
        folder.mkdir()
        with open_core(Path(workspace), folder, provider="embedded") as core:
            core.index.provider.embed_query("load the model", timeout=60)
            begun, cpu = time.perf_counter(), time.process_time()
            report = core.sync()
            seconds, used = time.perf_counter() - begun, time.process_time() - cpu
            file = core.agent.search.store.path
        if alone is None:
            found = {"texts": report.embedded, "peak": peak_so_far()}
            alone = references.ModelAlone(references.stored_texts(file))
        one, one_cpu = alone.speed(1)
        every, every_cpu = alone.speed(os.cpu_count() or 1)
        speed, cost = report.embedded / seconds, used / report.embedded * 1e3
        for name, value in {
            "one thread": one,
            "one thread, CPU": one_cpu,
            "all threads": every,
            "all threads, CPU": every_cpu,
            "indexing": speed,
            "indexing, CPU": cost,
            "share": speed / max(one, every),
            "share, CPU": cost / every_cpu,
        }.items():
            figures.setdefault(name, []).append(value)
    return found | {name: statistics.median(values) for name, values in figures.items()}


PARTS: dict[str, Callable[..., dict[str, Any]]] = {
    part.__name__: part for part in (index, sync, search, session, recall, model)
}


if __name__ == "__main__":
    print(json.dumps(PARTS[sys.argv[1]](**json.loads(sys.argv[2]))))
