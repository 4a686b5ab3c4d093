from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.sessions.matching import Candidate, Query, fold, rank, snippet
from openclaw_memory_core.sessions.transcripts import Utterance


def found(query: str, *texts: str) -> list[str]:
    candidates = [Candidate(Utterance(i, "user", text), fold(text), 0) for i, text in enumerate(texts)]
    return [match.candidate.utterance.text for match in rank(Query(query), candidates)]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("gate motor", "The MOTOR of the gate"),
        ("cafe", "at the Café"),
        ("CAFÉ", "at the cafe"),
        ("foo-bar", "see foo bar here"),
        ("foo-bar", "see FOO_BAR here"),
        ("memorySearch.query", "set memorySearch.query.hybrid"),
        ('"gate motor"', "the gate motor hums"),
        ("屋根", "昨日は屋根を直した"),
        ("ｆｕｓｅ", "the fuse"),
        ("it's", "it's here"),
    ],
)
def test_words_are_found(query: str, text: str) -> None:
    assert found(query, text) == [text]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("gate motor", "only the gate"),
        ("art", "the start of a cartoon"),
        ('"gate motor"', "the motor of the gate"),
        ("foo-bar", "bar foo"),
        ("屋根裏", "屋根と裏"),
    ],
)
def test_other_words_are_not(query: str, text: str) -> None:
    assert found(query, text) == []


@pytest.mark.parametrize("query", ["", "   ", "?!", '""', '"', "…"])
def test_a_query_without_words_finds_nothing(query: str) -> None:
    assert not Query(query)


def test_the_shorter_and_denser_text_comes_first() -> None:
    long, short = "fuse " + "and other things " * 20, "fuse here"
    assert found("fuse", long, short, "unrelated", "nothing", "at all") == [short, long]
    assert found("fuse", "fuse and more text", "fuse fuse more text", "x", "y", "z")[0] == "fuse fuse more text"


def test_a_word_in_every_text_still_finds_them_all() -> None:
    assert len(found("fuse", "fuse one", "fuse two")) == 2


def test_a_snippet_shows_the_words_and_marks_where_it_was_cut() -> None:
    text = "start " + "filler " * 200 + "the gate motor fuse is 10 A " + "more " * 200
    cut = snippet(text, Query("motor fuse"))
    assert "gate motor fuse is 10 A" in cut
    assert cut.startswith("…")
    assert cut.endswith("…")
    assert len(cut) <= 302


def test_a_short_text_is_its_own_snippet() -> None:
    assert snippet("one\n two", Query("two")) == "one two"


@given(text=st.text(max_size=800), query=st.text(max_size=30))
def test_any_text_and_query_give_a_bounded_snippet(text: str, query: str) -> None:
    parsed = Query(query)
    assert len(snippet(text, parsed)) <= 302
    candidates = [Candidate(Utterance(1, "user", text), fold(text), 0)]
    assert all(match.score >= 0 for match in rank(parsed, candidates))
