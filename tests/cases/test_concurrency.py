"""Cases concurrency-*: a slow rebuild and many threads disturb nobody."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support.bench import Bench, remote
from support.fake_embeddings import FakeEmbeddings


@pytest.mark.slow
def test_case_concurrency_01_searching_during_a_slow_rebuild(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        bench = Bench(tmp_path, search={**remote(fs.url, nonBatchConcurrency=1), "query": {"minScore": 0}})
        for number in range(100):
            bench.write(f"memory/n{number:02d}.md", f"note {number:02d} of the heron\n")
        bench.index()
        bench.search_settings["model"] = "birch"
        where = ["--config", str(bench.config_file()), "--state-dir", str(bench.state), "--json"]
        fs.max_items = 4
        fs.delay = 0.2
        rebuild = subprocess.Popen(
            [sys.executable, "-m", "openclaw_memory_core", *where, "index"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, **bench.env},
        )
        try:
            while not any("birch" in call.body.decode() for call in fs.calls):
                assert rebuild.poll() is None, rebuild.communicate()
                threading.Event().wait(0.01)
            slowest = 0.0
            during = 0
            with bench.core() as core:
                for number in range(50):
                    running = rebuild.poll() is None
                    begun = time.monotonic()
                    answer = core.search(f"note {number:02d} heron")
                    slowest = max(slowest, time.monotonic() - begun)
                    assert answer["results"][0]["path"] == f"memory/n{number:02d}.md"
                    assert "error" not in answer
                    assert answer["mode"] == "keyword" if running else answer["mode"] in {"keyword", "hybrid"}
                    during += running
            output, errors = rebuild.communicate(timeout=60)
        finally:
            rebuild.kill()
            rebuild.communicate()
        assert rebuild.returncode == 0, errors
        assert json.loads(output)
        assert during > 10
        assert slowest < 1.0
        fs.delay = 0.0
        assert bench.answer("note 07 heron")["mode"] == "hybrid"


@pytest.mark.slow
def test_case_concurrency_02_threads(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        for number in range(40):
            bench.write(f"memory/n{number:02d}.md", f"note {number:02d} of the heron\n")
        bench.index()
        problems: list[object] = []
        stop = threading.Event()

        with bench.core(background=True) as core:

            def search(worker: int) -> None:
                try:
                    for turn in range(100):
                        number = (worker * 7 + turn) % 40
                        answer = core.search(f"note {number:02d} heron")
                        if answer["results"][0]["path"] != f"memory/n{number:02d}.md":
                            problems.append(answer)
                except Exception as error:
                    problems.append(error)

            def sync() -> None:
                try:
                    turn = 0
                    while not stop.is_set():
                        turn += 1
                        bench.write("memory/extra.md", f"turn {turn} of the kiln\n")
                        core.sync(force=turn % 3 == 0)
                except Exception as error:
                    problems.append(error)

            workers = [threading.Thread(target=search, args=(number,)) for number in range(8)]
            ninth = threading.Thread(target=sync)
            for thread in (*workers, ninth):
                thread.start()
            for thread in workers:
                thread.join()
            stop.set()
            ninth.join()
        assert problems == []
