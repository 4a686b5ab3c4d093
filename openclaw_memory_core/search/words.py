"""Words of notes and questions: one spelling, light stems, scripts without spaces."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from openclaw_memory_core.records import record

CJK = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\uac00-\ud7af"
"""Character ranges of scripts that are searched by pairs of characters."""

CJK_RUN = re.compile(f"[{CJK}]+")
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d\u0859-\u085b\u0897-\u08e1\u08e3-\u0963"
    "\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d"
    "\u0d57-\u0d63\u0d81-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ece\u0f18-\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84"
    "\u0f86-\u0fbc\u0fc6\u102b-\u103e\u1056-\u109d\u135d-\u135f\u1712-\u1734\u1752-\u17d3\u17dd\u180b-\u180d"
    "\u180f-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2"
    "\u1cd4-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f-\u2dff\u302a-\u302f\u3099-\u309a\ua66f-\ua672\ua674-\ua67d"
    "\ua69e-\ua6f1\ua802-\ua827\ua82c\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d\ua947-\ua953\ua980-\ua9c0\ua9e5-\uaa4d"
    "\uaa7b-\uaac1\uaaeb-\uaaef\uaaf5-\uaaf6\uabe3-\uabea\uabec-\uabed\ufb1e\ufe20-\ufe2f"
)
"""Marks that belong to words: accents by themselves, the vowels of Hindi, Tamil, Thai, pointed Hebrew.  Between them
are letters, which belong to words anyway."""

WORD = re.compile(rf"[^\W_]+(?:['’][^\W_]+|[{MARKS}]+[^\W_]*)*")

_VOICING = "\u3099\u309a"
"""Voicing marks of kana are letters, not accents: か and が are different words."""

_SHORT = 3
_SUFFIXES = (
    ("ational", "ate"),
    ("ization", "ize"),
    ("isation", "ise"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("iveness", "ive"),
    ("ments", ""),
    ("sses", "ss"),
    ("ingly", ""),
    ("edly", ""),
    ("ment", ""),
    ("ness", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("ing", ""),
    ("ed", ""),
    ("ly", ""),
    ("es", ""),
    ("s", ""),
)
_ENDINGS = "e|s|es|d|ed|r|er|ers|ing|ings|ly|ment|ments|ness|n|en|ern|y|ies|ied|ier|iest"


def fold(text: str) -> str:
    """One spelling for what looks alike: NFKC, no case, no accents.  Never raises, whatever the text holds."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(char for char in decomposed if char in _VOICING or not unicodedata.combining(char))
    return unicodedata.normalize("NFC", bare).casefold()


def stem(word: str) -> str:
    """A folded word without its commonest English endings; other languages lose at most a plural.

    Lighter than Porter's stemmer, which the text index applies: it serves to point at words inside a hit, and a word
    it misses costs a little ranking, not the hit.
    """
    if len(word) <= _SHORT or not word.isascii() or "'" in word:
        return word
    for suffix, replacement in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORT:
            if suffix == "s" and word.endswith(("ss", "us", "is")):
                break
            word = word[: len(word) - len(suffix)] + replacement
            break
    if len(word) > _SHORT and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    if len(word) > _SHORT + 1 and word[-1] in "ey":
        word = word[:-1]
    return word


