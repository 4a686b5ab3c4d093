"""Spans of days by the calendar: what the words of a date mean on a given day.

A resolver takes the match of a rule and the day that the words are said on; None or :class:`ValueError` means that they
name no day.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Callable

from openclaw_memory_core.search.date_words import (
    AMBIGUOUS_MONTHS,
    CJK_FEASTS,
    DAY,
    FEASTS,
    FEW,
    HALF,
    MONTH,
    MONTHS,
    NUMBERS,
    ORDINALS,
    SEASONS,
    UNITS,
    WEEK,
    WEEKDAYS,
    YEAR,
)

Span = tuple[dt.date, dt.date]
Resolver = Callable[[re.Match[str], dt.date], Span | None]


def days(count: int) -> dt.timedelta:
    """A difference of days."""
    return dt.timedelta(days=count)


def same(day: dt.date) -> Span:
    """One day as a span."""
    return day, day


def month_span(year: int, month: int) -> Span:
    """A month by its number, which may lie beyond 1 … 12."""
    months = year * 12 + month - 1
    year, month = months // 12, months % 12 + 1
    return dt.date(year, month, 1), dt.date(year, month, calendar.monthrange(year, month)[1])


def year_span(year: int) -> Span:
    """A whole year."""
    return dt.date(year, 1, 1), dt.date(year, 12, 31)


def calendar_month(today: dt.date, back: int) -> Span:
    """The month so many months before that of *today*."""
    return month_span(today.year, today.month - back)


def is_month(span: Span) -> bool:
    """Whether it is exactly a month."""
    return span == month_span(span[0].year, span[0].month)


def is_year(span: Span) -> bool:
    """Whether it is exactly a year."""
    return span == year_span(span[0].year)


def in_year(span: Span, year: int) -> Span:
    """The days of the same names in another year; a month stays whole.

    :raises ValueError: it has no 29 February.
    """
    if is_month(span):
        return month_span(year, span[0].month)
    return span[0].replace(year=year), span[1].replace(year=year + span[1].year - span[0].year)


def latest(today: dt.date, month: int, day: int) -> Span | None:
    """The latest day of this name that is not in the future; 29 February may be eight years back."""
    for year in range(today.year, today.year - 9, -1):
        if 1 <= day <= calendar.monthrange(year, month)[1] and dt.date(year, month, day) <= today:
            return same(dt.date(year, month, day))
    return None


def number(word: str | None) -> int:
    """A count in figures, words or Chinese signs up to 99; 1 if there is none.

    :raises ValueError: it is none.
    """
    if word is None:
        return 1
    if word.isdecimal():
        return int(word)
    tens, ten, ones = word.partition("十")
    if ten:
        return 10 * number(tens or None) + (number(ones) if ones else 0)
    if word not in NUMBERS:
        raise ValueError(word)
    return NUMBERS[word]


def ago(today: dt.date, count: str | None, unit: int) -> Span:
    """About so many units before *today*, give or take half a unit: "two months ago" is not a day."""
    if count in FEW:
        return today - days(7 * unit), today - days(2 * unit)
    if count in HALF:
        return today - days(unit // 2 + unit // 12), today - days(unit // 2 - unit // 12)
    middle = today - days(number(count) * unit)
    return middle - days(unit // 2), min(today, middle + days(unit // 2))


def weekday_before(today: dt.date, weekday: int) -> dt.date:
    """The latest such day before *today*."""
    return today - days((today.weekday() - weekday) % WEEK or WEEK)


def weekend_before(today: dt.date) -> Span:
    """The latest Saturday and Sunday of which the Sunday is not after *today*."""
    sunday = today - days((today.weekday() - 6) % WEEK)
    return sunday - days(1), sunday


def numeric(match: re.Match[str], today: dt.date) -> Span | None:
    """Year (if any), month and day in figures."""
    month, day, year = number(match["m"]), number(match["d"]), match["y"]
    return same(dt.date(int(year), month, day)) if year else latest(today, _checked(month), day)


def slashed(match: re.Match[str], _today: dt.date) -> Span | None:
    """``5/14/2023`` and ``14/5/2023``: a day only if it can be no other one."""
    first, second, year = int(match["d"]), int(match["m"]), int(match["y"])
    if first <= 12 and second <= 12 and first != second:
        return None
    return same(dt.date(year, min(first, second), max(first, second)))


def numeric_month(match: re.Match[str], _today: dt.date) -> Span:
    """``2026-03``."""
    return month_span(int(match["y"]), _checked(int(match["m"])))


def named_day(match: re.Match[str], today: dt.date) -> Span | None:
    """A day with the name of its month."""
    month, day, year = MONTHS[match["m"]], int(match["d"]), match["y"]
    return same(dt.date(int(year), month, day)) if year else latest(today, month, day)


def named_month(match: re.Match[str], today: dt.date) -> Span:
    """A month by its name; "last May", asked in May, is the one of last year."""
    month = MONTHS[match["m"]]
    if match["y"]:
        return month_span(int(match["y"]), month)
    past = month < today.month or (month == today.month and not match["last"])
    return month_span(today.year if past else today.year - 1, month)


def is_only_a_word(match: re.Match[str]) -> bool:
    """Whether what looks like a month may as well be another word (``may``, ``march``)."""
    alone = match.group().strip(" .?!") == match.string.strip(" .?!")
    return match["m"] in AMBIGUOUS_MONTHS and not (match["y"] or match["before"] or alone)


def days_of_month(match: re.Match[str], today: dt.date) -> Span | None:
    """From one day to another of the same month."""
    name = match["m"]
    month = MONTHS[name] if name in MONTHS else _checked(int(name))
    first, last = int(match["d"]), int(match["e"])
    if first >= last:
        return None
    if match["y"]:
        return dt.date(int(match["y"]), month, first), dt.date(int(match["y"]), month, last)
    begin = latest(today, month, first)
    return (begin[0], begin[0].replace(day=last)) if begin else None


def cjk_month(match: re.Match[str], today: dt.date) -> Span:
    """A month by its number."""
    month = _checked(number(match["m"]))
    return month_span(int(match["y"]) if match["y"] else today.year - (month > today.month), month)


def whole_year(match: re.Match[str], _today: dt.date) -> Span:
    """A year in figures."""
    return year_span(int(match["y"]))


def nth(match: re.Match[str], today: dt.date) -> Span | None:
    """``the 14th``: the latest day of this number."""
    day = int(match["d"])
    for back in range(12):
        first, last = calendar_month(today, back)
        if 1 <= day <= last.day and first.replace(day=day) <= today:
            return same(first.replace(day=day))
    return None


def nth_range(match: re.Match[str], today: dt.date) -> Span | None:
    """``from the 3rd to the 7th``: the latest such days of which the first is not in the future."""
    begin, last = nth(match, today), int(match["e"])
    if begin is None:
        return None
    month = begin[0] if last > begin[0].day else calendar_month(begin[0], -1)[0]
    return begin[0], month.replace(day=last)


def nth_of(match: re.Match[str], today: dt.date) -> Span:
    """``the 3rd of last month``."""
    return same(calendar_month(today, 0 if match["this"] else 1)[0].replace(day=int(match["d"])))


def weekday(match: re.Match[str], today: dt.date) -> Span:
    """The latest such day of the week before today."""
    return same(weekday_before(today, WEEKDAYS[match["w"]]))


def next_weekday(match: re.Match[str], today: dt.date) -> Span:
    """``next Friday``: the first such day after today."""
    ahead = (WEEKDAYS[match["w"] or match["v"]] - today.weekday()) % WEEK
    return same(today + days(ahead or WEEK))


def weekdays_ago(match: re.Match[str], today: dt.date) -> Span:
    """``two Fridays ago``."""
    return same(weekday_before(today, WEEKDAYS[match["w"]]) - days(WEEK * (number(match["n"]) - 1)))


def weekday_weeks_ago(match: re.Match[str], today: dt.date) -> Span:
    """``Montag vor einer Woche``: so many weeks before the latest one."""
    return same(weekday_before(today, WEEKDAYS[match["w"]]) - days(WEEK * number(match["n"])))


def weekday_of_week(match: re.Match[str], today: dt.date) -> Span:
    """``Monday last week``, ``上周一``."""
    groups = match.groupdict()
    back = 0 if groups.get("this") else -WEEK if groups.get("next") is not None else WEEK
    return same(today - days(today.weekday() + back - WEEKDAYS[match["w"]]))


def weekday_range(match: re.Match[str], today: dt.date) -> Span:
    """``from Monday to Friday``: the latest such days that began before today."""
    first = weekday_before(today, WEEKDAYS[match["w"]])
    return first, first + days((WEEKDAYS[match["v"]] - WEEKDAYS[match["w"]]) % WEEK)


def units_ago(match: re.Match[str], today: dt.date) -> Span:
    """``three weeks ago``."""
    return ago(today, match["n"], UNITS[match["u"]])


def past(match: re.Match[str], today: dt.date) -> Span:
    """``the past three weeks``."""
    word = match.groupdict().get("n")
    count = 5 if word in FEW else number(word)
    return today - days(count * UNITS[match["u"]]), today


def unit_back(back: int) -> Resolver:
    """The calendar's week, month or year so many before this one."""

    def resolve(match: re.Match[str], today: dt.date) -> Span | None:
        unit = UNITS[next(word for word in match.groups() if word)]
        if unit == WEEK:
            monday = today - days(today.weekday() + WEEK * back)
            return monday, monday + days(6)
        if unit == MONTH:
            return calendar_month(today, back)
        if unit == YEAR:
            return year_span(today.year - back)
        return same(today - days(DAY * back)) if unit == DAY else None

    return resolve


