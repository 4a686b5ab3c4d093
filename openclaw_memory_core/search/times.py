"""Whether a chunk is of a time that the question names: by the day of its note, or because its text names the time."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence

from openclaw_memory_core.index.model import StoredChunk
from openclaw_memory_core.search.date_words import MONTHS
from openclaw_memory_core.search.dates import DateRange
from openclaw_memory_core.search.words import fold

FEW_DAYS = 11
FEW_MONTHS = 200
"""Days up to which a span is looked for by its days, and by its months; no text names a longer one.  The last third of
a month has eleven."""

STEP = 0.98
"""Factor for each further chunk of a note where the notes of a time are listed: the beginning of each comes first."""

NAMED = 0.8
"""Factor for a text that names the time but is not of it: a text without a year may mean another one."""

_BEFORE = r"(?:in|im|of|since|until|by|early|late|seit|bis|ab|ende|anfang|mitte|en|de|desde|hasta|depuis|fin)\s+"


def share(chunk: StoredChunk, times: Sequence[DateRange], named: re.Pattern[str] | None) -> float:
    """1 if its note is of any of *times*, :data:`NAMED` if its text names one, else 0.

    :param named: what :func:`naming` made of the same times.
    """
    if chunk.date is not None and any(time.contains(chunk.date) for time in times):
        return 1.0
    return NAMED if named is not None and named.search(fold(chunk.text)) is not None else 0.0


def naming(times: Iterable[DateRange]) -> re.Pattern[str] | None:
    """A pattern for folded texts that name one of *times*; with another year it is another time."""
    parts = [part for time in times for part in _parts(time)]
    return re.compile("|".join(parts)) if parts else None


def _parts(time: DateRange) -> Iterable[str]:
    if time.days <= FEW_DAYS:
        for offset in range(time.days):
            yield from _day(time.first + dt.timedelta(days=offset))
    elif time.days <= FEW_MONTHS:
        for month in time.months:
            yield from _month(month)


def _day(day: dt.date) -> Iterable[str]:
    names, year = _names(day.month), no_other_year(day.year)
    yield rf"(?<!\d){day.isoformat()}(?!\d)"
    yield rf"(?<![\d.]){day.day}\.\s?{day.month}\.(?:{year})(?!\s?\d)|(?<![\d.])0?{day.day}\.0?{day.month}\.{day.year}"
    yield rf"(?<!\d){day.day}(?:st|nd|rd|th|er|\.)?\s+(?:of\s+|de\s+)?(?:{names})\b\.?{year}"
    yield rf"\b(?:{names})\.?\s+{day.day}(?:st|nd|rd|th)?\b{year}"
    yield rf"(?<!\d){day.month}月{day.day}[日号]"


def _month(first: dt.date) -> Iterable[str]:
    names, year = _names(first.month), no_other_year(first.year)
    yield rf"(?<!\d){first.year}-{first.month:02d}(?!\d)"
    yield rf"\b(?:{_BEFORE}|\d{{1,2}}(?:\.|st|nd|rd|th)?\s+)(?:{names})\b{year}|\b(?:{names})\s+\d{{1,2}}\b(?!\d){year}"
    yield rf"(?<!\d){first.month}月"


def _names(month: int) -> str:
    return "|".join(sorted((name for name, number in MONTHS.items() if number == month), key=len, reverse=True))


def no_other_year(year: int) -> str:
    """What follows a day or month in a text if it is not of another year."""
    return rf"(?!,?\s*(?:of\s+|de\s+)?(?!{year})(?:19|20)\d\d\b)"


def listed(chunks: Iterable[StoredChunk], shares: Mapping[int, float]) -> dict[int, float]:
    """Relevance of the chunks that have a share, by chunk, where nothing but a time is asked for."""
    found: dict[int, float] = {}
    seen: dict[str, int] = {}
    for chunk in sorted(chunks, key=lambda chunk: (chunk.path, chunk.start_line, chunk.id)):
        if chunk.id in shares:
            place = seen[chunk.path] = seen.get(chunk.path, -1) + 1
            found[chunk.id] = shares[chunk.id] * STEP**place
    return found
