"""Cases windows-*: separators and case-insensitive disks."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.bench import MAIN, Bench, remote
from support.fake_embeddings import FakeEmbeddings

from openclaw_memory_core.errors import NoteError
from openclaw_memory_core.workspace.workspace import Workspace


def test_case_windows_01_slashes_in_results_and_requests(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/trips/lisbon.md", "tram 28 to the castle\n")
    bench.index()

    hit = bench.answer("castle tram")["results"][0]
    workspace = Workspace(bench.workspace)

    assert hit["path"] == "memory/trips/lisbon.md"
    assert bench.get(hit["path"])["status"] == "ok"
    assert "castle" in workspace.read("memory\\trips\\lisbon.md", flavour="windows").text
    with pytest.raises(NoteError) as caught:
        workspace.read("memory\\trips\\lisbon.md", flavour="posix")
    assert caught.value.code in {"note-not-found", "path-not-allowed"}


def test_case_windows_02_one_file_two_spellings(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        upper = bench.write("MEMORY.md", "- dentist: Tuesday\n")
        (bench.workspace / "memory.md").hardlink_to(upper)
        bench.index()

        with bench.slot() as slot:
            loaded = [file.path for file in slot.session_start(MAIN).files]

        assert loaded == ["MEMORY.md"]
        assert len(fs.inputs) == 1
        assert bench.paths("dentist") == ["MEMORY.md"]
