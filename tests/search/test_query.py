"""What a question is taken apart into."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.search.query import MAX_TERMS, parse

TODAY = dt.date(2026, 5, 5)


def terms(text: str) -> list[str]:
    return [term.text for term in parse(text, TODAY).terms]


def phrases(text: str) -> list[str]:
    return [term.text for term in parse(text, TODAY).terms if term.phrase]


@pytest.mark.parametrize(
    "name",
    [
        "QX-4471",
        "net.retry.max",
        "C++",
        "v2.14.3",
        "GB/s",
        "a_b_c",
        "10.0.0.1",
        "E4012",
        "user@host.org",
        "F#",
        "ops-x",
    ],
)
def test_an_identifier_stays_whole(name: str) -> None:
    assert phrases(f"what about {name} please") == [name]
    assert parse(f"what about {name}?", TODAY).literal


def test_a_compound_of_words_is_looked_for_whole_and_in_parts() -> None:
    assert terms("self-care plans") == ["self-care", "plans", "self", "care"]


def test_a_quoted_phrase_stays_together_and_its_words_count_as_well() -> None:
    assert terms('who named "blue ocean"?') == ["blue ocean", "named", "blue", "ocean"]
    assert phrases("wer sagte „blaues Meer“") == ["blaues Meer"]


def test_function_words_of_the_questions_language_are_left_out() -> None:
    assert terms("what did we decide about the kiln thermostat?") == ["decide", "kiln", "thermostat"]
    assert terms("Wie hoch ist die Kaution für die Wohnung?") == ["hoch", "Kaution", "Wohnung"]
    assert terms("¿Dónde está la llave del garaje?") == ["llave", "garaje"]
    assert terms("où est la clé de la cave ?") == ["clé", "cave"]


def test_function_words_of_another_language_stay() -> None:
    assert terms("when did the old cat die in the war") == ["old", "cat", "die", "war"]


def test_a_question_of_function_words_only_keeps_them() -> None:
    assert terms("what is it") == ["what", "is", "it"]


def test_a_possessive_is_the_name() -> None:
    assert terms("Caroline's painting") == ["Caroline", "painting"]
    assert terms("can’t") == ["can't"]


def test_relative_dates_are_replaced_by_the_days_they_mean() -> None:
    assert terms("kiln yesterday") == ["kiln", "2026-05-04"]
    assert terms("kiln last month") == ["kiln", "2026-04"]
    assert terms("kiln last year") == ["kiln", "2025"]


def test_a_named_month_stays_a_word_although_it_is_a_function_word() -> None:
    assert "May" in terms("what happened in May?")
    assert "May" in terms("what did we paint in May?")
    assert "may" not in terms("what may happen")


@pytest.mark.parametrize(
    "text", ["kiln on October 13, 2025", "kiln on 13 October 2025", "kiln on the 13th of October 2025"]
)
def test_the_numbers_of_a_date_are_no_words_but_its_day_is_looked_for(text: str) -> None:
    found = parse(text, TODAY)

    assert {"kiln", "2025-10-13", "13 October", "October 13"} <= set(terms(text))
    assert not {"13", "2025", "13th", "October"} & set(terms(text))
    assert not any(needle.found("13 things of october 2025") for needle in found.needles)


@pytest.mark.parametrize("text", ["6 May", "kiln on 6 May 2026", "what did I do on 6 May", "6 May or 6 May"])
def test_a_day_is_pointed_at_with_its_month_and_never_the_month_alone(text: str) -> None:
    found = parse(text, TODAY)

    assert {"6 May", "May 6"} <= set(phrases(text))
    assert "May" not in (*terms(text), *found.words)
    assert [sum(needle.found(line) for needle in found.needles) for line in ("on 6 may", "may 6th,", "6. may")] == [
        1
    ] * 3
    for other in ("you may go", "may 16", "16 may", "6 mayors", "on 7 may"):
        assert not any(needle.found(other) for needle in found.needles)


@pytest.mark.parametrize(
    ("text", "form", "line"),
    [
        ("el horno el 2 de marzo", "2 de marzo", "fue el 2 de marzo"),
        ("Ofen am 3. März", "3 März", "am 3. marz"),
        ("four le 1er mai", "1er mai", "le 1er mai"),
        ("kiln on the 13th of October", "13th of October", "the 13th of october"),
        ("kiln on October 13", "October 13th", "on october 13th"),
    ],
)
def test_a_day_is_looked_for_as_it_was_typed_and_as_notes_write_it(text: str, form: str, line: str) -> None:
    assert form in phrases(text)
    assert any(needle.found(line) for needle in parse(text, TODAY).needles)


@pytest.mark.parametrize("text", ["in April 2023", "kiln in April 2023", "what happened in April 2023?"])
def test_a_month_with_its_year_is_looked_for_as_a_whole(text: str) -> None:
    assert {"April 2023", "2023-04"} <= set(phrases(text))
    assert not {"April", "2023"} & set(terms(text))
    assert "de" not in terms("horno en abril de 2023")
    assert "abril de 2023" in phrases("horno en abril de 2023")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did I do yesterday", ["2026-05-04"]),
        ("between 3 and 4 May", ["2026-05-03", "2026-05-04"]),
        ("what happened on the week of May 4", [f"2026-05-{day:02d}" for day in range(4, 11)]),
        ("what did I do in KW 12 2026", [f"2026-03-{day}" for day in range(16, 23)]),
        ("昨天发生了什么", ["2026-05-04"]),
        ("2026-05-01", ["2026-05-01"]),
        ("what happened in 2024", ["2024"]),
        ("in May", ["May", "2026-05"]),
        ('what happened on "6 May 2025"', ["6 May 2025", "2025-05-06"]),
    ],
)
def test_a_question_about_a_time_alone_has_no_words_but_those_of_the_time(text: str, expected: list[str]) -> None:
    found = parse(text, TODAY)

    assert found.only_dates
    assert terms(text) == expected
    assert found.words == ()


def test_a_question_that_looks_beyond_a_time_keeps_its_words() -> None:
    assert "repaired" in terms("what was repaired since May")
    assert "since" in terms("since May")


def test_dates_in_numbers_stay_literal() -> None:
    assert "2025-10-13" in phrases("kiln on 2025-10-13")
    assert "2024" in terms("the kiln in 2024")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("账单", ["账单"]),
        ("账单系统什么时候迁移？", ["账单系统", "迁移"]),
        ("倉庫の鍵はどこ？", ["倉庫", "鍵"]),
        ("目的地在北京", ["目的地在北京"]),
    ],
)
def test_runs_without_spaces_are_cut_at_function_words(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_needles_find_inflected_words_and_no_parts_of_words() -> None:
    (needle,) = parse("decide", TODAY).needles

    assert needle.found("we decided on it")
    assert needle.found("deciding is hard")
    assert not needle.found("undecided")


def test_needles_ignore_accents_and_case() -> None:
    (needle,) = parse("Kündigung", TODAY).needles

    assert needle.found("kundigung")


def test_blank_questions_ask_for_nothing() -> None:
    assert parse(" \n\t ", TODAY).text == ""
    assert terms("?!") == []


@given(st.text(max_size=300))
def test_any_text_can_be_parsed(text: str) -> None:
    query = parse(text, TODAY)

    assert len(query.terms) <= MAX_TERMS
    assert all(term.text.strip() for term in query.terms)
    for needle in query.needles:
        needle.found("some text")


@pytest.mark.parametrize(
    ("word", "other"), [("buy", "we bought a kiln"), ("bought", "to buy"), ("run", "Ran home"), ("meet", "met him")]
)
def test_forms_of_an_irregular_verb_are_one_word(word: str, other: str) -> None:
    parsed = parse(f"kiln {word}", TODAY)

    assert len(parsed.needles) == 2
    assert parsed.needles[1].found(other.lower())
    assert not parsed.needles[1].found("the garden and the bright runt")


def test_two_verbs_that_begin_alike_are_two_words() -> None:
    assert len(parse("bring break", TODAY).needles) == 2


def test_a_regular_verb_has_no_other_forms() -> None:
    assert terms("kiln painted") == ["kiln", "painted"]
