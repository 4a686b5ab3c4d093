"""Cases corruption-*: a kill, random bytes or a full disk leave the notes untouched and the index usable."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from support.bench import Bench, remote
from support.fake_embeddings import FakeEmbeddings


def notes(bench: Bench) -> dict[str, str]:
    """Every byte of the workspace, as hashes."""
    files = [path for path in sorted(bench.workspace.rglob("*")) if path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def check(index: Path) -> object:
    db = apsw.Connection(str(index))
    try:
        return db.execute("PRAGMA integrity_check").get
    finally:
        db.close()


def generations(index: Path) -> list[str]:
    db = apsw.Connection(str(index))
    try:
        return [state for (state,) in db.execute("SELECT state FROM generations")]
    finally:
        db.close()


def hundred(bench: Bench) -> None:
    for number in range(100):
        bench.write(f"memory/n{number:02d}.md", f"note {number:02d} of the heron\n")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_case_corruption_01_killed_in_the_middle_of_a_rebuild(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        bench = Bench(tmp_path, search=remote(fs.url, nonBatchConcurrency=1))
        hundred(bench)
        bench.index()
        before = notes(bench)
        folder = bench.state / "memory"
        found = bench.paths("note 42 heron")
        fs.embedded.clear()
        fs.max_items, fs.delay = 5, 0.05
        bench.search_settings["model"] = "birch"
        where = ["--config", str(bench.config_file()), "--state-dir", str(bench.state), "--json"]
        rebuild = subprocess.Popen(
            [sys.executable, "-m", "openclaw_memory_core", *where, "index", "--force"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **bench.env},
        )
        while len(fs.embedded) < 50:
            assert rebuild.poll() is None
            threading.Event().wait(0.01)
        rebuild.send_signal(signal.SIGKILL)
        rebuild.wait()

        assert bench.paths("note 42 heron")[0] == found[0]
        paid = set(fs.embedded)
        fs.max_items, fs.delay = None, 0.0
        report = bench.index()

        assert (report.rebuilt, report.missing) == (True, 0)
        again = [text for text in fs.embedded if "of the heron" in text][len(paid) :]
        assert len(again) <= 100 - len(paid) + 5, "only what was under way is paid twice"
        index = folder / "main.sqlite"
        assert check(index) == "ok"
        assert generations(index) == ["active"]
        assert {path.name.removeprefix("main.sqlite") for path in folder.iterdir()} <= {"", "-wal", "-shm"}
        assert notes(bench) == before


def test_case_corruption_02_random_bytes(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    hundred(bench)
    bench.index()
    before = notes(bench)
    index = bench.state / "memory" / "main.sqlite"
    with index.open("r+b") as file:
        file.write(random.Random(7).randbytes(8192))

    status = bench.status()
    assert status["indexError"]["code"] == "store-corrupt", "status says what it found"
    assert index.exists(), "status changes nothing"
    answer = bench.answer("note 42 heron")
    assert answer["results"] or answer.get("stale") or answer.get("error")

    report = bench.index()
    assert report.complete
    assert bench.paths("note 42 heron")[0] == "memory/n42.md"
    assert bench.status()["issues"] == []
    assert check(index) == "ok"
    assert notes(bench) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A state folder on a file system of 24 megabytes."""
    folder = tmp_path / "state"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("this process may not mount a file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_case_corruption_03_disk_full(tmp_path: Path, small_disk: Path) -> None:
    bench = Bench(tmp_path)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(8_000_000))
    hundred(bench)
    bench.index()
    before = notes(bench)
    index = small_disk / "memory" / "main.sqlite"
    more = [bench.write(f"memory/more{number}.md", f"more {number} of the heron\n" * 1500) for number in range(400)]
    where = ["--config", str(bench.config_file()), "--state-dir", str(bench.state), "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "openclaw_memory_core", *where, "index", "--force"],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **bench.env},
        timeout=120,
    )
    assert done.returncode == 1
    assert '"store-full"' in done.stdout
    assert str(index) in done.stdout
    assert "Traceback" not in done.stderr
    assert bench.paths("note 42 heron")[0] == "memory/n42.md"
    assert generations(index) == ["active"], "no half store is left"
    for note in more:
        note.unlink()
    assert notes(bench) == before
    ballast.unlink()

    report = bench.index(force=True)
    assert report.complete
    assert generations(index) == ["active"]
    assert check(index) == "ok"
