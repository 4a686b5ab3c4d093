"""Clocks that go backwards, and those of other machines."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from support.bench import MAIN, Bench

from openclaw_memory_core.recall import recaller
from openclaw_memory_core.sessions.lockfile import LockFile

YEAR = 365 * 86_400


def test_a_curated_file_with_a_stamp_of_the_future_is_read_once_and_not_on_every_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path)
    note = bench.write("MEMORY.md", "- the ferry leaves at nine <!-- trigger: ferry -->\n")
    os.utime(note, (time.time() + YEAR, time.time() + YEAR))
    parsed: list[str] = []
    parse = recaller.parse_entries
    monkeypatch.setattr(recaller, "parse_entries", lambda text, **more: parsed.append(text) or parse(text, **more))

    with bench.slot() as slot:
        for _ in range(5):
            assert slot.before_turn(MAIN, "the ferry?") is not None
        assert len(parsed) == 1
        bench.write("MEMORY.md", "- the bus leaves at nine <!-- trigger: bus -->\n")
        assert slot.before_turn(MAIN, "the bus?") is not None


def test_a_lock_from_the_future_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json.lock"
    path.write_text(json.dumps({"pid": os.getppid(), "createdAt": "2999-01-01T00:00:00.000Z"}), encoding="utf-8")

    with LockFile(path, wait=1.0) as lock:
        assert lock.held()


@pytest.mark.parametrize("seconds", [-20.0, 0.0, 20.0])
def test_a_lock_of_this_moment_is_respected(tmp_path: Path, seconds: float) -> None:
    path = tmp_path / "sessions.json.lock"
    slept: list[float] = []

    with LockFile(path):
        other = LockFile(path, wait=0.05, now=lambda: time.time() + seconds, sleep=slept.append)
        with pytest.raises(Exception, match="held by another process"):
            other.__enter__()

    assert slept
