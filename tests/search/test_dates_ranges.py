"""Ranges in questions: two days, months or years and all that is between them."""

from __future__ import annotations

import datetime as dt

import pytest

from openclaw_memory_core.search.dates import find_dates

TODAY = dt.date(2026, 5, 5)  # a Tuesday


def spans(text: str, today: dt.date = TODAY) -> list[str]:
    return [f"{date.first}..{date.last}" for date in find_dates(text, today)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("between August 11 and August 15 2023", "2023-08-11..2023-08-15"),
        ("between August 11, 2023 and August 15", "2023-08-11..2023-08-15"),
        ("between 11 and 15 August", "2025-08-11..2025-08-15"),
        ("between May 3rd and 5th", "2026-05-03..2026-05-05"),
        ("August 11-15, 2023", "2023-08-11..2023-08-15"),
        ("August 28 to September 3, 2023", "2023-08-28..2023-09-03"),
        ("3-4 May", "2026-05-03..2026-05-04"),
        ("from the 3rd to the 7th of May", "2026-05-03..2026-05-07"),
        ("from the 28th to the 2nd", "2026-04-28..2026-05-02"),
        ("3.-7. Mai", "2026-05-03..2026-05-07"),
        ("3.-7.5.2025", "2025-05-03..2025-05-07"),
        ("3.5. - 7.5.2025", "2025-05-03..2025-05-07"),
        ("vom 3. bis 7. Mai 2026", "2026-05-03..2026-05-07"),
        ("vom 3. bis zum 7.", "2026-05-03..2026-05-07"),
        ("zwischen dem 3. und dem 7. Mai", "2026-05-03..2026-05-07"),
        ("zwischen 3. März und 7. April", "2026-03-03..2026-04-07"),
        ("entre el 3 y el 7 de mayo", "2026-05-03..2026-05-07"),
        ("del 3 al 7 de mayo", "2026-05-03..2026-05-07"),
        ("desde el 3 de marzo hasta el 7 de abril", "2026-03-03..2026-04-07"),
        ("entre le 3 et le 7 mai", "2026-05-03..2026-05-07"),
        ("du 3 au 7 mai", "2026-05-03..2026-05-07"),
        ("du 3 mars au 7 avril", "2026-03-03..2026-04-07"),
        ("从3月5日到3月9日", "2026-03-05..2026-03-09"),
        ("3月5日至9日", "2026-03-05..2026-03-09"),
        ("3月5日から3月9日まで", "2026-03-05..2026-03-09"),
        ("2026-03-01 to 2026-03-05", "2026-03-01..2026-03-05"),
        ("2026-03-01..2026-03-05", "2026-03-01..2026-03-05"),
        ("2026-03-05 - 2026-03-01", "2026-03-01..2026-03-05"),
        ("from 2026-03-01 to 14 April", "2026-03-01..2026-04-14"),
        ("from March to May 2023", "2023-03-01..2023-05-31"),
        ("May-June 2023", "2023-05-01..2023-06-30"),
        ("de mayo a junio", "2026-05-01..2026-06-30"),
        ("2023年3月から5月", "2023-03-01..2023-05-31"),
        ("from 2024-01 to 2024-03", "2024-01-01..2024-03-31"),
        ("between 2020 and 2022", "2020-01-01..2022-12-31"),
        ("von 2020 bis 2022", "2020-01-01..2022-12-31"),
        ("Q1-Q2 2026", "2026-01-01..2026-06-30"),
        ("from Monday to Wednesday", "2026-05-04..2026-05-06"),
        ("de lunes a viernes", "2026-05-04..2026-05-08"),
        ("从周一到周五", "2026-05-04..2026-05-08"),
        ("since last Monday until today", "2026-05-04..2026-05-05"),
    ],
)
def test_a_range_is_one_time_from_its_first_day_to_its_last(text: str, expected: str) -> None:
    assert spans(text) == [expected]
    assert not find_dates(text, TODAY)[0].open


@pytest.mark.parametrize(
    ("text", "today", "expected"),
    [
        ("from May 3 to June 2", dt.date(2026, 5, 5), "2026-05-03..2026-06-02"),
        ("from May 3 to June 2", dt.date(2026, 5, 2), "2025-05-03..2025-06-02"),
        ("from December 28 to January 3", dt.date(2026, 5, 5), "2025-12-28..2026-01-03"),
        ("vom 28. Dezember bis 3. Januar", dt.date(2025, 12, 30), "2025-12-28..2026-01-03"),
        ("from December 28 to January 3, 2024", dt.date(2026, 5, 5), "2023-12-28..2024-01-03"),
        ("from December 28, 2022 to January 3", dt.date(2026, 5, 5), "2022-12-28..2023-01-03"),
    ],
)
def test_without_a_year_it_is_the_latest_that_has_begun_and_may_cross_into_the_next(
    text: str, today: dt.date, expected: str
) -> None:
    assert spans(text, today) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on May 3 and May 5", ["2026-05-03..2026-05-03", "2026-05-05..2026-05-05"]),
        ("January and February 2024", ["2024-01-01..2024-01-31", "2024-02-01..2024-02-29"]),
        ("May 3 and May 5, 2023", ["2023-05-03..2023-05-03", "2023-05-05..2023-05-05"]),
        ("in 2023 and 2024", ["2023-01-01..2023-12-31", "2024-01-01..2024-12-31"]),
    ],
)
def test_two_times_beside_each_other_are_no_range_and_share_their_year(text: str, expected: list[str]) -> None:
    assert spans(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("between 3 and 5 users", "ports between 2000 and 2024", "between 2000 and 2024 users", "2024-2026"),
        *("ratio 3-5", "3-5 pm", "von 3 bis 5 Uhr", "from 3 to 5 may fail", "pages 11-15", "from A to B"),
    ],
)
def test_other_ranges_of_numbers_are_none(text: str) -> None:
    assert spans(text) == []


def test_what_is_planned_in_a_range_is_still_looked_for_elsewhere() -> None:
    assert find_dates("what will happen from May 10 to May 12", TODAY)[0].open