def days_back(count: int) -> Resolver:
    """So many days before today."""
    return lambda _match, today: same(today - days(count))


def weekend(_match: re.Match[str], today: dt.date) -> Span:
    """The latest weekend."""
    return weekend_before(today)


def quarter(match: re.Match[str], today: dt.date) -> Span:
    """``Q1 2026``; without a year the latest one that has begun."""
    which = match["q"].rstrip(".")
    count = int(which) if which.isdecimal() else ORDINALS[which]
    if not 1 <= count <= 4:
        raise ValueError(which)
    year = int(match["y"]) if match["y"] else today.year - (3 * count - 2 > today.month)
    return month_span(year, 3 * count - 2)[0], month_span(year, 3 * count)[1]


def quarter_back(match: re.Match[str], today: dt.date) -> Span:
    """``last quarter``."""
    begin = today.month - (today.month - 1) % 3 - (0 if match["this"] else 3)
    return month_span(today.year, begin)[0], month_span(today.year, begin + 2)[1]


def season(match: re.Match[str], today: dt.date) -> Span | None:
    """Three months; without a year the latest season that has begun (``last summer``: that has ended)."""
    groups = match.groupdict()
    sign, after, year = groups["s"], groups.get("after"), groups["y"]
    if groups["before"] is after is year is None:
        return None
    begin = 3 * SEASONS[sign] + 3
    first = month_span(int(year or today.year), begin)[0]
    if (
        not year
        and not groups.get("this")
        and (month_span(first.year, begin + 2)[1] >= today if groups.get("last") or after else first > today)
    ):
        first = month_span(first.year - 1, begin)[0]
    return first, month_span(first.year, begin + 2)[1]


