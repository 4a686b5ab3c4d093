"""What the patterns of dates are made of.

Groups have one letter: ``y`` year, ``m`` month, ``d`` day, ``e`` last day of a range, ``w`` day of the week, ``n``
count, ``u`` unit, ``q`` quarter, ``k`` which of several; ``at`` begins where the preposition ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from openclaw_memory_core.records import record
from openclaw_memory_core.search.date_spans import Resolver
from openclaw_memory_core.search.date_words import (
    FEASTS,
    FEW,
    HALF,
    MONTHS,
    NUMBERS,
    ORDINALS,
    UNITS,
    WEEKDAYS,
    alternatives,
)


@record
class Rule:
    """A pattern for folded text.

    :param needs: sets of words; the text must hold one word of each.
    :param relative: see :class:`~openclaw_memory_core.search.dates.DateRange`, as *open* and *phrase*.
    :param weak: tells of a match whether it counts only as part of a longer date.
    """

    pattern: str
    resolve: Resolver
    needs: tuple[Collection[str], ...]
    relative: bool = False
    weak: Callable[[re.Match[str]], bool] | None = None
    open: bool | None = None
    phrase: bool = False


LETTERS = re.compile(r"[^\W\d_]+")
DIGIT, CJK = "0", "CJK"
"""Stand for any digit, and any Chinese or Japanese character, among the words of a text."""

D, C = (DIGIT,), (CJK,)
"""Needed: a digit; a Chinese or Japanese character."""

# Names: of months, days of the week, units, counts, and first to fifth.
M, W, U, N, K = (alternatives(words) for words in (MONTHS, WEEKDAYS, UNITS, NUMBERS, ORDINALS))
LONG_U = alternatives(word for word, days in UNITS.items() if days > 1)

# Years, and what may stand before one; SIGN is for texts without spaces.
BARE_Y = r"(?:19|20)\d\d"
Y = rf"(?P<y>{BARE_Y})(?!\w|[.,:/-]\d)"
Y_SIGN = rf"(?:(?P<y>{BARE_Y})年)?"
OF = r"(?:\s+(?:of|de|del)\s+|,?\s+)"
YEAR = rf"(?:\.?(?:,\s*|{OF}){Y})?"

# Counts and units.
NUMBER = rf"(?P<n>\d{{1,3}}|{N}|{alternatives(FEW | HALF)})"
NUMBER_SIGN = r"(?P<n>\d{1,3}|[一二两三四五六七八九十]{1,3}|[几数半])"
UNIT_SIGN = r"\s*[个ヶかカケ]?(?P<u>星期|天|日|周|週間|月|年)"

# Between two days: what may always stand there, and what only after an opening word.
TO = r"(?:\s*[-–—~〜]\s*|\s+(?:to|through|thru|until|till|bis(?:\s+zum)?|al|au|a)\s+)(?:the\s+)?"
AND = rf"(?:{TO}|\s+(?:and|und|y|e|et)\s+(?:(?:the|dem|el|le)\s+)?)"
BETWEEN = r"(?P<between>\b(?:between|from|zwischen|von|vom|entre|de|del|du)\s+(?:(?:the|dem|el|le)\s+)?)?"
SIGNS = "[一二三四五六七八九十]"
TO_SIGN = r"\s*(?:到|至|から|[-–—~〜])\s*"
ST = r"(?:st|nd|rd|th)?"
ORDINAL = r"(?:st|nd|rd|th|er|\.)?"

LAST = r"(?:last|previous|prior|letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?)"
THIS = r"(?P<this>(?:this|diese[nrsm]?)\b)"

# What must not follow, or must: "may be" is no month, "last week of the sprint" not last week, "May 1,200" no day.
NO_VERB = r"(?!(?<=\bmay)\s+(?:be|have|not|i|we|you|he|she|it|they|also|need|cause|fail|want|get|still|only|use)\b)"
NO_PART = r"(?!\s+of\b)"
NO_COUNT = r"(?!\w|[:.]\d|%|,\d{3}(?!\d))"
END = r"(?=\s*(?:$|[,;:?!)]|\.(?:\s|$)))"
ON = (
    rf"(?:{END}|(?=\s+(?:at|in|we|i|you|he|she|they|it|with|about|for|and|or|to|did|was|were|is|by|from|when|my|our"
    r"|as)\b))"
)

# Prepositions.
IN = (
    "in|during|since|of|early|late|mid|until|till|by|before|after|im|seit|anfang|mitte|ende|ab|bis|en|debut|fin"
    "|depuis|desde|hasta|jusqu['’]en"
)
OF_MONTH = (
    r"(?:(?:this|next|around|diesen|nachsten|vom|zum|este|proximo|cet|mes de|mois de|fin(?:ales)? de|principios de)\s+"
    r"|(?:mois |debut |fin )?d['’])"
)
"""What stands before a month and hardly before a person's name."""

IN_SEASON = (
    r"(?:in|during|over|since|early|late|im|seit|en)\s+(?:the\s+)?"
    r"|(?P<this>(?:in diesem|diesen|this|este|esta|cet|cette)\s+)"
    r"|(?P<last>(?:last|letzten|vergangenen)\s+)"
)
FEAST = "|".join(sorted(FEASTS, key=len, reverse=True))
FRENCH = frozenset({"ai", "qu", "ce", "est", "quoi", "que", "nous", "avons", "le", "les", "la", "de", "il", "elle"})
AT_FEAST = (
    r"over|at|on|during|around|last|this|since|before|after|until|by|an|zu|uber|nach|vor|seit|bis|letzte[ns]?|en|por"
    r"|desde|a|pour|le|el"
)


def until(ordinal: str) -> str:
    """From one number to another: ``and`` stands between them only after ``between``."""
    return rf"(?P<d>\d{{1,2}}){ordinal}(?(between){AND}|{TO})(?P<e>\d{{1,2}})"
