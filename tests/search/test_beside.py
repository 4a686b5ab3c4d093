"""The keyword leg in a thread of its own: the same hits, and the caller's own view of the index whatever happens."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest
from support.search_bench import Provider, SearchBench
from support.store import ALL, KEYWORD_ONLY, Bench

from openclaw_memory_core.errors import StoreError
from openclaw_memory_core.index.model import Term
from openclaw_memory_core.index.protocol import IndexReader
from openclaw_memory_core.index.store import SqliteStore
from openclaw_memory_core.index.store import store as store_module
from openclaw_memory_core.index.store.reader import SqliteReader
from openclaw_memory_core.search import beside
from openclaw_memory_core.search.beside import KeywordLeg

TERMS = [Term("kiln")]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(beside.os, "cpu_count", lambda: 2)
    with Bench(tmp_path / "main.sqlite") as bench:
        add(bench, "memory/a.md")
        yield bench


def add(bench: Bench, path: str) -> None:
    writer = bench.store.writer(KEYWORD_ONLY)
    bench.put(writer, path, "the kiln is hot", vectors=False)
    writer.finish()


def test_it_finds_what_the_reader_itself_finds(store: Bench) -> None:
    with store.store.reader() as reader:
        there = KeywordLeg(store.store.reader, TERMS, [ALL, ALL], 10).hits(reader)

        assert there == KeywordLeg(None, TERMS, [ALL, ALL], 10).hits(reader)
        assert [len(hits) for hits in there] == [1, 1]
        assert KeywordLeg(store.store.reader, [], [ALL], 10).hits(reader) == [[]]


def test_a_change_in_between_is_not_mixed_in(store: Bench) -> None:
    with store.store.reader() as reader:
        add(store, "memory/b.md")

        hits = KeywordLeg(store.store.reader, TERMS, [ALL], 10).hits(reader)

        assert [len(found) for found in hits] == [1]
        assert set(reader.chunks([hit.chunk_id for hit in hits[0]])) == {hit.chunk_id for hit in hits[0]}


def test_what_is_wrong_in_the_thread_shows_where_it_can_be_handled(store: Bench) -> None:
    @contextmanager
    def broken() -> Iterator[IndexReader]:
        raise StoreError("the disk is gone")
        yield

    with store.store.reader() as reader:
        assert [len(hits) for hits in KeywordLeg(broken, TERMS, [ALL], 10).hits(reader)] == [1]


def test_leaving_it_waits_for_its_reader_to_be_closed(store: Bench) -> None:
    open_readers = []

    @contextmanager
    def counted() -> Iterator[IndexReader]:
        with store.store.reader() as reader:
            open_readers.append(1)
            yield reader
            open_readers.pop()

    with pytest.raises(ZeroDivisionError), KeywordLeg(counted, TERMS, [ALL], 10):
        raise ZeroDivisionError

    assert open_readers == []


def test_without_room_for_a_thread_the_caller_asks(store: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with store.store.reader() as reader, KeywordLeg(store.store.reader, TERMS, [ALL], 10) as leg:
        assert [len(hits) for hits in leg.hits(reader)] == [1]


@pytest.mark.parametrize(("log", "large"), [(True, True), (False, True), (True, False)])
def test_a_search_has_a_second_reader_only_in_a_large_index_whose_readers_never_wait_for_writers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: bool, large: bool
) -> None:
    """Without a write-ahead log it would wait for a writer that waits for the first one."""
    asked_by: set[str] = set()
    reader = SqliteStore.reader

    def watched(self: SqliteStore) -> AbstractContextManager[SqliteReader]:
        asked_by.add(threading.current_thread().name)
        return reader(self)

    monkeypatch.setattr(beside.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(store_module, "TWO_READERS_FROM", 1 if large else 2**40)
    provider = Provider()
    with SearchBench(tmp_path, provider) as bench:
        bench.put({"memory/a.md": "the kiln is hot"})
    if not log:
        with closing(sqlite3.connect(tmp_path / "index.sqlite")) as db:
            db.execute("PRAGMA journal_mode = delete")
    with SearchBench(tmp_path, provider) as bench:
        monkeypatch.setattr(SqliteStore, "reader", watched)
        assert bench.paths("kiln") == ["memory/a.md"]
        assert bench.store.worth_two_readers is (log and large)
    assert ("keywords" in asked_by) is (log and large)