def feast(match: re.Match[str], today: dt.date) -> Span | None:
    """Days of the same date each year."""
    name = match["f"]
    known = CJK_FEASTS.get(name) or next(span for words, span in FEASTS.items() if re.fullmatch(words, name))
    begin = same(dt.date(int(match["y"]), *known[0])) if match["y"] else latest(today, *known[0])
    return (begin[0], begin[0].replace(day=known[1][1])) if begin else None


def is_only_a_feast(match: re.Match[str]) -> bool:
    """Whether the name of a feast need not mean its days (``christmas presents``)."""
    alone = match.group().strip(" .?!") == match.string.strip(" .?!")
    return not (match["y"] or match["before"] or alone or match["f"].endswith(" eve"))


def iso_week(match: re.Match[str], today: dt.date) -> Span:
    """``KW 12``; without a year the latest one that has begun."""
    count = int(match["k"])
    if match["y"]:
        monday = dt.date.fromisocalendar(int(match["y"]), count, 1)
    else:
        year = today.isocalendar().year
        monday = dt.date.fromisocalendar(year, min(count, 52), 1)
        monday = dt.date.fromisocalendar(year if monday <= today else year - 1, count, 1)
    return monday, monday + days(6)


def _checked(month: int) -> int:
    if not 1 <= month <= 12:
        raise ValueError(month)
    return month
