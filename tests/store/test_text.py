from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.store import ALL, Bench, chunk, identity

from openclaw_memory_core.index.model import Term
from openclaw_memory_core.index.store import text
from openclaw_memory_core.privacy import Visible

LINK = (
    "The link runs at 40 GB/s on port eth-7; call ops-hotline, can't wait; C++ build v2.14.3; "
    "key net.retry.max; due 2026-03-31; ticket QX-4471 closed"
)

BILLING = "周五把账单系统迁到新机房"


@pytest.mark.parametrize(
    "word",
    ["can't", "GB/s", "ops-hotline", "C++", "v2.14.3", "net.retry.max", "2026-03-31", "QX-4471", "qx-4471", "eth-7"],
)
def test_everyday_punctuation_is_found(bench: Bench, word: str) -> None:
    bench.fill({"memory/link.md": LINK, "memory/other.md": "nothing of this kind"})
    assert bench.found(word) == ["memory/link.md"]
    with bench.store.reader() as reader:
        assert reader.frequencies([word], ALL) == {word: 1}


@pytest.mark.parametrize(
    "word",
    [
        '"',
        '""',
        "'",
        "*",
        "(",
        ")",
        "AND",
        "OR",
        "NOT",
        "NEAR(a b)",
        "body:kiln",
        "^kiln",
        "a -b",
        "{x}",
        "+",
        "\0",
        "",
        " ",
    ],
)
def test_operators_are_words_like_any_other(bench: Bench, word: str) -> None:
    bench.fill({"memory/a.md": "kiln"})
    assert bench.found(word, "kiln")[:1] == ["memory/a.md"]
    assert bench.found_terms([Term(word, phrase=True), Term(word, prefix=True)]) in ([], ["memory/a.md"])


def test_no_input_can_raise(tmp_path_factory: pytest.TempPathFactory) -> None:
    terms = st.builds(Term, st.text(max_size=20), st.booleans(), st.booleans(), st.floats(0, 2))
    with Bench(tmp_path_factory.mktemp("any") / "main.sqlite") as bench:
        bench.fill({"memory/a.md": LINK, "memory/b.md": "周五把账单系统迁到新机房"})

        @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
        @given(st.lists(terms, max_size=4))
        def ask(asked: list[Term]) -> None:
            with bench.store.reader() as reader:
                reader.keyword(asked, ALL, 5)
                reader.paths(" ".join(term.text for term in asked), asked, ALL, 5)
                reader.frequencies([term.text for term in asked], ALL)
                reader.similar_words("".join(term.text for term in asked), 3)

        ask()


def test_whatever_is_written_is_found_by_its_words(tmp_path_factory: pytest.TempPathFactory) -> None:
    words = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=8)
    with Bench(tmp_path_factory.mktemp("any") / "main.sqlite") as bench:

        @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
        @given(st.lists(words, min_size=1, max_size=5))
        def write_and_find(some: list[str]) -> None:
            bench.fill({"memory/a.md": " ".join(some)})
            for word in some:
                assert bench.found_terms([Term(word, phrase=True)]) == ["memory/a.md"], word

        write_and_find()


@pytest.mark.parametrize(
    ("note", "words"),
    [
        (
            "周五把账单系统迁到新机房",
            ["账单", "机房", "新机房", "账", "账单系统", BILLING, "系统搬到新机房"],
        ),
        ("会議の議事録を東京タワーで配る", ["議事録", "東京", "タワー", "東京タワー", "録"]),
        ("회의록을 서울에서 나눈다", ["회의록", "서울", "회의"]),
        ("การประชุมที่กรุงเทพฯ วันศุกร์", ["ประชุม", "กรุงเทพ", "วันศุกร์"]),
        ("बैठक का विवरण हिन्दी में लिखा", ["विवरण", "हिन्दी", "लिखा"]),
        ("ＧＰＴ モデルの①番", ["gpt", "モデル", "1"]),
        ("用GPT模型好", ["GPT模型", "模型", "gpt"]),
        ("Straße nach Müllheim, café crème", ["cafe", "muellheim müllheim", "creme", "strasse straße"]),
        ("كِتَابٌ جديد", ["كتاب", "جديد"]),
        ("\u1112\u1161\u11ab글 e\u0301t\u00e9", ["한글", "été"]),
    ],
)
def test_words_of_many_scripts_are_found(bench: Bench, note: str, words: list[str]) -> None:
    bench.fill({"memory/a.md": note, "memory/other.md": "nothing of this kind 其他"})
    for word in words:
        assert bench.found(*word.split()) == ["memory/a.md"], word


