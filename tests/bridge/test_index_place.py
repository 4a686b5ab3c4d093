"""Beside OpenClaw 2026.9 the index has a name of its own: the old one keeps OpenClaw's gateway from starting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from support.fake_embeddings import FakeEmbeddings

from openclaw_memory_core.config import load_config
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.index.store.adopt import adopt


class Place:
    """A state folder; OpenClaw comes to it with :meth:`openclaw_comes`."""

    def __init__(self, state: Path, workspace: Path, service: FakeEmbeddings) -> None:
        self.state = state
        self.workspace = workspace
        self.service = service
        (workspace / "memory" / "a.md").write_text("The ferry leaves at nine.", encoding="utf-8")

    @property
    def former(self) -> Path:
        return self.state / "memory" / "main.sqlite"

    @property
    def path(self) -> Path:
        return self.state / "memory" / "main.core.sqlite"

    def openclaw_comes(self) -> None:
        (self.state / "state").mkdir(parents=True)
        (self.state / "state" / "openclaw.sqlite").write_bytes(b"SQLite format 3\0")

    @contextmanager
    def core(self, **store: Any) -> Iterator[MemoryCore]:
        search: dict[str, Any] = {
            "provider": "openai",
            "model": "m",
            "remote": {"baseUrl": self.service.url, "apiKey": "sk-test"},
            "store": store,
        }
        config = load_config(
            {"agents": {"defaults": {"workspace": str(self.workspace)}}, "memory": {"search": search}},
            state_dir=self.state,
            env={},
        )
        with MemoryCore(config, background=False) as core:
            yield core


@pytest.fixture
def place(tmp_path: Path, workspace: Path) -> Iterator[Place]:
    with FakeEmbeddings() as service:
        yield Place(tmp_path / "state", workspace, service)


def found(core: MemoryCore) -> list[str]:
    return [one["path"] for one in core.search("ferry")["results"]]


def test_without_openclaw_the_index_is_where_it_always_was(place: Place) -> None:
    with place.core() as core:
        core.sync()
    assert place.former.exists()
    assert not place.path.exists()


def test_beside_openclaw_nothing_has_the_name_that_it_claims(place: Place) -> None:
    place.openclaw_comes()
    with place.core() as core:
        core.sync()
        assert found(core) == ["memory/a.md"]
    assert [one.name for one in (place.state / "memory").iterdir() if one.suffix == ".sqlite"] == ["main.core.sqlite"]


def test_an_index_from_before_is_moved_with_its_vectors(place: Place) -> None:
    with place.core() as core:
        core.sync()
    place.openclaw_comes()
    paid = len(place.service.inputs)
    with place.core() as core:
        assert core.status()["indexExists"] is True
        assert core.sync().embedded == 0
        assert len(place.service.inputs) == paid
        assert found(core) == ["memory/a.md"]
    assert place.path.stat().st_mode & 0o077 == 0
    assert not list((place.state / "memory").glob("main.sqlite*"))


def test_a_configured_place_is_left_alone(place: Place, tmp_path: Path) -> None:
    place.openclaw_comes()
    with place.core(path=str(tmp_path / "mine.sqlite")) as core:
        core.sync()
    assert (tmp_path / "mine.sqlite").exists()
    assert not place.path.exists()


def test_a_database_of_openclaw_is_neither_moved_nor_touched(place: Place) -> None:
    place.openclaw_comes()
    place.former.parent.mkdir(parents=True)
    with closing(apsw.Connection(str(place.former))) as db:
        db.execute("CREATE TABLE chunks (id TEXT)")
    before = place.former.read_bytes()
    with place.core() as core:
        core.sync()
        assert found(core) == ["memory/a.md"]
    assert place.former.read_bytes() == before


def test_an_index_that_is_being_written_is_moved_later(place: Place) -> None:
    with place.core() as core:
        core.sync()
    with closing(apsw.Connection(str(place.former))) as writer:
        writer.execute("BEGIN IMMEDIATE")
        assert adopt(place.former, place.path) is False
        assert not place.path.exists()
        writer.execute("ROLLBACK")
    assert adopt(place.former, place.path) is True
    assert not place.former.exists()


def test_an_index_that_is_there_already_wins(place: Place) -> None:
    with place.core() as core:
        core.sync()
    place.path.write_bytes(place.former.read_bytes())
    before = place.path.read_bytes()

    assert adopt(place.former, place.path) is True
    assert place.path.read_bytes() == before
    assert not place.former.exists()
