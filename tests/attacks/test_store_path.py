"""A configuration that takes a note for the index."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from support.bench import MAIN, Bench

from openclaw_memory_core.errors import StoreForeignError

NOTES = {
    "utf-16": "- the harbour opens at nine, é\n".encode("utf-16"),
    "latin-1": ("- der Hafen öffnet um neun\n" * 200).encode("latin-1"),
    "binary": b"\0\1\2\3" * 500,
    "empty": b"",
    "utf-8": "- der Hafen öffnet um neun\n".encode(),
}


@pytest.mark.parametrize("content", NOTES.values(), ids=NOTES.keys())
@pytest.mark.parametrize("path", ["MEMORY.md", "memory/2026-05-04.md"])
def test_a_note_named_as_the_index_is_neither_moved_nor_written_to(tmp_path: Path, path: str, content: bytes) -> None:
    bench = Bench(tmp_path)
    note = bench.write(path, content)
    bench.write("memory/2026-05-05.md", "the harbour opens at nine\n")
    bench.search_settings["store"] = {"path": str(note)}
    before = {file: file.read_bytes() for file in bench.workspace.rglob("*") if file.is_file()}

    with bench.slot() as slot:
        slot.session_start(MAIN)
        (search,) = [tool for tool in slot.tools(MAIN) if tool.name == "memory_search"]
        answer = search.handler({"query": "harbour"})
    with bench.core() as core, pytest.raises(StoreForeignError):
        core.sync(force=True)
    with bench.core() as core, pytest.raises(StoreForeignError):
        core.reset()

    assert answer["unavailable"]
    assert "belongs to another program" in answer["error"]
    assert {file: file.read_bytes() for file in bench.workspace.rglob("*") if file.is_file()} == before


def test_no_index_is_made_under_the_name_of_a_note(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.search_settings["store"] = {"path": str(bench.workspace / "memory" / "index.md")}

    with bench.core() as core, pytest.raises(StoreForeignError):
        core.sync()

    assert not (bench.workspace / "memory").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_pipe_in_the_place_of_the_index_is_not_waited_for(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/2026-05-05.md", "the harbour opens at nine\n")
    bench.search_settings["store"] = {"path": str(tmp_path / "pipe.sqlite")}
    os.mkfifo(tmp_path / "pipe.sqlite")
    answers: list[dict[str, object]] = []

    asking = threading.Thread(target=lambda: answers.append(bench.answer("harbour")), daemon=True)
    asking.start()
    asking.join(20)

    assert answers
    assert answers[0]["unavailable"]


def test_a_lease_file_of_nested_lists_does_not_stop_the_index(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/2026-05-05.md", "the harbour opens at nine\n")
    bench.index()
    (store,) = (bench.state / "memory").glob("*.sqlite")
    store.with_name(f"{store.name}.lock").write_bytes(b"[" * 200_000)
    bench.write("memory/2026-05-04.md", "the ferry is late\n")

    assert bench.index().complete
    assert bench.paths("ferry") == ["memory/2026-05-04.md"]
