"""What a question asks for: words, identifiers, phrases and dates, without any model."""

from __future__ import annotations

import bisect
import datetime as dt
import itertools
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from openclaw_memory_core.index.model import Term
from openclaw_memory_core.records import record
from openclaw_memory_core.search.date_terms import NamedDate, date_terms, is_month, named_date, named_terms
from openclaw_memory_core.search.date_words import MONTHS
from openclaw_memory_core.search.dates import DateRange, find_dates
from openclaw_memory_core.search.irregular import forms
from openclaw_memory_core.search.stopwords import FILLERS, HAPPENED, HAPPENING, stop_words
from openclaw_memory_core.search.words import CJK_RUN, WORD, WordPattern, fold, literal_pattern, pairs, word_pattern

MAX_TERMS = 32
"""Terms that are looked for, and dates; a pasted page is a question about its first words."""

MAX_CHARS = 2_000

LITERAL_WEIGHT = 2.0
"""An identifier or a quoted phrase says more than a word: who types ``QX-4471`` means exactly that."""

_YEAR = 365

_COMPOUND = re.compile(r"[^\W\d_]{3,}(?:[-/][^\W\d_]{3,})+")
"""A compound of words (``self-care``, ``artists/bands``): its parts are words as well."""

_NO_CODE = re.compile(r"[^\W\d_]+(?:[-/][^\W\d_]+)+|\d{1,2}(?:[:.]\d\d)?(?:[AaPp][Mm]|h)?")
"""Compounds (``e-mail``) and times of day (``10am``): notes may write them otherwise."""

_PHRASE = re.compile(
    r'"([^"\n]{2,200})"|“([^”\n]{2,200})”|„([^“”\n]{2,200})[“”]|«\s?([^»\n]{2,200}?)\s?»|「([^」\n]{1,200})」'
)
_IDENTIFIER = re.compile(
    r"(?<![\w])(?:"
    r"[^\W_][\w+#]*(?:[-./:@\\_+#][\w+#]+)+[+#]*"  # QX-4471, net.retry.max, v2.14.3, GB/s, a_b, user@host
    r"|[^\W\d_]{1,3}[+#]{1,2}"  # C++, F#
    r"|[^\W\d_]+\d\w*|\d+(?!(?:st|nd|rd|th)\b)[^\W\d_]\w*"  # E4012, 10A; not 14th
    r")(?![\w])"
)
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th|er)?\b")
_YEAR_NUMBER = re.compile(r"(?:19|20)\d\d", re.ASCII)
_ALL = re.compile(r".+")


@record
class Needle:
    """One thing to point at in a line of text.

    :param key: what must stand in the folded line for *pattern* to match at all; cheap to look for.
    :param pattern: for folded text; None if *key* alone decides.
    :param weight: how much it counts besides its rarity.
    :param leads: *pattern* begins with *key*.
    """

    key: str
    pattern: re.Pattern[str] | WordPattern | None
    weight: float = 1.0
    leads: bool = False

    def found(self, folded: str) -> bool:
        """Whether a folded text holds it."""
        if self.pattern is None or not self.leads:
            return self.key in folded and (self.pattern is None or self.pattern.search(folded) is not None)
        # Looking for the key by itself is many times faster than letting the pattern begin at every character.
        at = folded.find(self.key)
        while at >= 0:
            if self.pattern.match(folded, at):
                return True
            at = folded.find(self.key, at + 1)
        return False


@record
class ParsedQuery:
    """A question, understood.

    :param text: trimmed and cut to a sensible length.
    :param terms: for the text index, any of which may match.
    :param needles: the same things, to be pointed at in text.
    :param words: single words among the terms, as typed.
    :param literal: it holds an identifier or a quoted phrase.
    :param literals: these, as typed, without dates, times of day and compounds of words.
    :param only_dates: it asks for what happened at a time and nothing else.
    """

    text: str
    terms: tuple[Term, ...] = ()
    needles: tuple[Needle, ...] = ()
    dates: tuple[DateRange, ...] = ()
    literal: bool = False
    words: tuple[str, ...] = ()
    only_dates: bool = False
    literals: tuple[str, ...] = ()

    @property
    def times(self) -> tuple[DateRange, ...]:
        """The dates whose notes are asked for; without those that the question looks beyond."""
        return tuple(date for date in self.dates if not date.open)

    @property
    def years(self) -> frozenset[int]:
        """Numbers that may be years (``winter tyres 2024``)."""
        return frozenset(int(word) for word in self.words if _YEAR_NUMBER.fullmatch(word))


