"""Parts of a month or a year: ``early August``, ``the second week of November``, ``last Friday of April``."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import replace

from openclaw_memory_core.search import date_spans as spans
from openclaw_memory_core.search.date_found import Found, before, compiled, in_year, meant, put
from openclaw_memory_core.search.date_spans import Span, days
from openclaw_memory_core.search.date_words import NUMBERS, ORDINALS, UNITS, WEEK, WEEKDAYS, WEEKENDS, alternatives

_EARLY = (
    r"(?P<early>early(?: in)?|(?:beginning|start) of|anfang|(?:a )?(?:comienzos|principios|inicios) de|debut(?: de)?)"
)
_MID = r"(?P<mid>mid|middle of|mitte|(?:a )?mediados de|mi(?=-))"
_LATE = r"(?P<late>late(?: in)?|end of|ende|(?:a )?(?:finales|fines|fin) de|fin)"
_WHICH = rf"(?P<k>{alternatives(ORDINALS)})"
_WHAT = (
    rf"(?P<t>half|halfte|mitad|moitie|quincena|week|woche|semana|semaine|day|tag|dia|jour"
    rf"|(?P<n>\d{{1,2}}|{alternatives(NUMBERS)})\s+(?P<s>weeks|wochen|semanas|semaines|days|tagen?|dias|jours)"
    rf"|{alternatives(WEEKENDS)}|{alternatives(WEEKDAYS)})"
)
_PART = (
    rf"\b(?:the\s+)?(?:{_EARLY}|{_MID}|{_LATE}|(?<!-){_WHICH}(?:\s+{_WHAT}(?:\s+(?:of|in|im|des|der|de|del|du|von))?"
    r"|\s+(?:of|de)(?=\s)))"
    r"(?:\s+(?:the|month of|des|der|de|du|mois de|mes de|monats?))*(?:\s+|-)$"
)
_PART_SIGN = (
    r"(?:的|の)?(?:(?P<early>上旬|初め?|はじめ)|(?P<mid>中旬|半ば)|(?P<late>下旬|末|底|終わり)"
    r"|(?P<first>前半|上半[月年])|(?P<second>後半|下半[月年])|第(?P<k>[一二三四五])(?:个)?(?P<t>周|星期|週))"
)
_HALVES = frozenset({"half", "halfte", "mitad", "moitie", "quincena"})
_WEEKS = frozenset({"week", "woche", "semana", "semaine", "周", "星期", "週"})


def parts(text: str, found: Iterable[Found], today: dt.date) -> list[Found]:
    """``early August``, ``the second week of November``, ``8月上旬``."""
    result: list[Found] = []
    for one in found:
        if not (spans.is_month(one.span) or spans.is_year(one.span)):
            result.append(one)
            continue
        near = before(text, one)
        after = compiled(_PART_SIGN).match(text, one.end)
        match = after or compiled(_PART).search(near)
        span = _part(match, one.span) if match else None
        if match and span and span[0] > today and not (one.year or one.relative):
            earlier = in_year(one.span, one.span[0].year - 1)
            span = _part(match, earlier) if earlier else None
        if match is None or span is None:
            result.append(one)
        elif after:
            result.append(replace(one, end=after.end(), span=span, weak=False))
        else:
            start = min(one.start, one.at - len(near) + match.start())
            put(result, replace(one, start=start, at=start, span=span, weak=False))
    return result


def _part(match: re.Match[str], whole: Span) -> Span | None:
    return meant(lambda _day: _part_of(match, whole), whole[0])


def _part_of(match: re.Match[str], whole: Span) -> Span | None:
    groups = match.groupdict()
    which, what = ORDINALS.get(groups["k"] or "", 0), groups["t"]
    if groups.get("n"):
        return _several(which, spans.number(groups["n"]) * UNITS[groups["s"]], whole)
    if which:
        return _nth_part(which, what or "", whole) if what or spans.is_month(whole) else None
    if groups.get("first") or groups.get("second"):
        return _nth_part(1 if groups.get("first") else 2, "half", whole)
    third = 0 if groups["early"] else 1 if groups["mid"] else 2
    if spans.is_year(whole):
        year = whole[0].year
        return spans.month_span(year, third * 4 + 1)[0], spans.month_span(year, third * 4 + 4)[1]
    first = whole[0].replace(day=third * 10 + 1)
    return first, whole[1] if third == 2 else first + days(9)


def _several(which: int, length: int, whole: Span) -> Span | None:
    """The first or last days of a span."""
    if not 0 < length <= (whole[1] - whole[0]).days + 1 or which not in (1, -1):
        return None
    return (whole[0], whole[0] + days(length - 1)) if which > 0 else (whole[1] - days(length - 1), whole[1])


def _nth_part(which: int, what: str, whole: Span) -> Span | None:
    first, last = whole
    length = (last - first).days + 1
    if what in _HALVES:
        middle = dt.date(first.year, 6, 30) if length > 31 else first.replace(day=15)
        return {1: (first, middle), 2: (middle + days(1), last), -1: (middle + days(1), last)}.get(which)
    if what in _WEEKS:
        begin = first + days(WEEK * (which - 1)) if which > 0 else last - days(WEEK - 1)
        return (begin, min(begin + days(WEEK - 1), last)) if begin <= last else None
    size = 2 if what in WEEKENDS else 1
    step = WEEK if what in WEEKDAYS or size == 2 else 1
    wanted = 5 if size == 2 else WEEKDAYS.get(what, first.weekday() if which > 0 else last.weekday())
    if which > 0:
        begin = first + days((wanted - first.weekday()) % WEEK + step * (which - 1))
    else:
        begin = last - days((last.weekday() - wanted) % WEEK)
    return (begin, begin + days(size - 1)) if first <= begin <= last else None
