"""Writers, syncs, rebuilds and searches at once, and kill -9 at any moment: nothing is lost, nothing is wrong."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import apsw
import pytest
from support.sync_bench import SyncBench, WordsProvider
from support.torture_editor import Editor

from openclaw_memory_core.index.watch import FileWatcher

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9")

WORKER = Path(__file__).parents[1] / "support" / "torture_worker.py"


PATIENCE = 120.0
"""Seconds that a machine with other work to do may need until the workers have begun."""


class Crowd:
    """Worker processes, killed and replaced at random."""

    def __init__(self, root: Path, rng: random.Random) -> None:
        self.root = root
        self.rng = rng
        self.said: Counter[str] = Counter()
        self.kills = 0
        self._log = root / "log"
        self._log.mkdir()
        self._workers: list[tuple[str, subprocess.Popen[bytes], Path]] = []
        for role in ("sync", "sync", "search"):
            self._spawn(role)

    def _spawn(self, role: str) -> None:
        log = self._log / f"{len(list(self._log.iterdir())):04d}-{role}"
        seed = str(self.rng.random())
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, str(WORKER), role, str(self.root), seed],
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONPATH": str(WORKER.parents[1])},
            )
        self._workers.append((role, process, log))

    def kill_one(self) -> None:
        """Kill a worker, wherever it is, and start another of its kind."""
        at = self.rng.randrange(len(self._workers))
        role, process, log = self._workers.pop(at)
        self._end(process, log)
        self._spawn(role)

    def end(self) -> None:
        """Kill them all."""
        while self._workers:
            _, process, log = self._workers.pop()
            self._end(process, log)

    def _end(self, process: subprocess.Popen[bytes], log: Path) -> None:
        died = process.poll()
        process.kill()
        process.wait()
        self.kills += 1
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        self.said.update(lines if died is None else [*lines, f"problem: died with {died}"])

    def has_worked(self) -> bool:
        """True once something was synced and something was searched."""
        logs = [log.read_text(encoding="utf-8", errors="replace") for _, _, log in self._workers]
        return all(self.said[word] or any(word in log for log in logs) for word in ("synced", "searched"))

    @property
    def problems(self) -> list[str]:
        """Everything that should not have been said."""
        return [line for line in self.said if line not in {"busy", "synced", "searched"}]


def one_round(folder: Path, *, seed: int, seconds: float) -> None:
    """Trouble for so many seconds, then quiet and a check of everything.

    The editor stops now and then, as people do, so that workers are killed in every phase of a sync.
    """
    rng = random.Random(seed)
    bench = SyncBench(folder)
    editor = Editor(bench.root, rng)
    for _ in range(20):
        editor.step()
    crowd = Crowd(folder, rng)
    try:
        end = time.monotonic() + seconds
        while time.monotonic() < end or not crowd.has_worked():
            assert time.monotonic() < end + PATIENCE, "nothing gets done"
            for _ in range(rng.randint(0, 5)):
                editor.step()
            time.sleep(rng.uniform(0.02, 0.3))
            if rng.random() < 0.3:
                crowd.kill_one()
    finally:
        crowd.end()
    try:
        check_everything(bench, editor, folder)
    finally:
        bench.close()
    assert crowd.problems == []


def check_everything(bench: SyncBench, editor: Editor, folder: Path) -> None:
    assert editor.differences() == {}
    assert bench.store.integrity_check(full=True) == []
    provider = WordsProvider("ash", 8)
    report = bench.engine(provider).sync(reason="cli")
    assert (report.complete, report.missing) == (True, 0), report
    assert generations(bench.index) == ["active"]
    again = bench.engine(provider).sync(reason="cli")
    assert (again.added, again.changed, again.removed, again.embedded) == (0, 0, 0, 0), again

    fresh = SyncBench(folder / "fresh")
    try:
        fresh.root = bench.root
        fresh.engine(WordsProvider("ash", 8)).sync(reason="cli")
        assert bench.content() == fresh.content()
        assert bench.vectors() == fresh.vectors() == len(fresh.content())
        bench.provider = fresh.provider = provider
        for query in ("heron kiln", "账单", "roof tram osprey"):
            assert bench.found(query.split()[0]) == fresh.found(query.split()[0])
            assert set(bench.found_by_vector(query, 3)) == set(fresh.found_by_vector(query, 3))
    finally:
        fresh.close()
    assert bench.store.integrity_check(full=True) == []
    assert editor.differences() == {}
    left = {path.name.removeprefix(bench.index.name) for path in bench.index.parent.iterdir()}
    assert left <= {"", "-wal", "-shm"}


def generations(index: Path) -> list[str]:
    db = apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return [state for (state,) in db.execute("SELECT state FROM generations")]
    finally:
        db.close()


@pytest.mark.slow
def test_a_short_round(tmp_path: Path) -> None:
    one_round(tmp_path, seed=20260505, seconds=4.0)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(40))
def test_many_rounds(tmp_path: Path, seed: int) -> None:
    one_round(tmp_path, seed=seed, seconds=10.0)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(5))
def test_watched_notes_converge_without_being_asked(tmp_path: Path, seed: int) -> None:
    """Only the watcher starts syncs; when the editor stops, the index must have caught up with him."""
    bench = SyncBench(tmp_path)
    engine = bench.engine()
    editor = Editor(bench.root, random.Random(seed))
    watcher = FileWatcher(
        lambda: [str(bench.root / name) for name in ("MEMORY.md", "USER.md", "memory")],
        lambda _: engine.sync(reason="watch") and None,
        debounce_s=0.05,
    )
    watcher.start()
    try:
        end = time.monotonic() + 10.0
        while time.monotonic() < end:
            editor.step()
            time.sleep(editor.rng.uniform(0.0, 0.05))
        fresh = SyncBench(tmp_path / "fresh")
        fresh.root = bench.root
        fresh.engine().sync(reason="cli")
        expected = fresh.content()
        fresh.close()
        end = time.monotonic() + 10.0
        while bench.content() != expected and time.monotonic() < end:
            time.sleep(0.1)
        assert bench.content() == expected
    finally:
        watcher.close()
        bench.close()
