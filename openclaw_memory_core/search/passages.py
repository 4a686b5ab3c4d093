"""Where in a hit the answer stands: lines, and how much of the question each of them holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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
        return not self.text.strip()


def present(text: str, needles: Sequence[Needle]) -> int:
    """Bit set of the needles that a text holds."""
    folded = fold(text)
    return sum(1 << bit for bit, needle in enumerate(needles) if needle.found(folded))


def lines_of(chunk: StoredChunk, needles: Sequence[Needle], longest: int, held: int | None = None) -> list[Line]:
    """The lines of a chunk with their numbers in the document.

    :param held: needles that the chunk holds at all, when that is known already.
    """
    held = present(chunk.text, needles) if held is None else held
    wanted = [(1 << bit, needle) for bit, needle in enumerate(needles) if held >> bit & 1]
    last = max(chunk.start_line, chunk.end_line)
    lines = []
    for offset, text in enumerate(chunk.text.split("\n")):
        number = min(chunk.start_line + offset, last)
        if chunk.line_map:
            number = chunk.line_map[min(offset, len(chunk.line_map) - 1)]
        for part, piece in enumerate(_pieces(text, longest)):
            lines.append(Line(number, piece, part > 0, _found(piece, wanted)))
    return lines


def _pieces(text: str, longest: int) -> Iterable[str]:
    if len(text) <= longest:
        yield text
        return
    start = 0
    while start < len(text):
        end = min(len(text), start + PIECE)
        space = text.rfind(" ", start + PIECE // 2, end)
        if end < len(text) and space > 0:
            end = space + 1
        yield text[start:end]
        start = end


def _found(text: str, wanted: Sequence[tuple[int, Needle]]) -> int:
    if not wanted:
        return 0
    folded = fold(text)
    return sum(bit for bit, needle in wanted if needle.found(folded))


class NeedleWeights:
    """How much each needle counts: its rarity among the candidates (BM25's idf) times its own weight.

    The candidates of a search are a fair sample for telling ``the kiln`` from ``the``: the vector leg brings chunks
    that hold none of the words.
    """

    def __init__(self, needles: Sequence[Needle], held: Sequence[int]) -> None:
        """*held*: for each candidate the bit set of the needles that it holds."""
        total = len(held)
        self._weights = []
        for bit, needle in enumerate(needles):
            count = sum(found >> bit & 1 for found in held)
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
    for end, line in enumerate(lines):
        size += len(line.text)
        while size > NEAR_CHARS and start < end:
            size -= len(lines[start].text)
            start += 1
        if line.found:
            best = max(best, weights.share(union(lines[start : end + 1])))
    return best


def line_values(lines: Sequence[Line], weights: NeedleWeights) -> list[float]:
    """What each line is worth for itself; 0 for a blank one."""
    most = max((weights.share(line.found) for line in lines), default=0.0) or 1.0
    values = []
    before, asked = 0, False
    for line in lines:
        text = line.text.rstrip()
        if not text:
            values.append(0.0)
            continue
        asks = text.endswith(("?", "？"))
        value = OWN * weights.share(line.found) / most + CONTINUES * weights.share(before | line.found)
        value += LENGTH * min(1.0, len(text) / FULL_LENGTH) + ANSWERS * asked - ASKS * asks
        values.append(value)
        before, asked = line.found, asks
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
    for first, line in enumerate(lines):
        if line.blank:
            continue
        length = len(line.text)
        last, covered, value = first, line.found, values[first]
        for position in range(first + 1, len(lines)):
            length += len(lines[position].text) + 1
            if length > size:
                break
            if not lines[position].blank:
                last = position
                covered |= lines[position].found
                value += values[position]
        found.append(Window(first, last, weights.share(covered) + VALUE_SHARE * value))
        if last == len(lines) - 1:
            break
    return sorted(found, key=lambda window: (-window.score, window.first))
