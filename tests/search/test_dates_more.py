"""Further ways to name a time, and words that only look like one."""

from __future__ import annotations

import datetime as dt
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.search.dates import find_dates

TODAY = dt.date(2026, 5, 5)  # a Tuesday


def spans(text: str, today: dt.date = TODAY) -> list[str]:
    """First and last day, once if they are the same."""
    found = [(date.first.isoformat(), date.last.isoformat()) for date in find_dates(text, today)]
    return [first if first == last else f"{first}..{last}" for first, last in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("early August 2023", "2023-08-01..2023-08-10"),
        ("mid August 2023", "2023-08-11..2023-08-20"),
        ("mid-May", "2025-05-11..2025-05-20"),
        ("late August 2023", "2023-08-21..2023-08-31"),
        ("the end of February 2024", "2024-02-21..2024-02-29"),
        ("Anfang August", "2025-08-01..2025-08-10"),
        ("Mitte August", "2025-08-11..2025-08-20"),
        ("Ende August", "2025-08-21..2025-08-31"),
        ("a principios de agosto", "2025-08-01..2025-08-10"),
        ("a mediados de agosto", "2025-08-11..2025-08-20"),
        ("a finales de agosto", "2025-08-21..2025-08-31"),
        ("début août", "2025-08-01..2025-08-10"),
        ("mi-août", "2025-08-11..2025-08-20"),
        ("fin août", "2025-08-21..2025-08-31"),
        ("8月上旬", "2025-08-01..2025-08-10"),
        ("8月中旬", "2025-08-11..2025-08-20"),
        ("2025年8月下旬", "2025-08-21..2025-08-31"),
        ("三月底", "2026-03-21..2026-03-31"),
        ("second week of November", "2025-11-08..2025-11-14"),
        ("fifth week of March", "2026-03-29..2026-03-31"),
        ("zweite Woche im April", "2026-04-08..2026-04-14"),
        ("primera semana de abril", "2026-04-01..2026-04-07"),
        ("première semaine de mai", "2026-05-01..2026-05-07"),
        ("11月的第二周", "2025-11-08..2025-11-14"),
        ("first half of May", "2026-05-01..2026-05-15"),
        ("zweite Hälfte April", "2026-04-16..2026-04-30"),
        ("4月前半", "2026-04-01..2026-04-15"),
        ("second half of 2025", "2025-07-01..2025-12-31"),
        ("the last week of March", "2026-03-25..2026-03-31"),
        ("the first two weeks of April", "2026-04-01..2026-04-14"),
        ("last 3 days of April", "2026-04-28..2026-04-30"),
        ("last Friday of April", "2026-04-24"),
        ("first Monday in April", "2026-04-06"),
        ("first weekend of April", "2026-04-04..2026-04-05"),
        ("last day of March", "2026-03-31"),
        ("early 2023", "2023-01-01..2023-04-30"),
        ("mid-2023", "2023-05-01..2023-08-31"),
        ("Ende 2025", "2025-09-01..2025-12-31"),
        ("2025年底", "2025-09-01..2025-12-31"),
        ("early last month", "2026-04-01..2026-04-10"),
        ("Anfang letzten Jahres", "2025-01-01..2025-04-30"),
    ],
)
def test_a_part_of_a_month_or_year(text: str, expected: str) -> None:
    assert spans(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the 3rd of last month", "2026-04-03"),
        ("am 3. des letzten Monats", "2026-04-03"),
        ("el 3 del mes pasado", "2026-04-03"),
        ("le 3 du mois dernier", "2026-04-03"),
        ("上个月3号", "2026-04-03"),
        ("Monday last week", "2026-04-27"),
        ("last week on Monday", "2026-04-27"),
        ("Montag letzter Woche", "2026-04-27"),
        ("el lunes de la semana pasada", "2026-04-27"),
        ("lundi de la semaine dernière", "2026-04-27"),
        ("上周一", "2026-04-27"),
        ("先週の月曜日", "2026-04-27"),
        ("Monday this week", "2026-05-04"),
        ("Montag vor einer Woche", "2026-04-27"),
        ("Monday two weeks ago", "2026-04-20"),
        ("two Fridays ago", "2026-04-24"),
        ("周五", "2026-05-01"),
        ("月曜日", "2026-05-04"),
        ("this morning", "2026-05-05"),
        ("tonight", "2026-05-05"),
        ("esta mañana", "2026-05-05"),
        ("ce matin", "2026-05-05"),
        ("今朝", "2026-05-05"),
        ("anoche", "2026-05-04"),
        ("昨晚", "2026-05-04"),
        ("antes de ayer", "2026-05-03"),
        ("大前天", "2026-05-02"),
        ("a couple of days ago", "2026-04-28..2026-05-03"),
        ("a few weeks ago", "2026-03-17..2026-04-21"),
        ("vor ein paar Tagen", "2026-04-28..2026-05-03"),
        ("hace unos días", "2026-04-28..2026-05-03"),
        ("il y a quelques jours", "2026-04-28..2026-05-03"),
        ("几天前", "2026-04-28..2026-05-03"),
        ("数日前", "2026-04-28..2026-05-03"),
        ("a fortnight ago", "2026-04-14..2026-04-28"),
        ("a week ago today", "2026-04-25..2026-05-01"),
        ("in the past week", "2026-04-28..2026-05-05"),
        ("over the last few days", "2026-04-30..2026-05-05"),
        ("最近三天", "2026-05-02..2026-05-05"),
        ("先々週", "2026-04-20..2026-04-26"),
        ("一昨年", "2024-01-01..2024-12-31"),
        ("本月", "2026-05-01..2026-05-31"),
        ("last quarter", "2026-01-01..2026-03-31"),
    ],
)
def test_a_time_as_seen_from_today(text: str, expected: str) -> None:
    assert spans(text) == [expected]
    assert find_dates(text, TODAY)[0].relative


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Q1 2026", "2026-01-01..2026-03-31"),
        ("2025 Q4", "2025-10-01..2025-12-31"),
        ("in Q2", "2026-04-01..2026-06-30"),
        ("im 1. Quartal 2026", "2026-01-01..2026-03-31"),
        ("first quarter of 2026", "2026-01-01..2026-03-31"),
        ("2026年第一季度", "2026-01-01..2026-03-31"),
        ("KW 12", "2026-03-16..2026-03-22"),
        ("KW 30", "2025-07-21..2025-07-27"),
        ("2026-W12", "2026-03-16..2026-03-22"),
        ("2026-03", "2026-03-01..2026-03-31"),
        ("03/2026", "2026-03-01..2026-03-31"),
        ("over Christmas", "2025-12-24..2025-12-26"),
        ("Christmas 2023", "2023-12-24..2023-12-26"),
        ("an Weihnachten", "2025-12-24..2025-12-26"),
        ("en Navidad", "2025-12-24..2025-12-26"),
        ("à Noël", "2025-12-24..2025-12-26"),
        ("圣诞节", "2025-12-24..2025-12-25"),
        ("new year's eve", "2025-12-31"),
        ("an Silvester", "2025-12-31"),
        ("大晦日", "2025-12-31"),
        ("on new year's day", "2026-01-01"),
        ("去年5月", "2025-05-01..2025-05-31"),
        ("in May last year", "2025-05-01..2025-05-31"),
        ("en mayo del año pasado", "2025-05-01..2025-05-31"),
    ],
)
def test_a_time_of_the_calendar(text: str, expected: str) -> None:
    assert spans(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in spring", "2026-03-01..2026-05-31"),
        ("last summer", "2025-06-01..2025-08-31"),
        ("this summer", "2026-06-01..2026-08-31"),
        ("im Sommer 2025", "2025-06-01..2025-08-31"),
        ("in winter", "2025-12-01..2026-02-28"),
        ("el verano pasado", "2025-06-01..2025-08-31"),
        ("l'été dernier", "2025-06-01..2025-08-31"),
        ("夏天", "2025-06-01..2025-08-31"),
        ("tomorrow", "2026-05-06"),
        ("übermorgen", "2026-05-07"),
        ("next week", "2026-05-11..2026-05-17"),
        ("nächste Woche", "2026-05-11..2026-05-17"),
        ("la semana que viene", "2026-05-11..2026-05-17"),
        ("la semaine prochaine", "2026-05-11..2026-05-17"),
        ("来週", "2026-05-11..2026-05-17"),
        ("下周一", "2026-05-11"),
        ("next Tuesday", "2026-05-12"),
        ("nächsten Freitag", "2026-05-08"),
    ],
)
def test_seasons_differ_by_place_and_the_future_is_told_before_so_they_are_open(text: str, expected: str) -> None:
    assert spans(text) == [expected]
    assert find_dates(text, TODAY)[0].open


