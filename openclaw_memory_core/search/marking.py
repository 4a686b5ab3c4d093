"""Where the words of a question stand in a text, for marking them on a terminal."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Sequence

from openclaw_memory_core.search.query import Needle, parse
from openclaw_memory_core.search.words import WORD, fold

Span = tuple[int, int]


def mark(text: str, question: str, style: Callable[[str], str]) -> str:
    """*text* with *style* applied to what matches the words of *question*."""
    # No word of a date is looked for in text, so any day will do.
    needles = parse(question, dt.date(2000, 1, 1)).needles
    parts, end = [], 0
    for first, last in spans(text, needles):
        parts += [text[end:first], style(text[first:last])]
        end = last
    return "".join([*parts, text[end:]])


def spans(text: str, needles: Sequence[Needle]) -> list[Span]:
    """Start and end of each match in order, overlapping ones joined."""
    folded = fold(text)
    found = _in_words(text, needles) if len(folded) != len(text) else _in_text(folded, needles)
    joined: list[Span] = []
    for first, last in sorted(found):
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def _in_text(folded: str, needles: Sequence[Needle]) -> Iterable[Span]:
    for needle in needles:
        if needle.pattern is not None:
            yield from (match.span() for match in re.finditer(needle.pattern.pattern, folded))
            continue
        start = folded.find(needle.key)
        while start >= 0:
            yield start, start + len(needle.key)
            start = folded.find(needle.key, start + 1)


def _in_words(text: str, needles: Sequence[Needle]) -> Iterable[Span]:
    """Folding has changed the length (``ß``), so whole words are compared instead of places."""
    for match in WORD.finditer(text):
        folded = fold(match.group())
        if any(needle.found(folded) for needle in needles):
            yield match.span()