@record
class WordPattern:
    """The words of folded text that have a stem.

    A question brings words that were never asked for before, and compiling a pattern takes longer than looking through
    all candidates.  What may follow a stem is one of few patterns.

    :param tail: what follows *root* in a word.
    """

    root: str
    tail: re.Pattern[str]

    @property
    def pattern(self) -> str:
        """The whole as a regular expression."""
        return rf"(?<![^\W_]){re.escape(self.root)}{self.tail.pattern}"

    def match(self, folded: str, at: int) -> re.Match[str] | None:
        """Whether such a word begins at this place, where *root* stands: a match of what follows it."""
        # A letter or digit in front is the middle of another word.
        return None if at and folded[at - 1].isalnum() else self.tail.match(folded, at + len(self.root))

    def place(self, folded: str, at: int) -> int:
        """The first place from *at* on, where *root* stands, at which such a word begins; -1 if there is none."""
        size = len(self.root)
        while at >= 0:
            if not at or not folded[at - 1].isalnum():
                end = at + size
                # Most words stand there as they were asked for, and need no pattern.
                if not folded[end : end + 1].isalnum() or self.tail.match(folded, end) is not None:
                    break
            at = folded.find(self.root, at + 1)
        return at

    def search(self, folded: str) -> re.Match[str] | None:
        """The first such word: a match of what follows its root."""
        at = folded.find(self.root)
        while at >= 0:
            found = self.match(folded, at)
            if found is not None:
                return found
            at = folded.find(self.root, at + 1)
        return None


def word_pattern(word: str) -> tuple[str, WordPattern]:
    """A stem and the pattern of the words that have it, for folded text."""
    root = stem(word)
    doubled = root[-1] if root[-1:].isalpha() and root.isascii() else ""
    return root, WordPattern(root, _number_tail() if root.isdigit() else _word_tail(doubled))


@functools.lru_cache(maxsize=64)
def _word_tail(doubled: str) -> re.Pattern[str]:
    """What may follow a stem that ends with this letter (``plan``, ``planning``); empty for no ASCII letter."""
    again = f"{doubled}?" if doubled else ""
    return re.compile(rf"(?:{again}(?:{_ENDINGS}))?(?:['’]s)?(?![^\W_])")


@functools.lru_cache(maxsize=1)
def _number_tail() -> re.Pattern[str]:
    return re.compile(r"(?:['’]s)?(?![^\W_])")


def literal_pattern(text: str) -> re.Pattern[str]:
    """A pattern for folded text that finds *text* as it is, white space aside, not inside a longer word."""
    body = r"\s+".join(re.escape(part) for part in text.split())
    before = r"(?<![^\W_])" if text[:1].isalnum() else ""
    after = r"(?![^\W_])" if text[-1:].isalnum() else ""
    return re.compile(before + body + after)


def as_written(stems: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """The words of folded *texts* that *stems* of the text index stand for: the most common of each, or the stem.

    The index knows ``ferri`` and ``separ`` where the notes say ``ferry`` and ``separate``.
    """
    return tuple(dict.fromkeys(_written(root, texts) for root in map(fold, stems)))


def _written(root: str, texts: Sequence[str]) -> str:
    # The stemmer changes the last letter at most.
    start = re.escape(root[:-1] if root[-1:] in "ei" else root)
    near = Counter(word for text in texts for word in re.findall(rf"(?<![^\W_]){start}[^\W_]*", text))
    if root in near:
        return root
    _, pattern = word_pattern(root)
    forms = [word for word in near if word.startswith(pattern.root) and pattern.match(word, 0)]
    return max(forms or near, key=lambda word: (near[word], -len(word), word), default=root)


def pairs(run: str) -> list[str]:
    """Pairs of neighbouring characters of a run without spaces; the run itself if it is one character."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


_CUT = bytes(code if chr(code).isalnum() else 32 for code in range(256))
"""A space for every ASCII character that belongs to no word."""


def token_set(text: str) -> frozenset[str]:
    """Distinct words of a text, with single characters and pairs for scripts without spaces (for similarity)."""
    folded = fold(text)
    if folded.isascii():
        # Without an apostrophe nothing but letters and digits belongs to a word, and cutting is faster than matching.
        return frozenset(WORD.findall(folded) if "'" in folded else folded.encode().translate(_CUT).decode().split())
    tokens: set[str] = set()
    for run in CJK_RUN.findall(folded):
        tokens.update(run)
        tokens.update(pairs(run))
    tokens.update(WORD.findall(CJK_RUN.sub(" ", folded)))
    return frozenset(tokens)
