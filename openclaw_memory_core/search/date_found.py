"""The dates that stand in a text by themselves, with what is needed to make longer ones of them."""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Callable

from openclaw_memory_core.records import record
from openclaw_memory_core.search import date_spans as spans
from openclaw_memory_core.search.date_patterns import CJK, DIGIT, LETTERS, Rule
from openclaw_memory_core.search.date_rules import RULES
from openclaw_memory_core.search.date_spans import Span
from openclaw_memory_core.search.words import CJK_RUN

_NEAR = 60
"""Characters before a date in which words that belong to it are looked for."""

LONG_AGO = 60
"""Days: what lies so far back is often told much later, and in the same words."""


@record
class Found:
    """A date in a text.

    :param at: where the words that go before it end; its own preposition is one of them.
    :param again: what it means when said on another day.
    :param year: its year is named.
    :param weak: it counts only as part of a longer date (``from March to May``).
    :param open: see :class:`~openclaw_memory_core.search.dates.DateRange`; None: the words around it decide.
    :param weekday: it is the name of a day of the week.
    """

    start: int
    end: int
    at: int
    span: Span
    again: Callable[[dt.date], Span | None]
    relative: bool = False
    year: bool = False
    weak: bool = False
    open: bool | None = None
    phrase: bool = False
    weekday: bool = False


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern that most questions do not need: it is compiled at its first use."""
    return re.compile(pattern)


def find(text: str, today: dt.date) -> list[Found]:
    """The dates in a folded text by their place; a character belongs to one of them at most."""
    present = _present(text)
    found, rest = [], text
    for rule, needs in _RULES:
        if any(map(present.isdisjoint, needs)):
            continue
        for match in compiled(rule.pattern).finditer(rest):
            one = _found(rule, match, today)
            if one is not None:
                found.append(one)
                rest = rest[: match.start()] + "\0" * len(match.group()) + rest[match.end() :]
    return sorted(found, key=lambda one: one.start)


def meant(again: Callable[[dt.date], Span | None], day: dt.date) -> Span | None:
    """What a date means on a day; None if it names no day then (31 April, year 0)."""
    try:
        return again(day)
    except (ValueError, OverflowError):
        return None


def before(text: str, one: Found) -> str:
    """The words before a date that may belong to it."""
    return text[max(0, one.at - _NEAR) : one.at]


def gap(text: str, start: int, end: int) -> str:
    """What is between two dates; a character that is in no pattern if it is far too much."""
    return text[start:end] if end - start <= _NEAR else "\0"


def put(found: list[Found], one: Found) -> None:
    """Add one that may reach back over others: ``last week of May`` is not last week."""
    while found and found[-1].end > one.start:
        found.pop()
    found.append(one)


def in_year(span: Span, year: int) -> Span | None:
    """The days of the same names in another year, if it has them."""
    return meant(lambda _day: spans.in_year(span, year), span[0])


_RULES = tuple((rule, tuple(map(frozenset, rule.needs))) for rule in RULES)


def _present(text: str) -> set[str]:
    words = set(LETTERS.findall(text))
    if any(map(str.isdecimal, text)):
        words.add(DIGIT)
    if not text.isascii() and CJK_RUN.search(text):
        words.add(CJK)
    return words


def _found(rule: Rule, match: re.Match[str], today: dt.date) -> Found | None:
    def again(day: dt.date) -> Span | None:
        return rule.resolve(match, day)

    span = meant(again, today)
    if span is None:
        return None
    groups = match.groupdict()
    long_ago = rule.resolve is spans.units_ago and (today - span[0]).days >= LONG_AGO
    return Found(
        start=match.start(),
        end=match.start() + len(match.group().rstrip()),
        at=match.start("at") if "at" in groups else match.start(),
        span=span,
        again=again,
        relative=rule.relative,
        year=bool(groups.get("y")),
        weak=rule.weak is not None and rule.weak(match),
        open=True if long_ago else rule.open,
        phrase=long_ago or rule.phrase,
        weekday=rule.resolve is spans.weekday,
    )
