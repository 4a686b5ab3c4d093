"""Progress where no terminal is."""

from __future__ import annotations

import pytest
from support.bench import Bench

from openclaw_memory_core.cli.index import progress
from openclaw_memory_core.index.report import SyncProgress


class Clock:
    """Goes on when it is told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_long_run_says_every_ten_seconds_how_far_it_is(tmp_path, capsys: pytest.CaptureFixture[str]):
    clock = Clock()
    with Bench(tmp_path).core() as core, progress(core, clock) as report:
        for done in range(1, 26):
            clock.now += 1
            report(SyncProgress("text", done, 40))
        clock.now += 9
        report(SyncProgress("vectors", 300, 900))
        clock.now += 100
        report(SyncProgress("publish"))
    assert capsys.readouterr().err.splitlines() == [
        "Indexing main: 10/40 notes read.",
        "Indexing main: 20/40 notes read.",
        "Indexing main: 300/900 texts embedded.",
    ]


def test_a_short_run_says_nothing(tmp_path, capsys: pytest.CaptureFixture[str]):
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "heron\n")
    with bench.core() as core, progress(core, Clock()) as report:
        core.sync(progress=report)
    assert capsys.readouterr().err == ""
