"""Words of notes and questions: one spelling, light stems, scripts without spaces."""

from __future__ import annotations

import functools
import re
import unicodedata

from openclaw_memory_core.records import record

CJK = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\uac00-\ud7af"
"""Character ranges of scripts that are searched by pairs of characters."""

CJK_RUN = re.compile(f"[{CJK}]+")
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

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
