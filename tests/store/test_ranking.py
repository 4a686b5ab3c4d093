"""Rare words choose, common words only add: the same ranking as scoring everything, for much less work."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.store import ALL, KEYWORD_ONLY, Bench, chunk

from openclaw_memory_core.index.model import KeywordHit, Term
from openclaw_memory_core.index.store import ranking
from openclaw_memory_core.privacy import Visible

CHUNKS = 600
WORDS = {"always": 0.97, "often": 0.6, "quarter": 0.28, "fifth": 0.2, "some": 0.12, "few": 0.05, "rare": 0.01}
PUBLIC = Visible(sources=("memory",), curated=False)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Chunks of random words, every tenth of them private."""
    rng = random.Random(3)
    with Bench(tmp_path_factory.mktemp("ranking") / "main.sqlite") as bench:
        writer = bench.store.writer(KEYWORD_ONLY)
        for number in range(0, CHUNKS, 20):
            texts = []
            for _ in range(20):
                held = [word for word, share in WORDS.items() if rng.random() < share]
                texts.append(" ".join(held * rng.randint(1, 3) + ["filler"] * rng.randint(5, 60)))
            chunks = [chunk(text, line) for line, text in enumerate(texts, 1)]
            bench.put(writer, f"memory/{number}.md", chunks, vectors=False, curated=number % 200 == 0)
        writer.finish()
        yield bench


