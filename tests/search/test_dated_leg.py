"""What the index offers for questions about a time, and for telling an answer from noise."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.search_bench import SearchBench
from support.store import ALL, Bench, identity, vector_of

from openclaw_memory_core.privacy import Visible

FIRST, LAST = dt.date(2026, 4, 1), dt.date(2026, 4, 30)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[SearchBench]:
    with SearchBench(tmp_path) as bench:
        bench.put({f"memory/2026-{month:02d}-{day:02d}.md": "log" for month in (3, 4, 5) for day in (1, 15, 30)})
        yield bench.put({"memory/plan.md": "undated", "memory/2026-04-15-b.md": "second"})


def paths(bench: SearchBench, ids: list[int]) -> list[str]:
    with bench.store.reader() as reader:
        chunks = reader.chunks(ids)
    return [chunks[i].path for i in ids]


def test_chunks_of_a_span_of_days_newest_first(bench: SearchBench) -> None:
    with bench.store.reader() as reader:
        found = reader.dated(FIRST, LAST, Visible(), 10)

    assert paths(bench, found) == [
        *("memory/2026-04-30.md", "memory/2026-04-15-b.md", "memory/2026-04-15.md", "memory/2026-04-01.md")
    ]


def test_the_limit_counts_only_what_may_be_seen(bench: SearchBench) -> None:
    with bench.store.reader() as reader:
        found = reader.dated(FIRST, LAST, Visible(hidden_paths=frozenset({"memory/2026-04-30.md"})), 1)

    assert paths(bench, found) == ["memory/2026-04-15-b.md"]


def test_a_sample_is_spread_over_the_index_and_repeats(bench: SearchBench) -> None:
    with bench.store.reader() as reader:
        few, all_ = reader.sample(Visible(), 4), reader.sample(Visible(), 100)
        again = reader.sample(Visible(), 4)
        hidden = reader.sample(Visible(sources=("sessions",)), 100)

    assert few == again
    assert len(set(few)) == 4
    assert len(set(all_)) == 11
    assert hidden == []


def test_cosines_of_a_sample_follow_the_index_and_the_audience(tmp_path: Path) -> None:
    with Bench(tmp_path / "main.sqlite") as bench:
        for path in ("memory/a.md", "memory/b.md"):
            writer = bench.store.writer(identity())
            bench.put(writer, path, path)
            writer.finish()
            with bench.store.reader() as reader:
                kept = [reader.sample_cosines(vector_of("question"), ALL, 9) for _ in range(2)]
                fresh = reader.cosines(vector_of("question"), reader.sample(ALL, 9))
                other = reader.sample_cosines(vector_of("another"), ALL, 9)
                hidden = reader.sample_cosines(vector_of("question"), Visible(sources=("sessions",)), 9)

            assert kept == [list(fresh.values())] * 2
            assert other != kept[0]
            assert hidden == []

        assert len(fresh) == 2


def test_an_empty_index_has_neither(tmp_path: Path) -> None:
    with SearchBench(tmp_path) as bench, bench.store.reader() as reader:
        assert reader.dated(FIRST, LAST, Visible(), 5) == []
        assert reader.sample(Visible(), 5) == []
        assert reader.sample_cosines(vector_of("question"), Visible(), 5) == []
