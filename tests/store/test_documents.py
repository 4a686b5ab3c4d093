from __future__ import annotations

import datetime as dt

import pytest
from support.store import ALL, Bench, chunk, digest, document, identity, pack, vector_of

from openclaw_memory_core.errors import StoreError


def test_a_chunk_comes_back_as_it_was_put(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    first = chunk("- kiln at 1100 °C", 3, headings=("Tools", "Kiln"), importance=4)
    bench.put(writer, "MEMORY.md", [first], curated=True, date=dt.date(2026, 3, 31), session_key=None)
    writer.finish()
    with bench.store.reader() as reader:
        (found,) = reader.chunks([1]).values()
    assert (found.path, found.source, found.start_line, found.end_line) == ("MEMORY.md", "memory", 3, 3)
    assert (found.text, found.headings, found.importance) == ("- kiln at 1100 °C", ("Tools", "Kiln"), 4)
    assert (found.curated, found.date) == (True, dt.date(2026, 3, 31))
    assert (found.mtime, found.session_key, found.line_map) == (1_700_000_000.0, None, None)


def test_the_line_map_of_a_chunk_covers_its_own_lines(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    chunks = [chunk("user: kiln", 1), chunk("assistant: hot\nuser: how hot", 2)]
    bench.put(
        writer,
        "sessions/1.jsonl",
        chunks,
        source="sessions",
        session_key="agent:main:main",
        line_map=(1, 4, 2**40),
    )
    writer.finish()
    with bench.store.reader() as reader:
        found = sorted(reader.chunks(range(1, 9)).values(), key=lambda one: one.start_line)
    assert [one.line_map for one in found] == [(1,), (4, 2**40)]
    assert {one.session_key for one in found} == {"agent:main:main"}


def test_putting_a_document_again_replaces_it(any_bench: Bench) -> None:
    any_bench.fill({"memory/a.md": "kiln"})
    any_bench.fill({"memory/a.md": "oven"})
    with any_bench.store.reader() as reader:
        assert [one.text for one in reader.chunks(range(1, 9)).values()] == ["oven"]
        assert reader.counts().chunks == {"memory": 1}
    assert any_bench.found("kiln") == []
    assert any_bench.found("oven") == (["memory/a.md"] if any_bench.has_text else [])


def test_the_state_of_files_is_what_was_put(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    big = (2**70, 2, 3, 2**64 - 1, 5)
    bench.put(writer, "memory/2026-03-31.md", [chunk("a"), chunk("b", 2)], date=dt.date(2026, 3, 31), stat=big)
    state = writer.files()["memory/2026-03-31.md"]
    assert (state.stat, state.chunks, state.missing_vectors) == (big, 2, 0)
    assert (state.content_hash, state.indexed_at, state.date) == (digest("a\nb"), bench.now, dt.date(2026, 3, 31))


def test_touching_changes_the_stamp_and_keeps_the_rows(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    writer = bench.store.writer(identity())
    writer.touch("memory/a.md", (9, 8_000_000_000, 7, 6, 5), indexed_at=3.0)
    state = writer.files()["memory/a.md"]
    assert (state.stat, state.indexed_at, state.chunks) == ((9, 8_000_000_000, 7, 6, 5), 3.0, 1)
    with bench.store.reader() as reader:
        assert reader.chunks([1])[1].mtime == 8.0


def test_removed_documents_are_gone_from_every_leg(any_bench: Bench) -> None:
    notes = {f"memory/{n}.md": f"kiln number{n}" for n in range(150)}
    any_bench.fill(notes)
    writer = any_bench.store.writer(identity())
    writer.remove(path for path in notes if path != "memory/7.md")
    writer.remove(["memory/never.md"])
    assert set(writer.files()) == {"memory/7.md"}
    assert any_bench.near(vector_of("kiln number8")) == ["memory/7.md"]
    assert any_bench.found("kiln") == (["memory/7.md"] if any_bench.has_text else [])
    with any_bench.store.reader() as reader:
        assert [hit.path for hit in reader.paths("memory/8.md", [], ALL, 5)] == []


def test_chunks_without_a_stored_vector_are_missing_until_they_are_linked(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    bench.put(writer, "memory/a.md", [chunk("kiln"), chunk("oven", 2)], vectors=False)
    bench.put(writer, "memory/b.md", [chunk("kiln", 5)], vectors=False)
    assert writer.files()["memory/a.md"].missing_vectors == 2
    assert writer.missing_texts(10) == {digest("kiln"): "kiln", digest("oven"): "oven"}
    assert writer.missing_texts(1) == {digest("kiln"): "kiln"}
    writer.add_vectors({digest("kiln"): vector_of("kiln")})
    assert writer.missing_texts(10) == {digest("oven"): "oven"}
    assert writer.link_vectors("memory/a.md") == 1
    assert writer.link_vectors("memory/b.md") == 0
    assert writer.link_vectors("memory/never.md") == 0
    writer.finish()
    assert bench.near(vector_of("kiln")) == ["memory/a.md", "memory/b.md"]


def test_the_text_for_the_provider_is_given_where_it_differs(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    one = chunk("kiln")
    longer = type(one)(1, 1, "kiln", digest("Tools > kiln"), "Tools > kiln")
    bench.put(writer, "memory/a.md", [longer], vectors=False)
    assert writer.missing_texts(10) == {digest("Tools > kiln"): "Tools > kiln"}


def test_known_hashes_are_those_of_this_identity(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    writer.add_vectors({digest("kiln"): vector_of("kiln")})
    assert writer.known_hashes([digest("kiln"), digest("oven")]) == {digest("kiln")}
    other = bench.store.writer(identity("birch"))
    assert other.known_hashes([digest("kiln")]) == set()


def test_twin_notes_share_a_vector_and_outlive_each_other(any_bench: Bench) -> None:
    text = "a copied template"
    any_bench.fill({"memory/mon.md": text, "memory/tue.md": text})
    assert sorted(any_bench.near(vector_of(text))) == ["memory/mon.md", "memory/tue.md"]
    any_bench.store.writer(identity()).remove(["memory/mon.md"])
    assert any_bench.near(vector_of(text)) == ["memory/tue.md"]
    any_bench.fill({"memory/mon.md": text})
    assert sorted(any_bench.near(vector_of(text))) == ["memory/mon.md", "memory/tue.md"]
    if any_bench.has_text:
        assert sorted(any_bench.found("template")) == ["memory/mon.md", "memory/tue.md"]


def test_a_rebuild_finds_every_vector_stored(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln", "memory/b.md": "oven"})
    writer = bench.store.writer(identity(), rebuild=True)
    assert writer.known_hashes([digest("kiln"), digest("oven")]) == {digest("kiln"), digest("oven")}
    other_chunking = bench.store.writer(identity(chunking="2"))
    assert other_chunking.known_hashes([digest("kiln")]) == {digest("kiln")}


def test_vectors_of_another_length_are_refused_and_named(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    writer = bench.store.writer(identity())
    with pytest.raises(StoreError, match=r"8, 12"):
        writer.add_vectors({digest("oven"): vector_of("oven", 12)})
    with pytest.raises(StoreError, match="different lengths"):
        writer.add_vectors({digest("oven"): b""})
    assert writer.known_hashes([digest("oven")]) == set()
    writer.add_vectors({digest("oven"): vector_of("oven")})
    assert writer.known_hashes([digest("oven")]) == {digest("oven")}


@pytest.mark.parametrize("number", [0.0, float("nan"), float("inf"), 1e-30, 1e30])
def test_a_vector_without_a_direction_is_known_and_never_found(any_bench: Bench, number: float) -> None:
    writer = any_bench.store.writer(identity())
    writer.add_vectors({digest("kiln"): pack([number] * 8)})
    any_bench.put(writer, "memory/a.md", "kiln", vectors=False)
    any_bench.put(writer, "memory/b.md", "oven")
    writer.finish()
    assert writer.known_hashes([digest("kiln")]) == {digest("kiln")}
    assert writer.files()["memory/a.md"].missing_vectors == 0
    assert any_bench.near(vector_of("kiln")) == ["memory/b.md"]
    with any_bench.store.reader() as reader:
        assert set(reader.cosines(vector_of("kiln"), [1, 2])) == {2}
        assert reader.counts().vectors == 1


def test_neighbours_are_the_chunks_before_and_after_in_the_same_document(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    bench.put(writer, "memory/a.md", [chunk(f"a{n}", n) for n in (1, 2, 3)])
    bench.put(writer, "memory/b.md", [chunk("b1")])
    writer.finish()
    with bench.store.reader() as reader:
        by_text = {one.text: one.id for one in reader.chunks(range(1, 9)).values()}
        around = {text: [one.text for one in reader.neighbours(number)] for text, number in by_text.items()}
    assert around == {"a1": ["a2"], "a2": ["a1", "a3"], "a3": ["a2"], "b1": []}


def test_counts_are_by_source(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    bench.put(writer, "memory/a.md", [chunk("a"), chunk("b", 2)])
    bench.put(writer, "sessions/1.jsonl", [chunk("c")], source="sessions")
    bench.put(writer, "memory/blank.md", [])
    writer.add_vectors({digest("spare"): vector_of("spare")})
    writer.finish()
    with bench.store.reader() as reader:
        counts = reader.counts()
    assert counts.files == {"memory": 2, "sessions": 1}
    assert counts.chunks == {"memory": 2, "sessions": 1}
    assert (counts.vectors, counts.cache_entries) == (3, 4)


def test_text_that_utf8_cannot_hold_is_stored_readably(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    bench.put(writer, "memory/a.md", [chunk("kiln \ud800 \0 hot", headings=("\udcff",))])
    writer.finish()
    assert bench.found("hot") == ["memory/a.md"]
    with pytest.raises(StoreError, match="not valid text"):
        bench.put(writer, "memory/\udcff.md", "kiln")


def test_chunk_ids_are_not_used_again(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    bench.fill({"memory/a.md": "oven"})
    with bench.store.reader() as reader:
        assert set(reader.chunks([1, 2])) == {2}


def test_several_documents_are_written_together_or_not_at_all(any_bench: Bench) -> None:
    writer = any_bench.store.writer(identity())
    any_bench.put(writer, "memory/a.md", [chunk("kiln of old")])
    together = [
        (document("memory/a.md", "kiln"), [chunk("kiln")]),
        (document("memory/b.md", "oven"), [chunk("oven", 1), chunk("oven door", 2)]),
    ]
    broken = (document("memory/c.md", "stove"), [chunk("stove", importance=object())])

    with pytest.raises(TypeError):
        writer.put_documents([*together, broken], indexed_at=any_bench.now)
    assert {path: state.chunks for path, state in writer.files().items()} == {"memory/a.md": 1}
    writer.put_documents(together, indexed_at=any_bench.now)
    writer.finish()

    assert {path: state.chunks for path, state in writer.files().items()} == {"memory/a.md": 1, "memory/b.md": 2}
    assert any_bench.found("old") == []
    assert any_bench.found("door") == (["memory/b.md"] if any_bench.has_text else [])


def test_a_document_is_one_segment_of_the_text_index(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    bench.put(writer, "memory/a.md", [chunk(f"kiln number{line}", line) for line in range(1, 31)])
    writer.finish()

    with bench.store.reader() as reader:
        found = reader._db.execute(f"SELECT count(DISTINCT segid) FROM g{reader.generation}_text_idx").get
    assert found == 1
