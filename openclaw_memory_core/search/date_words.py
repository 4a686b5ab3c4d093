"""Names of months, days, numbers and spans in the languages whose dates we read (folded: no case, no accents)."""

from __future__ import annotations

import re


def _numbered(groups: str, first: int = 0) -> dict[str, int]:
    return {name: n for n, names in enumerate(groups.split(","), first) for name in names.split()}


MONTHS = _numbered(
    "january jan januar janner enero janvier,february feb februar febrero fevrier,march mar marz marzo mars,"
    "april apr abril avril,may mai mayo,june jun juni junio juin,july jul juli julio juillet,"
    "august aug agosto aout,september sept sep septiembre septembre,october oct oktober okt octubre octobre,"
    "november nov noviembre novembre,december dec dezember dez diciembre decembre",
    1,
)
WEEKDAYS = _numbered(
    "monday montag lunes lundi,tuesday dienstag martes mardi,wednesday mittwoch miercoles mercredi,"
    "thursday donnerstag jueves jeudi,friday freitag viernes vendredi,saturday samstag sonnabend sabado samedi,"
    "sunday sonntag domingo dimanche"
)
NUMBERS = _numbered(
    "a an one ein eine einem einer un une una 一,two zwei deux dos 二 两,three drei trois tres 三,"
    "four vier quatre cuatro 四,five funf cinq cinco 五,six sechs seis 六,seven sieben sept siete 七,"
    "eight acht huit ocho 八,nine neun neuf nueve 九,ten zehn dix diez 十",
    1,
)
FIXED = {
    0: ("today|tonight|heute|hoy|aujourd['’]hui", "今天|今日|きょう"),
    1: ("yesterday|last night|gestern|ayer", "昨天|昨日|きのう"),
    2: ("day before yesterday|vorgestern|anteayer|avant-hier", "前天|一昨日|おととい"),
}
"""Days back → words with and without spaces between them."""

DAY, WEEK, MONTH, YEAR = 1, 7, 30, 365
_UNIT_WORDS = {
    DAY: "day days tag tage tagen dia dias jour jours 天 日",
    WEEK: "week weeks woche wochen semana semanas semaine semaines 周 星期 週 週間",
    MONTH: "month months monat monate monaten mes meses mois 月",
    YEAR: "year years jahr jahre jahren ano anos an ans annee annees 年",
}
UNITS: dict[str, int] = {word: days for days, words in _UNIT_WORDS.items() for word in words.split()}
"""Word → days."""

AMBIGUOUS_MONTHS = frozenset({"may", "mar", "march", "mai", "mars", "dec", "sep", "jan", "sept"})
"""Names of months that are also words or names: alone they count only after a preposition."""


def alternatives(words: dict[str, int]) -> str:
    """A pattern for the words that are written with spaces around them, longest first."""
    return "|".join(sorted((re.escape(word) for word in words if word.isascii()), key=len, reverse=True))
