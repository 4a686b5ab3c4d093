"""Cases perf-*: nobody waits for what can be done behind his back."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from support.bench import MAIN, Bench, remote
from support.fake_embeddings import FakeEmbeddings


@pytest.mark.slow
def test_case_perf_01_a_query_that_matches_nothing(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        for settings in ({}, remote(fs.url)):
            bench = Bench(tmp_path / str(len(settings)), search=settings)
            for number in range(5000):
                bench.write(f"memory/{number // 100:02d}/n{number}.md", f"note {number} of the heron\n")
            fs.vectors["xylofonquark"] = [0.0] * 16
            bench.index()
            calls = len(fs.calls)
            with bench.core() as core:
                core.search("heron", max_results=1)
                revision = core.status()["store"]["revision"]
                calls = len(fs.calls)
                begun = time.process_time()
                answer = core.search("xylofonquark", min_score=0.9)
                took = time.process_time() - begun
                assert core.status()["store"]["revision"] == revision
            assert answer["results"] == []
            assert len(fs.calls) - calls <= 1
            assert took < 1.0, "0.3 s of CPU on an ordinary machine"


@pytest.mark.slow
def test_case_perf_02_start_without_waiting(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        bench = Bench(tmp_path, search=remote(fs.url, nonBatchConcurrency=1))
        bench.write("memory/first.md", "the heron is blue\n")
        bench.index()
        fs.max_items, fs.delay = 8, 0.1
        for number in range(2000):
            bench.write(f"memory/{number // 100:02d}/n{number}.md", f"note {number} of the kiln\n")
        with bench.core(background=True) as core:
            begun = time.monotonic()
            context = core.session_start(MAIN)
            started = time.monotonic() - begun
            begun = time.monotonic()
            answer = core.search("heron")
            searched = time.monotonic() - begun
            assert context is not None
            # The whole sync takes 25 s at least: waiting for it would show on any machine.
            assert started < 5.0
            assert searched < 5.0
            assert answer["results"][0]["path"] == "memory/first.md"
            assert answer["warning"]
            begun = time.monotonic()
        assert time.monotonic() - begun < 10.0, "closing stops the worker"
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("memory-")]
