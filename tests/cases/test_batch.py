"""Cases batch-*: jobs that never start, and jobs of which a part failed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.bench import Bench
from support.fake_embeddings import KEY, FakeEmbeddings


def batches(url: str, **more: Any) -> dict[str, Any]:
    """Settings of ``memory.search`` for batch jobs of the fake server."""
    batch = {"enabled": True, "pollIntervalMs": 20, **more}
    return {"provider": "openai", "remote": {"baseUrl": url, "apiKey": KEY, "batch": batch}}


def write_notes(bench: Bench, count: int) -> list[str]:
    texts = [f"note {number} of the heron" for number in range(count)]
    for number, text in enumerate(texts):
        bench.write(f"memory/n{number}.md", text + "\n")
    return texts


@pytest.mark.slow
def test_case_batch_01_a_batch_that_never_starts(tmp_path: Path) -> None:
    with FakeEmbeddings(key=KEY) as fs:
        fs.batches.stuck = "validating"
        bench = Bench(tmp_path, search=batches(fs.url, pollIntervalMs=200, timeoutMinutes=0.05))
        write_notes(bench, 5)
        started = time.monotonic()

        report = bench.index()

        assert 2.5 <= time.monotonic() - started <= 12
        assert report.missing == 0
        assert sorted(fs.embedded) == sorted(fs.inputs)
        assert len(fs.inputs) == 5
        assert bench.paths("heron") != []


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_case_batch_01_ctrl_c_ends_the_wait_at_once(tmp_path: Path) -> None:
    with FakeEmbeddings(key=KEY) as fs:
        fs.batches.stuck = "validating"
        bench = Bench(tmp_path, search=batches(fs.url, pollIntervalMs=60_000))
        write_notes(bench, 3)
        command = [sys.executable, "-m", "openclaw_memory_core", "--config", str(bench.config_file()), "index"]
        env = {**os.environ, "HOME": str(bench.home), "OPENCLAW_STATE_DIR": str(bench.state)}
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            deadline = time.monotonic() + 30
            while not fs.batches.jobs and time.monotonic() < deadline:
                time.sleep(0.02)
            asked = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)

        assert fs.batches.jobs
        assert time.monotonic() - asked < 3
        assert process.returncode != 0


def test_case_batch_02_results_by_name_one_failed(tmp_path: Path) -> None:
    with FakeEmbeddings(key=KEY) as fs:
        bench = Bench(tmp_path, search=batches(fs.url))
        texts = write_notes(bench, 100)
        fs.batches.failing = {texts[42]}

        report = bench.index()

        assert report.missing == 0
        assert fs.inputs == [texts[42]]
        assert sorted(fs.embedded) == sorted(texts)
        for number in (0, 42, 99):
            best = bench.answer(texts[number])["results"][0]
            assert best["path"] == f"memory/n{number}.md"
            assert best["vectorScore"] == pytest.approx(1.0, abs=1e-3)


def test_case_batch_02_a_job_survives_a_restart_and_is_not_paid_twice(tmp_path: Path) -> None:
    with FakeEmbeddings(key=KEY) as fs:
        bench = Bench(tmp_path, search=batches(fs.url, wait=False))
        texts = write_notes(bench, 10)
        fs.batches.stuck = "in_progress"
        first = bench.index()
        assert first.missing == 10
        assert first.provider_error is None

        fs.batches.stuck = None
        fs.batches.polls = 0
        second = bench.index()

        assert second.missing == 0
        assert sorted(fs.batches.submitted) == sorted(texts)
        assert fs.inputs == []


def test_case_batch_status_shows_how_jobs_fare(tmp_path: Path) -> None:
    with FakeEmbeddings(key=KEY) as fs:
        bench = Bench(tmp_path, search=batches(fs.url, timeoutMinutes=5))

        batch = bench.status()["batch"]

        assert batch["enabled"] is True
        assert (batch["limit"], batch["timeoutMs"]) == (2, 300_000)
        assert json.dumps(batch)
