"""Longer dates made of those that stand by themselves: ranges, what is before or after a day, the day of telling.

``from May 3 to June 2``, ``the week before August 3``, ``May 3 last year``, ``last week, as mentioned on November 6``.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from openclaw_memory_core.search import date_spans as spans
from openclaw_memory_core.search.date_found import Found, before, compiled, gap, in_year, meant, put
from openclaw_memory_core.search.date_parts import parts
from openclaw_memory_core.search.date_spans import Span, days
from openclaw_memory_core.search.date_words import (
    FEW,
    HALF,
    MONTH,
    NIGHTS,
    NUMBERS,
    UNITS,
    WEEK,
    WEEKDAYS,
    WEEKENDS,
    YEAR,
    alternatives,
)


def join(text: str, found: Sequence[Found], today: dt.date) -> list[Found]:
    """The dates of a folded text, joined where its words say so; those that are none by themselves are left out."""
    single = parts(text, _that_year(text, _one_day(text, found)), today)
    joined = _shared_year(text, _related(text, _ranges(text, single)))
    return _told(text, [one for one in joined if not one.weak])


_ONE_DAY = r",?\s*(?:the|den|dem|el|le)?\s*"


def _one_day(text: str, found: Sequence[Found]) -> list[Found]:
    """``on Friday, May 3`` is one day, by its date."""
    result: list[Found] = []
    for one in found:
        last = result[-1] if result else None
        if last and last.weekday and _is_day(one) and compiled(_ONE_DAY).fullmatch(gap(text, last.end, one.start)):
            result[-1] = replace(one, start=last.start, at=last.at)
        else:
            result.append(one)
    return result


def _is_day(one: Found) -> bool:
    return one.span[0] == one.span[1] and not one.relative


_IN = r"\s*,?\s*(?:(?:of|in|on|im|am|en|de|del|el|du|le)\s+)*(?:の|的)?"


def _that_year(text: str, found: Sequence[Found]) -> list[Found]:
    """``May 3 last year``, ``去年5月``: the year that is meant, not the latest."""
    result: list[Found] = []
    for one in found:
        last = result[-1] if result else None
        pair = _year_and_day(last, one) if last and compiled(_IN).fullmatch(gap(text, last.end, one.at)) else None
        if last and pair:
            year, day = pair
            span = in_year(day.span, year.span[0].year)
            if span:
                result[-1] = replace(day, start=last.start, end=one.end, at=last.at, span=span, year=True, weak=False)
                continue
        result.append(one)
    return result


_ALSO = r"\s*(?:[/&,]|,?\s(?:and|or|und|oder|y|o|et|ou|vs\.?))\s*|\s*[和与とや、]\s*"


def _shared_year(text: str, found: Sequence[Found]) -> list[Found]:
    """``January and February 2024``: the year holds for both; ``in 2023 and 2024``, ``in May and June``: both count."""
    result = list(found)
    for i in range(1, len(result)):
        one, other = result[i - 1], result[i]
        years = not one.weak and one.year and other.weak and spans.is_year(one.span) and spans.is_year(other.span)
        if (
            years
            and compiled(_ALSO).fullmatch(gap(text, one.end, other.at))
            and not compiled(_COUNTED).match(text, other.end)
        ):
            result[i] = replace(other, weak=False)
        months = not one.weak and other.weak and spans.is_month(one.span) and spans.is_month(other.span)
        if months and compiled(_ALSO).fullmatch(gap(text, one.end, other.at)):
            result[i] = replace(other, weak=False)
    for i in range(len(result) - 2, -1, -1):
        one, other = result[i], result[i + 1]
        named = other.year and not (one.year or one.relative or other.relative or spans.is_year(other.span))
        alike = spans.is_month(one.span) == spans.is_month(other.span)
        if named and alike and compiled(_ALSO).fullmatch(gap(text, one.end, other.at)):
            span = in_year(one.span, other.span[0].year)
            if span and span[0] <= other.span[0]:
                result[i] = replace(one, span=span, year=True, weak=False)
    return result


def _year_and_day(first: Found, second: Found) -> tuple[Found, Found] | None:
    for year, day in ((first, second), (second, first)):
        if year.relative and spans.is_year(year.span) and not (day.relative or day.year or spans.is_year(day.span)):
            return year, day
    return None


_FROM = (
    r"(?:\b(?:between|from|since|zwischen|von|vom|seit|entre|de|del|du|desde|depuis|des)(?:\s+(?:the|dem|el|le))?\s+"
    r"|[从自在])$"
)
_TO = (
    r"\s*(?:[-–—~〜]|\.\.\.?|…)\s*|\s+(?:to|through|thru|until|till|bis(?: zum)?|al|hasta(?: el)?|a|jusqu['’]?au|au)\s+"
    r"(?:the\s+)?|,?\s*(?:到|至|から)\s*"
)
_AND = r"\s+(?:and|und|y|e|et)\s+(?:(?:the|dem|el|le|in)\s+)?|\s*[与和と]\s*"
_UNTIL_SIGN = r"\s*(?:まで|之间|の間)"


def _ranges(text: str, found: Sequence[Found]) -> list[Found]:
    """``from May 3 to June 2``: all days from the first to the last."""
    result: list[Found] = []
    for one in found:
        whole = _range(text, result[-1], one) if result else None
        if whole is None:
            result.append(one)
        else:
            result[-1] = whole
    return result


def _range(text: str, first: Found, last: Found) -> Found | None:
    near = before(text, first)
    opener = compiled(_FROM).search(near)
    between = gap(text, first.end, last.at)
    if not (compiled(_TO).fullmatch(between) or (opener and compiled(_AND).fullmatch(between))) or first.open is False:
        return None
    if not (_is_no_count(text, first, opened=bool(opener)) and _is_no_count(text, last, opened=bool(opener))):
        return None
    span = meant(lambda _day: _spanned(first, last), last.span[0])
    if span is None:
        return None
    until = compiled(_UNTIL_SIGN).match(text, last.end)
    return replace(
        last,
        start=min(first.start, first.at - len(near) + opener.start()) if opener else first.start,
        end=until.end() if until else last.end,
        at=first.at,
        span=span,
        relative=first.relative and last.relative,
        year=first.year or last.year,
        weak=False,
        open=False,
    )


_COUNTED = (
    r"\s+(?!(?:in|at|on|with|about|for|and|or|to|until|did|was|were|is|we|i|you|what|who|how|und|bis|y|e|et|a|al|au"
    r"|hasta)\b)[^\W\d]"
)
_NUMBERED = (
    r"\b(?:ports?|ids?|lines?|pages?|rooms?|values?|numbers?|rfcs?|seiten?|zeilen?)\s+(?:from|between|von|zwischen)\b"
)


def _is_no_count(text: str, one: Found, *, opened: bool) -> bool:
    """Whether a bare year is not the number of something (``between 2000 and 2024 users``)."""
    if not (one.weak and spans.is_year(one.span)):
        return True
    return opened and not (compiled(_COUNTED).match(text, one.end) or compiled(_NUMBERED).search(before(text, one)))


def _spanned(first: Found, last: Found) -> Span | None:
    """From the first to the last, in the years that are named; a year named once holds for both."""
    begin, end = first.span, last.span
    if first.weekday and last.weekday:
        return begin[0], begin[0] + (end[0] - begin[0]) % days(WEEK)
    if first.relative or last.relative:
        pass
    elif first.year and last.year:
        begin, end = min(begin, end), max(begin, end)
    elif last.year:
        begin = spans.in_year(begin, end[0].year)
        if begin[0] > end[0]:
            begin = spans.in_year(begin, end[0].year - 1)
    else:
        end = spans.in_year(end, begin[0].year)
        if end[0] < begin[0]:
            end = spans.in_year(end, begin[0].year + 1)
    return (begin[0], end[1]) if begin[0] <= end[1] else None


_UNIT = rf"(?P<u>{alternatives(UNITS)})"
_DAY_NAME = rf"(?P<w>{alternatives(WEEKDAYS)})"
_TIME = rf"(?:{_UNIT}|{_DAY_NAME}|(?P<weekend>{alternatives(WEEKENDS)})|(?P<night>{alternatives(NIGHTS)}))"
_RELATED = (
    rf"\b(?:(?:(?P<n>\d{{1,3}}|{alternatives(NUMBERS)}|{alternatives(FEW | HALF)})|the|der|dem|die|am|la|el|le|l['’])"
    rf"\s*)?\b(?<!every )(?<!many )(?<!viele )(?<!each )(?<!jede )(?<!jeden )(?<!cada )(?<!chaque ){_TIME}\s+"
    r"(?:(?P<before>before|prior to|preceding|leading up to|vor|antes|anterior|avant|precedant|previa)"
    r"|(?P<after>after|following|nach|despues|siguiente|posterior|apres|suivant)|(?P<of>of|vom|um|du|del?))"
    r"(?:\s+(?:the|dem|den|der|de|del|el|al|a|le|la))*\s+$"
)
_LAST = r"(?:last|past|letzte|vergangene|dernier)"
_EVE = (
    r"\b(?:the |la |le )?(?:(?P<before>eve|veille|visperas?|vorabend)|(?P<after>lendemain))\s+(?:of|du|de|del|des|vom)"
    r"(?:\s+(?:the|la|le|dem))?\s+$"
)
_PLURAL = r"(?:day|week|month|year|fortnight|dia|semana|ano|jour|semaine|an|annee)s|meses|\w+en|tage|monate|jahre"
_SEVERAL = 5
"""How many units "in the weeks before" is taken to be."""
_AROUND = r"\b(?:around|circa|ca\.|um den|um|rund um den|alrededor del?|hacia el|vers le|autour du)\s+$"
_NEXT_SIGN = (
    r"(?:的|の)?(?:(?P<before>前)|(?P<after>[后後次翌]))(?:の|[一1]?个?)?(?P<u>天|日|周|星期|週|月)(?P<span>間|内)?"
)


def _related(text: str, found: Iterable[Found]) -> list[Found]:
    """``the week before August 3``, ``two days after May 4``, ``the weekend of April 10``, ``8月3日の1週間前``."""
    result: list[Found] = []
    for one in found:
        last = result[-1] if result else None
        if last and _is_day(last) and text[one.end - 1] == "前" and text[last.end : one.start] in {"", "的", "の"}:
            span = meant(one.again, last.span[0])
            if span is not None:
                result[-1] = replace(last, end=one.end, span=span)
                continue
        related = _relation(text, one)
        put(result, one if related is None or (last and _is_told_of(text, last, related)) else related)
    return result


def _is_told_of(text: str, one: Found, related: Found) -> bool:
    """Whether it is ``last week`` before a day, not the week before it."""
    return one.relative and related.start < one.end and compiled(_LAST).match(text, one.start) is not None


def _relation(text: str, one: Found) -> Found | None:
    if one.open is False or (one.relative and one.span[0] != one.span[1]):
        return None
    if _is_day(one) and text.startswith(("前后", "前後"), one.end):
        return _near(one, end=one.end + 2)
    sign = compiled(_NEXT_SIGN).match(text, one.end) if _is_day(one) else None
    near = before(text, one)
    match = sign or compiled(_EVE).search(near) or compiled(_RELATED).search(near)
    if match is None:
        around = compiled(_AROUND).search(near) if _is_day(one) else None
        return _near(one, start=one.at - len(near) + around.start()) if around else None
    span = meant(lambda _day: _beside(match, one.span), one.span[0])
    if span is None:
        return None
    start = one.start if sign else min(one.start, one.at - len(near) + match.start())
    return replace(one, start=start, at=start, end=match.end() if sign else one.end, span=span, weak=False)


def _near(one: Found, start: int | None = None, end: int | None = None) -> Found | None:
    start = one.start if start is None else start
    span = meant(lambda day: (day - days(3), day + days(3)), one.span[0])
    return replace(one, start=start, at=start, end=end or one.end, span=span) if span else None


def _beside(match: re.Match[str], named: Span) -> Span | None:
    groups = match.groupdict()
    sign = -1 if groups["before"] else 1
    edge = named[0] if groups["before"] else named[1]
    if groups.get("of"):
        return _around(groups, named)
    if groups.get("w"):
        weekday = WEEKDAYS[groups["w"]]
        return spans.same(spans.weekday_before(edge, weekday) if sign < 0 else _weekday_after(edge, weekday))
    if groups.get("weekend"):
        saturday = spans.weekend_before(edge - days(1))[0] if sign < 0 else _weekday_after(edge, 5)
        return saturday, saturday + days(1)
    if groups.get("night") or not groups.get("u"):
        return spans.same(edge + days(sign))
    unit = UNITS[groups["u"]]
    if groups.get("n"):
        first, last = spans.ago(edge, groups["n"], unit) if sign < 0 else _later(edge, groups["n"], unit)
        return (first, min(last, edge - days(1))) if sign < 0 else (max(first, edge + days(1)), last)
    if unit == MONTH and spans.is_month(named):
        return spans.calendar_month(edge, -sign)
    if unit == YEAR and spans.is_year(named):
        return spans.year_span(edge.year + sign)
    unit *= _SEVERAL if compiled(_PLURAL).fullmatch(groups["u"]) else 1
    return (edge - days(unit), edge - days(1)) if sign < 0 else (edge + days(1), edge + days(unit))


def _around(groups: dict[str, str | None], named: Span) -> Span | None:
    """The week or weekend that a day is in."""
    monday = named[0] - days(named[0].weekday())
    if named[0] != named[1] or groups["n"]:
        return None
    if groups["weekend"]:
        return monday + days(5), monday + days(6)
    return (monday, monday + days(6)) if UNITS.get(groups["u"] or "") == WEEK else None


def _weekday_after(day: dt.date, weekday: int) -> dt.date:
    return day + days((weekday - day.weekday()) % WEEK or WEEK)


def _later(edge: dt.date, count: str, unit: int) -> Span:
    first, last = spans.ago(edge, count, unit)
    return edge + (edge - last), edge + (edge - first)


_SAID = (
    r"\b(?:mentioned|said|told|written|wrote|noted|stated|reported|described|recorded|shared|posted|according to|as of"
    r"|as per|erwahnt|gesagt|erzahlt|geschrieben|notiert|laut|gemass|mencionado|dicho|contado|escrito|segun|mentionne"
    r"|dit|ecrit|raconte|selon)"
    r"(?:\W+(?:in|by|to|me|us|him|her|them|the|a|an|my|his|their|our|note|notes|entry|message|conversation|chat|diary"
    r"|journal|log|session|of|on|from|at|dated|im|in|der|dem|den|die|am|vom|von|notiz|eintrag|tagebuch|en|el|la|del|de"
    r"|nota|dans|du|le|une|un)\b)*\W*$"
    r"|(?:根据|据|按照)$"
)
_SAID_AFTER = r"の?\w{0,6}によ[るれ]|\s+(?:erwahnt|gesagt|erzahlt|geschrieben|notiert|berichtet)\b"
_AS = r"(?:\bwie\s+(?:am\s+|im eintrag vom\s+|in der notiz vom\s+)?|^)$"
_BEFORE = r"\s+(?:before|prior to|vor(?: dem)?|antes del?|avant(?: le)?)\s+"


def _told(text: str, found: Sequence[Found]) -> list[Found]:
    """``last week, as mentioned on November 6``: what is not a date by itself is meant as on the day of telling."""
    if len(found) < 2:
        return list(found)
    said = [_is_day(one) and _is_said(text, one) for one in found]
    result = list(found)
    for i, one in enumerate(found):
        if i + 1 < len(found) and one.relative and _is_day(found[i + 1]) and _is_before(text, one, found[i + 1]):
            said[i + 1] = True
    telling = [i for i, is_said in enumerate(said) if is_said]
    for i, one in enumerate(found):
        if not telling or said[i] or not one.relative:
            continue
        day = min(telling, key=lambda j: abs(j - i))
        span = meant(one.again, found[day].span[0])
        if span is not None:
            result[i] = replace(one, span=span, open=one.phrase)
    return [replace(one, open=False) if said[i] else one for i, one in enumerate(result)]


def _is_said(text: str, one: Found) -> bool:
    near = before(text, one)
    return bool(
        compiled(_SAID).search(near) or (compiled(_AS).search(near) and compiled(_SAID_AFTER).match(text, one.end))
    )


def _is_before(text: str, one: Found, day: Found) -> bool:
    return compiled(_BEFORE).fullmatch(gap(text, one.end, day.start)) is not None
