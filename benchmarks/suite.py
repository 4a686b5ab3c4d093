"""Which figures are measured, at which sizes, and what they should be."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import corpus
from benchmarks.measure import Child, alternate, child
from benchmarks.prose import paragraphs
from benchmarks.report import Row, at_least, at_most
from benchmarks.setup import configuration
from openclaw_memory_core.index.plan import RACY_SECONDS

MEGABYTE = 1_000_000
TRIGGERS = 500


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is measured.

    :param sizes: chunks, about.
    :param dimensions: of made-up vectors.
    :param rounds: of a search.
    :param starts: of a program.
    :param texts: chunks for the embedded model's speed.
    :param real: texts embedded for recall.
    """

    sizes: tuple[int, ...]
    dimensions: tuple[int, ...]
    rounds: int
    starts: int
    texts: int
    real: int


QUICK = Scale(sizes=(1_000, 10_000), dimensions=(384,), rounds=40, starts=7, texts=300, real=2_500)
FULL = Scale(
    sizes=(1_000, 10_000, 50_000, 100_000), dimensions=(384, 768, 1536), rounds=100, starts=21, texts=1_500, real=20_000
)


class Suite:
    """Measures below one folder; workspaces that are there already are used again."""

    def __init__(self, scale: Scale, folder: Path, peers: Mapping[str, Sequence[str]]) -> None:
        self._scale = scale
        self._folder = folder
        self._peers = peers

    def parts(self) -> dict[str, Callable[[], Iterator[Row]]]:
        """What can be asked for, by name, cheap parts first."""
        return {
            "start": self.start,
            "session": self.session,
            "index": self.index,
            "search": self.search,
            "recall": self.recall,
            "model": self.model,
        }

    # --- workspaces --------------------------------------------------------------------------------------------------

    def _workspace(self, chunks: int) -> corpus.Corpus:
        notes = corpus.write(self._folder / f"notes-{chunks}", max(1, chunks // corpus.CHUNKS_A_FILE))
        # What was saved this moment is read again by the next sync, whose figure would be another one.
        time.sleep(RACY_SECONDS)
        return notes

    def _state(self, name: str) -> Path:
        """An empty state folder."""
        folder = self._folder / f"state-{name}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    # --- parts -------------------------------------------------------------------------------------------------------

    def start(self) -> Iterator[Row]:
        """CPU time of whole programs, against an interpreter that does nothing."""
        notes = self._workspace(10_000)
        state = self._state("start")
        child("index", workspace=str(notes.root), state=str(state))
        (state / "openclaw.json").write_text(json.dumps(configuration(notes.root)), encoding="utf-8")
        program = [sys.executable, "-m", "openclaw_memory_core"]
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "--help": [*program, "--help"],
            "status": [*program, "status"],
            "get": [*program, "get", f"memory/{corpus.LAST_DAY.isoformat()}.md"],
            "keyword search": [*program, "search", notes.questions[0]],
            **self._peers,
        }
        env = {"OPENCLAW_STATE_DIR": str(state), "HOME": str(self._folder)}
        times = alternate(commands, self._scale.starts, env)
        bare = times.pop("python -c pass")
        small = self._small_status(program)
        yield Row("python -c pass", bare * 1e3, "ms CPU")
        yield at_most("CLI --help", times["--help"] / bare, "×", 4, reference="python -c pass")
        yield at_most("CLI status", small["status"] / small["bare"], "×", 8, chunks=100, reference="python -c pass")
        yield Row("CLI status", times["status"] / bare, "×", chunks=10_000, reference="python -c pass")
        yield at_most("CLI keyword search", times["keyword search"] * 1e3, "ms CPU", 150, chunks=10_000)
        for name in ("get", *self._peers):
            yield Row(f"CLI {name}", times[name] * 1e3, "ms CPU", reference="python -c pass", ratio=times[name] / bare)

    def _small_status(self, program: Sequence[str]) -> dict[str, float]:
        """Beside the same reference: most of what ``status`` does in a larger workspace is looking at its notes."""
        notes, state = self._workspace(100), self._state("status")
        child("index", workspace=str(notes.root), state=str(state))
        (state / "openclaw.json").write_text(json.dumps(configuration(notes.root)), encoding="utf-8")
        commands = {"bare": [sys.executable, "-c", "pass"], "status": [*program, "status"]}
        return alternate(commands, self._scale.starts, {"OPENCLAW_STATE_DIR": str(state), "HOME": str(self._folder)})

    def session(self) -> Iterator[Row]:
        """The hooks that a conversation waits for."""
        notes = corpus.write(self._folder / "notes-session", 100)
        phrases = corpus.write_curated(notes.root, TRIGGERS)
        state = self._state("session")
        child("index", workspace=str(notes.root), state=str(state))
        found, _ = child("session", workspace=str(notes.root), state=str(state), phrases=phrases, rounds=200)
        yield at_most("session_start p95", found["session_start"]["p95"], "ms", 50, chunks=1_000)
        yield at_most(f"before_turn p95, {TRIGGERS} triggers", found["before_turn"]["p95"], "ms", 5)
        yield at_most("before_turn p95, 4,000 characters", found["before_turn, 4,000 characters"]["p95"], "ms", 5)

    def index(self) -> Iterator[Row]:
        """Full index without vectors, and syncs of little."""
        for size in self._scale.sizes:
            notes = self._workspace(size)
            state = self._state(f"{size}-0")
            found, went = child("index", workspace=str(notes.root), state=str(state))
            yield from _indexed(found, went, notes, size, 0)
            found, _ = child("sync", workspace=str(notes.root), state=str(state))
            large = size == 50_000
            yield at_most(
                "sync of nothing", found["nothing"], "ms", 500 if large else 500 * size / 50_000 + 50, chunks=size
            )
            yield at_most("one changed note until found", found["changed"], "ms", 300, chunks=size)
            found, _ = self._search(notes, state, 0)
            yield from _searched(found, size, 0)

    def search(self) -> Iterator[Row]:
        """Index with vectors, then search by leg and whole."""
        for size in self._scale.sizes:
            notes = self._workspace(size)
            for dimensions in self._scale.dimensions if size != 50_000 else ():
                state = self._state(f"{size}-{dimensions}")
                arguments = {"workspace": str(notes.root), "state": str(state), "dimensions": dimensions}
                found, went = child("index", **arguments)
                yield from _indexed(found, went, notes, size, dimensions)
                found, _ = self._search(notes, state, dimensions)
                yield from _searched(found, size, dimensions)
                shutil.rmtree(state)

    def _search(self, notes: corpus.Corpus, state: Path, dimensions: int) -> tuple[dict[str, dict[str, float]], Child]:
        return child(
            "search",
            workspace=str(notes.root),
            state=str(state),
            dimensions=dimensions,
            questions=notes.questions,
            rounds=self._scale.rounds,
        )

    def recall(self) -> Iterator[Row]:
        """Two stages against exact, on the embedded model's vectors of real prose."""
        texts = paragraphs(self._scale.real)
        asked = texts[:: max(2, len(texts) // 200)]
        root = self._folder / "prose"
        root.mkdir(parents=True, exist_ok=True)
        # A curated file gives one chunk an entry.
        kept = [text for text in texts if text not in set(asked)]
        (root / "MEMORY.md").write_text("".join(f"- {text}\n" for text in kept), encoding="utf-8")
        found, _ = child("recall", workspace=str(root), state=str(self._state("recall")), questions=asked)
        yield at_least("recall@10 against exact", found["recall"], "", 0.99, chunks=found["chunks"], dimensions=512)
        yield Row("lowest of one query", found["lowest"], "", chunks=found["chunks"], dimensions=512)

    def model(self) -> Iterator[Row]:
        """The embedded model while indexing, against the model by itself."""
        notes = corpus.write(self._folder / "notes-model", max(1, self._scale.texts // corpus.CHUNKS_A_FILE))
        found, _ = child("model", workspace=str(notes.root), state=str(self._state("model")))
        share, cost = found["share"], found["share, CPU"]
        dims = {"chunks": found["texts"], "dimensions": 512}
        for name in ("one thread", "all threads"):
            yield Row(f"embedded model alone, {name}", found[name], "texts/s", **dims)
            yield Row(f"CPU of a text alone, {name}", found[f"{name}, CPU"], "ms", **dims)
        yield at_least("indexing with it", share * 100, "%", 90, reference="alone", ratio=share, **dims)
        yield Row("CPU of indexing a text", found["indexing, CPU"], "ms", reference="alone", ratio=cost, **dims)
        yield Row("peak memory with the model", found["peak"], "MB", **dims)


def _indexed(
    found: Mapping[str, float], went: Child, notes: corpus.Corpus, size: int, dimensions: int
) -> Iterable[Row]:
    where: Mapping[str, Any] = {"chunks": size, "dimensions": dimensions}
    speed = notes.size / MEGABYTE / found["seconds"]
    if dimensions:
        yield Row("full index", speed, "MB/s", **where)
    else:
        yield at_least("full index, keywords only", speed, "MB/s", 5, **where)
    yield at_most("peak memory while indexing", went.peak, "MB", 400, **where)
    yield Row("CPU of a full index", went.cpu, "s", **where)
    yield Row(
        "index file", found["bytes"] / MEGABYTE, "MB", reference="notes", ratio=found["bytes"] / notes.size, **where
    )


def _searched(found: Mapping[str, Mapping[str, float]], size: int, dimensions: int) -> Iterable[Row]:
    where: Mapping[str, Any] = {"chunks": size, "dimensions": dimensions}
    scan = found.get("sqlite-vec exact")
    whole = found["search"]
    against: Mapping[str, Any] = (
        {"reference": "faster than sqlite-vec", "ratio": scan["p50"] / whole["p50"]} if scan else {}
    )
    most = {(100_000, 1536): 20.0, (10_000, 384): 5.0}.get((size, dimensions))
    if most is None:
        yield Row("search p95", whole["p95"], "ms", **where)
    else:
        yield at_most("search p95", whole["p95"], "ms", most, **where)
    yield Row("search p50", whole["p50"], "ms", **against, **where)
    yield Row("search, CPU", whole["cpu"], "ms", **where)
    yield Row("first search of a process", found["first"]["p50"], "ms", **where)
    for leg in ("keyword leg", "vector leg"):
        if leg in found:
            yield Row(f"{leg} p50", found[leg]["p50"], "ms", **where)
            yield Row(f"{leg} p95", found[leg]["p95"], "ms", **where)
    if scan:
        yield Row("sqlite-vec exact scan", scan["p50"], "ms", **where)
        yield Row("numpy product", found["numpy product"]["p50"], "ms", **where)
    if scan and (size, dimensions) == (100_000, 1536):
        faster = scan["p50"] / whole["p50"]
        yield at_least("times faster than the exact scan", faster, "×", 10, **where)


def evaluate(locomo: Path | None) -> Iterator[list[str]]:
    """Commands that measure how good the search is, where their data is given."""
    yield [sys.executable, "-m", "benchmarks.mixed"]
    if locomo is not None:
        yield [sys.executable, "-m", "benchmarks.locomo", str(locomo)]