@pytest.mark.parametrize("absent", ["单账", "账系", "房新", "统账单"])
def test_characters_in_another_order_are_not_found(bench: Bench, absent: str) -> None:
    bench.fill({"memory/a.md": "周五把账单系统迁到新机房"})
    assert bench.found_terms([Term(absent, phrase=True)]) == []


@given(st.text("账单系统机房", min_size=1, max_size=12), st.data())
def test_every_part_of_a_run_is_a_sequence_of_words_of_it(run: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(run) - 1))
    part = run[start : data.draw(st.integers(start + 1, len(run)))]
    assert f" {' '.join(text.fold(part).split())} " in f" {' '.join(text.fold(run).split())} "


def test_folding_interleaves_runs_and_leaves_the_rest() -> None:
    assert text.fold("plain, as it is") == "plain, as it is"
    assert text.fold("ab账单系cd").split() == ["ab", "账", "账单", "单", "单系", "系", "cd"]
    assert text.fold("账").split() == ["账"]


def test_words_are_found_in_other_forms(bench: Bench) -> None:
    bench.fill({"memory/a.md": "The kilns were running"})
    assert bench.found("kiln") == ["memory/a.md"]
    assert bench.found("runs") == ["memory/a.md"]


def test_any_of_the_terms_is_enough_and_more_are_better(bench: Bench) -> None:
    filler = {f"memory/{n}.md": f"something else number{n}" for n in range(9)}
    bench.fill({"memory/one.md": "the kiln is cold", "memory/both.md": "the kiln thermostat", **filler})
    assert bench.found("kiln", "thermostat", "month") == ["memory/both.md", "memory/one.md"]


def test_ranks_are_negative_and_best_first(bench: Bench) -> None:
    filler = {f"memory/{n}.md": f"something else number{n}" for n in range(20)}
    long = "kestrel " + " ".join(f"word{n}" for n in range(60))
    bench.fill({"memory/a.md": "kestrel kestrel kestrel", "memory/b.md": long, **filler})
    with bench.store.reader() as reader:
        first, second = reader.keyword([Term("kestrel")], ALL, 5)
    assert first.rank < second.rank < 0


def test_a_phrase_needs_its_words_together(bench: Bench) -> None:
    bench.fill({"memory/a.md": "red kiln", "memory/b.md": "kiln painted red"})
    assert bench.found_terms([Term("red kiln", phrase=True)]) == ["memory/a.md"]


def test_a_prefix_finds_longer_words(bench: Bench) -> None:
    bench.fill({"memory/a.md": "thermostat", "memory/b.md": "thermal"})
    assert sorted(bench.found_terms([Term("therm", prefix=True)])) == ["memory/a.md", "memory/b.md"]
    assert bench.found_terms([Term("thermos", prefix=True)]) == ["memory/a.md"]
    assert bench.found_terms([Term("therm")]) == []


