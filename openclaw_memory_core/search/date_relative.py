"""The words that name a time as seen from a day: yesterday, last week, three days ago, next Friday."""

from __future__ import annotations

from openclaw_memory_core.search import date_spans as spans
from openclaw_memory_core.search.date_patterns import (
    CJK,
    FRENCH,
    LAST,
    LETTERS,
    LONG_U,
    NO_PART,
    NUMBER,
    NUMBER_SIGN,
    THIS,
    UNIT_SIGN,
    C,
    D,
    M,
    Rule,
    U,
    W,
)
from openclaw_memory_core.search.date_words import FIXED, UNITS, WEEKDAYS

_AGO = (
    Rule(
        rf"\b{NUMBER}\s+(?P<w>{W})s?\s+ago\b",
        spans.weekdays_ago,
        (WEEKDAYS.keys() | {f"{day}s" for day in WEEKDAYS}, ("ago",)),
        relative=True,
    ),
    Rule(rf"\b(?P<w>{W})\s+{NUMBER}\s+weeks?\s+ago\b", spans.weekday_weeks_ago, (WEEKDAYS, ("ago",)), relative=True),
    Rule(
        rf"\b{NUMBER}\s+weeks?\s+ago\s+(?:on\s+)?(?P<w>{W})\b",
        spans.weekday_weeks_ago,
        (WEEKDAYS, ("ago",)),
        relative=True,
    ),
    Rule(
        rf"\b(?P<w>{W})\s+(?:vor|hace)\s+{NUMBER}\s+(?:wochen?|semanas?)\b",
        spans.weekday_weeks_ago,
        (WEEKDAYS, ("vor", "hace")),
        relative=True,
    ),
    Rule(
        rf"\b{NUMBER}\s+(?P<u>{U})\s+(?:ago|back|earlier)\b(?:\s+today\b)?",
        spans.units_ago,
        (UNITS, ("ago", "back", "earlier")),
        relative=True,
    ),
    Rule(
        rf"\b(?:vor|hace|il y a)\s+{NUMBER}\s+(?P<u>{U})\b",
        spans.units_ago,
        (UNITS, ("vor", "hace", "il")),
        relative=True,
    ),
    Rule(rf"{NUMBER_SIGN}{UNIT_SIGN}[之以]?前(?!半)", spans.units_ago, (C,), relative=True),
    Rule(
        rf"\b(?:past|previous|last|letzten|vergangenen|ultimos|ultimas|derniers|dernieres)\s+{NUMBER}\s+(?P<u>{U})\b",
        spans.past,
        (UNITS,),
        relative=True,
    ),
    Rule(rf"\bpast\s+(?P<u>{U})\b", spans.past, (("past",), UNITS), relative=True),
    Rule(rf"(?:最近|[过過]去|ここ|この){NUMBER_SIGN}{UNIT_SIGN}間?", spans.past, (C,), relative=True),
)

_IN_WEEK = (
    Rule(
        rf"\b(?:(?:on|am|el|le)\s+)?(?P<w>{W}),?\s+(?:(?:of|de|la|der)\s+)*(?:{THIS}|{LAST})\s+(?:week|woche)\b",
        spans.weekday_of_week,
        (WEEKDAYS, ("week", "woche")),
        relative=True,
    ),
    Rule(
        rf"\b(?:{THIS}|{LAST})\s+(?:week|woche),?\s+(?:(?:on|am)\s+)?(?P<w>{W})\b",
        spans.weekday_of_week,
        (WEEKDAYS, ("week", "woche")),
        relative=True,
    ),
    Rule(
        rf"\b(?:(?:el|le)\s+)?(?P<w>{W})\s+(?:de la\s+)?(?:semana pasada|semaine (?:derniere|passee)"
        r"|(?P<this>(?:de\s+)?(?:esta semana|cette semaine)))\b",
        spans.weekday_of_week,
        (WEEKDAYS, ("semana", "semaine")),
        relative=True,
    ),
    Rule(
        r"(?:上个?|(?P<this>[这本]个?))(?:周|星期)(?P<w>[一二三四五六日天])",
        spans.weekday_of_week,
        (C,),
        relative=True,
    ),
    Rule(r"(?:先|(?P<this>今))週の?(?P<w>[月火水木金土日])曜日?", spans.weekday_of_week, (C,), relative=True),
    Rule(r"(?<![下每来个])(?:周|星期)(?P<w>[一二三四五六日天])", spans.weekday, (C,), relative=True),
    Rule(r"(?<!毎週)(?<!来週)(?<!来週の)(?P<w>[月火水木金土日])曜日?", spans.weekday, (C,), relative=True),
    Rule(
        rf"\b(?:from|between|von|zwischen|de|del|entre)\s+(?P<w>{W})\s+"
        rf"(?:to|through|till|until|and|bis|und|a|al|y|et)\s+(?P<v>{W})\b",
        spans.weekday_range,
        (WEEKDAYS,),
        relative=True,
        open=False,
    ),
)