@pytest.fixture(params=["counted", "sampled"])
def large(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat a few hundred chunks as if they were many thousands."""
    monkeypatch.setattr(ranking, "_SMALL", 100)
    monkeypatch.setattr(ranking, "_CHEAP", 0)
    monkeypatch.setattr(ranking, "_COUNTED", 10_000 if request.param == "counted" else 0)
    monkeypatch.setattr(ranking, "_WIDTH", CHUNKS // ranking._RANGES)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What FTS5 is asked to score."""
    asked: list[str] = []
    run = ranking._Query.run

    def watched(self: ranking._Query, match: str, *, newest: int = 0) -> dict[int, float]:
        asked.append(match)
        return run(self, match, newest=newest)

    monkeypatch.setattr(ranking._Query, "run", watched)
    return asked


def found(bench: Bench, words: list[str], visible: Visible, limit: int) -> list[KeywordHit]:
    """The hits; what the store keeps may have been measured under other limits."""
    bench.store._kept.extents.clear()
    with bench.store.reader() as reader:
        return reader.keyword([Term(word) for word in words], visible, limit)


@given(
    words=st.lists(st.sampled_from([*WORDS, "absent"]), min_size=1, max_size=5, unique=True),
    visible=st.sampled_from([ALL, PUBLIC]),
    limit=st.sampled_from([50, 200, 500]),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_first_places_are_those_that_scoring_everything_gives(
    store: Bench, large: None, words: list[str], visible: Visible, limit: int
) -> None:
    few = found(store, words, visible, limit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "_SMALL", 10**9)
        everything = found(store, words, visible, limit)
    if all(WORDS.get(word, 0) > ranking._EVERYWHERE for word in words):
        assert {hit.chunk_id for hit in few} <= {hit.chunk_id for hit in found(store, words, visible, CHUNKS)}
        return
    sure = limit // ranking.SURE

    assert len(few) >= min(sure, len(everything))
    assert [hit.rank for hit in few[:sure]] == pytest.approx([hit.rank for hit in everything[:sure]], abs=0.02)


def test_a_common_word_beside_rare_ones_is_not_scored_everywhere(store: Bench, large: None, asked: list[str]) -> None:
    found(store, ["always", "quarter", "few"], ALL, 100)

    assert asked == ['"few"', '("few") AND ("quarter")']


def test_chunks_with_two_common_words_are_scored_and_those_with_one_are_not(
    store: Bench, large: None, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = found(store, ["quarter", "fifth", "some"], ALL, 40)

    assert asked == ['"some"', '("some") AND ("fifth" OR "quarter")', '("fifth") AND ("quarter")']
    monkeypatch.setattr(ranking, "_SMALL", 10**9)
    sure = 40 // ranking.SURE
    everything = found(store, ["quarter", "fifth", "some"], ALL, 40)
    assert [hit.chunk_id for hit in few[:sure]] == [hit.chunk_id for hit in everything[:sure]]
    # The words are added up in another order.
    assert [hit.rank for hit in few[:sure]] == pytest.approx([hit.rank for hit in everything[:sure]])


def test_places_that_rare_words_leave_are_filled_with_what_was_written_last(
    store: Bench, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "_FILLING", 100)

    hits = found(store, ["rare", "always"], ALL, 500)

    rare = {hit.chunk_id for hit in found(store, ["rare"], ALL, 500)}
    assert {hit.chunk_id for hit in hits[: len(rare)]} == rare
    assert len(hits) > len(rare)
    assert min(hit.chunk_id for hit in hits[len(rare) :]) > CHUNKS - 100


def test_words_in_too_few_chunks_are_not_asked_for_alone(store: Bench, large: None, asked: list[str]) -> None:
    # "rare" stands in fewer chunks than there are sure places, and "absent" in none.
    found(store, ["absent", "rare", "few", "always"], ALL, 200)

    assert asked == ['"absent" OR "rare" OR "few"']


def test_shares_of_words_are_those_of_the_index_as_it_is(tmp_path: Path, large: None) -> None:
    with Bench(tmp_path / "main.sqlite") as bench:
        for path, word in (("memory/a.md", "kiln"), ("memory/b.md", "oven")):
            writer = bench.store.writer(KEYWORD_ONLY)
            bench.put(writer, path, [chunk(f"{word} filler", line) for line in range(1, 200)], vectors=False)
            writer.finish()
            assert len(found(bench, [word, "filler"], ALL, 100)) == 100

        assert {hit.chunk_id > 199 for hit in found(bench, ["oven", "filler"], ALL, 10)} == {True}


def test_nothing_that_is_hidden_takes_a_place(store: Bench, large: None) -> None:
    shown = {hit.chunk_id for hit in found(store, ["some", "always"], PUBLIC, 60)}
    with store.store.reader() as reader:
        assert not any(one.curated for one in reader.chunks(list(shown)).values())


def test_what_becomes_private_is_hidden_from_the_next_search_on(tmp_path: Path) -> None:
    """Whether an index holds anything that an audience may not see is asked once for each of its revisions."""
    with Bench(tmp_path / "main.sqlite") as bench:
        for path, curated, seen in (("memory/a.md", False, 1), ("MEMORY.md", True, 1), ("memory/b.md", False, 2)):
            writer = bench.store.writer(KEYWORD_ONLY)
            bench.put(writer, path, "the kiln is hot", vectors=False, curated=curated)
            writer.finish()
            assert len(found(bench, ["kiln"], PUBLIC, 10)) == seen
        assert len(found(bench, ["kiln"], ALL, 10)) == 3
        assert found(bench, ["kiln"], Visible(hidden_paths=frozenset({"memory/a.md", "memory/b.md"})), 10) == [
            hit for hit in found(bench, ["kiln"], ALL, 10) if hit not in found(bench, ["kiln"], PUBLIC, 10)
        ]


@given(words=st.lists(st.sampled_from([*WORDS, "filler"]), min_size=1, max_size=4, unique=True))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ranks_do_not_depend_on_whether_owners_are_asked_for(store: Bench, words: list[str]) -> None:
    expected = found(store, words, ALL, 100)

    # A path that the index does not hold hides nothing, and yet is looked for.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking._Query, "_hides", lambda _: True)
        assert found(store, words, ALL, 100) == expected


def test_words_that_stand_everywhere_are_looked_for_in_what_was_written_last(
    store: Bench, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "_NEWEST", 100)

    hits = found(store, ["always", "often"], ALL, 50)

    assert len(hits) == 50
    assert min(hit.chunk_id for hit in hits) > CHUNKS - 100


def test_a_small_index_is_scored_as_a_whole(store: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking._Query, "few", None)

    assert len(found(store, ["always", "rare"], ALL, CHUNKS)) > CHUNKS * 0.9
