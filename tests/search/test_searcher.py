"""The search as a whole, over a real index."""

from __future__ import annotations

import datetime as dt
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from hypothesis import strategies as st
from support.search_bench import NOW, TODAY, Provider, SearchBench, settings

from openclaw_memory_core.errors import ProviderTimeoutError
from openclaw_memory_core.privacy import Visible
from openclaw_memory_core.search.searcher import Searcher


def days_ago(days: int) -> str:
    return f"memory/{(TODAY - dt.timedelta(days=days)).isoformat()}.md"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[SearchBench]:
    with SearchBench(tmp_path) as bench:
        yield bench


# --- modes and degradation -------------------------------------------------------------------------------------------


def test_a_question_without_common_words_is_answered_by_vectors(tmp_path: Path) -> None:
    provider = Provider({"motor": [1.0], "engine": [0.9, 0.1]})
    with SearchBench(tmp_path, provider) as bench:
        bench.put({"memory/boat.md": "the engine is broken", "memory/cat.md": "the cat sleeps"})

        response = bench.ask("motor")

        assert response.mode == "hybrid"
        assert response.degraded is None
        assert response.hits[0].path == "memory/boat.md"
        assert response.hits[0].vector_score == pytest.approx(0.994, abs=1e-3)
        assert response.hits[0].text_score is None


def test_one_common_word_does_not_outdo_a_note_that_means_the_same(tmp_path: Path) -> None:
    # The question's words stand nowhere together, so where one of them stands says little.
    notes = {f"memory/n{n}.md": f"the crate {n} is stored in the cellar" for n in range(6)}
    notes["memory/roof.md"] = "rain drips from the gutter"
    notes["memory/tap.md"] = "water"
    provider = Provider({"showers leaking": [1.0], "gutter": [0.9, 0.4], "water": [0.35, 0.93], "crate": [0.1, 1.0]})
    with SearchBench(tmp_path, provider) as bench:
        bench.put(notes)

        assert bench.paths("water that showers leaking containers collect outside")[0] == "memory/roof.md"


def test_hybrid_switched_off_means_vectors_only(tmp_path: Path) -> None:
    with SearchBench(tmp_path, Provider({"boat": [1.0]})) as bench:
        bench.put({"memory/boat.md": "the boat"})

        response = bench.ask("boat", settings(enabled=False))

        assert response.mode == "vector"
        assert response.hits[0].text_score is None


def test_a_vector_weight_of_nothing_does_not_ask_the_provider(tmp_path: Path) -> None:
    provider = Provider({"boat": [1.0]})
    with SearchBench(tmp_path, provider) as bench:
        bench.put({"memory/boat.md": "the boat"})

        response = bench.ask("boat", settings(vector_weight=0.0, text_weight=1.0))

        assert (response.mode, response.degraded, provider.asked) == ("keyword", None, [])


def test_a_failing_provider_leaves_keywords_and_the_reason(tmp_path: Path) -> None:
    provider = Provider({"boat": [1.0]})
    with SearchBench(tmp_path, provider) as bench:
        bench.put({"memory/boat.md": "the boat"})
        provider.error = ProviderTimeoutError("no answer within 20 s")

        response = bench.ask("boat")

        assert response.mode == "keyword"
        assert response.degraded is not None
        assert "no answer within 20 s" in response.degraded
        assert [hit.path for hit in response.hits] == ["memory/boat.md"]


def test_vectors_of_another_model_are_not_compared(tmp_path: Path) -> None:
    with SearchBench(tmp_path, Provider({"boat": [1.0]})) as bench:
        bench.put({"memory/boat.md": "the boat"})
        other = Provider({"boat": [1.0]}, model="birch")
        bench.provider = other

        response = bench.ask("boat")

        assert response.mode == "keyword"
        assert response.degraded is not None
        assert other.asked == []


def test_no_provider_is_a_degradation_unless_it_is_what_the_user_wants(bench: SearchBench) -> None:
    bench.put({"memory/boat.md": "the boat"})
    searcher = Searcher(bench.store, None, settings(), today=lambda: TODAY, now=lambda: NOW)
    from openclaw_memory_core.search import SearchRequest

    assert searcher.search(SearchRequest(query="boat")).degraded is not None
    assert bench.ask("boat", keywords_only=True).degraded is None


def test_an_all_zero_vector_leaves_keywords(tmp_path: Path) -> None:
    provider = Provider({"zero": [0.0] * 8})
    with SearchBench(tmp_path, provider) as bench:
        bench.put({"memory/boat.md": "zero tolerance for leaks"})

        response = bench.ask("zero")

        assert response.mode == "keyword"
        assert response.hits


def test_blank_questions_and_empty_indexes_have_no_hits(bench: SearchBench) -> None:
    assert bench.hits("boat") == ()
    bench.put({"memory/boat.md": "the boat"})
    assert bench.hits("  \n ") == ()
    assert bench.hits("boat", max_results=0) == ()


