from __future__ import annotations

import functools
import json
import logging
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.store import ALL, Bench, Form, chunk, digest, identity, pack, vector_of

from openclaw_memory_core.config.model import CacheConfig
from openclaw_memory_core.index.model import IndexIdentity, VectorHit
from openclaw_memory_core.index.store import centres, kept_vectors, nearest, vectors
from openclaw_memory_core.privacy import Visible

DIMS = 384
TOPICS = 40


@functools.cache
def leaning_vector(number: int) -> bytes:
    """Vectors as models make them: about some topic, and all of them leaning to the same side."""
    topic, own = random.Random(number % TOPICS), random.Random(repr(number))
    return pack(0.8 + topic.gauss(0, 1) + own.gauss(0, 1) for _ in range(DIMS))


def exact(query: bytes, numbers: Sequence[int], limit: int) -> list[str]:
    import numpy as np

    matrix = np.stack([np.frombuffer(leaning_vector(number), "<f4") for number in numbers]).astype("f8")
    asked = np.frombuffer(query, "<f4").astype("f8")
    cosines = matrix @ asked / np.linalg.norm(matrix, axis=1)
    return [text_of(numbers[place]) for place in np.argsort(-cosines, kind="stable")[:limit]]


def text_of(number: int) -> str:
    return f"note {number}"


def fill(bench: Bench, numbers: Sequence[int], *, per_file: int = 10, curated: bool = False, prefix: str = "n") -> None:
    writer = bench.store.writer(identity())
    for start in range(0, len(numbers), per_file):
        some = numbers[start : start + per_file]
        chunks = [chunk(text_of(number), line) for line, number in enumerate(some, 1)]
        writer.add_vectors({digest(text_of(number)): leaning_vector(number) for number in some})
        bench.put(writer, f"memory/{prefix}{start}.md", chunks, vectors=False, curated=curated)
    writer.finish()


def texts(bench: Bench, query: bytes, visible: Visible = ALL, limit: int = 10) -> list[str]:
    with bench.store.reader() as reader:
        hits = reader.vector(query, visible, limit)
        chunks = reader.chunks([hit.chunk_id for hit in hits])
        return [chunks[hit.chunk_id].text for hit in hits]