def parse(text: str, today: dt.date) -> ParsedQuery:
    """Take a question apart.  Never raises, whatever the text holds."""
    text = unicodedata.normalize("NFC", " ".join(text.split())[:MAX_CHARS]).strip()
    if not text:
        return ParsedQuery("")
    places = _places(text)
    dates, quoted = _quoted(text, find_dates(text, today)[:MAX_TERMS], places)
    named = _named(text, [date for date in dates if date not in quoted], places)
    rest = _without_dates(text, [date for date in dates if date not in quoted], named, places)
    only_dates = bool(dates) and _is_bare(text, dates)
    listed = only_dates and not all(date.open for date in dates)
    plain = [date for date in dates if date not in named]
    parts = _only_times(plain, rest, places) if listed else _parts(rest, plain)
    return ParsedQuery(
        text=text,
        terms=tuple(dict.fromkeys(_terms(parts, dates, named.values())))[:MAX_TERMS],
        needles=tuple(_needles(parts, dates, named.values()))[:MAX_TERMS],
        dates=tuple(dates),
        literal=bool(parts.phrases or parts.identifiers),
        words=() if listed else tuple(dict.fromkeys(map(_bare, parts.words)))[:MAX_TERMS],
        only_dates=only_dates,
        literals=tuple(dict.fromkeys((*parts.phrases, *_codes(parts.identifiers, dates)))),
    )


@record
class _Parts:
    """What a question holds besides its dates."""

    phrases: list[str]
    identifiers: list[str]
    words: list[str]
    runs: list[str]


def _parts(text: str, dates: list[DateRange]) -> _Parts:
    """What is looked for in a question; its function words only if there is nothing else.

    :param text: the question without what is looked for as a date.
    """
    phrases, rest = _take(_PHRASE, text)
    identifiers, rest = _take(_IDENTIFIER, rest)
    words = _words(rest)
    # "may" is a function word, except in a date.
    named = {word for date in dates if not date.relative for word in WORD.findall(date.words) if word in MONTHS}
    idle = stop_words([fold(word) for word in words]) - named
    telling = [word for word in words if fold(word) not in idle]
    telling += [part for name in identifiers if _COMPOUND.fullmatch(name) for part in WORD.findall(name)]
    telling += [word for phrase in phrases for word in WORD.findall(phrase) if fold(word) not in idle]
    runs = _runs(rest)
    if not (telling or phrases or identifiers or runs):
        telling, runs = words, CJK_RUN.findall(rest)
    return _Parts(phrases, identifiers, telling, runs)


def _only_times(dates: list[DateRange], text: str, places: Sequence[int]) -> _Parts:
    """What is looked for in a question that names times and nothing else: what of them notes write in the same way.

    That is a day or a year in figures, and the name of a whole month.  Any other word would bring notes of other times.
    """
    phrases, _ = _take(_PHRASE, text)
    words, identifiers = [], []
    for date in dates:
        start, end = _place(date, places)
        found, rest = _take(_IDENTIFIER, text[start:end])
        identifiers += [name for name in found if name[0].isdigit()]
        months = is_month(date)
        words += [
            word
            for word in WORD.findall(CJK_RUN.sub(" ", rest))
            if (months and fold(word) in MONTHS) or (date.days >= _YEAR and word.isdigit())
        ]
    return _Parts(phrases, list(dict.fromkeys(identifiers)), words, [])


def _named(text: str, dates: list[DateRange], places: Sequence[int]) -> dict[DateRange, NamedDate]:
    """The dates whose month is looked for only together with its day or year."""
    found = {date: named_date(date, text[slice(*_place(date, places))]) for date in dates}
    return {date: named for date, named in found.items() if named is not None}


def corrected(query: ParsedQuery, instead: Mapping[str, Sequence[str]]) -> ParsedQuery:
    """*query* with needles for what was looked for *instead* of its misspelt words."""
    misspelt = {needle.pattern for word in instead if (needle := _needle(word)) is not None}
    kept = [needle for needle in query.needles if needle.pattern is None or needle.pattern not in misspelt]
    meant = [needle for words in instead.values() if (needle := _either(words)) is not None]
    return replace(query, needles=tuple(dict.fromkeys([*kept, *meant])))


def _codes(identifiers: Iterable[str], dates: Iterable[DateRange]) -> Iterable[str]:
    told = {date.words for date in dates}
    return (name for name in identifiers if fold(name) not in told and not _NO_CODE.fullmatch(name))


def _is_bare(text: str, dates: list[DateRange]) -> bool:
    """Whether nothing is left of a question but that something happened."""
    rest = fold(text)
    for date in dates:
        rest = rest[: date.at] + " " * len(date.words) + rest[date.at + len(date.words) :]
    words = _words(rest)
    return not (set(words) - stop_words(words) - HAPPENING) and all(HAPPENED.fullmatch(run) for run in _runs(rest))


def _words(text: str) -> list[str]:
    """Words that are written with spaces around them; a single letter says nothing."""
    return [word for word in WORD.findall(CJK_RUN.sub(" ", text)) if len(word) > 1 or word.isdigit()]


def _runs(text: str) -> list[str]:
    """What is left of Chinese and Japanese between its function words."""
    return [piece for run in CJK_RUN.findall(text) for piece in FILLERS.split(run) if piece]


