"""What ``status`` says while notes change, and when a source breaks its promise."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.bench import Bench

from openclaw_memory_core.workspace.documents import Scan
from openclaw_memory_core.workspace.workspace import Workspace


def test_a_note_that_is_saved_and_indexed_meanwhile_is_not_called_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()

    with bench.core() as core:
        look = core.index.look

        def late() -> object:
            bench.write("memory/b.md", "the kiln is hot\n")
            bench.index()
            return look()

        monkeypatch.setattr(core.index, "look", late)
        report = core.status()

    assert (report["files"], report["totalFiles"], report["dirty"]) == (2, 2, False)
    assert report["issues"] == []


def test_a_note_that_is_gone_is_not_counted(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    gone = bench.write("memory/b.md", "the kiln is hot\n")
    bench.index()
    gone.unlink()

    with bench.core() as core:
        report = core.status()

    assert (report["files"], report["totalFiles"], report["dirty"]) == (1, 1, True)
    assert report["dirtyReason"] == "1 note is gone since the last update."


def test_a_workspace_that_is_not_there_is_to_be_created(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.workspace.rmdir()

    with bench.core() as core:
        answer, report = core.search("heron"), core.status()

    assert answer["partial"]
    assert answer["warning"] == "The workspace folder does not exist."
    assert answer["action"] == "create the folder, or name that of your notes in agents.defaults.workspace"
    assert report["issues"][0] == f"{bench.workspace}: the workspace folder does not exist"


def test_the_notes_are_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()
    looks: list[int] = []
    scan = Workspace.scan

    def counted(self: Workspace) -> Scan:
        looks.append(1)
        return scan(self)

    monkeypatch.setattr(Workspace, "scan", counted)
    with bench.core() as core:
        core.status()

    assert looks == [1]


def test_a_source_that_raises_is_named_and_the_rest_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()

    def broken(_: Workspace) -> Scan:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Workspace, "scan", broken)
    with bench.core() as core:
        report = core.status()

    assert (report["files"], report["totalFiles"], report["dirty"]) == (1, 1, True)
    assert "cannot be looked at" in report["dirtyReason"]
