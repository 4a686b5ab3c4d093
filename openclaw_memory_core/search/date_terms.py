"""What is looked for in texts for the dates of a question: its days as the index writes them, and as notes do."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Iterable, Iterator

from openclaw_memory_core.index.model import Term
from openclaw_memory_core.records import record
from openclaw_memory_core.search import times
from openclaw_memory_core.search.date_words import MONTHS
from openclaw_memory_core.search.dates import DateRange
from openclaw_memory_core.search.words import WORD, fold

_NUMBER = re.compile(r"(?<!\w)(\d+)((?:st|nd|rd|th|er)?)\b", re.IGNORECASE)
_LINK = r"(?:of\s+|del?\s+)?"


@record
class NamedDate:
    """A day with the name of its month, or a month with its year: neither part says much without the other.

    :param month: the name, as typed.
    :param number: of the day or the year.
    :param year: that is meant, named or not.
    :param forms: how it was typed, and the other usual ways to write it with this name.
    """

    month: str
    number: int
    year: int
    forms: tuple[str, ...]

    @property
    def pattern(self) -> re.Pattern[str]:
        """Finds it in a folded text, with or without an ending (``6th``), a dot or a linking word."""
        month, end = re.escape(fold(self.month)), r"(?:st|nd|rd|th|er|\.)?"
        this = times.no_other_year(self.year)
        after = rf"(?<!\w){month}\.?,?\s+(?:the\s+)?{_LINK}{self.number}(?:st|nd|rd|th)?(?!\w)"
        return re.compile(rf"(?:(?<!\w){self.number}{end}\s+{_LINK}{month}(?!\w)|{after}){this}")


def named_date(date: DateRange, typed: str) -> NamedDate | None:
    """What to look for instead of a month's name by itself; None if the date is not of such a kind.

    :param typed: the words of the date as they are in the question.
    """
    months = [word for word in WORD.findall(typed) if fold(word) in MONTHS]
    if date.relative or len(months) != 1 or MONTHS[fold(months[0])] != date.first.month:
        return None
    if date.days > 1 and not is_month(date):
        return None
    number = date.first.day if date.days == 1 else date.first.year
    match = next((match for match in _NUMBER.finditer(typed) if int(match[1]) == number), None)
    if match is None:
        return None
    month, at = months[0], typed.find(months[0])
    core = typed[min(at, match.start()) : max(at + len(month), match.end())]
    forms = _day_forms(month, number) if date.days == 1 else (f"{month} {number}",)
    return NamedDate(month, number, date.first.year, tuple(dict.fromkeys((*forms, _plain(core)))))


def is_month(date: DateRange) -> bool:
    """Whether a date is one month, whole."""
    length = calendar.monthrange(date.first.year, date.first.month)[1]
    return date.first.day == 1 and date.days == length


def date_terms(date: DateRange) -> Iterator[Term]:
    """Words under which the index knows the days of a range: each day of a short one, else its months or years."""
    if date.days <= times.FEW_DAYS:
        for offset in range(date.days):
            yield Term((date.first + dt.timedelta(days=offset)).isoformat(), phrase=True)
    elif date.days <= times.FEW_MONTHS:
        for month in date.months:
            yield Term(f"{month.year}-{month.month:02d}", phrase=True)
    else:
        for year in range(date.first.year, date.last.year + 1):
            yield Term(str(year))


def named_terms(named: Iterable[NamedDate]) -> Iterator[Term]:
    """The usual ways to write dates that have names."""
    return (Term(form, phrase=True) for one in named for form in one.forms)


def _day_forms(month: str, day: int) -> tuple[str, ...]:
    forms = (f"{day} {month}", f"{month} {day}")
    if fold(month) not in _ENGLISH:
        return forms
    ending = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return (*forms, f"{month} {day}{ending}", f"{day}{ending} of {month}")


def _plain(text: str) -> str:
    """Without the marks between words, as phrases are looked for."""
    return " ".join(re.sub(r"[.,]", " ", text).split())


_ENGLISH = frozenset({number: name for name, number in reversed(MONTHS.items())}.values())