@pytest.fixture
def small_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes for an index of a few hundred vectors."""
    monkeypatch.setattr(centres, "CODED_FROM", 100)
    monkeypatch.setattr(nearest, "FEWEST", 100)


def test_nearest_come_first_with_their_cosines(any_bench: Bench) -> None:
    writer = any_bench.store.writer(identity())
    for name, vector in {"same": [2, 0], "near": [1, 1], "right": [0, 3], "opposite": [-1, 0]}.items():
        writer.add_vectors({digest(name): pack(vector)})
        any_bench.put(writer, f"memory/{name}.md", name, vectors=False)
    writer.finish()
    with any_bench.store.reader() as reader:
        hits = reader.vector(pack([5, 0]), ALL, 10)
        assert [hit.cosine for hit in hits] == [1.0, pytest.approx(0.707107), 0.0, -1.0]
        assert reader.cosines(pack([5, 0]), [1, 3, 99]) == {1: 1.0, 3: 0.0}
        assert reader.vector(pack([5, 0]), ALL, 2) == hits[:2]
        assert reader.vector(pack([5, 0]), ALL, 0) == []


@pytest.mark.parametrize("query", [b"", bytes(8), pack([float("nan"), 1]), pack([1, 2, 3]), b"abc"])
def test_a_query_that_cannot_be_compared_finds_nothing(any_bench: Bench, query: bytes) -> None:
    writer = any_bench.store.writer(identity())
    writer.add_vectors({digest("a"): pack([1, 0])})
    any_bench.put(writer, "memory/a.md", "a", vectors=False)
    writer.finish()
    with any_bench.store.reader() as reader:
        assert reader.vector(query, ALL, 5) == []
        assert reader.cosines(query, [1]) == {}


def test_a_keyword_only_index_has_no_vector_leg(bench: Bench) -> None:
    writer = bench.store.writer(IndexIdentity({"provider": "none"}, {}, {}))
    bench.put(writer, "memory/a.md", "a", vectors=False)
    writer.finish()
    assert bench.near(vector_of("a")) == []


def test_a_large_index_gives_the_exact_answer(any_bench: Bench, small_numbers: None) -> None:
    numbers = range(600)
    fill(any_bench, numbers)
    assert any_bench.store.describe()["vector"]["coded"] is True
    found = wanted = 0
    for query in map(leaning_vector, range(1000, 1020)):
        right = exact(query, numbers, 5)
        found += len(set(texts(any_bench, query, limit=5)) & set(right))
        wanted += len(right)
    assert found / wanted >= 0.99


def test_hidden_neighbours_never_cost_a_place(any_bench: Bench, small_numbers: None) -> None:
    fill(any_bench, range(400), curated=True, prefix="secret")
    fill(any_bench, range(400, 700))
    group = Visible(curated=False)
    query = leaning_vector(7)
    assert texts(any_bench, query, limit=1) == [text_of(7)]
    assert texts(any_bench, query, group, limit=10) == exact(query, range(400, 700), 10)
    hidden = Visible(hidden_paths=frozenset({"memory/n0.md"}))
    assert text_of(400) not in texts(any_bench, leaning_vector(400), hidden)


def test_changes_are_followed_without_reading_everything_again(bench: Bench, small_numbers: None) -> None:
    fill(bench, range(300))
    assert texts(bench, leaning_vector(5), limit=1) == [text_of(5)]
    fill(bench, range(300, 320), prefix="late")
    assert texts(bench, leaning_vector(310), limit=1) == [text_of(310)]
    bench.store.writer(identity()).remove(["memory/n0.md"])
    assert text_of(5) not in texts(bench, leaning_vector(5), limit=300)
    fill(bench, range(5, 6), prefix="again")
    assert texts(bench, leaning_vector(5), limit=1) == [text_of(5)]
    rebuilt = bench.store.writer(identity(), rebuild=True)
    bench.put(rebuilt, "memory/only.md", [chunk(text_of(9))], vectors=False)
    rebuilt.finish()
    assert texts(bench, leaning_vector(9)) == [text_of(9)]


def test_vectors_in_memory_and_read_ones_give_the_same_answers_while_notes_change(
    bench: Bench, small_numbers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = leaning_vector(3)

    def ask() -> tuple[list[VectorHit], dict[int, float]]:
        with bench.store.reader() as reader:
            hits = reader.vector(query, ALL, 10)
            return hits, reader.cosines(query, sorted(reader.sample(ALL, 1000)))

    def both() -> None:
        kept = ask()
        with monkeypatch.context() as patch:
            patch.setattr(kept_vectors, "MOST_BYTES", 0)
            assert ask() == kept
        assert len(kept[1]) >= len(kept[0]) == 10

    fill(bench, range(300))
    ask()
    both()
    fill(bench, range(1000, 1150), prefix="later")
    both()
    writer = bench.store.writer(identity())
    writer.remove([f"memory/n{start}.md" for start in range(0, 100, 10)])
    writer.finish()
    both()
    assert texts(bench, query) == exact(query, [*range(100, 300), *range(1000, 1150)], 10)


def test_a_process_that_asks_once_and_a_large_index_keep_no_vectors_in_memory(
    bench: Bench, small_numbers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[int] = []
    keep = kept_vectors.keep
    monkeypatch.setattr(kept_vectors, "keep", lambda *a: built.append(1) or keep(*a))
    fill(bench, range(300))

    with bench.store.reader() as reader:
        reader.vector(leaning_vector(3), ALL, 10)
        reader.cosines(leaning_vector(3), reader.sample(ALL, 1000))
    assert not built
    with monkeypatch.context() as patch:
        patch.setattr(kept_vectors, "MOST_BYTES", 300 * DIMS * 4 - 1)
        texts(bench, leaning_vector(4))
    assert not built
    texts(bench, leaning_vector(5))
    texts(bench, leaning_vector(6))
    assert len(built) == 1


def test_chunks_linked_after_a_search_are_found_once_each(bench: Bench, small_numbers: None) -> None:
    fill(bench, range(300))
    writer = bench.store.writer(identity())
    bench.put(writer, "memory/late.md", [chunk(text_of(5)), chunk(text_of(900), 2)], vectors=False)
    assert texts(bench, leaning_vector(900), limit=300).count(text_of(5)) == 2
    writer.add_vectors({digest(text_of(900)): leaning_vector(900)})
    assert writer.link_vectors("memory/late.md") == 0
    found = texts(bench, leaning_vector(900), limit=302)
    assert found[0] == text_of(900)
    assert (len(found), found.count(text_of(5))) == (302, 2)


def test_codes_of_a_file_that_was_replaced_are_not_used(bench: Bench, small_numbers: None) -> None:
    fill(bench, range(300))
    assert texts(bench, leaning_vector(5), limit=1) == [text_of(5)]
    with Bench(bench.path) as other:
        other.store.reset()
        other.store.open()
        fill(other, range(300, 600))
        assert texts(bench, leaning_vector(305), limit=5) == texts(other, leaning_vector(305), limit=5)


def test_vectors_without_a_code_are_compared_exactly(bench: Bench, small_numbers: None) -> None:
    fill(bench, range(300))
    writer = bench.store.writer(identity())
    writer.add_vectors({digest(text_of(900)): leaning_vector(900)})
    bench.put(writer, "memory/new.md", [chunk(text_of(900))], vectors=False)
    assert texts(bench, leaning_vector(900), limit=1) == [text_of(900)]


def test_an_older_reader_sees_its_own_index_after_a_newer_one_searched(bench: Bench, small_numbers: None) -> None:
    fill(bench, range(300))
    with bench.store.reader() as old:
        fill(bench, range(300, 310), prefix="late")
        bench.store.writer(identity()).remove(["memory/n0.md"])
        assert texts(bench, leaning_vector(305), limit=1) == [text_of(305)]
        hits = old.vector(leaning_vector(5), ALL, 1)
        assert [one.text for one in old.chunks([hits[0].chunk_id]).values()] == [text_of(5)]
        assert all(one.cosine < 0.99 for one in old.vector(leaning_vector(305), ALL, 3))
    assert texts(bench, leaning_vector(305), limit=1) == [text_of(305)]


def test_the_mean_is_taken_anew_as_the_index_grows(bench: Bench, small_numbers: None) -> None:
    fill(bench, range(100))
    before = _centre(bench)
    assert texts(bench, leaning_vector(5), limit=1) == [text_of(5)]
    fill(bench, range(100, 450), prefix="more")
    after = _centre(bench)
    assert before is not None
    assert after is not None
    assert after > before
    assert _code_centres(bench) == {after}
    assert texts(bench, leaning_vector(5), limit=1) == [text_of(5)]


def test_coding_that_was_interrupted_is_taken_up_again(
    bench: Bench, small_numbers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(centres, "_STEP", 50)
    steps = centres._write_codes

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(centres, "_write_codes", fail)
    with pytest.raises(KeyboardInterrupt):
        fill(bench, range(300))
    monkeypatch.setattr(centres, "_write_codes", steps)
    fill(bench, range(300))
    assert texts(bench, leaning_vector(5), limit=1) == [text_of(5)]
    assert _code_centres(bench) == {_centre(bench)}
    with bench.store._database.read() as db:
        assert db.execute("SELECT count(*) FROM centres").get == 1
        assert db.execute("SELECT count(*) FROM codes").get == 300
        assert db.execute("SELECT coded_to FROM centres").get == db.execute("SELECT max(id) FROM vectors").get


def test_a_missing_extension_is_said_once_and_changes_no_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    notes = {f"memory/{n}.md": f"note {n}" for n in range(30)}
    answers = []
    forms: tuple[Form, ...] = ("extension", "no-extension")
    with caplog.at_level(logging.WARNING):
        for form in forms:
            with Bench(tmp_path / form / "main.sqlite", form) as bench:
                bench.fill(notes)
                answers.append([bench.near(vector_of(f"query {n}"), limit=5) for n in range(5)])
                bench.store.describe()
                facts = bench.store.describe()["vector"]
    assert answers[0] == answers[1]
    assert facts["method"] == "numpy"
    assert "absent-vec0" in facts["reason"]
    warnings = [record for record in caplog.records if "absent-vec0" in record.getMessage()]
    assert len(warnings) == 1


def test_switched_off_vectors_are_not_searched_and_not_warned_about(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Bench(tmp_path / "main.sqlite", vector_enabled=False) as bench:
        bench.fill({"memory/a.md": "kiln"})
        assert bench.near(vector_of("kiln")) == []
        assert bench.found("kiln") == ["memory/a.md"]
        assert bench.store.describe()["vector"]["method"] == "off"
    assert not caplog.records


_COLD = """
import json, sys
from pathlib import Path
from openclaw_memory_core.index.store import SqliteStore, nearest
from openclaw_memory_core.privacy import Visible
nearest.FEWEST = int(sys.argv[2])
store = SqliteStore(Path(sys.argv[1]))
store.open()
query = bytes.fromhex(sys.argv[3])
answers = []
for _ in range(2):
    with store.reader() as reader:
        reader.keyword([], Visible(), 5), reader.counts()
        hits = reader.vector(query, Visible(curated=False), 10)
        answers.append([[hit.chunk_id, hit.cosine] for hit in hits])
    answers.append("numpy" in sys.modules)
