"""The words that name a day, a month or another span by themselves, one pattern each.

A question has few of these words, so a pattern is compiled when a text first holds the words that it needs.  Whatever
can stand before a date or after it (``the week before``, ``early``) is not here but in ``date_joins.py``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from openclaw_memory_core.records import record
from openclaw_memory_core.search import date_spans as spans
from openclaw_memory_core.search.date_spans import Resolver
from openclaw_memory_core.search.date_words import (
    CJK_FEASTS,
    FEASTS,
    FEW,
    FIXED,
    HALF,
    MONTHS,
    NUMBERS,
    ORDINALS,
    QUARTERS,
    SEASONS,
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

_D, _C = (DIGIT,), (CJK,)
_M, _W, _U, _N, _K = (alternatives(words) for words in (MONTHS, WEEKDAYS, UNITS, NUMBERS, ORDINALS))
_LONG_U = alternatives(word for word, days in UNITS.items() if days > 1)
_BARE_Y = r"(?:19|20)\d\d"
_Y = rf"(?P<y>{_BARE_Y})(?!\w|[.,:/-]\d)"
_Y_SIGN = rf"(?:(?P<y>{_BARE_Y})年)?"
_ORDINAL = r"(?:st|nd|rd|th|er|\.)?"
_OF = r"(?:\s+(?:of|de|del)\s+|,?\s+)"
_YEAR = rf"(?:\.?(?:,\s*|{_OF}){_Y})?"
_NUMBER = rf"(?P<n>\d{{1,3}}|{_N}|{alternatives(FEW | HALF)})"
_NUMBER_SIGN = r"(?P<n>\d{1,3}|[一二两三四五六七八九十]{1,2}|[几数半])"
_UNIT_SIGN = r"\s*[个ヶかカケ]?(?P<u>星期|天|日|周|週間|月|年)"
_TO = r"(?:\s*[-–—~〜]\s*|\s+(?:to|through|thru|until|till|bis(?:\s+zum)?|al|au|a)\s+)(?:the\s+)?"
_AND = rf"(?:{_TO}|\s+(?:and|und|y|e|et)\s+(?:(?:the|dem|el|le)\s+)?)"
_BETWEEN = r"(?P<between>\b(?:between|from|zwischen|von|vom|entre|de|del|du)\s+(?:(?:the|dem|el|le)\s+)?)?"
_TO_SIGN = r"\s*(?:到|至|から|[-–—~〜])\s*"
_ST = r"(?:st|nd|rd|th)?"
_LAST = r"(?:last|previous|prior|letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?)"
_THIS = r"(?P<this>(?:this|diese[nrsm]?)\b)"
_NO_VERB = r"(?!(?<=\bmay)\s+(?:be|have|not|i|we|you|he|she|it|they|also|need|cause|fail|want|get|still|only|use)\b)"
_NO_PART = r"(?!\s+of\b)"
_NO_COUNT = r"(?!\w|[:.]\d|%|,\d{3}(?!\d))"
_END = r"(?=\s*(?:$|[,;:?!)]|\.(?:\s|$)))"
_ON = (
    rf"(?:{_END}|(?=\s+(?:at|in|we|i|you|he|she|they|it|with|about|for|and|or|to|did|was|were|is|by|from|when|my|our"
    r"|as)\b))"
)
_IN = (
    "in|during|since|of|early|late|mid|until|till|by|before|after|im|seit|anfang|mitte|ende|ab|bis|en|debut|fin"
    "|depuis|desde|hasta|jusqu['’]en"
)
_IN_SEASON = (
    r"(?:in|during|over|since|early|late|im|seit|en)\s+(?:the\s+)?"
    r"|(?P<this>(?:in diesem|diesen|this|este|esta|cet|cette)\s+)"
    r"|(?P<last>(?:last|letzten|vergangenen)\s+)"
)
_FEAST = "|".join(sorted(FEASTS, key=len, reverse=True))
_FRENCH = frozenset({"ai", "qu", "ce", "est", "quoi", "que", "nous", "avons", "le", "les", "la", "de", "il", "elle"})
_AT_FEAST = (
    r"over|at|on|during|around|last|this|since|before|after|until|by|an|zu|uber|nach|vor|seit|bis|letzte[ns]?|en|por"
    r"|desde|a|pour|le|el"
)


def _until(ordinal: str) -> str:
    """From one number to another: ``and`` stands between them only after ``between``."""
    return rf"(?P<d>\d{{1,2}}){ordinal}(?(between){_AND}|{_TO})(?P<e>\d{{1,2}})"


_ABSOLUTE = (
    Rule(
        rf"(?<![a-z0-9_])(?P<y>{_BARE_Y})(?P<sep>[-/])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})(?![a-z0-9_])",
        spans.numeric,
        (_D,),
    ),
    Rule(
        rf"(?<![\w./-])(?P<d>\d{{1,2}})(?P<sep>[-/])(?P<m>\d{{1,2}})(?P=sep)(?P<y>{_BARE_Y})(?![\w/-])",
        spans.slashed,
        (_D,),
    ),
    Rule(
        rf"(?<![\w.])(?P<d>\d{{1,2}})\.?\s?[-–]\s?(?P<e>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.(?:\s?(?P<y>{_BARE_Y}))?"
        r"(?!\w|\.\w)",
        spans.days_of_month,
        (_D,),
        open=False,
    ),
    Rule(
        rf"(?<![\w.])(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.(?:\s?(?P<y>{_BARE_Y}))?(?!\w|\.\w)",
        spans.numeric,
        (_D,),
    ),
    Rule(
        rf"[从自]?{_Y_SIGN}(?P<m>\d{{1,2}})月(?P<d>\d{{1,2}})[日号]?{_TO_SIGN}(?P<e>\d{{1,2}})[日号](?:まで)?",
        spans.days_of_month,
        (_D, _C),
        open=False,
    ),
    Rule(rf"{_Y_SIGN}(?P<m>\d{{1,2}})月(?P<d>\d{{1,2}})[日号]", spans.numeric, (_D, _C)),
    Rule(rf"{_Y_SIGN}(?P<m>\d{{1,2}})月(?!前)", spans.cjk_month, (_D, _C)),
    Rule(
        rf"{_BETWEEN}(?<![\w.]){_until(_ORDINAL)}{_ORDINAL}(?:{_OF}|(?<=\.))(?P<m>{_M})\b{_NO_VERB}{_YEAR}",
        spans.days_of_month,
        (_D, MONTHS),
        open=False,
    ),
    Rule(
        rf"{_BETWEEN}\b(?P<m>{_M})\b\.?\s+{_until(_ST)}{_ST}{_NO_COUNT}"
        rf"(?!{_OF}(?:{_M})\b){_YEAR}",
        spans.days_of_month,
        (_D, MONTHS),
        open=False,
    ),
    Rule(
        rf"(?<![\w.])(?P<d>\d{{1,2}}){_ORDINAL}(?:{_OF}|(?<=\.))(?P<m>{_M})\b{_NO_VERB}{_YEAR}",
        spans.named_day,
        (_D, MONTHS),
    ),
    Rule(rf"\b(?P<m>{_M})\b\.?\s+(?P<d>\d{{1,2}}){_ST}{_NO_COUNT}{_YEAR}", spans.named_day, (_D, MONTHS)),
)

_AGO = (
    Rule(
        rf"\b{_NUMBER}\s+(?P<w>{_W})s?\s+ago\b",
        spans.weekdays_ago,
        (WEEKDAYS.keys() | {f"{day}s" for day in WEEKDAYS}, ("ago",)),
        relative=True,
    ),
    Rule(rf"\b(?P<w>{_W})\s+{_NUMBER}\s+weeks?\s+ago\b", spans.weekday_weeks_ago, (WEEKDAYS, ("ago",)), relative=True),
    Rule(
        rf"\b{_NUMBER}\s+weeks?\s+ago\s+(?:on\s+)?(?P<w>{_W})\b",
        spans.weekday_weeks_ago,
        (WEEKDAYS, ("ago",)),
        relative=True,
    ),
    Rule(
        rf"\b(?P<w>{_W})\s+(?:vor|hace)\s+{_NUMBER}\s+(?:wochen?|semanas?)\b",
        spans.weekday_weeks_ago,
        (WEEKDAYS, ("vor", "hace")),
        relative=True,
    ),
    Rule(
        rf"\b{_NUMBER}\s+(?P<u>{_U})\s+(?:ago|back|earlier)\b(?:\s+today\b)?",
        spans.units_ago,
        (UNITS, ("ago", "back", "earlier")),
        relative=True,
    ),
    Rule(
        rf"\b(?:vor|hace|il y a)\s+{_NUMBER}\s+(?P<u>{_U})\b",
        spans.units_ago,
        (UNITS, ("vor", "hace", "il")),
        relative=True,
    ),
    Rule(rf"{_NUMBER_SIGN}{_UNIT_SIGN}[之以]?前", spans.units_ago, (_C,), relative=True),
    Rule(
        rf"\b(?:past|previous|last|letzten|vergangenen|ultimos|ultimas|derniers|dernieres)\s+{_NUMBER}\s+(?P<u>{_U})\b",
        spans.past,
        (UNITS,),
        relative=True,
    ),
    Rule(rf"\bpast\s+(?P<u>{_U})\b", spans.past, (("past",), UNITS), relative=True),
    Rule(rf"(?:最近|[过過]去|ここ|この){_NUMBER_SIGN}{_UNIT_SIGN}間?", spans.past, (_C,), relative=True),
)

_IN_WEEK = (
    Rule(
        rf"\b(?:(?:on|am|el|le)\s+)?(?P<w>{_W}),?\s+(?:(?:of|de|la|der)\s+)*(?:{_THIS}|{_LAST})\s+(?:week|woche)\b",
        spans.weekday_of_week,
        (WEEKDAYS, ("week", "woche")),
        relative=True,
    ),
    Rule(
        rf"\b(?:{_THIS}|{_LAST})\s+(?:week|woche),?\s+(?:(?:on|am)\s+)?(?P<w>{_W})\b",
        spans.weekday_of_week,
        (WEEKDAYS, ("week", "woche")),
        relative=True,
    ),
    Rule(
        rf"\b(?:(?:el|le)\s+)?(?P<w>{_W})\s+(?:de la\s+)?(?:semana pasada|semaine (?:derniere|passee)"
        r"|(?P<this>(?:de\s+)?(?:esta semana|cette semaine)))\b",
        spans.weekday_of_week,
        (WEEKDAYS, ("semana", "semaine")),
        relative=True,
    ),
    Rule(
        r"(?:上个?|(?P<this>[这本]个?))(?:周|星期)(?P<w>[一二三四五六日天])",
        spans.weekday_of_week,
        (_C,),
        relative=True,
    ),
    Rule(r"(?:先|(?P<this>今))週の?(?P<w>[月火水木金土日])曜日?", spans.weekday_of_week, (_C,), relative=True),
    Rule(r"(?<![下每来个])(?:周|星期)(?P<w>[一二三四五六日天])", spans.weekday, (_C,), relative=True),
    Rule(r"(?<!毎週)(?<!来週)(?<!来週の)(?P<w>[月火水木金土日])曜日?", spans.weekday, (_C,), relative=True),
    Rule(
        rf"\b(?:from|between|von|zwischen|de|del|entre)\s+(?P<w>{_W})\s+"
        rf"(?:to|through|till|until|and|bis|und|a|al|y|et)\s+(?P<v>{_W})\b",
        spans.weekday_range,
        (WEEKDAYS,),
        relative=True,
        open=False,
    ),
)

_UNIT = (
    Rule(
        rf"\b(?:on\s+)?(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)\s+of\s+(?:{_THIS}|last)\s+month\b",
        spans.nth_of,
        (_D, ("month",)),
        relative=True,
    ),
    Rule(
        r"\b(?:am\s+)?(?P<d>\d{1,2})\.\s+(?:des\s+)?(?:(?P<this>dieses)|letzten|vergangenen|vorigen)\s+monats\b",
        spans.nth_of,
        (_D, ("monats",)),
        relative=True,
    ),
    Rule(
        r"\b(?:el|le)\s+(?P<d>\d{1,2})(?:er)?\s+(?:(?P<this>de este mes|de ce mois)|del mes pasado|du mois dernier)\b",
        spans.nth_of,
        (_D, ("mes", "mois")),
        relative=True,
    ),
    Rule(r"(?:上个?月|先月の?|(?P<this>这个?月|今月の?))(?P<d>\d{1,2})[日号]", spans.nth_of, (_D, _C), relative=True),
    Rule(rf"\b{_LAST}\s+(?P<u>{_U})\b{_NO_PART}", spans.unit_back(1), (UNITS,), relative=True),
    Rule(
        rf"\b(?P<u>{_U}) before last\b|\bvorletzte[nrsm]?\s+(?P<v>{_U})\b", spans.unit_back(2), (UNITS,), relative=True
    ),
    Rule(
        r"\b(?:(?:last|past|the|letzte[ns]|vergangene[ns]|am|dernier|le)\s+(?:weekend|wochenende|week-end))\b"
        r"|上?周末|週末|\bfin de semana\b",
        spans.weekend,
        ((CJK, "weekend", "wochenende", "week", "semana"),),
        relative=True,
    ),
    # "Hier" is German for "here": it is a day only among French words, or alone.
    Rule(r"\bhier\b", spans.days_back(1), (("hier",), _FRENCH), relative=True),
    Rule(r"^[ .?!]*(?P<at>hier)[ .?!]*$", spans.days_back(1), (("hier",),), relative=True),
    Rule(rf"\b(?P<u>{_U})\s+(?:pasad[ao]|derniere?|passee?)\b", spans.unit_back(1), (UNITS,), relative=True),
    Rule(r"(?:上个?|先|(?=[去昨]年).)(?P<u>周|星期|月|週|年)", spans.unit_back(1), (_C,), relative=True),
    Rule(
        rf"\b(?:this|diese[nrsm]?|est[ea]|cette|ce)\s+(?P<u>{_U})\b{_NO_PART}",
        spans.unit_back(0),
        (UNITS,),
        relative=True,
    ),
    Rule(r"(?:这个?|今)(?P<u>周|星期|月|週|年)", spans.unit_back(0), (_C,), relative=True),
    Rule(
        rf"\b(?:next|nachste[nrsm]?|kommende[nrsm]?|proxim[oa])\s+(?P<u>{_LONG_U})\b"
        rf"|\b(?P<v>{_LONG_U})\s+(?:que viene|prochaine?)\b",
        spans.unit_back(-1),
        (UNITS,),
        relative=True,
        open=True,
        phrase=True,
    ),
    Rule(
        r"(?:下个?|来|(?=明年).)(?P<u>周|星期|月|週|年)",
        spans.unit_back(-1),
        (_C,),
        relative=True,
        open=True,
        phrase=True,
    ),
    *(
        Rule(
            rf"\b(?:{words})\b|{signs}",
            spans.days_back(days),
            ((CJK, *LETTERS.findall(words)),),
            relative=True,
            open=True if days < 0 else None,
            phrase=days < 0,
        )
        for days, (words, signs) in sorted(FIXED.items(), key=lambda item: -abs(item[0]))
    ),
    Rule(
        rf"\b(?:last|this past|past|on|am|letzten|vergangenen|le|el)\s+(?P<w>{_W})\b(?!\.\w){_NO_PART}",
        spans.weekday,
        (WEEKDAYS,),
        relative=True,
    ),
)

_CALENDAR = (
    Rule(
        rf"\b(?P<at>q(?P<q>[1-4])(?:\s*/\s*|\s+(?:of\s+)?|,\s*){_Y})",
        spans.quarter,
        (_D, ("q",)),
    ),
    Rule(rf"(?<![\w.])(?P<y>{_BARE_Y})[\s/-]?q(?P<q>[1-4])\b", spans.quarter, (_D, ("q",))),
    Rule(
        rf"\b(?:in|during|since|of|im|seit|en|until|by|before|after)\s+(?P<at>q(?P<q>[1-4]))\b(?P<y>{_BARE_Y})?",
        spans.quarter,
        (_D, ("q",)),
    ),
    Rule(
        rf"\b(?P<q>{_K}|[1-4]\.)\s+(?:quarter|quartal|trimestre)\s+(?:(?:of|in|de|del)\s+)?{_Y}",
        spans.quarter,
        (_D, QUARTERS),
    ),
    Rule(rf"{_Y_SIGN}第?(?P<q>[一二三四1-4])(?:季度|四半期)", spans.quarter, (_C,)),
    Rule(rf"\b(?:{_THIS}|{_LAST})\s+(?:quarter|quartal)\b{_NO_PART}", spans.quarter_back, (QUARTERS,), relative=True),
    Rule(
        rf"\b(?P<before>{_IN_SEASON}|l['’])?(?P<at>(?P<s>{alternatives(SEASONS)}))\b"
        r"(?!\s+(?:boot|cleaning|framework|rolls?|water|mvc|data|security)\b)"
        rf"(?P<after>\s+(?:pasad[oa]|derniere?)\b)?(?:\s+(?:(?:of|de)\s+)?{_Y})?",
        spans.season,
        (SEASONS,),
        open=True,
    ),
    Rule(rf"{_Y_SIGN}(?P<before>)(?P<s>[春夏秋冬]天)", spans.season, (_C,), open=True),
    Rule(
        rf"(?P<before>\b(?:{_AT_FEAST})\s+(?:the\s+)?)?\b(?P<at>(?P<f>{_FEAST}))\b(?:,?\s+(?:(?:of|in|de)\s+)?{_Y})?",
        spans.feast,
        (frozenset(LETTERS.findall(_FEAST)),),
        weak=spans.is_only_a_feast,
    ),
    Rule(rf"{_Y_SIGN}(?P<f>{'|'.join(CJK_FEASTS)})", spans.feast, (_C,)),
    Rule(
        rf"\b(?:kw|kalenderwoche|calendar week)\s?(?P<k>\d{{1,2}})\b(?:[\s/,]+{_Y})?",
        spans.iso_week,
        (_D, ("kw", "kalenderwoche", "calendar")),
    ),
    Rule(rf"(?<![\w.])(?P<y>{_BARE_Y})-?w(?P<k>\d{{2}})\b", spans.iso_week, (_D, ("w",))),
    Rule(
        rf"(?P<before>\b(?:(?:{_IN})(?:\s+(?:the\s+)?|-)|(?P<last>(?:last|letzten)\s+)))?"
        rf"\b(?P<at>(?P<m>{_M}))\b{_NO_VERB}{_YEAR}",
        spans.named_month,
        (MONTHS,),
        weak=spans.is_only_a_word,
    ),
    Rule(rf"(?<![\w./-])(?P<y>{_BARE_Y})[-/](?P<m>0[1-9]|1[0-2])(?![\w/-]|\.\d)", spans.numeric_month, (_D,)),
    Rule(rf"(?<![\w./-])(?P<m>0[1-9]|1[0-2])/{_Y}(?!/)", spans.numeric_month, (_D,)),
    Rule(rf"\b(?:in|during|since|im jahr|seit|en|depuis|desde)\s+(?P<at>{_Y})", spans.whole_year, (_D,)),
    Rule(rf"(?P<y>{_BARE_Y})年", spans.whole_year, (_D, _C)),
    Rule(
        r"\b(?:from|between)\s+the\s+(?P<d>\d{1,2})(?:st|nd|rd|th)\s+(?:to|and|through|until|till)\s+(?:the\s+)?"
        rf"(?P<e>\d{{1,2}})(?:st|nd|rd|th){_ON}",
        spans.nth_range,
        (_D, ("st", "nd", "rd", "th")),
        open=False,
    ),
    Rule(
        rf"\bvom\s+(?P<d>\d{{1,2}})\.\s+bis\s+(?:zum\s+)?(?P<e>\d{{1,2}})\.{_END}",
        spans.nth_range,
        (_D, ("vom",)),
        open=False,
    ),
    Rule(rf"\bon the\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b{_ON}", spans.nth, (_D, ("the",))),
    Rule(
        r"\b(?:am|el|le)\s+(?P<d>\d{1,2})(?:er\b|\.(?!\w)|(?![\w.:/%-]))"
        r"(?!\s+(?:uhr|tag|platz|stock|etage|spieltag|por|veces|fois|euros?)\b)",
        spans.nth,
        (_D, ("am", "el", "le")),
    ),
    Rule(rf"(?<![\w./:-])(?P<at>{_Y})", spans.whole_year, (_D,), weak=lambda _match: True),
)

RULES = (*_ABSOLUTE, *_AGO, *_IN_WEEK, *_UNIT, *_CALENDAR)
"""In the order of precedence."""