@pytest.mark.parametrize(
    "text",
    [
        *("may I", "it may be late", "march on", "the 3rd option", "on the 3rd option", "on the 3rd floor"),
        *("version 2023.1", "in version 2023.1", "in 2023.1", "port 2024", "RFC 2026", "May 1,200 users"),
        *("CVE-2024-12345", "QX-2024-05", "v2.14.3", "31.3.26", "03/04/2026", "20260305", "1/2", "12:30"),
        *("week 2 of the sprint", "last week of the sprint", "first half of the match", "second week of school"),
        *("mid-sprint", "early adopters", "end of file", "the day before deployment", "two weeks before launch"),
        *("second quarter of the game", "quarter pounder", "q1", "q5 2026", "KW 99", "Mars rover", "last of us"),
        *("summer camp", "springs", "in spring boot", "fall detection", "christmas presents", "Noel Gallagher"),
        *("first of all", "the second option may work", "a 5-7 minute walk", "fin de la lista", "mi casa"),
        *("am 3. Platz", "el 3 por ciento", "wer ist hier", "周年", "一周", "三月", "每周一", "再来週", "in 3 days"),
    ],
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize(
    "text",
    [
        *("Jun Nakagawa", "what did Jun say about cleaning", "lunch with Jun", "what did April Svensson take over"),
        *("ask August about the pump", "June's bike", "qué dijo Julio", "pan con mayo", "Avril Lavigne", "Juli Zeh"),
        *("April invoice", "cards for June and Ann"),
    ],
)
def test_a_name_of_a_person_is_no_month(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((f"pump {words}", [("2026-04-01", "2026-04-30")]) for words in ("in April", "this April", "last April")),
        *((text, [("2026-04-01", "2026-04-30")]) for text in ("April", "April?", "vom April", "au mois d'avril")),
        ("pump early April", [("2026-04-01", "2026-04-10")]),
        ("pump April 2025", [("2025-04-01", "2025-04-30")]),
        ("pump in March and April", [("2026-03-01", "2026-03-31"), ("2026-04-01", "2026-04-30")]),
        ("pump from March to April", [("2026-03-01", "2026-04-30")]),
        ("April 3", [("2026-04-03", "2026-04-03")]),
    ],
)
def test_a_month_that_is_also_a_name_counts_where_words_around_it_say_so(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert [(date.first.isoformat(), date.last.isoformat()) for date in find_dates(text, TODAY)] == expected


def test_each_monday_is_not_one_day() -> None:
    assert spans("every week after May 3") == ["2026-05-03"]


REPEATED = [
    *(
        "1 ",
        "may ",
        "between ",
        "from 3 ",
        "3.-",
        "a few ",
        "2024 ",
        "last ",
        "the week before ",
        "may 3 ",
        "  ",
        "\t1",
    ),
    *("vor zwei ", "said on the note of ", "3月", "三", "2026-03-01 ", "2026-03-01-", "the first week of ", "in the "),
    *("summer ", "new year's ", "q1 ", "lunes, de la de la ", "1 to 2 to ", "hier ", "from the 3rd to the ", "di", "-"),
    *("week after may 3 ", "yesterday as told ", "christmas ", "last year in may ", "january and ", "il y a un "),
    *("en mayo de ", "1. und ", "月曜日の", "next ", "monday of last ", "q1 and q2 "),
]


@pytest.mark.parametrize("words", REPEATED)
def test_a_long_text_takes_time_in_proportion_to_its_length(words: str) -> None:
    def cost(length: int) -> float:
        text = f"may 1 last week 2024 de la {words * (length // len(words))}!"
        started = time.process_time()
        find_dates(text, TODAY)
        return time.process_time() - started

    cost(100)
    # Four times the length costs four times as much; if it cost sixteen times as much, 16,000 characters took seconds.
    assert min(cost(16_000) for _ in range(2)) < 12 * min(cost(4_000) for _ in range(3)) + 0.05


PIECES = st.sampled_from(
    [
        *(
            "the",
            "week",
            "before",
            "after",
            "last",
            "next",
            "two",
            "years",
            "ago",
            "may",
            "march",
            "3",
            "31",
            "29",
            "of",
        ),
        *("2023", "9999", "1900", "2026-02-29", "31.12.", "from", "to", "between", "and", "-", "early", "late", "mid"),
        *("first", "half", "monday", "weekend", "year", "month", "vor", "drei", "jahren", "vom", "bis", "zum", "7."),
        *(
            "hace",
            "il y a",
            "año",
            "semana",
            "de",
            "del",
            "al",
            "février",
            "du",
            "au",
            "3月5日",
            "从",
            "到",
            "から",
            "の",
        ),
        *(
            "前",
            "上旬",
            "去年",
            "今天",
            "q1",
            "kw 53",
            "christmas",
            "new year's eve",
            "summer",
            "as told on",
            "february",
        ),
        *("29 february", "december 31", "99 years ago", "999 years ago", "around", "tomorrow", "every", ","),
    ]
)


@given(
    st.lists(PIECES, max_size=10),
    st.sampled_from([" ", "", "  "]),
    st.one_of(st.dates(), st.sampled_from([dt.date.min, dt.date.max, dt.date(2024, 2, 29)])),
)
def test_any_words_of_dates_on_any_day_give_ordered_spans_of_their_own_words(
    pieces: list[str], between: str, today: dt.date
) -> None:
    text = between.join(pieces)

    found = find_dates(text, today)

    assert all(date.first <= date.last for date in found)
    assert all(date.words for date in found)
    assert sum(len(date.words) for date in found) <= len(text) + text.count("ñ") + text.count("é")
