"""Where in a hit the answer stands: lines, and how much of the question each of them holds."""

from __future__ import annotations

import math
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import accumulate
from operator import or_
from typing import NamedTuple

from openclaw_memory_core.index.model import StoredChunk
from openclaw_memory_core.search.query import Needle
from openclaw_memory_core.search.words import WordPattern, fold

NEAR_CHARS = 400
"""Words of a question are near each other within this many characters (about three lines of a note)."""

PIECE = 200
"""A line that is longer than a snippet is looked at in pieces of this many characters."""

OWN = 0.5
CONTINUES = 0.5
LENGTH = 0.75
ASKS = 0.5
ANSWERS = 0.5
FULL_LENGTH = 300
"""What makes a line worth showing: the words of the question that it holds, as a share of the best line's; what it
holds together with the line before, for answers follow; how much it says.  One that only asks is worth less, what
follows a question more."""

VALUE_SHARE = 0.2
"""Weight of the lines' own values in the score of a window, beside the share of the question that it covers."""


_QUESTION_MARKS = "?？"


class Lines(NamedTuple):
    """The lines of a hit, or pieces of those that are longer than a snippet: a list for each thing known of them.

    :param numbers: of the lines in the document.
    :param texts: as they stand there.
    :param sizes: their lengths.
    :param said: the same without white space at the end; empty for a blank line.
    :param found: bit sets of the needles that they hold.
    :param glued: positions of pieces that go on in the same line as the piece before.
    """

    numbers: Sequence[int]
    texts: Sequence[str]
    sizes: Sequence[int]
    said: Sequence[str]
    found: Sequence[int]
    glued: frozenset[int] = frozenset()


class Found:
    """What of a question stands in a text, which is folded once for everything that is asked of it.

    :ivar held: bit set of the needles that the text holds.
    """

    __slots__ = ("_folded", "_wanted", "held")

    def __init__(self, folded: str) -> None:
        self._folded = folded
        self._wanted: list[tuple[int, Needle, int]] = []
        """Bit, needle, and the first place where it is certain to stand."""
        self.held = 0

    def look(self, bit: int, needle: Needle, at: int) -> None:
        """Look for a needle from this place on, where its key stands."""
        at = _next(needle, self._folded, at)
        if at >= 0:
            self._wanted.append((bit, needle, at))
            self.held |= bit

    def by_line(self) -> dict[int, int]:
        """For each line that holds any needle (the first is 0) the bit set of those that it holds."""
        found: dict[int, int] = {}
        folded = self._folded
        for bit, needle, first in self._wanted:
            if needle.pattern is not None and not needle.leads:
                # A phrase may go on in the next line, and then stands in neither.
                for number, line in enumerate(folded.split("\n")):
                    if needle.found(line):
                        found[number] = found.get(number, 0) | bit
                continue
            at, number, counted = first, 0, 0
            while at >= 0:
                number += folded.count("\n", counted, at)
                found[number] = found.get(number, 0) | bit
                counted = folded.find("\n", at)
                if counted < 0:
                    break
                at = folded.find(needle.key, counted)
                if at >= 0:
                    at = _next(needle, folded, at)
        return found

    def inside(self, piece: str) -> int:
        """Bit set of the needles that a part of the text holds."""
        if not self._wanted:
            return 0
        folded = fold(piece)
        return sum(bit for bit, needle, _ in self._wanted if needle.found(folded))


def find_all(texts: Iterable[str], needles: Sequence[Needle]) -> list[Found]:
    """What of a question stands in each text."""
    folded = list(map(fold, texts))
    found = list(map(Found, folded))
    # Most keys stand in few texts: they are looked for in all of them at once.
    together = "\0".join(folded)
    ends = list(accumulate(len(text) + 1 for text in folded))
    for number, needle in enumerate(needles if folded else ()):
        key, bit = needle.key, 1 << number
        at = together.find(key)
        while at >= 0:
            place = bisect(ends, at)
            start, end = ends[place] - len(folded[place]) - 1, ends[place]
            if at + len(key) < end:
                found[place].look(bit, needle, at - start)
            at = together.find(key, end)
    return found


def _next(needle: Needle, folded: str, at: int) -> int:
    """The first place from *at* on, where its key stands, at which a text holds a needle; -1 if there is none."""
    pattern = needle.pattern
    if pattern is None:
        return at
    if isinstance(pattern, WordPattern):
        return pattern.place(folded, at)
    if not needle.leads:
        return at if pattern.search(folded) is not None else -1
    while at >= 0 and pattern.match(folded, at) is None:
        at = folded.find(needle.key, at + 1)
    return at


def lines_of(chunk: StoredChunk, found: Found, longest: int) -> Lines:
    """The lines of a chunk with their numbers in the document.

    :param found: what of the question stands in its text.
    """
    texts = chunk.text.split("\n")
    held = [0] * len(texts)
    for line, bits in found.by_line().items():
        held[line] = bits
    sizes = list(map(len, texts))
    lines = Lines(_numbers(chunk, len(texts)), texts, sizes, list(map(str.rstrip, texts)), held)
    return lines if max(sizes) <= longest else _cut(lines, found, longest)