_UNIT = (
    Rule(
        rf"\b(?:next|this coming|coming|nachste[nrsm]?|kommende[nrsm]?|(?:el )?proximo)\s+(?P<w>{W})\b(?!\.\w)"
        rf"|\b(?P<v>{W})\s+prochain\b",
        spans.next_weekday,
        (WEEKDAYS,),
        relative=True,
        open=True,
        phrase=True,
    ),
    Rule(
        r"(?:下个?|来)(?:周|星期)(?P<w>[一二三四五六日天])(?P<next>)",
        spans.weekday_of_week,
        (C,),
        relative=True,
        open=True,
        phrase=True,
    ),
    Rule(
        rf"\b(?:on\s+)?(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)\s+of\s+(?:{THIS}|last)\s+month\b",
        spans.nth_of,
        (D, ("month",)),
        relative=True,
    ),
    Rule(
        r"\b(?:am\s+)?(?P<d>\d{1,2})\.\s+(?:des\s+)?(?:(?P<this>dieses)|letzten|vergangenen|vorigen)\s+monats\b",
        spans.nth_of,
        (D, ("monats",)),
        relative=True,
    ),
    Rule(
        r"\b(?:el|le)\s+(?P<d>\d{1,2})(?:er)?\s+(?:(?P<this>de este mes|de ce mois)|del mes pasado|du mois dernier)\b",
        spans.nth_of,
        (D, ("mes", "mois")),
        relative=True,
    ),
    Rule(r"(?:上个?月|先月の?|(?P<this>这个?月|今月の?))(?P<d>\d{1,2})[日号]", spans.nth_of, (D, C), relative=True),
    Rule(rf"\b{LAST}\s+(?P<u>{U})\b{NO_PART}", spans.unit_back(1), (UNITS,), relative=True),
    Rule(
        rf"\b(?P<u>{U}) before last\b(?!\s+(?:{W}|{U}|{M}|night|weekend|christmas)\b)"
        rf"|\bvorletzte[nrsm]?\s+(?P<v>{U})\b"
        r"|(?:上上个?|先々)(?P<x>周|星期|月|週)|(?:前|一昨)(?P<z>年)(?!度)",
        spans.unit_back(2),
        (frozenset({*UNITS, CJK}),),
        relative=True,
    ),
    Rule(
        r"\b(?:(?:last|past|the|letzte[ns]|vergangene[ns]|am|dernier|le)\s+(?:weekend|wochenende|week-end))\b"
        r"|上?周末|週末|\bfin de semana\b",
        spans.weekend,
        ((CJK, "weekend", "wochenende", "week", "semana"),),
        relative=True,
    ),
    # "Hier" is German for "here": it is a day only among French words, or alone.
    Rule(r"\bhier\b", spans.days_back(1), (("hier",), FRENCH), relative=True),
    Rule(r"^[ .?!]*(?P<at>hier)[ .?!]*$", spans.days_back(1), (("hier",),), relative=True),
    Rule(rf"\b(?P<u>{U})\s+(?:pasad[ao]|derniere?|passee?)\b", spans.unit_back(1), (UNITS,), relative=True),
    Rule(r"(?:上个?|先|(?=[去昨]年).)(?P<u>周|星期|月|週|年)", spans.unit_back(1), (C,), relative=True),
    Rule(
        rf"\b(?:this|diese[nrsm]?|est[ea]|cette|ce)\s+(?P<u>{U})\b{NO_PART}",
        spans.unit_back(0),
        (UNITS,),
        relative=True,
    ),
    Rule(r"(?:这个?|今|本)(?P<u>周|星期|月|週|年)", spans.unit_back(0), (C,), relative=True),
    Rule(
        rf"\b(?:next|nachste[nrsm]?|kommende[nrsm]?|proxim[oa])\s+(?P<u>{LONG_U})\b"
        rf"|\b(?P<v>{LONG_U})\s+(?:que viene|prochaine?)\b",
        spans.unit_back(-1),
        (UNITS,),
        relative=True,
        open=True,
        phrase=True,
    ),
    Rule(
        r"(?:下个?|(?<!再)来|(?=明年).)(?P<u>周|星期|月|週|年)",
        spans.unit_back(-1),
        (C,),
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
        rf"\b(?:since|seit|desde(?: el)?|depuis)\s+(?P<at>(?P<w>{W}))\b(?!\.\w)",
        spans.weekday,
        (WEEKDAYS,),
        relative=True,
    ),
    Rule(
        rf"\b(?:last|this past|past|on|am|letzten|vergangenen|le|el)\s+(?P<w>{W})\b(?!\.\w){NO_PART}",
        spans.weekday,
        (WEEKDAYS,),
        relative=True,
    ),
)

RELATIVE = (*_AGO, *_IN_WEEK, *_UNIT)
"""In the order of precedence."""
