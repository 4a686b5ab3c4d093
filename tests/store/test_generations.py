from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.store import KEYWORD_ONLY, Bench, chunk, identity, vector_of

from openclaw_memory_core.errors import StoreError
from openclaw_memory_core.index.store import writer as writing


def test_a_new_store_has_no_index_and_answers_with_nothing(any_bench: Bench) -> None:
    with any_bench.store.reader() as reader:
        assert reader.identity is None
        assert (reader.generation, reader.moment) == (0, ("", 0, 0))
        assert reader.counts().files == {}
    assert any_bench.found("kiln") == []
    assert any_bench.near(vector_of("kiln")) == []


def test_nothing_is_seen_of_a_generation_before_it_is_published(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    bench.put(writer, "memory/kiln.md", "kiln thermostat")
    assert bench.found("kiln") == []
    writer.finish()
    assert bench.found("kiln") == ["memory/kiln.md"]


def test_the_old_generation_answers_until_the_new_one_is_published(bench: Bench) -> None:
    bench.fill({"memory/a.md": "old kiln"})
    writer = bench.store.writer(identity(), rebuild=True)
    bench.put(writer, "memory/b.md", "new kiln")
    assert bench.found("kiln") == ["memory/a.md"]
    writer.finish()
    assert bench.found("kiln") == ["memory/b.md"]


def test_a_reader_keeps_its_view_while_another_generation_is_published(bench: Bench) -> None:
    bench.fill({"memory/a.md": "old kiln"})
    with bench.store.reader() as reader:
        writer = bench.store.writer(identity(), rebuild=True)
        bench.put(writer, "memory/b.md", "new kiln")
        writer.finish()
        assert [one.path for one in reader.chunks(range(1, 9)).values()] == ["memory/a.md"]
    assert bench.found("kiln") == ["memory/b.md"]


def test_the_active_generation_is_written_in_place_for_the_same_identity(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    writer = bench.store.writer(identity())
    bench.put(writer, "memory/b.md", "kiln too")
    assert sorted(bench.found("kiln")) == ["memory/a.md", "memory/b.md"]
    assert writer.generation == 1


def test_another_identity_is_built_beside_the_active_one(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    writer = bench.store.writer(identity("birch"))
    bench.put(writer, "memory/a.md", "kiln", dims=12)
    with bench.store.reader() as reader:
        assert reader.identity == identity()
    writer.finish()
    with bench.store.reader() as reader:
        assert reader.identity == identity("birch")


def test_a_half_built_generation_is_picked_up_where_it_was_left(bench: Bench) -> None:
    first = bench.store.writer(identity())
    bench.put(first, "memory/a.md", "kiln")
    bench.store.close()
    bench.store.open()
    second = bench.store.writer(identity())
    assert second.generation == first.generation
    assert set(second.files()) == {"memory/a.md"}


def test_a_half_built_generation_of_another_identity_is_dropped(bench: Bench) -> None:
    first = bench.store.writer(identity())
    bench.put(first, "memory/a.md", "kiln")
    second = bench.store.writer(identity("birch"))
    assert second.files() == {}
    assert bench.store.describe()["building"] == [second.generation]
    with pytest.raises(StoreError, match="replaced"):
        bench.put(first, "memory/b.md", "kiln")


def test_abandoning_leaves_the_active_generation(bench: Bench) -> None:
    bench.fill({"memory/a.md": "old kiln"})
    writer = bench.store.writer(identity(), rebuild=True)
    bench.put(writer, "memory/b.md", "new kiln")
    writer.abandon()
    assert bench.found("kiln") == ["memory/a.md"]
    assert bench.store.describe()["building"] == []


def test_the_revision_grows_with_every_change(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    seen = [_revision(bench)]
    writer = bench.store.writer(identity())
    bench.put(writer, "memory/b.md", "kiln too")
    seen.append(_revision(bench))
    writer.touch("memory/b.md", (1, 2, 3, 4, 5), indexed_at=5.0)
    seen.append(_revision(bench))
    writer.remove(["memory/b.md"])
    seen.append(_revision(bench))
    rebuilt = bench.store.writer(identity(), rebuild=True)
    rebuilt.finish()
    seen.append(_revision(bench))
    assert seen == sorted(set(seen))


def test_the_revision_stays_while_another_generation_is_built(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    before = _revision(bench)
    bench.put(bench.store.writer(identity("birch")), "memory/b.md", "kiln", dims=12)
    assert _revision(bench) == before


def test_a_keyword_only_generation_misses_no_vectors(bench: Bench) -> None:
    writer = bench.store.writer(KEYWORD_ONLY)
    bench.put(writer, "memory/a.md", "kiln", vectors=False)
    assert writer.missing_texts(10) == {}
    assert writer.link_vectors("memory/a.md") == 0
    assert writer.files()["memory/a.md"].missing_vectors == 0


def test_tables_of_replaced_generations_are_gone_after_publishing(bench: Bench) -> None:
    for _ in range(3):
        writer = bench.store.writer(identity(), rebuild=True)
        bench.put(writer, "memory/a.md", [chunk(f"kiln {n}", n) for n in range(1, 20)])
        writer.finish()
    with bench.store._database.read() as db:
        names = [str(row[0]) for row in db.execute("SELECT name FROM sqlite_schema")]
    tables = {name.split("_")[0] for name in names if re.match(r"g\d+_", name)}
    assert tables == {"g3"}


def _revision(bench: Bench) -> int:
    with bench.store.reader() as reader:
        return reader.moment[2]


def test_the_text_index_is_one_tree_after_much_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_MERGED_FROM", 3)
    with Bench(tmp_path / "main.sqlite") as bench:

        def trees(documents: range) -> int:
            writer = bench.store.writer(KEYWORD_ONLY)
            for number in documents:
                bench.put(writer, f"memory/{number}.md", f"kiln {number}", vectors=False)
            writer.finish()
            with bench.store._database.read() as db:
                return int(db.execute(f"SELECT count(DISTINCT segid) FROM g{writer.generation}_text_idx").get)

        assert [trees(range(3)), trees(range(3, 5)), trees(range(5, 9))] == [1, 3, 1]
        assert len(bench.found("kiln")) == 9
