"""Keyword search over utterances in memory: all words must occur, best first by BM25."""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openclaw_memory_core.sessions.transcripts import Utterance

SNIPPET_CHARS = 300
_LEAD = 60
_MOST_STARTS = 500
"""Of a message that holds a word thousands of times, no more places are compared."""
_K1, _B = 1.2, 0.75
_LOWEST_IDF = 1e-6
_PARTS = re.compile(r'"([^"]+)"|(\S+)')
_WORD = re.compile(r"\w+")
_ACCENTS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
# Scripts written without blanks: there a word may stand anywhere within a run.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def fold(text: str) -> str:
    """*text* without differences of case, width or Latin accents."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).casefold()
    return unicodedata.normalize("NFKC", bare)


class Query:
    """What to look for: words, and phrases where the query has quotes or joins words (``foo-bar``)."""

    def __init__(self, text: str) -> None:
        units = [_WORD.findall(fold(quoted or plain)) for quoted, plain in _PARTS.findall(text)]
        self._phrases = list(dict.fromkeys(tuple(unit) for unit in units if unit))
        self.patterns = [_pattern(words) for words in self._phrases]

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def counts(self, folded: str) -> list[int]:
        """How often each word or phrase occurs in a folded text."""
        # Most texts lack most words, and "in" is far cheaper than a pattern.
        return [
            len(pattern.findall(folded)) if all(word in folded for word in words) else 0
            for words, pattern in zip(self._phrases, self.patterns, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An utterance to search, and where it is from."""

    utterance: Utterance
    folded: str
    origin: int


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate in which every word occurs; *score* is BM25, greater is better."""

    candidate: Candidate
    score: float


def rank(query: Query, candidates: Sequence[Candidate]) -> list[Match]:
    """Every match, best first; equal ones newest first.

    BM25 (Robertson and others, 1994) with the parameters of SQLite's FTS5: k1 1.2, b 0.75, idf never below 1e-6.
    """
    counts = [query.counts(candidate.folded) for candidate in candidates]
    total = len(candidates)
    lengths = [len(candidate.folded) for candidate in candidates]
    mean = sum(lengths) / total if sum(lengths) else 1.0
    frequencies = [sum(1 for row in counts if row[i]) for i in range(len(query.patterns))]
    weights = [max(math.log((total - n + 0.5) / (n + 0.5)), _LOWEST_IDF) for n in frequencies]
    matches = [
        Match(candidate, _bm25(row, weights, length / mean))
        for candidate, row, length in zip(candidates, counts, lengths, strict=True)
        if all(row)
    ]
    return sorted(matches, key=_order)


def snippet(text: str, query: Query) -> str:
    """The part of *text* with most of the words, at most 300 characters, an ellipsis where it was cut."""
    line = " ".join(text.split())
    if len(line) <= SNIPPET_CHARS:
        return line
    starts = sorted(itertools.islice(_positions(line, query), _MOST_STARTS))
    best = max(starts, key=lambda start: (_covered(line, start, query), -start), default=0)
    start = max(0, min(best - _LEAD, len(line) - SNIPPET_CHARS))
    end = start + SNIPPET_CHARS
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    parts = list(words)
    body = r"[\W_]+".join(re.escape(word) for word in parts)
    before = "" if _UNSPACED.match(parts[0][0]) else r"(?<!\w)"
    after = "" if _UNSPACED.match(parts[-1][-1]) else r"(?!\w)"
    return re.compile(before + body + after)


def _bm25(row: Sequence[int], weights: Sequence[float], relative_length: float) -> float:
    damping = _K1 * (1 - _B + _B * relative_length)
    return sum(weight * n * (_K1 + 1) / (n + damping) for n, weight in zip(row, weights, strict=True))


def _order(match: Match) -> tuple[float, int, int, int]:
    spoken = match.candidate.utterance
    return -match.score, -(spoken.timestamp or 0), match.candidate.origin, spoken.line


def _positions(line: str, query: Query) -> Iterable[int]:
    folded = fold(line)
    # Folding may change the length; then positions are only near, which is enough for a window.
    scale = len(line) / len(folded) if folded else 1.0
    for pattern in query.patterns:
        for match in pattern.finditer(folded):
            yield min(len(line) - 1, int(match.start() * scale))


def _covered(line: str, start: int, query: Query) -> int:
    window = fold(line[max(0, start - _LEAD) : start - _LEAD + SNIPPET_CHARS if start > _LEAD else SNIPPET_CHARS])
    return sum(1 for n in query.counts(window) if n)
