"""The words that name a day, a month or another span by themselves, one pattern each.

A question has few of these words, so a pattern is compiled when a text first holds the words that it needs.  Whatever
can stand before a date or after it (``the week before``, ``early``) is in ``date_parts.py`` and ``date_joins.py``.
"""

from __future__ import annotations

from openclaw_memory_core.search import date_spans as spans
from openclaw_memory_core.search.date_patterns import (
    AT_FEAST,
    BARE_Y,
    BETWEEN,
    END,
    FEAST,
    IN,
    IN_SEASON,
    LAST,
    LETTERS,
    NO_COUNT,
    NO_PART,
    NO_VERB,
    OF,
    OF_MONTH,
    ON,
    ORDINAL,
    SIGNS,
    ST,
    THIS,
    TO_SIGN,
    Y_SIGN,
    YEAR,
    C,
    D,
    K,
    M,
    Rule,
    Y,
    until,
)
from openclaw_memory_core.search.date_relative import RELATIVE
from openclaw_memory_core.search.date_words import CJK_FEASTS, MONTHS, QUARTERS, SEASONS, alternatives

_ABSOLUTE = (
    Rule(
        rf"(?<![a-z0-9_])(?P<y>{BARE_Y})(?P<sep>[-/])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})(?![a-z0-9_])",
        spans.numeric,
        (D,),
    ),
    Rule(
        rf"(?<![\w./-])(?P<d>\d{{1,2}})(?P<sep>[-/])(?P<m>\d{{1,2}})(?P=sep)(?P<y>{BARE_Y})(?![\w/-])",
        spans.slashed,
        (D,),
    ),
    Rule(
        rf"(?<![\w.])(?P<d>\d{{1,2}})\.?\s?[-–]\s?(?P<e>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.(?:\s?(?P<y>{BARE_Y}))?"
        r"(?!\w|\.\w)",
        spans.days_of_month,
        (D,),
        open=False,
    ),
    Rule(
        rf"(?<![\w.])(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.(?:\s?(?P<y>{BARE_Y}))?(?!\w|\.\w)",
        spans.numeric,
        (D,),
    ),
    Rule(
        rf"[从自]?{Y_SIGN}(?P<m>\d{{1,2}})月(?P<d>\d{{1,2}})[日号]?{TO_SIGN}(?P<e>\d{{1,2}})[日号](?:まで)?",
        spans.days_of_month,
        (D, C),
        open=False,
    ),
    Rule(rf"{Y_SIGN}(?P<m>\d{{1,2}})月(?P<d>\d{{1,2}})[日号]", spans.numeric, (D, C)),
    Rule(rf"{Y_SIGN}(?P<m>{SIGNS}{{1,2}})月(?P<d>{SIGNS}{{1,3}})[日号]", spans.numeric, (C,)),
    Rule(rf"{Y_SIGN}(?P<m>\d{{1,2}})月(?!前(?!半))", spans.cjk_month, (D, C)),
    Rule(rf"{Y_SIGN}(?P<m>{SIGNS}{{1,2}})月(?:份|(?=[初底末]|[上中下]旬))", spans.cjk_month, (C,)),
    Rule(
        rf"{BETWEEN}(?<![\w.]){until(ORDINAL)}{ORDINAL}(?:{OF}|(?<=\.))(?P<m>{M})\b{NO_VERB}{YEAR}",
        spans.days_of_month,
        (D, MONTHS),
        open=False,
    ),
    Rule(
        rf"{BETWEEN}\b(?P<m>{M})\b\.?\s+(?:the\s+)?{until(ST)}{ST}{NO_COUNT}"
        rf"(?!{OF}(?:{M})\b){YEAR}",
        spans.days_of_month,
        (D, MONTHS),
        open=False,
    ),
    Rule(
        rf"(?<![\w.])(?P<d>\d{{1,2}}){ORDINAL}(?:{OF}|(?<=\.))(?P<m>{M})\b{NO_VERB}{YEAR}",
        spans.named_day,
        (D, MONTHS),
    ),
    Rule(rf"\b(?P<m>{M})\b\.?\s+(?:the\s+)?(?P<d>\d{{1,2}}){ST}{NO_COUNT}{YEAR}", spans.named_day, (D, MONTHS)),
)

