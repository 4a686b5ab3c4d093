"""Dates that a question names, resolved against an injected day.

Days, months, years, quarters, weeks, ranges, parts of months, days before and after others, times as seen from today.
English, German, Spanish, French, Chinese and Japanese.  A name without a year is the latest such time that has begun.
docs/search.md says what is read and what is not.
"""

from __future__ import annotations

import datetime as dt

from openclaw_memory_core.records import record
from openclaw_memory_core.search.date_found import Found, before, compiled, find
from openclaw_memory_core.search.date_joins import join
from openclaw_memory_core.search.words import fold


@record
class DateRange:
    """A span of days that a question names.

    :param words: the part of the (folded) question that names it.
    :param relative: the words are not those of a note about it (``yesterday``, ``last week``).
    :param open: the question looks beyond it (``since May``, ``until Friday``, ``from February on``) or ahead, so that
        the notes of these days need not be those that answer.
    :param phrase: notes use these relative words themselves (``one year ago``), so they are looked for as well.
    :param at: where the words stand in the (folded) question.
    """

    first: dt.date
    last: dt.date
    words: str
    relative: bool = False
    open: bool = False
    phrase: bool = False
    at: int = 0

    def contains(self, day: dt.date) -> bool:
        """Whether *day* is one of its days."""
        return self.first <= day <= self.last

    @property
    def days(self) -> int:
        """How many days it spans."""
        return (self.last - self.first).days + 1

    @property
    def months(self) -> list[dt.date]:
        """The first days of its months."""
        first, last = (day.year * 12 + day.month - 1 for day in (self.first, self.last))
        return [dt.date(month // 12, month % 12 + 1, 1) for month in range(first, last + 1)]


def find_dates(text: str, today: dt.date) -> list[DateRange]:
    """The dates that *text* names, in its order; a word belongs to one of them at most."""
    folded = fold(text)
    found = join(folded, find(folded, today), today)
    ahead = bool(found) and compiled(_AHEAD).search(folded) is not None
    return [
        DateRange(
            *one.span,
            words=(words := folded[one.start : one.end].strip()),
            relative=one.relative,
            open=(ahead and not one.relative) or (_looks_beyond(folded, one) if one.open is None else one.open),
            phrase=one.phrase,
            at=folded.index(words, one.start),
        )
        for one in found
    ]


_OPENS = (
    r"\b(?:since|until|till|by|before|after|starting|beginning|ab|seit|bis|nach|vor|desde|hasta|antes de|despues de"
    r"|a partir d[eu]|depuis|jusqu['’]?(?:a|en|au)?|avant|apres)(?: (?:the|dem|den|der|zum|zu|el|le|la))?\s*$"
)
_GOES_ON = r"[.,]?\s*(?:on(?:wards?)?\b|and (?:later|after|beyond)\b|an\b|以[来後降后]|から|まで|之[前后後]|[前后後])"
_AHEAD = (
    r"\b(?:will|going to|next|upcoming|coming|werde|wird|werden|nachste[nrsm]?|kommende[nrsm]?"
    r"|proxim[oa]s?|sera|prochaine?s?|(?:is|are|ist|sind)\b.*\b(?:planned|due|geplant|fallig))\b|将|明[年天日]|来[年月週]|予定"
)


def _looks_beyond(text: str, one: Found) -> bool:
    """Whether the words around a date say that it is where something begins or ends."""
    return bool(compiled(_OPENS).search(before(text, one)) or compiled(_GOES_ON).match(text, one.end))
