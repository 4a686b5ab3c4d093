"""What a process keeps between searches is never that of another model, file or moment."""

from __future__ import annotations

import contextlib
import importlib
import shutil
from collections.abc import Iterable
from pathlib import Path

import apsw
import pytest
from support.store import ALL, Bench, identity, vector_of

from openclaw_memory_core.errors import StoreError
from openclaw_memory_core.index.model import Term
from openclaw_memory_core.index.store import kept_vectors
from openclaw_memory_core.privacy import Visible

SEARCHES = 3
"""The first search reads what it needs, the later ones keep it."""


def fill(bench: Bench, words: Iterable[str], model: str = "ash", dims: int = 8) -> None:
    writer = bench.store.writer(identity(model))
    for word in words:
        bench.put(writer, f"{word}.md", f"about {word}", dims=dims)
    writer.finish()


@pytest.fixture(autouse=True)
def _numpy() -> None:
    """A process that has it compares in memory."""
    importlib.import_module("numpy")


def nearest(bench: Bench, word: str, dims: int = 8) -> str:
    return bench.near(vector_of(f"about {word}", dims))[0]


def names(start: int) -> list[str]:
    return [f"word{number}" for number in range(start, start + 30)]


@pytest.mark.parametrize("dims", [8, 16, 4])
def test_the_index_of_another_model_is_searched_by_a_process_that_kept_the_former_vectors(
    tmp_path: Path, dims: int
) -> None:
    with Bench(tmp_path / "index.sqlite") as bench:
        fill(bench, names(0))
        assert [nearest(bench, "word5") for _ in range(SEARCHES)] == ["word5.md"] * SEARCHES
        fill(bench, names(0), "oak", dims)
        assert [nearest(bench, "word7", dims) for _ in range(SEARCHES)] == ["word7.md"] * SEARCHES
        fill(bench, names(0), "ash")
        assert [nearest(bench, "word9") for _ in range(SEARCHES)] == ["word9.md"] * SEARCHES


@pytest.mark.parametrize("dims", [8, 16])
def test_the_vectors_of_an_index_that_another_process_began_anew_have_the_numbers_of_the_former(
    tmp_path: Path, dims: int
) -> None:
    with Bench(tmp_path / "index.sqlite") as bench:
        fill(bench, names(0))
        assert [nearest(bench, "word5") for _ in range(SEARCHES)] == ["word5.md"] * SEARCHES
        with Bench(bench.path) as other:
            other.store.reset()
            other.store.open()
            fill(other, names(100), dims=dims)
            assert [nearest(bench, "word107", dims) for _ in range(SEARCHES)] == ["word107.md"] * SEARCHES


def test_a_restored_copy_that_counts_its_changes_alike_is_another_index(tmp_path: Path) -> None:
    path, saved = tmp_path / "index.sqlite", tmp_path / "saved.sqlite"
    with Bench(path) as bench:
        fill(bench, names(0))
    shutil.copy(path, saved)
    with Bench(path) as bench:
        fill(bench, names(100))
        assert [nearest(bench, "word107") for _ in range(SEARCHES)] == ["word107.md"] * SEARCHES
        with Bench(saved) as other:
            fill(other, names(200))
        for name in tmp_path.glob("index.sqlite*"):
            name.unlink()
        saved.rename(path)
        assert [nearest(bench, "word207") for _ in range(SEARCHES)] == ["word207.md"] * SEARCHES
        assert [nearest(bench, "word5") for _ in range(SEARCHES)] == ["word5.md"] * SEARCHES


def test_vectors_that_could_not_be_read_are_read_by_the_next_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Bench(tmp_path / "index.sqlite") as bench:
        fill(bench, names(0))
        assert [nearest(bench, "word5") for _ in range(SEARCHES)] == ["word5.md"] * SEARCHES
        fill(bench, names(100))

        def failing(*_: object) -> None:
            raise apsw.IOError("the disk did not answer")

        with monkeypatch.context() as patch:
            patch.setattr(kept_vectors, "keep", failing)
            with pytest.raises(StoreError):
                nearest(bench, "word107")
        assert [nearest(bench, "word107") for _ in range(SEARCHES)] == ["word107.md"] * SEARCHES


def test_a_copy_that_is_restored_into_the_same_file_counts_its_changes_otherwise(tmp_path: Path) -> None:
    """As SQLite's own backup does, and ``cp``: no other file is there, and the numbers begin anew."""
    path, saved = tmp_path / "index.sqlite", tmp_path / "saved.sqlite"
    group = Visible(curated=False)
    with Bench(path) as bench:
        fill(bench, names(0))
    shutil.copy(path, saved)
    with Bench(path) as bench:
        bench.fill({"note.md": "the kiln, first"})
        for _ in range(SEARCHES):
            assert bench.found("kiln", visible=group) == ["note.md"]
            assert texts(bench, "kiln") == ["the kiln, first"]
        with (
            contextlib.closing(apsw.Connection(str(path))) as here,
            contextlib.closing(apsw.Connection(str(saved))) as there,
            here.backup("main", there, "main") as backup,
        ):
            backup.step()
        with Bench(path) as other:
            writer = other.store.writer(identity())
            other.put(writer, "note.md", "the kiln, second", curated=True)
            writer.finish()
        assert bench.found("kiln", visible=group) == []
        assert texts(bench, "kiln") == ["the kiln, second"]


def texts(bench: Bench, word: str) -> list[str]:
    with bench.store.reader() as reader:
        return [
            one.text for one in reader.chunks([hit.chunk_id for hit in reader.keyword([Term(word)], ALL, 9)]).values()
        ]
