"""Words of a message and of a trigger phrase, made comparable.

Scripts that write no blanks between words (Chinese, Japanese, Thai …), and Korean, whose particles are glued to the
word, are compared character by character: there a phrase may begin and end anywhere.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import dataclass

MAX_MESSAGE_CHARS = 20_000
"""Of a longer message only the beginning and the end are looked at, half of this each."""

# Scripts without word boundaries: Thai, Lao, Myanmar, Khmer, Hangul, Kana, Han and their extensions.
_UNBOUND = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u318f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Marks and joiners belong to the letter before them although \w leaves some of them out.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff\u200c\u200d"
_TOKEN = re.compile(rf"(?:[^\W{_UNBOUND}]|[{_MARKS}])+|[{_UNBOUND}]")
_ASCII_TOKEN = re.compile(r"[a-z0-9_]+")
_UNBOUND_CHAR = re.compile(rf"[{_UNBOUND}]")
_SENTENCE_END = re.compile(r"[.!?…](?=\s|$)|[。！？]|\n\s*\n")


def normalize(text: str) -> str:
    """*text* without differences of case, width or composition."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def tokens(normalized: str) -> list[str]:
    """Words, and single characters where there are no words."""
    return (_ASCII_TOKEN if normalized.isascii() else _TOKEN).findall(normalized)


def _joined(words: list[str]) -> str:
    return f" {' '.join(words)} "


@dataclass(frozen=True, slots=True)
class Message:
    """A message to look for phrases in.

    :param sequence: all words, each between blanks.
    :param sentences: the same for each sentence.
    :param words: the set of all words.
    """

    sequence: str
    sentences: tuple[str, ...]
    words: frozenset[str]

    @classmethod
    def parse(cls, text: str) -> Message:
        """Take a message apart."""
        if len(text) > MAX_MESSAGE_CHARS:
            half = MAX_MESSAGE_CHARS // 2
            text = f"{text[:half]}\n\n{text[-half:]}"
        parts = [tokens(normalize(part)) for part in _SENTENCE_END.split(text)]
        words = [word for part in parts for word in part]
        return cls(_joined(words), tuple(_joined(part) for part in parts if part), frozenset(words))


@dataclass(frozen=True, slots=True)
class Phrase:
    """A trigger phrase.

    :param text: as the note has it.
    :param sequence: its words in order, each between blanks.
    :param units: what must each be present as a whole, each between blanks: the distinct words, and the runs of
        characters of a script without word boundaries.
    """

    text: str
    sequence: str
    units: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Phrase | None:
        """None if *text* holds no word at all."""
        parts = [tokens(part) for part in normalize(text).split()]
        units = [_joined(unit) for part in parts for unit in _units(part)]
        if not units:
            return None
        return cls(text, _joined([word for part in parts for word in part]), tuple(dict.fromkeys(units)))

    def score(self, message: Message) -> float:
        """How well the phrase fits, 0 to 1.

        The whole phrase in its order, a single word too, is 1.  Otherwise, with ``n`` distinct words of which ``k``
        stand in one sentence: ``0.8 · (0.8 · k/n + 0.2 · min(1, k/2))``, the formula of the reference implementation
        without its search score.  All words in another order thus give 0.8.
        """
        if self.sequence in message.sequence:
            return 1.0
        if len(self.units) == 1:
            return 0.0
        best = max((sum(unit in sentence for unit in self.units) for sentence in message.sentences), default=0)
        return _partial_score(best, len(self.units))

    def required(self, threshold: float) -> int:
        """How many of the units must stand in a message for a score of at least *threshold*."""
        count = len(self.units)
        return next((k for k in range(1, count) if _partial_score(k, count) >= threshold), count)


def _partial_score(present: int, count: int) -> float:
    return 0.8 * (0.8 * present / count + 0.2 * min(1.0, present / 2)) if present else 0.0


def _units(words: list[str]) -> list[list[str]]:
    """Each word for itself; neighbouring characters of a script without word boundaries together."""
    units: list[list[str]] = []
    for bound, group in itertools.groupby(words, key=lambda word: _UNBOUND_CHAR.match(word) is None):
        members = list(group)
        units.extend([[word] for word in members] if bound else [members])
    return units