_CALENDAR = (
    Rule(
        rf"\b(?P<at>q(?P<q>[1-4])(?:\s*/\s*|\s+(?:of\s+)?|,\s*){Y})",
        spans.quarter,
        (D, ("q",)),
    ),
    Rule(rf"(?<![\w.])(?P<y>{BARE_Y})[\s/-]?q(?P<q>[1-4])\b", spans.quarter, (D, ("q",))),
    Rule(
        rf"\b(?:in|during|since|of|im|seit|en|until|by|before|after)\s+(?P<at>q(?P<q>[1-4]))\b(?P<y>{BARE_Y})?",
        spans.quarter,
        (D, ("q",)),
    ),
    Rule(r"\b(?P<at>q(?P<q>[1-4]))\b(?P<y>\0)?", spans.quarter, (D, ("q",)), weak=lambda _match: True),
    Rule(
        rf"\b(?P<q>{K}|[1-4]\.)\s+(?:quarter|quartal|trimestre)\s+(?:(?:of|in|de|del)\s+)?{Y}",
        spans.quarter,
        (D, QUARTERS),
    ),
    Rule(rf"{Y_SIGN}第?(?P<q>[一二三四1-4])(?:季度|四半期)", spans.quarter, (C,)),
    Rule(rf"\b(?:{THIS}|{LAST})\s+(?:quarter|quartal)\b{NO_PART}", spans.quarter_back, (QUARTERS,), relative=True),
    Rule(
        rf"\b(?P<before>{IN_SEASON}|l['’])?(?P<at>(?P<s>{alternatives(SEASONS)}))\b"
        r"(?!\s+(?:boot|cleaning|framework|rolls?|water|mvc|data|security)\b)"
        rf"(?P<after>\s+(?:pasad[oa]|derniere?)\b)?(?:\s+(?:(?:of|de)\s+)?{Y})?",
        spans.season,
        (SEASONS,),
        open=True,
    ),
    Rule(rf"{Y_SIGN}(?P<before>)(?P<s>[春夏秋冬]天)", spans.season, (C,), open=True),
    Rule(
        rf"(?P<before>\b(?:{AT_FEAST})\s+(?:the\s+)?)?\b(?P<at>(?P<f>{FEAST}))\b(?:,?\s+(?:(?:of|in|de)\s+)?{Y})?",
        spans.feast,
        (frozenset(LETTERS.findall(FEAST)),),
        weak=spans.is_only_a_feast,
    ),
    Rule(rf"{Y_SIGN}(?P<f>{'|'.join(CJK_FEASTS)})", spans.feast, (C,)),
    Rule(
        rf"\b(?:kw|kalenderwoche|calendar week)\s?(?P<k>\d{{1,2}})\b(?:[\s/,]+{Y})?",
        spans.iso_week,
        (D, ("kw", "kalenderwoche", "calendar")),
    ),
    Rule(rf"(?<![\w.])(?P<y>{BARE_Y})-?w(?P<k>\d{{2}})\b", spans.iso_week, (D, ("w",))),
    Rule(
        rf"(?P<before>\b(?:(?:{IN})(?:\s+(?:the\s+)?|-)|{OF_MONTH}|(?P<last>(?:last|letzten)\s+)))?"
        rf"\b(?P<at>(?P<m>{M}))\b{NO_VERB}{YEAR}",
        spans.named_month,
        (MONTHS,),
        weak=spans.is_only_a_word,
    ),
    Rule(rf"(?<![\w./-])(?P<y>{BARE_Y})[-/](?P<m>0[1-9]|1[0-2])(?![\w/-]|\.\d)", spans.numeric_month, (D,)),
    Rule(rf"(?<![\w./-])(?P<m>0[1-9]|1[0-2])/{Y}(?!/)", spans.numeric_month, (D,)),
    Rule(
        r"\b(?:(?:in|during|since|of)(?: the)?(?: year)?|im jahr|seit|en(?: el ano)?|depuis|desde|l['’]annee)\s+"
        rf"(?P<at>{Y})",
        spans.whole_year,
        (D,),
    ),
    Rule(rf"(?P<y>{BARE_Y})年", spans.whole_year, (D, C)),
    Rule(
        r"\b(?:from|between)\s+the\s+(?P<d>\d{1,2})(?:st|nd|rd|th)\s+(?:to|and|through|until|till)\s+(?:the\s+)?"
        rf"(?P<e>\d{{1,2}})(?:st|nd|rd|th){ON}",
        spans.nth_range,
        (D, ("st", "nd", "rd", "th")),
        open=False,
    ),
    Rule(
        rf"\bvom\s+(?P<d>\d{{1,2}})\.\s+bis\s+(?:zum\s+)?(?P<e>\d{{1,2}})\.{END}",
        spans.nth_range,
        (D, ("vom",)),
        open=False,
    ),
    Rule(rf"\bon the\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b{ON}", spans.nth, (D, ("the",))),
    Rule(
        r"\b(?:am|el|le)\s+(?P<d>\d{1,2})(?:er\b|\.(?!\w)|(?![\w.:/%-]))"
        r"(?!\s+(?:uhr|tag|platz|stock|etage|spieltag|por|veces|fois|euros?)\b)",
        spans.nth,
        (D, ("am", "el", "le")),
    ),
    Rule(rf"(?:(?<![\w./:-])|(?<=\bmid-)|(?<=\bmi-))(?P<at>{Y})", spans.whole_year, (D,), weak=lambda _match: True),
)

RULES = (*_ABSOLUTE, *RELATIVE, *_CALENDAR)
"""In the order of precedence."""
