"""Names of months, days, numbers and spans in the languages whose dates we read (folded: no case, no accents)."""

from __future__ import annotations

import re
from collections.abc import Iterable


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
    "monday montag lunes lundi 一 月,tuesday dienstag martes mardi 二 火,wednesday mittwoch miercoles mercredi 三 水,"
    "thursday donnerstag jueves jeudi 四 木,friday freitag viernes vendredi 五 金,"
    "saturday samstag sonnabend sabado samedi 六 土,sunday sonntag domingo dimanche 日 天"
)
NUMBERS = _numbered(
    "a an one ein eine einem einer eines un une una 一,two zwei deux dos 二 两,three drei trois tres 三,"
    "four vier quatre cuatro 四,five funf cinq cinco 五,six sechs seis 六,seven sieben sept siete 七,"
    "eight acht huit ocho 八,nine neun neuf nueve 九,ten zehn dix diez 十,eleven elf onze once 十一,"
    "twelve zwolf douze doce 十二",
    1,
) | {"fifteen": 15, "quinze": 15, "quince": 15, "eighteen": 18, "twenty": 20}
ORDINALS = _numbered(
    "first 1st erste ersten erster erstes primer primero primera premier premiere 一,"
    "second 2nd zweite zweiten zweiter segunda segundo deuxieme seconde 二,"
    "third 3rd dritte dritten dritter tercera tercer troisieme 三,"
    "fourth 4th vierte vierten vierter cuarta cuarto quatrieme 四,fifth 5th funfte funften 五",
    1,
) | dict.fromkeys(("last", "letzte", "letzten", "letzter", "ultima", "ultimo", "derniere", "dernier"), -1)
"""Which of several; −1 is the last one."""

FEW = frozenset({"a couple of", "couple of", "a few", "few", "some", "several", "ein paar", "einigen", "wenigen"}) | {
    *("unos", "unas", "algunos", "algunas", "quelques", "几", "数")
}
"""Words for some number from two to seven."""

HALF = frozenset({"half a", "einem halben", "medio", "media", "une demi", "半"})

FIXED = {
    -2: ("day after tomorrow|ubermorgen|pasado manana|apres[- ]demain", "后天|明後日|あさって"),
    -1: ("tomorrow|demain", "明天|明日|あした"),
    0: (
        (
            r"today|tonight|this (?:morning|afternoon|evening)|earlier today|heute|hoy|esta (?:manana|tarde|noche)"
            r"|aujourd['’]hui|ce (?:matin|soir)|cet apres-midi"
        ),
        "今天|今日|きょう|今早|今朝|今晚|今晩|今夜",
    ),
    1: ("yesterday|last night|gestern|ayer|anoche", "昨天|昨日|きのう|昨晚|昨晩|昨夜"),
    2: ("day before yesterday|vorgestern|anteayer|antes de ayer|avant[- ]hier", "前天|一昨日|おととい"),
    3: ("vorvorgestern", "大前天"),
}
"""Days back → words with and without spaces between them."""

DAY, WEEK, MONTH, YEAR = 1, 7, 30, 365
_UNIT_WORDS = {
    DAY: "day days tag tage tagen dia dias jour jours 天 日",
    WEEK: "week weeks woche wochen semana semanas semaine semaines 周 星期 週 週間",
    14: "fortnight fortnights",
    MONTH: "month months monat monate monaten monats mes meses mois 月",
    YEAR: "year years jahr jahre jahren jahres ano anos an ans annee annees 年",
}
UNITS: dict[str, int] = {word: days for days, words in _UNIT_WORDS.items() for word in words.split()}
"""Word → days."""

QUARTERS = frozenset({"quarter", "quartal", "trimestre"})
WEEKENDS = frozenset({"weekend", "wochenende", "week-end", "fin de semana"})
NIGHTS = frozenset({"night", "evening", "morning", "eve", "nacht", "abend", "morgen", "noche", "nuit", "soir"})
"""What is next to a day belongs to the day before or after it."""

SEASONS = _numbered(
    "spring fruhling fruhjahr primavera printemps 春天,summer sommer verano ete 夏天,"
    "autumn fall herbst otono automne 秋天,winter invierno hiver 冬天"
)
"""Season → number; spring is from March to May, as in the north."""

FEASTS: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {
    name: ((month, day), (month, last))
    for month, day, last, names in (
        (12, 24, 26, "christmas|xmas|weihnachten|navidad|navidades|noel"),
        (12, 24, 24, "christmas eve|heiligabend|nochebuena"),
        (12, 25, 25, "christmas day"),
        (12, 26, 26, "boxing day"),
        (12, 31, 31, "new year['’]?s eve|silvester|nochevieja|saint-sylvestre"),
        (1, 1, 1, "new year['’]?s day|neujahr|ano nuevo|nouvel an|jour de l['’]an"),
        (2, 14, 14, "valentine['’]?s day|valentinstag|saint-valentin"),
        (10, 31, 31, "halloween"),
    )
    for name in names.split("|")
}
"""Pattern of a feast → first and last day (month, day); those that move with the moon are left out."""

CJK_FEASTS: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {
    "圣诞节": ((12, 24), (12, 25)),
    "クリスマス": ((12, 24), (12, 25)),
    "大晦日": ((12, 31), (12, 31)),
    "元旦": ((1, 1), (1, 1)),
}

AMBIGUOUS_MONTHS = frozenset({"may", "mar", "march", "mai", "mars", "dec", "sep", "jan", "sept"}) | {
    *("april", "june", "jun", "august", "abril", "avril", "mayo", "julio", "juni", "juli")
}
"""Names of months that are also words or names of people: alone they count only after a preposition."""


def alternatives(words: Iterable[str]) -> str:
    """A pattern for the words that are written with spaces around them, longest first."""
    return "|".join(sorted((re.escape(word) for word in words if word.isascii()), key=len, reverse=True))
