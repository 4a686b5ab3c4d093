"""What goes into the text index and how questions to it are written.

Scripts without spaces are indexed as interleaved words of one and two characters:
``账单系`` becomes ``账 账单 单 单系 系``.
The same function does this at index and at query time, so every part of a run is a sequence of neighbouring words,
and any word of one or two characters is a word of the index.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory_core.index.model import Term
    from openclaw_memory_core.index.store.schema import TextKind

_BLOCKS = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana, iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # ideographs
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul: particles stick to their words
    "\u3100-\u312f\u31a0-\u31bf"  # Bopomofo
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf"  # Thai, Lao
    "\u1000-\u103f\u1050-\u109d\u1780-\u17d3"  # Myanmar, Khmer
)
_RUN = re.compile(f"[{_BLOCKS}]+")
# Vowel points that writers leave out as often as not, and the Arabic stretching stroke.
_POINTS = dict.fromkeys([*range(0x0591, 0x05C8), 0x0640, *range(0x064B, 0x0660), 0x0670])
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"\w")

LONG_RUN = 3
"""A run of more characters than this is hardly one word: its pairs are looked for as well."""

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def clean(text: str) -> str:
    """The text as UTF-8 can hold it: lone surrogates become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def normalise(text: str) -> str:
    """One spelling for what looks alike: NFKC (full-width letters, decomposed accents), no vowel points, no NUL."""
    if text.isascii():
        return text.replace("\0", " ")
    return unicodedata.normalize("NFKC", clean(text).replace("\0", " ")).translate(_POINTS)


def clusters(run: str) -> list[str]:
    """The characters of a run, each with the marks that stand on it."""
    parts: list[str] = []
    for char in run:
        if parts and unicodedata.category(char) in {"Mn", "Mc"}:
            parts[-1] += char
        else:
            parts.append(char)
    return parts


def _interleave(run: str) -> str:
    parts = clusters(run)
    words = [parts[0]]
    for left, right in itertools.pairwise(parts):
        words += (left + right, right)
    return f" {' '.join(words)} "


def fold(text: str, kind: TextKind = "unicode61") -> str:
    """The text as it is handed to the tokenizer."""
    text = normalise(text)
    if kind == "trigram" or text.isascii():
        return text
    return _RUN.sub(lambda match: _interleave(match.group()), text)


def date_words(date: dt.date | None) -> str:
    """A day in the words people ask with."""
    if date is None:
        return ""
    return f"{date.isoformat()} {date.day} {_MONTHS[date.month - 1]} {date.year} {_DAYS[date.weekday()]}"


def path_words(path: str) -> str:
    """A path with its compound names taken apart and without its extension."""
    stem = path.rsplit(".", 1)[0] if "." in path.rsplit("/", 1)[-1][1:] else path
    split = _CAMEL.sub(" ", stem)
    return stem if split == stem else f"{stem} {split}"


def _quoted(folded: str, *, prefix: bool) -> str:
    return '"' + folded.strip().replace('"', '""') + '"' + (" *" if prefix else "")


def _phrase(text: str, kind: TextKind) -> str:
    folded = fold(text, kind)
    if kind == "unicode61":
        run = _RUN.fullmatch(normalise(text).strip())
        words = folded.split()
        # The two-character words of a lone run hold all of it; its first and last character add nothing.
        if run and len(words) >= LONG_RUN:
            return " ".join(words[1:-1])
    return folded


def _pairs(text: str) -> Iterable[str]:
    """Two-character words of the long runs in *text*, and what stands between the runs."""
    rest = _RUN.sub(" ", text)
    yield from (word for word in rest.split() if _WORD.search(word))
    for run in _RUN.findall(text):
        parts = clusters(run)
        if len(parts) <= LONG_RUN:
            yield run
        else:
            yield from (left + right for left, right in itertools.pairwise(parts))


def variants(term: Term, kind: TextKind) -> list[str]:
    """The ways in which a term may stand in the text: as it is, and a long run without spaces also in pairs."""
    text = normalise(term.text)
    found = [text]
    if kind == "unicode61" and not term.phrase and any(len(clusters(run)) > LONG_RUN for run in _RUN.findall(text)):
        found += dict.fromkeys(_pairs(text))
    return found


def match_query(terms: Sequence[Term], kind: TextKind) -> str | None:
    """An FTS5 query for any of *terms*; None if there is nothing to look for.  Nothing in a term can be an operator."""
    return " OR ".join(match_parts(terms, kind)) or None


def match_parts(terms: Sequence[Term], kind: TextKind) -> list[str]:
    """The alternatives of :func:`match_query`, each once."""
    parts: list[str] = []
    for term in terms:
        parts += [
            _quoted(_phrase(text, kind), prefix=term.prefix and number == 0)
            for number, text in enumerate(variants(term, kind))
            if _WORD.search(text)
        ]
    return list(dict.fromkeys(parts))


def too_short(terms: Sequence[Term], kind: TextKind) -> list[Term]:
    """Terms that a trigram index cannot find: they have fewer than three characters."""
    if kind != "trigram":
        return []
    return [term for term in terms if 0 < len(normalise(term.text).strip()) < 3]
