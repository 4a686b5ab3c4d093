"""Dates that a question names, resolved against an injected day.

Absolute: ``2026-03-31``, ``31.3.2026``, ``14 May 2023``, ``May 14``, ``in May 2023``, ``in 2022``, ``on the 14th``,
``3月5日``.  Relative: yesterday, last week, three days ago, last May.  English, German, Spanish, French, Chinese and
Japanese.  A name without a year is the latest such day or month that is not in the future.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Callable

from openclaw_memory_core.records import record
from openclaw_memory_core.search.date_words import (
    AMBIGUOUS_MONTHS,
    DAY,
    FIXED,
    MONTH,
    MONTHS,
    NUMBERS,
    UNITS,
    WEEK,
    WEEKDAYS,
    YEAR,
    alternatives,
)
from openclaw_memory_core.search.words import fold


@record
class DateRange:
    """A span of days that a question names.

    :param words: the part of the (folded) question that names it.
    :param relative: the words are not those of a note about it (``yesterday``, ``last week``).
    :param open: the question looks beyond it (``since May``, ``until Friday``, ``from February on``) or ahead, so that
        the notes of these days need not be those that answer.
    """

    first: dt.date
    last: dt.date
    words: str
    relative: bool = False
    open: bool = False

    def contains(self, day: dt.date) -> bool:
        """Whether *day* is one of its days."""
        return self.first <= day <= self.last

    @property
    def days(self) -> int:
        """How many days it spans."""
        return (self.last - self.first).days + 1


Span = tuple[dt.date, dt.date]
Resolver = Callable[[re.Match[str], dt.date], Span | None]


def find_dates(text: str, today: dt.date) -> list[DateRange]:
    """The dates that *text* names, in the order of :data:`_RULES`; a word belongs to one of them at most."""
    folded = rest = fold(text)
    ahead = _AHEAD.search(folded) is not None
    found = []
    for pattern, resolve, relative in _RULES:
        for match in pattern.finditer(rest):
            span = _resolved(resolve, match, today)
            if span is not None:
                beyond = (ahead and not relative) or _looks_beyond(folded, match)
                found.append(DateRange(*span, words=match.group().strip(), relative=relative, open=beyond))
                rest = rest[: match.start()] + "\0" * len(match.group()) + rest[match.end() :]
    return found


_OPENS = re.compile(
    r"\b(?:since|until|till|by|before|after|starting|beginning|ab|seit|bis|nach|vor|desde|hasta|antes de|despues de"
    r"|a partir d[eu]|depuis|jusqu['’]?(?:a|en|au)?|avant|apres)(?: (?:the|dem|den|der|zum|zu|el|le|la))?\s*$"
)
_OPENED = re.compile(r"^(?:since|seit|desde|depuis)\b")
_GOES_ON = re.compile(
    r"^[.,]?\s*(?:on(?:wards?)?\b|and (?:later|after|beyond)\b|an\b|以[来後降后]|から|まで|之[前后後]|[前后後])"
)
_AHEAD = re.compile(
    r"\b(?:will|going to|next|upcoming|coming|werde|wird|werden|nachste[nrsm]?|kommende[nrsm]?"
    r"|proxim[oa]s?|sera|prochaine?s?|(?:is|are|ist|sind)\b.*\b(?:planned|due|geplant|fallig))\b|将|明[年天日]|来[年月週]|予定"
)


def _looks_beyond(text: str, match: re.Match[str]) -> bool:
    """Whether the words around a date say that it is where something begins or ends."""
    before, after = text[: match.start()], text[match.end() :]
    return bool(_OPENS.search(before) or _OPENED.match(match.group().strip()) or _GOES_ON.match(after))


def _resolved(resolve: Resolver, match: re.Match[str], today: dt.date) -> Span | None:
    try:
        return resolve(match, today)
    except (ValueError, OverflowError):
        # 31 April, year 0: the words name no day, so they are ordinary words of the question.
        return None


def _same(day: dt.date) -> Span:
    return day, day


def _month(year: int, month: int) -> Span:
    return dt.date(year, month, 1), dt.date(year, month, calendar.monthrange(year, month)[1])


def _calendar_month(today: dt.date, back: int) -> Span:
    months = today.year * 12 + today.month - 1 - back
    return _month(months // 12, months % 12 + 1)


def _latest(today: dt.date, month: int, day: int) -> Span | None:
    """The latest day of this name that is not in the future; 29 February may be eight years back."""
    for year in range(today.year, today.year - 9, -1):
        if day <= calendar.monthrange(year, month)[1] and dt.date(year, month, day) <= today:
            return _same(dt.date(year, month, day))
    return None


def _numeric(match: re.Match[str], today: dt.date) -> Span | None:
    month, day, year = int(match["m"]), int(match["d"]), match["y"]
    return _same(dt.date(int(year), month, day)) if year else _latest(today, month, day)


def _named_day(match: re.Match[str], today: dt.date) -> Span | None:
    month, day, year = MONTHS[match["m"]], int(match["d"]), match["y"]
    return _same(dt.date(int(year), month, day)) if year else _latest(today, month, day)


def _named_month(match: re.Match[str], today: dt.date) -> Span | None:
    month = MONTHS[match["m"]]
    if match["y"]:
        return _month(int(match["y"]), month)
    alone = match.group().strip(" .?!") == match.string.strip(" .?!")
    if match["m"] in AMBIGUOUS_MONTHS and not match["before"] and not alone:
        return None
    # "last May", asked in May, is the one of last year.
    past = month < today.month or (month == today.month and not match["last"])
    return _month(today.year if past else today.year - 1, month)


def _cjk_month(match: re.Match[str], today: dt.date) -> Span:
    month = int(match["m"])
    return _month(int(match["y"]) if match["y"] else today.year - (month > today.month), month)


def _whole_year(match: re.Match[str], _today: dt.date) -> Span:
    year = int(match["y"])
    return dt.date(year, 1, 1), dt.date(year, 12, 31)


def _nth(match: re.Match[str], today: dt.date) -> Span | None:
    day = int(match["d"])
    for back in range(12):
        first, last = _calendar_month(today, back)
        if 1 <= day <= last.day and first.replace(day=day) <= today:
            return _same(first.replace(day=day))
    return None


def _weekday(match: re.Match[str], today: dt.date) -> Span:
    return _same(today - dt.timedelta(days=(today.weekday() - WEEKDAYS[match["w"]]) % 7 or 7))


def _count(match: re.Match[str]) -> int:
    count = match["n"] or "1"
    return int(count) if count.isdigit() else NUMBERS[count]


def _ago(match: re.Match[str], today: dt.date) -> Span:
    unit = UNITS[match["u"]]
    middle = today - dt.timedelta(days=_count(match) * unit)
    # "Two months ago" is not a day: half a unit to either side is meant as well.
    slack = dt.timedelta(days=unit // 2)
    return middle - slack, min(today, middle + slack)


def _past(match: re.Match[str], today: dt.date) -> Span:
    return today - dt.timedelta(days=_count(match) * UNITS[match["u"]]), today


def _unit(back: int) -> Resolver:
    def resolve(match: re.Match[str], today: dt.date) -> Span | None:
        unit = UNITS[next(word for word in match.groups() if word)]
        if unit == WEEK:
            monday = today - dt.timedelta(days=today.weekday() + WEEK * back)
            return monday, monday + dt.timedelta(days=6)
        if unit == MONTH:
            return _calendar_month(today, back)
        if unit == YEAR:
            return dt.date(today.year - back, 1, 1), dt.date(today.year - back, 12, 31)
        return _same(today - dt.timedelta(days=DAY * back))

    return resolve


def _weekend(_match: re.Match[str], today: dt.date) -> Span:
    sunday = today - dt.timedelta(days=(today.weekday() - 6) % 7)
    return sunday - dt.timedelta(days=1), sunday


def _french_yesterday(match: re.Match[str], today: dt.date) -> Span | None:
    """``hier`` is German for "here": it is a day only among French words, or alone."""
    alone = match.string.strip(" .?!") == match.group()
    return _same(today - dt.timedelta(days=1)) if alone or _FRENCH.search(match.string) else None


def _days_back(days: int) -> Resolver:
    return lambda _match, today: _same(today - dt.timedelta(days=days))


_FRENCH = re.compile(r"\b(?:j['’]ai|qu['’]\w*|ce que|ai-je|s['’]est|c['’]est|quoi|que|nous|avons|les?|la|de)\b")

_M, _W, _U, _N = (alternatives(words) for words in (MONTHS, WEEKDAYS, UNITS, NUMBERS))
_Y = r"(?P<y>(?:19|20)\d\d)\b"
_ORDINAL = r"(?:st|nd|rd|th|er|\.)?"
_OF = r"(?:\s+(?:of|de|del)\s+|,?\s+)"
_NUMBER = rf"(?P<n>\d{{1,3}}|{_N})"


def _rule(pattern: str, resolve: Resolver, *, relative: bool = False) -> tuple[re.Pattern[str], Resolver, bool]:
    return re.compile(pattern), resolve, relative


_RULES = (
    _rule(r"\b(?P<y>(?:19|20)\d\d)(?P<sep>[-/])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})\b", _numeric),
    _rule(r"(?<![\w.])(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.(?:\s?(?P<y>(?:19|20)\d\d))?(?![\w.])", _numeric),
    _rule(r"(?:(?P<y>(?:19|20)\d\d)年)?(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]", _numeric),
    _rule(r"(?:(?P<y>(?:19|20)\d\d)年)?(?P<m>\d{1,2})月(?!前)", _cjk_month),
    _rule(rf"\b(?P<d>\d{{1,2}}){_ORDINAL}{_OF}(?P<m>{_M})\b\.?(?:{_OF}{_Y})?", _named_day),
    _rule(rf"\b(?P<m>{_M})\b\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+{_Y})?", _named_day),
    _rule(rf"\b{_NUMBER}\s+(?P<u>{_U})\s+(?:ago|back|earlier)\b", _ago, relative=True),
    _rule(rf"\b(?:vor|hace|il y a)\s+{_NUMBER}\s+(?P<u>{_U})\b", _ago, relative=True),
    _rule(
        r"(?P<n>\d{1,3}|[一二两三四五六七八九十])\s*[个ヶかカケ]?(?P<u>星期|天|日|周|週間|月|年)[之以]?前",
        _ago,
        relative=True,
    ),
    _rule(
        rf"\b(?:past|previous|last|letzten|vergangenen|ultimos|ultimas|derniers|dernieres)\s+{_NUMBER}\s+(?P<u>{_U})\b",
        _past,
        relative=True,
    ),
    _rule(
        rf"\b(?:last|letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?|voriges)\s+(?P<u>{_U})\b", _unit(1), relative=True
    ),
    _rule(rf"\b(?P<u>{_U}) before last\b|\bvorletzte[nrsm]?\s+(?P<v>{_U})\b", _unit(2), relative=True),
    _rule(
        r"\b(?:(?:last|the|letzte[ns]|vergangene[ns]|am|dernier|le)\s+(?:weekend|wochenende|week-end))\b|上?周末|週末"
        r"|\bfin de semana\b",
        _weekend,
        relative=True,
    ),
    _rule(r"\bhier\b", _french_yesterday, relative=True),
    _rule(rf"\b(?P<u>{_U})\s+(?:pasad[ao]|derniere?|passee?)\b", _unit(1), relative=True),
    _rule(r"(?:上个?|先|(?=[去昨]年).)(?P<u>周|星期|月|週|年)", _unit(1), relative=True),
    _rule(rf"\b(?:this|diese[nrsm]?|est[ea]|cette|ce)\s+(?P<u>{_U})\b", _unit(0), relative=True),
    _rule(r"(?:这个?|今)(?P<u>周|星期|月|週|年)", _unit(0), relative=True),
    *(
        _rule(rf"\b(?:{words})\b|{signs}", _days_back(days), relative=True)
        for days, (words, signs) in sorted(FIXED.items(), reverse=True)
    ),
    _rule(rf"\b(?:last|on|am|letzten|vergangenen|le|el)\s+(?P<w>{_W})\b", _weekday, relative=True),
    _rule(
        rf"\b(?P<before>(?:in|during|since|of|early|late|mid|im|seit|anfang|mitte|ende|en|debut|fin"
        rf"|depuis|desde|(?P<last>last|letzten))\s+)?"
        rf"(?P<m>{_M})\b\.?(?:{_OF}{_Y})?",
        _named_month,
    ),
    _rule(rf"\b(?:in|during|since|im jahr|seit|en|depuis|desde)\s+{_Y}", _whole_year),
    _rule(r"(?P<y>(?:19|20)\d\d)年", _whole_year),
    _rule(r"\b(?:on the|am|el|le)\s+(?P<d>\d{1,2})(?:st|nd|rd|th|\.)?(?![\w:/-]|\.\w)", _nth),
)