store.describe()
store.close()
print(json.dumps(answers))
"""


@given(
    query=st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).filter(any),
    others=st.lists(st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).filter(any), min_size=1, max_size=4),
)
@settings(deadline=None)
@example(query=[1.0, 0.0, 0.0], others=[[-1e-9, 1.0, 0.0], [1e-9, 1.0, 0.0]])
def test_cosines_are_the_same_with_numpy_and_without_to_the_sign_of_zero(
    query: list[float], others: list[list[float]]
) -> None:
    usable = [pack(one) for one in [query, *others] if vectors.is_usable(pack(one))]
    if len(usable) < 2:
        return
    found = [list(compute(usable[0], usable[1:], None)) for compute in (vectors._with_numpy, vectors._in_python)]
    assert repr(found[0]) == repr(found[1])


@pytest.mark.parametrize("size", [40, 400])
def test_a_process_that_asks_once_needs_no_numpy_and_gets_the_same_answer(
    bench: Bench, small_numbers: None, size: int
) -> None:
    fill(bench, range(50), curated=True, prefix="secret")
    fill(bench, range(50, 50 + size))
    query = leaning_vector(2000)
    with bench.store.reader() as reader:
        here = reader.vector(query, Visible(curated=False), 10)
    call = [sys.executable, "-c", _COLD, str(bench.path), str(nearest.FEWEST), query.hex()]
    done = subprocess.run(call, capture_output=True, encoding="utf-8", timeout=60, check=True)
    first, numpy_after_first, second, numpy_after_second = json.loads(done.stdout)
    assert [VectorHit(*pair) for pair in first] == here
    assert first == second
    assert numpy_after_first is False
    assert numpy_after_second is (size > 100)


def test_unreferenced_vectors_beyond_the_limit_go_oldest_first(tmp_path: Path) -> None:
    with Bench(tmp_path / "main.sqlite", cache=CacheConfig(max_entries=3)) as bench:
        writer = bench.store.writer(identity())
        bench.put(writer, "memory/a.md", "used")
        for number in range(6):
            bench.now += 1
            writer.add_vectors({digest(f"spare {number}"): vector_of(f"spare {number}")})
        writer.finish()
        kept = writer.known_hashes([digest("used"), *(digest(f"spare {number}") for number in range(6))])
        assert kept == {digest("used"), *(digest(f"spare {number}") for number in (3, 4, 5))}


def test_without_a_cache_only_vectors_in_use_are_kept(tmp_path: Path, small_numbers: None) -> None:
    with Bench(tmp_path / "main.sqlite", cache=CacheConfig(enabled=False)) as bench:
        fill(bench, range(200))
        writer = bench.store.writer(identity())
        writer.remove([f"memory/n{start}.md" for start in range(0, 100, 10)])
        writer.finish()
        with bench.store.reader() as reader:
            counts = reader.counts()
            assert (counts.vectors, counts.cache_entries) == (100, 100)
        with bench.store._database.read() as db:
            assert db.execute("SELECT count(*) FROM codes").get == 100
        assert texts(bench, leaning_vector(150), limit=1) == [text_of(150)]


def test_vectors_of_a_generation_being_built_are_not_evicted(tmp_path: Path) -> None:
    with Bench(tmp_path / "main.sqlite", cache=CacheConfig(enabled=False)) as bench:
        bench.fill({"memory/a.md": "old"})
        building = bench.store.writer(identity("birch"))
        bench.put(building, "memory/a.md", "new")
        bench.store.close()
        bench.store.open()
        again = bench.store.writer(identity("birch"))
        assert again.known_hashes([digest("new")]) == {digest("new")}


def test_finishing_the_active_generation_keeps_what_one_being_built_refers_to(tmp_path: Path) -> None:
    with Bench(tmp_path / "main.sqlite", cache=CacheConfig(enabled=False)) as bench:
        bench.fill({"memory/a.md": "old"})
        active = bench.store.writer(identity())
        building = bench.store.writer(identity("birch"))
        bench.put(building, "memory/a.md", "new")
        active.finish()
        assert building.known_hashes([digest("new")]) == {digest("new")}


def test_a_provider_that_is_not_used_any_more_is_forgotten_with_its_vectors(tmp_path: Path) -> None:
    with Bench(tmp_path / "main.sqlite", cache=CacheConfig(max_entries=0)) as bench:
        bench.fill({"memory/a.md": "kiln"})
        writer = bench.store.writer(identity("birch"))
        bench.put(writer, "memory/a.md", "kiln", dims=12)
        writer.finish()
        with bench.store.reader() as reader:
            assert reader.counts().cache_entries == 1
        with bench.store._database.read() as db:
            assert db.execute("SELECT count(*) FROM identities").get == 1


def test_coming_back_to_a_model_finds_its_vectors_in_the_cache(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    writer = bench.store.writer(identity("birch"))
    bench.put(writer, "memory/a.md", "kiln", dims=12)
    writer.finish()
    back = bench.store.writer(identity())
    assert back.known_hashes([digest("kiln")]) == {digest("kiln")}


def _centre(bench: Bench) -> int | None:
    with bench.store._database.read() as db:
        return db.execute("SELECT centre FROM identities").get


def _code_centres(bench: Bench) -> set[int]:
    with bench.store._database.read() as db:
        return {row[0] for row in db.execute("SELECT DISTINCT centre FROM codes")}
