"""Times that a question names by another day: before and after it, or as told on it."""

from __future__ import annotations

import datetime as dt

import pytest

from openclaw_memory_core.search.dates import find_dates
from openclaw_memory_core.search.query import parse

TODAY = dt.date(2026, 5, 5)  # a Tuesday


def spans(text: str) -> list[str]:
    return [f"{date.first}..{date.last}" for date in find_dates(text, TODAY)]


def day(text: str) -> str:
    return f"{text}..{text}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the week before August 3, 2023", "2023-07-27..2023-08-02"),
        ("two weeks before 11 August 2023", "2023-07-25..2023-07-31"),
        ("a week before 11 August 2023", "2023-08-01..2023-08-07"),
        ("two weeks after 4 May", "2026-05-15..2026-05-21"),
        ("the day after May 4", day("2026-05-05")),
        ("the weekend before April 10", "2026-04-04..2026-04-05"),
        ("the weekend of April 10", "2026-04-11..2026-04-12"),
        ("the week of April 10", "2026-04-06..2026-04-12"),
        ("the Friday before April 10", day("2026-04-03")),
        ("the Monday after April 10", day("2026-04-13")),
        ("the night before April 10", day("2026-04-09")),
        ("the month before May 2023", "2023-04-01..2023-04-30"),
        ("the year after 2020", "2021-01-01..2021-12-31"),
        ("the day before Christmas", day("2025-12-23")),
        ("the day before last Friday", day("2026-04-30")),
        ("two days before yesterday", day("2026-05-02")),
        ("in the weeks before April 10", "2026-03-06..2026-04-09"),
        ("the days leading up to April 10", "2026-04-05..2026-04-09"),
        ("around April 10", "2026-04-07..2026-04-13"),
        ("in der Woche vor dem 3. August", "2025-07-27..2025-08-02"),
        ("eine Woche vor dem 3. August", "2025-07-24..2025-07-30"),
        ("am Tag nach dem 1. Mai", day("2026-05-02")),
        ("in der Woche vom 4. Mai", "2026-05-04..2026-05-10"),
        ("um den 1. Mai", "2026-04-28..2026-05-04"),
        ("la semana antes del 3 de agosto", "2025-07-27..2025-08-02"),
        ("dos días después del 1 de mayo", day("2026-05-03")),
        ("la semana del 4 de mayo", "2026-05-04..2026-05-10"),
        ("la semaine avant le 3 août", "2025-07-27..2025-08-02"),
        ("le lendemain du 1er mai", day("2026-05-02")),
        ("la veille du 1er mai", day("2026-04-30")),
        ("8月3日前一周", "2025-07-27..2025-08-02"),
        ("8月3日的前一天", day("2025-08-02")),
        ("8月3日の前日", day("2025-08-02")),
        ("8月3日の1週間前", "2025-07-24..2025-07-30"),
        ("5月1日の翌日", day("2026-05-02")),
        ("5月1日前后", "2026-04-28..2026-05-04"),
    ],
)
def test_a_time_before_or_after_a_named_day(text: str, expected: str) -> None:
    assert spans(text) == [expected]
    assert not find_dates(text, TODAY)[0].open


def test_what_is_after_such_a_time_is_open() -> None:
    assert [date.open for date in find_dates("after the weekend of April 10", TODAY)] == [True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("last week, as mentioned on November 6, 2023", ["2023-10-30..2023-11-05", day("2023-11-06")]),
        ("yesterday, according to the note of 2026-03-04", [day("2026-03-03"), day("2026-03-04")]),
        ("As said on 2026-03-04, what happened two days ago", [day("2026-03-04"), day("2026-03-02")]),
        ("last weekend before April 10, 2023", ["2023-04-08..2023-04-09", day("2023-04-10")]),
        ("what she did last Friday, as told on May 4, 2023", [day("2023-04-28"), day("2023-05-04")]),
        ("letzte Woche, wie am 6. November 2023 erwähnt", ["2023-10-30..2023-11-05", day("2023-11-06")]),
        ("gestern, laut Notiz vom 4. März 2026", [day("2026-03-03"), day("2026-03-04")]),
        ("ayer, según la nota del 4 de marzo de 2026", [day("2026-03-03"), day("2026-03-04")]),
        ("la semaine dernière, selon la note du 4 mars 2026", ["2026-02-23..2026-03-01", day("2026-03-04")]),
        ("根据2026-03-04的笔记，昨天做了什么", [day("2026-03-04"), day("2026-03-03")]),
        ("2026-03-04の日記によると昨日何をしたか", [day("2026-03-04"), day("2026-03-03")]),
    ],
)
def test_yesterday_is_the_day_before_it_was_told(text: str, expected: list[str]) -> None:
    assert spans(text) == expected
    assert not any(date.open for date in find_dates(text, TODAY))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did we decide yesterday about the release of 14 May", [day("2026-05-04"), day("2025-05-14")]),
        ("compare last week and November 6, 2023", ["2026-04-27..2026-05-03", day("2023-11-06")]),
        ("was haben wir gestern zum 6. November 2023 geplant", [day("2026-05-04"), day("2023-11-06")]),
    ],
)
def test_other_words_leave_yesterday_as_it_is(text: str, expected: list[str]) -> None:
    assert spans(text) == expected


LONG_AGO = [
    *("one year ago", "4 years ago", "six months ago", "eighteen months ago", "half a year ago", "vor zwei jahren"),
    *("vor einem halben jahr", "hace tres anos", "il y a deux ans", "三年前", "半年前"),
]


@pytest.mark.parametrize("words", LONG_AGO)
def test_long_ago_is_open_and_its_words_are_looked_for_too(words: str) -> None:
    query = parse(f"lifting weights {words}", TODAY)

    assert query.dates[0].open
    assert query.times == ()
    assert (words, True) in [(term.text, term.phrase) for term in query.terms]
    assert any(needle.found(f"she began {words}, she says") for needle in query.needles)
    assert not query.literal


@pytest.mark.parametrize("words", ["three weeks ago", "yesterday", "last year", "vor drei tagen", "五天前"])
def test_shorter_spans_are_replaced_by_the_days_they_mean(words: str) -> None:
    query = parse(f"lifting weights {words}", TODAY)

    assert query.times
    assert words not in [term.text for term in query.terms]


@pytest.mark.parametrize(
    "words", ["tomorrow", "next week", "nachste woche", "semaine prochaine", "下周", "next friday"]
)
def test_what_is_ahead_is_open_and_looked_for_as_it_is_written(words: str) -> None:
    query = parse(f"dentist {words}", TODAY)

    assert query.times == ()
    assert words in [term.text for term in query.terms]