# --- places ----------------------------------------------------------------------------------------------------------


def test_an_old_note_that_is_the_only_answer_is_first(bench: SearchBench) -> None:
    bench.put(
        {days_ago(700): "the kiln needs cones of type 6", **{days_ago(n): "the boat needs paint" for n in range(9)}}
    )

    hits = bench.hits("kiln cones type", settings(), explain=True)

    assert hits[0].path == days_ago(700)
    assert hits[0].explanation is not None
    assert hits[0].explanation["decay"] == pytest.approx(0.5 ** (700 / 30), abs=1e-4)


def test_the_documented_product_of_relevance_decay_and_importance_is_explained(bench: SearchBench) -> None:
    bench.put({days_ago(30): "the kiln is hot", "MEMORY.md": "- the kiln is cold <!-- importance: 9 -->"})

    hits = bench.hits("kiln", settings(), explain=True)

    assert {hit.path for hit in hits} == {days_ago(30), "MEMORY.md"}
    for hit in hits:
        assert hit.explanation is not None
        factors = hit.explanation["relevance"] * hit.explanation["decay"] * hit.explanation["importance"]
        assert hit.explanation["documented"] == pytest.approx(factors, abs=1e-3)
    assert {hit.path: hit.explanation["importance"] for hit in hits if hit.explanation}["MEMORY.md"] == 1.2


def test_of_two_facts_the_newer_is_first(bench: SearchBench) -> None:
    bench.put({days_ago(300): "deploy day is Tuesday, the deploy day", days_ago(3): "deploy day moved to Thursday"})

    assert bench.paths("which deploy day", settings()) == [days_ago(3), days_ago(300)]


def test_a_newer_fact_does_not_overtake_one_of_the_year_that_is_asked_for(bench: SearchBench) -> None:
    old, new = days_ago(700), days_ago(3)
    bench.put({old: "bought winter tyres, 412 euros", new: "new winter tyres, 518 euros"})

    assert bench.paths("winter tyres")[0] == new
    assert bench.paths(f"winter tyres {old[7:11]}")[0] == old


def test_without_decay_age_does_not_count(bench: SearchBench) -> None:
    bench.put({days_ago(300): "deploy day is Tuesday, the deploy day", days_ago(3): "deploy day moved to Thursday"})

    assert bench.paths("which deploy day", settings(decay=False)) == [days_ago(300), days_ago(3)]


def test_a_question_that_names_a_time_switches_decay_off_and_prefers_its_notes(bench: SearchBench) -> None:
    bench.put({days_ago(40): "standup about the boat", days_ago(1): "standup about the boat and the boat shed"})

    response = bench.ask("standup boat 40 days ago", settings(), explain=True)

    assert response.hits[0].path == days_ago(40)
    assert response.debug is not None
    assert response.debug["decay"] == "off: the question names a time"


def test_a_named_file_comes_first(bench: SearchBench) -> None:
    bench.put({"memory/plan.md": "nothing yet", "memory/talk.md": "the plan, the plan and once more the plan"})

    assert bench.paths("plan.md")[0] == "memory/plan.md"
    assert bench.paths("plan")[0] == "memory/plan.md"
    assert bench.paths("what is the plan?")[0] == "memory/talk.md"


def test_keyword_hits_below_the_threshold_fill_empty_places(bench: SearchBench) -> None:
    bench.put({"memory/a.md": "kiln thermostat probe", "memory/b.md": "a probe " + "word " * 200})

    hits = bench.hits("kiln thermostat probe", settings(min_score=0.9), explain=True)

    assert [hit.path for hit in hits] == ["memory/a.md", "memory/b.md"]
    assert [hit.explanation["reason"] for hit in hits if hit.explanation] == ["relevance", "rescue"]


def test_vector_hits_below_the_threshold_are_left_out(tmp_path: Path) -> None:
    provider = Provider({"motor": [1.0], "engine": [0.9, 0.1], "cat": [0.1, 0.9]})
    with SearchBench(tmp_path, provider) as bench:
        bench.put({"memory/boat.md": "the engine is broken", "memory/cat.md": "the cat sleeps"})

        assert bench.paths("motor", settings(min_score=0.5)) == ["memory/boat.md"]


def test_the_threshold_means_the_same_whatever_the_scale_of_the_provider(tmp_path: Path) -> None:
    answers = []
    for number, low in enumerate([0.0, 3.0]):
        provider = Provider({"motor": [1.0, low], "engine": [1.0, low, 0.2], "cat": [0.2, low, 1.0]})
        folder = tmp_path / str(number)
        folder.mkdir()
        with SearchBench(folder, provider) as bench:
            bench.put({"memory/boat.md": "the engine is broken", "memory/cat.md": "the cat sleeps"})
            answers.append(bench.hits("motor", settings())[0])

    assert [hit.path for hit in answers] == ["memory/boat.md"] * 2
    assert answers[0].score == pytest.approx(answers[1].score)