def _numbers(chunk: StoredChunk, count: int) -> Sequence[int]:
    """The number of each line in the document."""
    mapped, first, last = chunk.line_map, chunk.start_line, chunk.end_line
    if mapped:
        return [mapped[min(offset, len(mapped) - 1)] for offset in range(count)]
    if first + count - 1 <= last:
        return range(first, first + count)
    last = max(first, last)
    return [min(first + offset, last) for offset in range(count)]


def _cut(lines: Lines, found: Found, longest: int) -> Lines:
    numbers: list[int] = []
    texts: list[str] = []
    held: list[int] = []
    glued: set[int] = set()
    for number, text, bits in zip(lines.numbers, lines.texts, lines.found, strict=True):
        pieces = list(_pieces(text)) if len(text) > longest else [text]
        glued.update(range(len(texts) + 1, len(texts) + len(pieces)))
        held += map(found.inside, pieces) if len(pieces) > 1 else [bits]
        numbers += [number] * len(pieces)
        texts += pieces
    return Lines(numbers, texts, list(map(len, texts)), list(map(str.rstrip, texts)), held, frozenset(glued))


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = min(len(text), start + PIECE)
        space = text.rfind(" ", start + PIECE // 2, end)
        if end < len(text) and space > 0:
            end = space + 1
        yield text[start:end]
        start = end


class NeedleWeights:
    """How much each needle counts: its rarity among the candidates (BM25's idf) times its own weight.

    The candidates of a search are a fair sample for telling ``the kiln`` from ``the``: the vector leg brings chunks
    that hold none of the words.
    """

    def __init__(self, needles: Sequence[Needle], held: Sequence[int]) -> None:
        """*held*: for each candidate the bit set of the needles that it holds."""
        total = len(held)
        worth = []
        alike = Counter(held)
        for bit, needle in enumerate(needles):
            count = sum(times for found, times in alike.items() if found >> bit & 1)
            rarity = math.log(1 + (total - count + 0.5) / (count + 0.5))
            worth.append(rarity * needle.weight)
        self.share: Callable[[int], float] = _Shares(worth).__getitem__
        """What a set of needles is worth, as a share of all of them."""


class _Shares(dict[int, float]):
    """The share of each set of needles that was asked for."""

    def __init__(self, worth: Sequence[float]) -> None:
        super().__init__({0: 0.0})
        self._worth = worth
        self._total = sum(worth)

    def __missing__(self, found: int) -> float:
        worth = sum(weight for bit, weight in enumerate(self._worth) if found >> bit & 1)
        share = self[found] = worth / self._total if self._total > 0 else 0.0
        return share


def union(found: Iterable[int]) -> int:
    """Bit set of the needles that any of the lines holds."""
    return reduce(or_, found, 0)


def nearness(lines: Lines, weights: NeedleWeights) -> float:
    """Largest share of the question that stands within :data:`NEAR_CHARS` characters."""
    ends = list(accumulate(lines.sizes))
    held = [(position, found) for position, found in enumerate(lines.found) if found]
    best = 0.0
    for place, (last, own) in enumerate(held):
        covered = own
        for first, found in reversed(held[:place]):
            if ends[last] - ends[first] + lines.sizes[first] > NEAR_CHARS:
                break
            covered |= found
        best = max(best, weights.share(covered))
    return best


def line_values(lines: Lines, weights: NeedleWeights) -> list[float]:
    """What each line is worth for itself; 0 for a blank one."""
    share, said, held = weights.share, lines.said, lines.found
    # Most lines hold nothing of the question and ask nothing: what they are worth is their length.
    values = [LENGTH * (size / FULL_LENGTH if size < FULL_LENGTH else 1.0) for size in map(len, said)]
    for position in [at for at, line in enumerate(said) if line and line[-1] in _QUESTION_MARKS]:
        values[position] -= ASKS
        answer = _beside(said, position, 1)
        if answer is not None:
            values[answer] += ANSWERS
    most = max(map(share, set(held)), default=0.0) or 1.0
    for position in [at for at, found in enumerate(held) if found]:
        before, after = _beside(said, position, -1), _beside(said, position, 1)
        together = held[position] if before is None else held[before] | held[position]
        values[position] += OWN * share(held[position]) / most
        values[position] += CONTINUES * share(together)
        if after is not None and not held[after]:
            values[after] += CONTINUES * share(held[position])
    return values


def _beside(said: Sequence[str], position: int, step: int) -> int | None:
    """The nearest line that is not blank, before (-1) or after (1) this one."""
    position += step
    while 0 <= position < len(said):
        if said[position]:
            return position
        position += step
    return None


Window = tuple[float, int, int]
"""Neighbouring lines: their score, and the positions of the first and the last."""


def windows(lines: Lines, values: Sequence[float], weights: NeedleWeights, size: int) -> list[Window]:
    """Windows of whole lines of at most *size* characters (or one line); none begins or ends blank."""
    _, _, sizes, said, held, _ = lines
    share = weights.share
    windows = []
    end = len(sizes)
    for first in range(end):
        if not said[first]:
            continue
        last, length, covered, value = first, sizes[first], held[first], values[first]
        position = first + 1
        while position < end and (length := length + 1 + sizes[position]) <= size:
            if said[position]:
                last = position
                covered |= held[position]
                value += values[position]
            position += 1
        windows.append((VALUE_SHARE * value + share(covered), first, last))
        if last == end - 1:
            break
    return windows
