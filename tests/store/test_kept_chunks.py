"""The chunks of a small index in memory: the same as those in the file, whatever is written in between."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.store import KEYWORD_ONLY, STAT, Bench, chunk, document

from openclaw_memory_core.index.model import StoredChunk
from openclaw_memory_core.index.store import kept_chunks
from openclaw_memory_core.index.store.kept_chunks import ChunkCache

EVERYTHING = range(1000)
THREE = 3 * kept_chunks._FIELDS + sum(map(sys.getsizeof, ("kiln", "oven", "glaze.")))
"""Bytes of three chunks."""


def put(bench: Bench, notes: dict[str, list[str]], *, rebuild: bool = False) -> None:
    writer = bench.store.writer(KEYWORD_ONLY, rebuild=rebuild)
    for path, texts in notes.items():
        bench.put(writer, path, [chunk(text, line) for line, text in enumerate(texts, 1)], vectors=False)
    writer.finish()


def chunks(bench: Bench, numbers: Iterable[int] = EVERYTHING) -> dict[int, StoredChunk]:
    with bench.store.reader() as reader:
        return reader.chunks(list(numbers))


def texts(bench: Bench) -> list[str]:
    return sorted(one.text for one in chunks(bench).values())


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Number of chunks that were read from the file at each filling of memory."""
    read: list[int] = []
    from_row = kept_chunks.rows.chunk_from_row
    fill = kept_chunks._read

    def filled(*args: object) -> object:
        read.append(0)
        return fill(*args)

    def counted(row: object) -> StoredChunk:
        if read:
            read[-1] += 1
        return from_row(row)

    monkeypatch.setattr(kept_chunks, "_read", filled)
    monkeypatch.setattr(kept_chunks.rows, "chunk_from_row", counted)
    return read


def test_a_process_that_asks_once_keeps_none(bench: Bench, reads: list[int]) -> None:
    put(bench, {"memory/a.md": ["kiln", "oven"]})

    with bench.store.reader() as reader:
        assert [len(reader.chunks([1])), len(reader.chunks([1, 2]))] == [1, 2]
    assert reads == []
    assert texts(bench) == ["kiln", "oven"]
    assert texts(bench) == ["kiln", "oven"]
    assert reads == [2]


def test_only_what_was_written_is_read_again(bench: Bench, reads: list[int]) -> None:
    put(bench, {"memory/a.md": ["kiln", "oven"], "memory/b.md": ["glaze"]})
    chunks(bench)
    chunks(bench)

    put(bench, {"memory/b.md": ["slip", "glaze"]})
    assert texts(bench) == ["glaze", "kiln", "oven", "slip"]
    bench.store.writer(KEYWORD_ONLY).remove(["memory/a.md"])
    assert texts(bench) == ["glaze", "slip"]
    put(bench, {"memory/c.md": ["wheel"]}, rebuild=True)
    assert texts(bench) == ["wheel"]

    assert reads == [3, 2, 0, 1]


def test_a_note_that_was_only_saved_again_has_its_new_time(bench: Bench) -> None:
    put(bench, {"memory/a.md": ["kiln"]})
    chunks(bench)
    (before,) = chunks(bench).values()

    bench.store.writer(KEYWORD_ONLY).touch("memory/a.md", (10, 1_800_000_000_000_000_000, 2, 3, 4), indexed_at=5.0)

    (after,) = chunks(bench).values()
    assert (before.mtime, after.mtime) == (STAT[1] / 1e9, 1_800_000_000.0)


def test_lines_of_a_transcript_are_those_of_its_file(bench: Bench) -> None:
    one = document("sessions/s.jsonl", "kiln\noven\nglaze\nslip", source="sessions", line_map=(1, 4, 9, 300))
    writer = bench.store.writer(KEYWORD_ONLY)
    writer.put_documents([(one, [chunk("kiln\noven", 1), chunk("glaze\nslip", 3)])], indexed_at=1.0)
    writer.finish()

    read, kept = chunks(bench), chunks(bench)

    assert [found.line_map for found in read.values()] == [(1, 4), (9, 300)]
    assert kept == read