def test_transcripts_do_not_crowd_out_notes(bench: SearchBench) -> None:
    chatter = {f"sessions/{n}.jsonl": "gate motor fuse gate motor fuse" for n in range(60)}
    bench.put(chatter, fields={"source": "sessions"})
    bench.put({"memory/gate.md": "gate motor fuse is 10 A, and a long story about the garden follows " * 3})

    assert "memory/gate.md" in bench.paths("gate motor fuse", max_results=5)


def test_hidden_notes_take_no_places(bench: SearchBench) -> None:
    bench.put({f"memory/n{n}.md": f"kiln {n}" for n in range(20)})
    hidden = frozenset(f"memory/n{n}.md" for n in range(15))

    paths = bench.paths("kiln", visible=Visible(hidden_paths=hidden))

    assert set(paths) == {f"memory/n{n}.md" for n in range(15, 20)}


def test_a_misspelt_word_is_corrected_only_where_nothing_matched(bench: SearchBench) -> None:
    bench.put({"memory/kiln.md": "the thermostat is new", "memory/cat.md": "the cat sleeps"})

    response = bench.ask("thermostst", settings(), explain=True)

    assert [hit.path for hit in response.hits] == ["memory/kiln.md"]
    assert response.debug is not None
    assert response.debug["corrected"]


def test_a_correction_is_said_and_scored_by_its_own_words(tmp_path: Path) -> None:
    noise = {f"memory/n{n}.md": f"the printer {n} hums" for n in range(5)}
    filler = "\n".join(f"line {n} about the weather" for n in range(40))
    right = {"memory/right.md": f"{filler}\nthe dashboard stays blank after a login\n{filler}"}
    with SearchBench(tmp_path, Provider({"dashbord": [1.0], "printer": [0.9, 0.4], "dashboard": [0.3, 0.95]})) as bench:
        bench.put(noise | right)

        response = bench.ask("dashbord blnak", explain=True)

        assert response.misspelt == ("dashbord", "blnak")
        assert response.corrected == ("dashboard", "blank")
        assert response.hits[0].path == "memory/right.md"
        assert "dashboard stays blank" in response.hits[0].snippet
        explanation, debug = response.hits[0].explanation, response.debug
        assert explanation is not None
        assert explanation["keyword"]["nearness"] == 1.0
        assert debug is not None
        assert debug["weights"]["vector"] < 0.7


def test_corrections_are_named_and_pointed_at_as_the_notes_write_them(bench: SearchBench) -> None:
    filler = "\n".join(f"line {n} about the weather" for n in range(40))
    bench.put({"memory/a.md": f"{filler}\nthe school administration is closed\n{filler}"})

    # Two edits: the index knows no more than "administr".
    response = bench.ask("adimnsitration")

    assert response.corrected == ("administration",)
    assert "administration" in response.hits[0].snippet
    # Of one edit, ``seale`` has the stem of what stands there.
    bench.put({"memory/b.md": "a seal on the door"})
    assert bench.ask("stale").corrected == ("seal",)


def test_a_question_that_is_spelt_well_is_not_corrected(bench: SearchBench) -> None:
    bench.put({"memory/a.md": "the dashboard is blank"})

    response = bench.ask("dashboard blnak")

    assert (response.misspelt, response.corrected, response.missing) == ((), (), ())


@pytest.mark.parametrize("literal", ["QX-9999", "blue heron at noon", "net.retry.max", "7F3A"])
def test_identifiers_and_phrases_that_no_note_holds_are_named(literal: str, bench: SearchBench) -> None:
    bench.put({"memory/a.md": "the part QX-4471 and the heron", "memory/b.md": "the heron at the mill is blue"})
    asked = f'"{literal}"' if " " in literal else literal

    assert bench.ask(f"heron {asked}").missing == (literal,)
    assert bench.ask(f"heron {asked} QX-4471").missing == (literal,)


@pytest.mark.parametrize(
    "question",
    ["QX-4471", "qx-4471", '"the part"', "a.md", "heron 2026-05-04", "e-mail 10am heron", '"Garden work"', "heron"],
)
def test_what_a_note_holds_in_its_text_name_or_headings_is_not_missing(question: str, bench: SearchBench) -> None:
    bench.put({"memory/a.md": "# Garden work\n\nthe part QX-4471 and the heron", "memory/2026-05-04.md": "rain"})

    assert bench.ask(question).missing == ()


