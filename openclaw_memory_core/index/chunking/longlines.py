"""Cutting a line that is longer than an overlap into pieces: at sentences, else at blanks, else anywhere."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from openclaw_memory_core.workspace.tokens import quarter_tokens

HARD, WORD, SENTENCE = 1, 2, 3
"""How good it is to cut before a piece; lines and blocks are better (see :mod:`.outline`)."""

_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*\s+|[。！？；][”’」』）]*\s*")
_JOINER = "\u200d"
_MAX_CLUSTER = 16


def pieces(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int, int]]:
    """Tile ``text[start:end]`` with pieces of at most *most* quarter tokens.

    Yields (offset, weight, strength of the cut before it) for each piece.  *most* is at least 4, one character.
    """
    at, strength = start, HARD
    for match in _SENTENCE_END.finditer(text, start, end):
        yield from _words(text, at, match.end(), most, strength)
        at, strength = match.end(), SENTENCE
    if at < end:
        yield from _words(text, at, end, most, strength)


def _words(text: str, start: int, end: int, most: int, strength: int) -> Iterator[tuple[int, int, int]]:
    """Tile one sentence; blanks stay with the word before them."""
    at = start
    while end - at > most or quarter_tokens(text[at:end]) > most:
        cut = at + _fitting(text[at : min(end, at + most)], most)
        blank = max(text.rfind(" ", at, cut), text.rfind("\t", at, cut)) + 1
        good = blank > at + (cut - at) // 4
        cut = blank if good else _between_clusters(text, at, cut)
        yield at, quarter_tokens(text[at:cut]), strength
        at, strength = cut, WORD if good else HARD
    yield at, quarter_tokens(text[at:end]), strength


def _fitting(window: str, most: int) -> int:
    """Length of the longest prefix of *window* that weighs at most *most*."""
    low, high = 1, len(window)
    if quarter_tokens(window) <= most:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if quarter_tokens(window[:middle]) <= most:
            low = middle
        else:
            high = middle - 1
    return low


def _between_clusters(text: str, at: int, cut: int) -> int:
    """Move *cut* back so that no accent, joiner or variation mark loses its base character."""
    for candidate in range(cut, max(at, cut - _MAX_CLUSTER), -1):
        follower = text[candidate : candidate + 1]
        glued = follower == _JOINER or text[candidate - 1] == _JOINER or unicodedata.category(follower or "a")[0] == "M"
        if not glued:
            return candidate
    return cut
