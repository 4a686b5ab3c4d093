"""Where in a hit the answer stands: lines, and how much of the question each of them holds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from openclaw_memory_core.index.model import StoredChunk
from openclaw_memory_core.records import record
from openclaw_memory_core.search.query import Needle
from openclaw_memory_core.search.words import fold

NEAR_CHARS = 400
"""Words of a question are near each other within this many characters (about three lines of a note)."""

PIECE = 200
"""A line that is longer than a snippet is looked at in pieces of this many characters."""

OWN = 0.3
LENGTH = 0.1
FOLLOWS = 0.15
ASKS = 0.1
FULL_LENGTH = 300
"""Weights of a line beside what the window it stands in covers: words of its own, how much it says, that it comes after
a line with words of the question (answers follow), that it only asks something itself."""


class Line(NamedTuple):
    """A line of a hit, or a piece of one that is longer than a snippet.

    :param number: its line in the document.
    :param glued: it goes on in the same line as the piece before it.
    :param found: bit set of the needles that it holds.
    """

    number: int
    text: str
    glued: bool
    found: int

    @property
    def blank(self) -> bool:
        """Nothing but white space."""
        return not self.text or self.text.isspace()


class Found:
    """What of a question stands in a text, which is folded once for everything that is asked of it.

    :ivar held: bit set of the needles that the text holds.
    """

    __slots__ = ("_folded", "_wanted", "held")

    def __init__(self, text: str, needles: Sequence[Needle]) -> None:
        self._folded = folded = fold(text)
        # Most keys stand in few texts, and looking for one is much faster than asking the needle.
        self._wanted = [
            (1 << bit, needle)
            for bit, needle in enumerate(needles)
            if needle.key in folded and (needle.pattern is None or needle.found(folded))
        ]
        self.held = sum(bit for bit, _ in self._wanted)

    def by_line(self) -> dict[int, int]:
        """For each line that holds any needle (the first is 0) the bit set of those that it holds."""
        found: dict[int, int] = {}
        for bit, needle in self._wanted:
            for line in _lines_with(needle, self._folded):
                found[line] = found.get(line, 0) | bit
        return found

    def inside(self, piece: str) -> int:
        """Bit set of the needles that a part of the text holds."""
        if not self._wanted:
            return 0
        folded = fold(piece)
        return sum(bit for bit, needle in self._wanted if needle.found(folded))


def _lines_with(needle: Needle, folded: str) -> Iterator[int]:
    """Numbers of the lines that hold a needle; folding never makes or joins lines."""
    if needle.pattern is not None and not needle.leads:
        # A phrase may go on in the next line, which then is in neither.
        yield from (number for number, line in enumerate(folded.split("\n")) if needle.found(line))
        return
    number = counted = 0
    at = folded.find(needle.key)
    while at >= 0:
        if needle.pattern is not None and needle.pattern.match(folded, at) is None:
            at = folded.find(needle.key, at + 1)
            continue
        number += folded.count("\n", counted, at)
        yield number
        counted = folded.find("\n", at)
        at = folded.find(needle.key, counted) if counted >= 0 else -1


def lines_of(chunk: StoredChunk, found: Found, longest: int) -> list[Line]:
    """The lines of a chunk with their numbers in the document.

    :param found: what of the question stands in its text.
    """
    last = max(chunk.start_line, chunk.end_line)
    held = found.by_line()
    lines = []
    for offset, text in enumerate(chunk.text.split("\n")):
        number = min(chunk.start_line + offset, last)
        if chunk.line_map:
            number = chunk.line_map[min(offset, len(chunk.line_map) - 1)]
        if len(text) <= longest:
            lines.append(Line(number, text, False, held.get(offset, 0)))
        else:
            pieces = enumerate(_pieces(text))
            lines += [Line(number, piece, part > 0, found.inside(piece)) for part, piece in pieces]
    return lines


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
        self._weights = []
        alike = Counter(held)
        for bit, needle in enumerate(needles):
            count = sum(times for found, times in alike.items() if found >> bit & 1)
            rarity = math.log(1 + (total - count + 0.5) / (count + 0.5))
            self._weights.append(rarity * needle.weight)
        self._total = sum(self._weights)
        self._known: dict[int, float] = {0: 0.0}

    def share(self, found: int) -> float:
        """What a set of needles is worth, as a share of all of them."""
        known = self._known.get(found)
        if known is None:
            worth = sum(weight for bit, weight in enumerate(self._weights) if found >> bit & 1)
            known = self._known[found] = worth / self._total if self._total > 0 else 0.0
        return known


def union(lines: Iterable[Line]) -> int:
    """Bit set of the needles that any of the lines holds."""
    found = 0
    for line in lines:
        found |= line.found
    return found


def nearness(lines: Sequence[Line], weights: NeedleWeights) -> float:
    """Largest share of the question that stands within :data:`NEAR_CHARS` characters."""
    best = 0.0
    start = size = 0
    for end, (_, text, _, found) in enumerate(lines):
        size += len(text)
        while size > NEAR_CHARS and start < end:
            size -= len(lines[start].text)
            start += 1
        if found:
            best = max(best, weights.share(union(lines[start : end + 1])))
    return best


def line_values(lines: Sequence[Line], weights: NeedleWeights) -> list[float]:
    """What each line is worth for itself."""
    values = []
    before = 0.0
    for _, text, _, found in lines:
        own = weights.share(found) if found else 0.0
        text = text.rstrip()
        value = OWN * own + LENGTH * min(1.0, len(text) / FULL_LENGTH) + FOLLOWS * before
        values.append(value - ASKS if text.endswith(("?", "？")) else value)
        if text:
            before = own
    return values


@record
class Window:
    """Neighbouring lines, by their positions in a chunk's lines, last included."""

    first: int
    last: int
    score: float


def windows(lines: Sequence[Line], values: Sequence[float], weights: NeedleWeights, size: int) -> list[Window]:
    """Windows of whole lines of at most *size* characters (or one line), best first; none begins or ends blank."""
    found = []
    lengths = [len(line.text) for line in lines]
    blank = [line.blank for line in lines]
    end = len(lines)
    for first, line in enumerate(lines):
        if blank[first]:
            continue
        length = lengths[first]
        last, covered, value = first, line.found, values[first]
        for position in range(first + 1, end):
            length += lengths[position] + 1
            if length > size:
                break
            if not blank[position]:
                last = position
                covered |= lines[position].found
                value += values[position]
        found.append(Window(first, last, weights.share(covered) + value))
        if last == end - 1:
            break
    # Equal ones stay in their order.
    return sorted(found, key=attrgetter("score"), reverse=True)
