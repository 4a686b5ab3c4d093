"""Cases cache-*: what was paid for once is not paid for again."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import pytest
from support.bench import Bench, remote
from support.fake_embeddings import FakeEmbeddings

from openclaw_memory_core.embeddings import embedder
from openclaw_memory_core.embeddings.retry import RetryPolicy


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual retries with short pauses."""
    monkeypatch.setattr(embedder, "RetryPolicy", partial(RetryPolicy, first_delay=0.001, longest_delay=0.001))


def test_case_cache_01_touched_not_changed(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        notes = [bench.write(f"memory/n{number}.md", f"note {number} of the heron\n") for number in range(10)]
        bench.index()
        sent = len(fs.inputs)
        assert sent == 10

        for note in notes:
            os.utime(note, (time.time(), time.time()))
        touched = bench.index()
        forced = bench.index(force=True)

        assert len(fs.inputs) == sent
        assert (touched.changed, touched.unchanged) == (0, 10)
        assert forced.rebuilt
        assert forced.missing == 0


def test_case_cache_02_work_already_paid_for(tmp_path: Path) -> None:
    with FakeEmbeddings(fail_after=60) as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        for number in range(100):
            bench.write(f"memory/n{number:02d}.md", f"note {number:02d} of the heron\n")
        bench.index()
        paid = set(fs.embedded)
        assert len(paid) <= 60
        fs.fail_after = None
        sent = len(fs.inputs)

        report = bench.index()

        assert report.missing == 0
        again = fs.inputs[sent:]
        assert len(again) == 100 - len(paid)
        assert paid.isdisjoint(again)
        assert len(fs.embedded) == 100
        assert bench.status()["vectors"] == 100


def test_case_cache_02_also_while_rebuilding_for_another_model(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        for number in range(100):
            bench.write(f"memory/n{number:02d}.md", f"note {number:02d} of the heron\n")
        bench.index()
        bench.search_settings["model"] = "birch"
        before = len(fs.embedded)
        fs.fail_after = before + 60
        bench.index()
        paid = fs.embedded[before:]
        fs.fail_after = None

        report = bench.index()

        assert report.rebuilt
        assert report.embedded == 100 - len(paid)
        assert sorted(fs.embedded[before:]) == sorted(set(fs.embedded[before:]))
