"""Giving up an index: deleted by who is alone with it, emptied in place under the eyes of others."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from support.store import Bench

from openclaw_memory_core.errors import StoreBusyError
from openclaw_memory_core.index.store import emptying, opening, schema

SECRET = "zanzibar"


@pytest.fixture
def other(bench: Bench) -> Iterator[Bench]:
    """Another process that has the index open."""
    bench.fill({f"memory/{number}.md": f"the {SECRET} kiln {number} " * 50 for number in range(20)})
    with Bench(bench.path) as other:
        assert len(other.found("kiln", limit=50)) == 20
        yield other


def files(bench: Bench) -> list[str]:
    return sorted(path.name.removeprefix(bench.path.name) for path in bench.path.parent.iterdir())


def test_who_is_alone_deletes_it_with_all_that_belongs_to_it(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    bench.store.reset()
    assert files(bench) == []


def test_another_process_finds_it_empty_and_goes_on_with_it(bench: Bench, other: Bench) -> None:
    inode = bench.path.stat().st_ino

    bench.store.reset()

    assert other.found("kiln") == []
    with other.store.reader() as reader:
        assert (reader.generation, reader.identity, reader.files()) == (0, None, {})
    assert bench.path.stat().st_ino == inode
    other.fill({"memory/new.md": "a new kiln"})
    bench.store.open()
    assert bench.found("kiln") == other.found("kiln") == ["memory/new.md"]
    assert bench.store.integrity_check(full=True) == []


def test_nothing_of_it_is_left_once_the_others_have_closed_it(bench: Bench, other: Bench) -> None:
    bench.store.reset()
    other.found("kiln")
    other.store.close()

    assert files(bench) == [""]
    assert SECRET.encode() not in bench.path.read_bytes()


def test_a_search_that_is_under_way_ends_with_what_it_began_with(bench: Bench, other: Bench) -> None:
    with other.store.reader() as reader:
        bench.store.reset()
        assert len(reader.chunks(list(range(1, 30)))) == 20
    assert other.found("kiln") == []


def test_an_older_index_is_emptied_into_one_of_today(bench: Bench, other: Bench) -> None:
    with other.store._database.write() as db:
        db.pragma("user_version", schema.FORMAT - 1)
    bench.store.reset()
    bench.store.open()
    with bench.store.reader() as reader:
        assert reader.generation == 0


def test_what_is_being_written_is_waited_for_and_stays(tmp_path: Path) -> None:
    with Bench(tmp_path / "main.sqlite", busy_timeout=0.05) as bench, Bench(bench.path) as other:
        bench.fill({"memory/a.md": "kiln"})
        with other.store._database.write(), pytest.raises(StoreBusyError):
            bench.store.reset()
        bench.store.open()
        assert bench.found("kiln") == ["memory/a.md"]


def test_what_is_broken_is_deleted(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln " * 5000})
    bench.store.close()
    whole = bench.path.read_bytes()
    bench.path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))

    bench.store.reset()

    assert files(bench) == []


def test_where_there_is_no_log_it_is_deleted_when_nobody_reads(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "use_wal", lambda _: True)
    with Bench(bench.path.with_name("plain.sqlite")) as plain, Bench(plain.path) as other:
        plain.fill({"memory/a.md": "kiln"})
        assert other.found("kiln") == ["memory/a.md"]
        plain.store.reset()
        assert not plain.path.exists()
        assert other.found("kiln") == []


def test_what_was_emptied_before_it_had_tables_is_an_index_all_the_same(tmp_path: Path) -> None:
    """Another process has just made the file and holds it open."""
    path = tmp_path / "main.sqlite"
    with contextlib.closing(apsw.Connection(str(path))) as db, opening.alone(db):
        emptying._begin_anew(db)
    with Bench(path) as bench:
        bench.fill({"memory/a.md": "kiln"})
        assert bench.found("kiln") == ["memory/a.md"]