def test_what_is_missing_is_the_same_whatever_hidden_notes_hold(bench: SearchBench) -> None:
    bench.put({"memory/a.md": "the heron", "MEMORY.md": "the safe is QX-4471"})
    outside = Visible(curated=False)

    assert bench.ask("heron QX-4471", visible=outside).missing == ("QX-4471",)
    assert bench.ask("heron QX-4472", visible=outside).missing == ("QX-4472",)
    assert bench.ask("heron QX-4471").missing == ()


def test_as_many_hits_as_asked_for(bench: SearchBench) -> None:
    bench.put({f"memory/n{n:02d}.md": f"kiln firing {n}" for n in range(30)})

    assert len(bench.hits("kiln", settings())) == 6
    assert len(bench.hits("kiln", settings(max_results=12))) == 12
    assert len(bench.hits("kiln", settings(max_results=12), max_results=20)) == 20


def test_the_documented_form_multiplies_decay_onto_the_literal_sum(tmp_path: Path) -> None:
    with SearchBench(tmp_path, Provider({"kiln": [1.0]})) as bench:
        bench.put({days_ago(60): "the kiln"})

        (hit,) = bench.hits("kiln", settings(fusion="documented", min_score=0.0))

        assert hit.vector_score == pytest.approx(1.0)
        assert hit.text_score is not None
        assert hit.score == pytest.approx((0.7 + 0.3 * hit.text_score) * 0.25)


# --- explanation -----------------------------------------------------------------------------------------------------


def test_every_factor_is_explained_on_request_only(tmp_path: Path) -> None:
    with SearchBench(tmp_path, Provider({"kiln": [1.0]})) as bench:
        bench.put({days_ago(10): "the kiln", "memory/cat.md": "the cat"})

        plain, explained = bench.ask("kiln"), bench.ask("kiln", explain=True)

        assert plain.debug is None
        assert plain.hits[0].explanation is None
        (hit, *_) = explained.hits
        assert hit.explanation is not None
        assert set(hit.explanation) == {
            *("place", "reason", "keyword", "vector", "path", "chunkRelevance", "passage", "relevance"),
            *("ageDays", "decay", "importance", "documented", "within", "likeness", "score"),
        }
        assert hit.explanation["ageDays"] == 10
        assert explained.debug is not None
        assert explained.debug["weights"]["vector"] + explained.debug["weights"]["text"] == pytest.approx(1.0)


# --- any question ----------------------------------------------------------------------------------------------------

WORLD = {
    "MEMORY.md": "- the boat is blue <!-- importance: 3 -->\n- 船は青い",
    days_ago(0): '# today\n\nthe kiln (C++ "quoted") costs 5 € — can\'t AND NOT NEAR(x) 账单系统',
    days_ago(50): "x" * 3000,
    "memory/dots.md": "... *** \"\"\" '''",
    "memory/empty.md": "\n\n",
}
ODD = st.text(
    st.sampled_from(string.punctuation + " \t\n\0\"'*()^:-+{}[]aANDORNT5€账船\ud800\u202e\U0001f600é"), max_size=60
)


ORDINARY = ("relevance", "documented", "source")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchBench]:
    with SearchBench(tmp_path_factory.mktemp("world"), Provider({"boat": [1.0], "kiln": [0.5, 0.5]})) as bench:
        yield bench.put(WORLD)


@limits(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.one_of(ODD, st.text(max_size=80)),
    results=st.integers(1, 30),
    threshold=st.floats(0, 1),
    fusion=st.sampled_from(["relative", "zscore", "rrf", "documented"]),
    lambda_=st.floats(0, 1),
)
def test_any_question_gets_an_answer_within_bounds(
    world: SearchBench, query: str, results: int, threshold: float, fusion: str, lambda_: float
) -> None:
    chosen = settings(mmr=lambda_, min_score=threshold, max_results=results, fusion=fusion)
    hits = world.hits(query, chosen, explain=True)

    assert len(hits) <= results
    for hit in hits:
        assert 0 < len(hit.snippet) <= 700
        assert 1 <= hit.start_line <= hit.end_line
        assert hit.path in WORLD
        assert 0.0 <= hit.score <= 1.0
    if fusion != "documented":
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert all(hit.score >= threshold for hit in hits if (hit.explanation or {})["reason"] in ORDINARY)


@limits(max_examples=25, deadline=None)
@given(query=st.text(st.sampled_from("boat kiln 船 账单 C++ today"), max_size=20))
def test_the_same_question_has_the_same_answer(world: SearchBench, query: str) -> None:
    assert world.ask(query) == world.ask(query)


def test_no_word_of_a_hidden_note_is_offered_as_a_correction(bench: SearchBench) -> None:
    bench.put({"MEMORY.md": "- the thermostat code is 1234", "memory/cat.md": "the cat sleeps"})

    response = bench.ask("thermostst", settings(), explain=True, visible=Visible(curated=False))

    assert response.hits == ()
    assert response.debug is not None
    assert response.debug["corrected"] == []
