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


_QUESTION_MARKS = ("?", "？")


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
        self._wanted: list[tuple[int, Needle, int]] = []
        """Bit, needle, and the first place where it is certain to stand."""
        self.held = 0
        bit = 1
        for needle in needles:
            # Most keys stand in few texts.
            at = folded.find(needle.key)
            if at >= 0:
                at = _next(needle, folded, at)
                if at >= 0:
                    self._wanted.append((bit, needle, at))
                    self.held |= bit
            bit <<= 1

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
                at = folded.find(needle.key, counted) if counted >= 0 else -1
                if at >= 0:
                    at = _next(needle, folded, at)
        return found

    def inside(self, piece: str) -> int:
        """Bit set of the needles that a part of the text holds."""
        if not self._wanted:
            return 0
        folded = fold(piece)
        return sum(bit for bit, needle, _ in self._wanted if needle.found(folded))


def _next(needle: Needle, folded: str, at: int) -> int:
    """The first place from *at* on, where its key stands, at which a text holds a needle; -1 if there is none."""
    if needle.pattern is None:
        return at
    if not needle.leads:
        return at if needle.pattern.search(folded) is not None else -1
    while at >= 0 and needle.pattern.match(folded, at) is None:
        at = folded.find(needle.key, at + 1)
    return at


def lines_of(chunk: StoredChunk, found: Found, longest: int) -> list[Line]:
    """The lines of a chunk with their numbers in the document.

    :param found: what of the question stands in its text.
    """
    texts = chunk.text.split("\n")
    held = [0] * len(texts)
    for line, bits in found.by_line().items():
        held[line] = bits
    lines = list(map(Line, _numbers(chunk, len(texts)), texts, [False] * len(texts), held))
    if max(map(len, texts)) <= longest:
        return lines
    return [piece for line in lines for piece in (_cut(line, found) if len(line.text) > longest else (line,))]


def _numbers(chunk: StoredChunk, count: int) -> Sequence[int]:
    """The number of each line in the document."""
    mapped = chunk.line_map
    if mapped:
        return [mapped[min(offset, len(mapped) - 1)] for offset in range(count)]
    first, last = chunk.start_line, max(chunk.start_line, chunk.end_line)
    if first + count - 1 <= last:
        return range(first, first + count)
    return [min(first + offset, last) for offset in range(count)]


def _cut(line: Line, found: Found) -> Iterator[Line]:
    for part, piece in enumerate(_pieces(line.text)):
        yield Line(line.number, piece, part > 0, found.inside(piece))


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
    """What each line is worth for itself; 0 for a blank one."""
    most = max(map(weights.share, {line.found for line in lines}), default=0.0) or 1.0
    values = []
    before, asked = 0, False
    for _, text, _, found in lines:
        said = text.rstrip()
        if not said:
            values.append(0.0)
            continue
        size = len(said)
        asks = said.endswith(_QUESTION_MARKS)
        value = LENGTH * (size / FULL_LENGTH if size < FULL_LENGTH else 1.0) + ANSWERS * asked - ASKS * asks
        if found:
            value += OWN * weights.share(found) / most
        if found or before:
            value += CONTINUES * weights.share(before | found)
        values.append(value)
        before, asked = found, asks
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
    for first in range(end):
        if blank[first]:
            continue
        last, covered, value = first, lines[first].found, values[first]
        length = lengths[first]
        position = first + 1
        while position < end:
            length += lengths[position] + 1
            if length > size:
                break
            if not blank[position]:
                last = position
                covered |= lines[position].found
                value += values[position]
            position += 1
        found.append(Window(first, last, VALUE_SHARE * value + (weights.share(covered) if covered else 0.0)))
        if last == end - 1:
            break
    # Equal ones stay in their order.
    return sorted(found, key=attrgetter("score"), reverse=True)