def _quoted(text: str, dates: list[DateRange], places: Sequence[int]) -> tuple[list[DateRange], Collection[DateRange]]:
    """The dates that are meant, and those of them that are part of a phrase, which is looked for as it is.

    ``"Yesterday once more"`` is a song and no day.  Quotes around the whole question say nothing.
    """
    phrases = [match.span() for match in _PHRASE.finditer(text) if len(match.group()) < len(text)]
    quoted = set()
    for date in dates if phrases else ():
        start, end = _place(date, places)
        if any(first < start and end < last for first, last in phrases):
            quoted.add(date)
    return [date for date in dates if not (date.relative and date in quoted)], quoted


def _without_dates(text: str, dates: list[DateRange], whole: Collection[DateRange], places: Sequence[int]) -> str:
    """The text without what says little by itself: ``last week``, which no note uses for the day it is about, and the
    numbers beside the name of a month, for a ``13`` stands in notes of any day.  The day is looked for as a whole.

    :param whole: dates of which the name of the month says little either.
    """
    for date in dates:
        months = not MONTHS.keys().isdisjoint(WORD.findall(date.words))
        pattern = _ALL if date.relative or date in whole else _NUMBER if months else None
        if pattern is not None:
            start, end = _place(date, places)
            text = text[:start] + pattern.sub(_blank, text[start:end]) + text[end:]
    return text


def _place(date: DateRange, places: Sequence[int]) -> tuple[int, int]:
    """Where the words of a date begin and end in the question as it was typed."""
    return bisect.bisect_left(places, date.at), bisect.bisect_left(places, date.at + len(date.words))


def _places(text: str) -> Sequence[int]:
    """Where each character stands in the folded text: some become two (``ß``), some none (accents)."""
    if text.isascii():
        return range(len(text))
    places = list(itertools.accumulate((len(fold(char)) for char in text), initial=0))
    # Letters that are one with their neighbours (Hangul in parts) have no places of their own.
    return places if places[-1] == len(fold(text)) else ()


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _bare(word: str) -> str:
    """Without a possessive ending, with the plain apostrophe."""
    return word.replace("’", "'").removesuffix("'s").removesuffix("'S")


def _take(pattern: re.Pattern[str], text: str) -> tuple[list[str], str]:
    found = []
    for match in pattern.finditer(text):
        inside = next((group for group in match.groups() if group is not None), match.group()) if match.groups() else ""
        found.append((inside or match.group()).strip())
    return [part for part in dict.fromkeys(found) if part], pattern.sub(" ", text)


def _terms(parts: _Parts, dates: list[DateRange], named: Iterable[NamedDate]) -> Iterable[Term]:
    yield from (Term(phrase, phrase=True) for phrase in parts.phrases)
    yield from (Term(identifier, phrase=True) for identifier in parts.identifiers)
    yield from (Term(form) for word in parts.words for form in _forms(word))
    yield from (Term(run) for run in parts.runs)
    yield from (Term(date.words, phrase=True) for date in dates if date.phrase)
    for date in dates:
        yield from date_terms(date)
    yield from named_terms(named)


def _needles(parts: _Parts, dates: list[DateRange], named: Iterable[NamedDate]) -> Iterable[Needle]:
    for literal in map(fold, (*parts.phrases, *parts.identifiers)):
        yield literal_needle(literal, LITERAL_WEIGHT)
    for date in dates:
        if date.phrase:
            yield Needle(date.words, None) if CJK_RUN.search(date.words) else literal_needle(date.words)
    seen: set[re.Pattern[str] | WordPattern | None] = set()
    for one in named:
        if one.pattern not in seen:
            seen.add(one.pattern)
            yield Needle(fold(one.month), one.pattern)
    for word in parts.words:
        needle = _needle(word)
        if needle is not None and needle.pattern not in seen:
            seen.add(needle.pattern)
            yield needle
    for run in dict.fromkeys(parts.runs):
        pieces = pairs(run)
        yield from (Needle(piece, None, 1.0 / len(pieces)) for piece in dict.fromkeys(map(fold, pieces)))


def literal_needle(folded: str, weight: float = 1.0) -> Needle:
    """What points at a folded text as it is."""
    return Needle(max(folded.split(), key=len, default=folded), literal_pattern(folded), weight)


def _forms(word: str) -> Iterable[str]:
    """The word as typed, and the other forms of an irregular verb."""
    bare = _bare(word)
    yield bare
    yield from forms(fold(bare))[1:]


def _needle(word: str) -> Needle | None:
    """What points at a word, or at any form of an irregular verb."""
    return _either(forms(fold(_bare(word))))


def _either(words: Sequence[str]) -> Needle | None:
    """What points at any of several folded words."""
    either = [word_pattern(word) for word in words]
    roots = [root for root, _ in either]
    root, pattern = either[0]
    if len(either) == 1:
        return Needle(root, pattern, leads=True) if root else None
    # What all forms begin with is looked for first: it is fast, and most texts do not hold it.
    start = "".join(same[0] for same in itertools.takewhile(lambda c: len(set(c)) == 1, zip(*roots, strict=False)))
    return Needle(start, re.compile("|".join(one.pattern for _, one in either)), leads=bool(start))
