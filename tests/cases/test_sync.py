"""Cases sync-*: the index follows the notes, whatever triggers it and whatever it cannot see."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest
from support.bench import MAIN, Bench, remote
from support.fake_embeddings import FakeEmbeddings


def rows(index: Path) -> dict[str, int]:
    """Rows of the tables that hold documents, over all generations."""
    db = apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        wanted = [
            n for n in names if n.startswith("g") and n.rsplit("_", 1)[-1] in {"files", "chunks", "text", "paths"}
        ]
        return {name: db.execute(f'SELECT count(*) FROM "{name}"').get for name in wanted}
    finally:
        db.close()


def test_case_sync_01_deleted_note(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    old = bench.write("memory/old.md", "the blue bicycle\n")
    new = bench.write("memory/new.md", "a green boat\n")
    bench.index()
    assert bench.paths("blue bicycle") == ["memory/old.md"]

    old.unlink()
    bench.index()
    assert bench.paths("blue bicycle") == []
    assert bench.paths("green boat") == ["memory/new.md"]

    new.unlink()
    bench.index()
    assert bench.paths("green boat") == []
    left = rows(bench.state / "memory" / "main.sqlite")
    assert left
    assert set(left.values()) == {0}


def test_case_sync_02_a_sync_that_sees_only_part(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "c.md").write_text("cherry orchard\n", encoding="utf-8")
    bench = Bench(tmp_path, search={"extraPaths": [str(docs)]})
    bench.write("memory/a.md", "apple orchard\n")
    bench.write("memory/b.md", "banana orchard\n")
    bench.index()
    bench.write("memory/a.md", "apple orchard, sold\n")

    with bench.core(background=True) as core:
        core.index.request("watch", ["memory/a.md"])
        assert core.index.catch_up(30)

    assert len(bench.paths("orchard")) == 3
    assert bench.paths("sold") == ["memory/a.md"]


def test_case_sync_03_search_before_the_sync(tmp_path: Path) -> None:
    bench = Bench(tmp_path, search={"sync": {"watch": False}})
    bench.write("memory/2026-05-04.md", "nothing of note\n")
    bench.index()
    bench.write("memory/2026-05-05.md", "berth heron-12 is ours until June\n")

    with bench.slot() as slot:
        search = next(tool for tool in slot.tools(MAIN) if tool.name == "memory_search")
        answer = search.handler({"query": "heron-12"})
    found = [hit["path"] for hit in answer["results"]] == ["memory/2026-05-05.md"]
    assert found or (answer["stale"] and answer["warning"])

    bench.write("memory/2026-05-05.md", "berth osprey-7 is ours until July\n")
    where = ["--config", str(bench.config_file()), "--state-dir", str(bench.state), "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "openclaw_memory_core", *where, "search", "osprey-7"],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **bench.env},
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    found = [hit["path"] for hit in answer["results"]] == ["memory/2026-05-05.md"]
    assert found or (answer["stale"] and answer["warning"])


def test_case_sync_04_restart(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        for number in range(30):
            bench.write(f"memory/n{number:02d}.md", f"topic {number:02d} about the heron\n")
        bench.index()
        before = bench.paths("heron topic 07")
        sent = len(fs.inputs)

        for _ in range(2):
            with bench.slot() as slot:
                slot.session_start(MAIN)
                search = next(tool for tool in slot.tools(MAIN) if tool.name == "memory_search")
                answer = search.handler({"query": "heron topic 07"})
            assert [hit["path"] for hit in answer["results"]] == before
        assert fs.inputs[sent:] == ["heron topic 07"] * 2
        assert bench.status()["files"] == 30


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
def test_case_sync_05_things_that_are_not_regular_files(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/one.md", "first heron\n")
    bench.write("memory/two.md", "second heron\n")
    os.mkfifo(bench.workspace / "memory" / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listener, pytest.MonkeyPatch.context() as patch:
        patch.chdir(bench.workspace / "memory")
        listener.bind("s.md")
        begun = time.monotonic()

        report = bench.index()

        assert time.monotonic() - begun < 2
    assert (report.added, report.complete) == (2, True)
    assert {skipped.path: skipped.code for skipped in report.skipped} == {
        "memory/pipe.md": "not-regular",
        "memory/s.md": "not-regular",
    }