def test_an_older_reader_sees_its_own_chunks_after_a_newer_one(bench: Bench, reads: list[int]) -> None:
    put(bench, {"memory/a.md": ["kiln"]})
    chunks(bench)
    with bench.store.reader() as old:
        put(bench, {"memory/a.md": ["oven"]})
        assert texts(bench) == ["oven"]
        assert [one.text for one in old.chunks(list(EVERYTHING)).values()] == ["kiln"]
    assert texts(bench) == ["oven"]
    # The newer ones were not given up for the older reader.
    assert reads == [1, 1]


def test_a_file_that_was_replaced_is_read_anew(bench: Bench) -> None:
    put(bench, {"memory/a.md": ["kiln"]})
    chunks(bench)
    chunks(bench)

    with Bench(bench.path) as other:
        other.store.reset()
        other.store.open()
        put(other, {"memory/a.md": ["oven"]})
        assert texts(bench) == ["oven"]
        assert texts(bench) == ["oven"]


@pytest.mark.parametrize(("limit", "value"), [("MOST_CHUNKS", 2), ("MOST_BYTES", THREE - 1)])
def test_a_large_index_is_read_from_the_file(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, reads: list[int], limit: str, value: int
) -> None:
    monkeypatch.setattr(kept_chunks, limit, value)
    put(bench, {"memory/a.md": ["kiln", "oven", "glaze."]})

    for _ in range(3):
        assert texts(bench) == ["glaze.", "kiln", "oven"]
    assert len(reads) == 1

    monkeypatch.setattr(kept_chunks, limit, value + 1)
    put(bench, {"memory/a.md": ["kiln", "oven", "glaze."]}, rebuild=True)
    for _ in range(3):
        assert texts(bench) == ["glaze.", "kiln", "oven"]
    assert len(reads) == 2


def test_headings_and_numbers_of_lines_count_as_well(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A transcript of very short lines has more of them than text."""
    monkeypatch.setattr(kept_chunks, "MOST_BYTES", 50_000)
    for path, lines, headings in (("sessions/a.jsonl", 2_000, ()), ("sessions/b.jsonl", 1, ("h" * 50_000,))):
        text = "\n".join("a" * lines)
        one = document(path, text, source="sessions", line_map=tuple(range(1000, 1000 + lines)))
        writer = bench.store.writer(KEYWORD_ONLY, rebuild=True)
        writer.put_documents([(one, [chunk(text, headings=headings)])], indexed_at=1.0)
        writer.finish()
        chunks(bench)
        with bench.store.reader() as reader:
            assert len(reader.chunks([1])) == 1
            assert reader._chunks == (None,)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "remove", "touch", "rebuild"]),
        st.sampled_from(["memory/a.md", "memory/b.md", "MEMORY.md"]),
        st.lists(st.text(max_size=20), max_size=3),
    ),
    max_size=8,
)


@given(steps=STEPS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_kept_chunks_are_those_of_the_file_after_any_changes(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, list[str]]]
) -> None:
    with Bench(tmp_path_factory.mktemp("kept") / "main.sqlite") as bench:
        put(bench, {"memory/a.md": ["kiln"]})
        chunks(bench)
        for number, (step, path, some) in enumerate(steps):
            if step in ("put", "rebuild"):
                put(bench, {path: some}, rebuild=step == "rebuild")
            elif step == "remove":
                bench.store.writer(KEYWORD_ONLY).remove([path])
            else:
                bench.store.writer(KEYWORD_ONLY).touch(path, (1, number * 10**9, 2, 3, 4), indexed_at=1.0)
            kept = chunks(bench)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(ChunkCache, "chunks", lambda *_: None)
                assert kept == chunks(bench)
            assert list(kept) == sorted(kept)
