"""Dates in questions, resolved against a given day."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.search.dates import find_dates

TODAY = dt.date(2026, 5, 5)  # a Tuesday


def spans(text: str, today: dt.date = TODAY) -> list[tuple[str, str]]:
    return [(date.first.isoformat(), date.last.isoformat()) for date in find_dates(text, today)]


def day(text: str) -> list[tuple[str, str]]:
    return [(text, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("due 2026-03-31", "2026-03-31"),
        ("am 31.3.2026", "2026-03-31"),
        ("on May 7, 2023", "2023-05-07"),
        ("December 1,2023", "2023-12-01"),
        ("Dec 1,2023", "2023-12-01"),
        ("1 Dec. 2023", "2023-12-01"),
        ("14th of May, 2023", "2023-05-14"),
        ("May the 3rd", "2026-05-03"),
        ("the first of May", "2026-05-01"),
        ("on Friday, May 1", "2026-05-01"),
        ("am Freitag, den 1. Mai", "2026-05-01"),
        ("le vendredi 1er mai", "2026-05-01"),
        ("Das war am 31.3.2026.", "2026-03-31"),
        ("5/14/2023", "2023-05-14"),
        ("14/5/2023", "2023-05-14"),
        ("May 3 last year", "2025-05-03"),
        ("am 3. Mai letzten Jahres", "2025-05-03"),
        ("去年3月5日", "2025-03-05"),
        ("五月三日", "2026-05-03"),
        ("十一月二十三日", "2025-11-23"),
        ("14 May 2023", "2023-05-14"),
        ("the 3rd of April", "2026-04-03"),
        ("on December 24", "2025-12-24"),
        ("am 3. März", "2026-03-03"),
        ("el 2 de marzo de 2025", "2025-03-02"),
        ("le 5 février 2026", "2026-02-05"),
        ("3月5日的会议", "2026-03-05"),
        ("2025年3月5日", "2025-03-05"),
        ("on the 14th", "2026-04-14"),
        ("what was on the 4th", "2026-05-04"),
    ],
)
def test_a_named_day_is_the_latest_one_that_is_not_in_the_future(text: str, expected: str) -> None:
    assert spans(text) == day(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", "2026-05-05"),
        ("gestern", "2026-05-04"),
        ("the day before yesterday", "2026-05-03"),
        ("昨天", "2026-05-04"),
        ("昨日", "2026-05-04"),
        ("3 days ago", "2026-05-02"),
        ("vor drei Tagen", "2026-05-02"),
        ("hace dos días", "2026-05-03"),
        ("il y a 3 jours", "2026-05-02"),
        ("三天前", "2026-05-02"),
        ("last Friday", "2026-05-01"),
        ("on Tuesday", "2026-04-28"),
    ],
)
def test_relative_days(text: str, expected: str) -> None:
    assert spans(text) == day(expected)
    assert find_dates(text, TODAY)[0].relative


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("last week", "2026-04-27", "2026-05-03"),
        ("letzte Woche", "2026-04-27", "2026-05-03"),
        ("la semana pasada", "2026-04-27", "2026-05-03"),
        ("la semaine dernière", "2026-04-27", "2026-05-03"),
        ("上周", "2026-04-27", "2026-05-03"),
        ("last month", "2026-04-01", "2026-04-30"),
        ("先月", "2026-04-01", "2026-04-30"),
        ("this month", "2026-05-01", "2026-05-31"),
        ("去年", "2025-01-01", "2025-12-31"),
        ("in May 2023", "2023-05-01", "2023-05-31"),
        ("in December", "2025-12-01", "2025-12-31"),
        ("last May", "2025-05-01", "2025-05-31"),
        ("in 2022", "2022-01-01", "2022-12-31"),
        ("in the year 2022", "2022-01-01", "2022-12-31"),
        ("en el año 2022", "2022-01-01", "2022-12-31"),
        ("2023年5月", "2023-05-01", "2023-05-31"),
        ("in the last 2 weeks", "2026-04-21", "2026-05-05"),
        ("two weeks ago", "2026-04-18", "2026-04-24"),
    ],
)
def test_spans(text: str, first: str, last: str) -> None:
    assert spans(text) == [(first, last)]


@pytest.mark.parametrize(
    "text",
    ["May I ask?", "version v2.14.3", "10.0.0.1", "2026-13-45", "the 99th", "marching band", "monday.com", "room 1999"],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize(
    "text",
    [
        *(
            "rent from February on",
            "since May",
            "until 3 April",
            "Wie viel Miete zahle ich ab Februar?",
            "seit gestern",
            "since Monday",
            "how many days after May 3",
        ),
        *("bis zum 3. April", "nach dem 3. März", "depuis mars 2026", "5月以来", "what will happen in December"),
        *("was ist für Dezember geplant", "before March 2026"),
    ],
)
def test_a_question_that_looks_beyond_a_date_leaves_it_open(text: str) -> None:
    assert [date.open for date in find_dates(text, TODAY)] == [True]


@pytest.mark.parametrize("text", ["in April", "notes from 2026-04-02", "vor drei Tagen", "what did I plan last week"])
def test_a_question_about_a_time_does_not(text: str) -> None:
    assert [date.open for date in find_dates(text, TODAY)] == [False]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("the week before last", "2026-04-20", "2026-04-26"),
        ("vorletzte Woche", "2026-04-20", "2026-04-26"),
        ("last weekend", "2026-05-02", "2026-05-03"),
        ("am Wochenende", "2026-05-02", "2026-05-03"),
        ("last night", "2026-05-04", "2026-05-04"),
        ("qu'est-ce que j'ai fait hier", "2026-05-04", "2026-05-04"),
        ("March", "2026-03-01", "2026-03-31"),
        ("Ende März", "2026-03-21", "2026-03-31"),
    ],
)
def test_more_ways_to_name_a_time(text: str, first: str, last: str) -> None:
    assert spans(text) == [(first, last)]


def test_the_german_word_for_here_is_no_day() -> None:
    assert spans("wer war hier") == []


def test_29_february_is_looked_for_in_earlier_leap_years() -> None:
    assert spans("on 29 February", dt.date(2103, 3, 1)) == day("2096-02-29")


def test_each_word_belongs_to_one_date() -> None:
    assert spans("2026-03-01, 14 April") == [("2026-03-01", "2026-03-01"), ("2026-04-14", "2026-04-14")]


@given(st.text(max_size=80), st.dates())
def test_any_text_on_any_day_gives_ordered_spans_and_never_raises(text: str, today: dt.date) -> None:
    for date in find_dates(text, today):
        assert date.first <= date.last


@given(
    st.sampled_from(["last week", "last month", "9 years ago", "the 31st", "in May", "100 weeks ago", "last year"]),
    st.dates(),
)
def test_the_edges_of_the_calendar_are_no_error(text: str, today: dt.date) -> None:
    find_dates(text, today)