def test_weights_multiply_what_a_term_adds(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln", "memory/b.md": "oven", "memory/c.md": "else", "memory/d.md": "more"})
    with bench.store.reader() as reader:
        plain = reader.keyword([Term("kiln")], ALL, 5)[0].rank
        half = reader.keyword([Term("kiln", weight=0.5)], ALL, 5)[0].rank
    assert half == pytest.approx(plain / 2)
    assert bench.found_terms([Term("kiln", weight=0.2), Term("oven")]) == ["memory/b.md", "memory/a.md"]
    assert bench.found_terms([Term("kiln"), Term("oven", weight=0.2)]) == ["memory/a.md", "memory/b.md"]
    assert bench.found_terms([Term("kiln", weight=0.0)]) == []


def test_sums_over_weights_decide_before_the_limit(bench: Bench) -> None:
    notes = {"memory/both.md": "kiln oven and"}
    notes |= {f"memory/k{n}.md": "kiln" for n in range(3)} | {f"memory/o{n}.md": "oven" for n in range(3)}
    notes |= {f"memory/x{n}.md": f"else{n}" for n in range(20)}
    bench.fill(notes)
    assert bench.found_terms([Term("kiln"), Term("oven", weight=0.9)], limit=1) == ["memory/both.md"]


def test_headings_dates_and_file_names_are_found(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    chunks = [chunk("glaze", headings=("Workshop", "Firing"))]
    bench.put(writer, "memory/2026-03-31-studioVisit.md", chunks, date=dt.date(2026, 3, 31))
    bench.put(writer, "memory/other.md", "nothing")
    writer.finish()
    for word in ["workshop", "firing", "march", "31", "2026", "tuesday", "visit", "studioVisit", "2026-03-31"]:
        assert bench.found(word) == ["memory/2026-03-31-studioVisit.md"], word


def test_hidden_chunks_never_cost_a_place(any_bench: Bench) -> None:
    secret = {"MEMORY.md": "kiln kiln kiln", "USER.md": "kiln kiln"}
    any_bench.fill(secret | {f"memory/{n}.md": f"the kiln and note {n}" for n in range(5)})
    group = Visible(curated=False)
    if any_bench.has_text:
        assert len(any_bench.found("kiln", visible=group, limit=5)) == 5
        assert not set(any_bench.found("kiln", visible=group)) & set(secret)
        with any_bench.store.reader() as reader:
            assert reader.frequencies(["kiln"], ALL) == {"kiln": 7}
            assert reader.frequencies(["kiln"], group) == {"kiln": 5}


def test_what_is_visible_is_the_union_of_its_rules(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    bench.put(writer, "MEMORY.md", "kiln a", curated=True)
    bench.put(writer, "memory/a.md", "kiln b")
    bench.put(writer, "memory/b.md", "kiln c")
    for number in (1, 2):
        bench.put(writer, f"sessions/{number}.jsonl", f"kiln {number}", source="sessions")
    writer.finish()

    def seen(visible: Visible) -> set[str]:
        return set(bench.found("kiln", visible=visible))

    assert seen(Visible()) == {"MEMORY.md", "memory/a.md", "memory/b.md"}
    assert seen(Visible(curated=False)) == {"memory/a.md", "memory/b.md"}
    assert seen(Visible(hidden_paths=frozenset({"memory/a.md"}))) == {"MEMORY.md", "memory/b.md"}
    assert seen(Visible(sources=("sessions",))) == {"sessions/1.jsonl", "sessions/2.jsonl"}
    assert seen(Visible(sources=("sessions",), transcripts=frozenset())) == set()
    only = frozenset({"sessions/2.jsonl"})
    assert seen(Visible(sources=("memory", "sessions"), curated=False, transcripts=only)) == {
        "memory/a.md",
        "memory/b.md",
        "sessions/2.jsonl",
    }
    assert seen(Visible(sources=())) == set()


def test_similar_words_mend_typing_errors(bench: Bench) -> None:
    bench.fill({"memory/a.md": "thermostat dentist appointment", "MEMORY.md": "blacksmith"})
    with bench.store.reader() as reader:
        assert reader.similar_words("thermostta", 3) == ["thermostat"]
        assert reader.similar_words("dentits", 3) == ["dentist"]
        assert reader.similar_words("tdentist", 3) == ["dentist"]
        assert reader.similar_words("zzzzzz", 3) == []
        assert reader.similar_words("two words", 3) == []
        assert reader.similar_words("blacksmiht", 3) == ["blacksmith"]
        assert reader.similar_words("blacksmiht", 3, Visible(curated=False)) == []


def test_trigrams_find_parts_of_words(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Bench(tmp_path_factory.mktemp("tri") / "main.sqlite", fts_tokenizer="trigram") as bench:
        bench.fill({"memory/a.md": "Kilnthermostat 周五把账单系统迁到新机房", "memory/b.md": "nothing"})
        for word in ["thermo", "账单系", "新机房"]:
            assert bench.found(word) == ["memory/a.md"], word
        for short in ["账单", "机", "mo"]:
            assert bench.found(short) == ["memory/a.md"], short
        assert bench.found("xy") == []


def test_without_a_text_index_the_keyword_leg_is_empty_and_said_to_be(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Bench(tmp_path_factory.mktemp("no") / "main.sqlite", "no-fts5") as bench:
        bench.fill({"memory/a.md": "kiln"})
        assert bench.found("kiln") == []
        with bench.store.reader() as reader:
            assert reader.frequencies(["kiln"], ALL) == {"kiln": 0}
            assert reader.similar_words("klin", 3) == []
            assert [hit.specificity for hit in reader.paths("a.md", [Term("memory")], ALL, 3)] == [2]
        assert bench.store.describe()["fts"]["enabled"] is False
        assert "FTS5" in bench.store.describe()["fts"]["reason"]


def test_a_change_of_the_tokenizer_builds_a_new_generation(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    bench.store.close()
    with Bench(bench.path, fts_tokenizer="trigram") as other:
        writer = other.store.writer(identity())
        assert writer.files() == {}
        other.put(writer, "memory/a.md", "kiln")
        assert other.found("kiln") == ["memory/a.md"]
        writer.finish()
        assert other.found("iln") == ["memory/a.md"]


def test_files_are_found_by_path_base_name_and_stem(bench: Bench) -> None:
    bench.fill({"memory/ops.md": "a", "memory/deep/Ops.md": "b", "memory/opsx.md": "c", "MEMORY.md": "d"})

    def named(query: str, *words: str, visible: Visible = ALL) -> list[tuple[str, int]]:
        with bench.store.reader() as reader:
            hits = reader.paths(query, [Term(word) for word in words], visible, 5)
            assert all(hit.chunk_id in reader.chunks([hit.chunk_id]) for hit in hits)
        return [(hit.path, hit.specificity) for hit in hits]

    assert named("memory/ops.md") == [("memory/ops.md", 3)]
    assert named("what is in ./memory/ops.md?") == [("memory/ops.md", 3)]
    assert named("deep/ops.md") == [("memory/deep/Ops.md", 2)]
    assert named("OPS.md") == [("memory/deep/Ops.md", 2), ("memory/ops.md", 2)]
    assert named("the ops") == [("memory/deep/Ops.md", 1), ("memory/ops.md", 1)]
    assert named("something", "deep") == [("memory/deep/Ops.md", 0)]
    assert named("memory\\deep\\Ops.md") == [("memory/deep/Ops.md", 3)]
    assert named("MEMORY.md", visible=Visible(curated=False)) == []
    assert named("") == []


def test_an_empty_file_is_no_path_hit(bench: Bench) -> None:
    writer = bench.store.writer(identity())
    bench.put(writer, "memory/blank.md", [])
    writer.finish()
    with bench.store.reader() as reader:
        assert reader.paths("blank.md", [Term("blank")], ALL, 5) == []


def test_a_limit_of_nothing_gives_nothing(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    with bench.store.reader() as reader:
        assert reader.keyword([Term("kiln")], ALL, 0) == []
        assert reader.keyword([], ALL, 5) == []
        assert reader.paths("a.md", [], ALL, 0) == []
        assert reader.similar_words("klin", 0) == []
