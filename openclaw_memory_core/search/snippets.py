"""The text that a hit shows: its best passages, whole lines, at most 700 characters."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Sequence
from functools import cached_property

from openclaw_memory_core.records import record
from openclaw_memory_core.search.passages import Lines, NeedleWeights, line_values, union, windows

LIMIT = 700
"""Characters of a snippet, as documented."""

PASSAGE = 180
"""Characters of one passage; a single longer line is one, too."""

GAP = "…"
"""Stands alone on a line where lines of the note are left out."""

MAX_LINES = 20
"""Lines of a snippet: of a list of very short lines it still shows a passage, not the whole."""

MAX_GAP = 10
"""Lines that may be left out in one place: what is further away is another passage, with its own line numbers."""

MAX_GAPS = 3
"""Places where lines may be left out: more, and a talk of short lines falls to pieces."""

BESIDE = 1.0
"""What the best line adds to the worth of its neighbours: half of it to the next ones, a third to those after them …"""

_LONGEST_JOINT = len(GAP) + 2
"""Characters between two lines where lines with text are left out."""

_HEADING = re.compile(r"#{1,6}\s+\S")

Key = tuple[int, str]
"""A line that was shown: its number and text (pieces of one long line have the same number)."""


@record
class Snippet:
    """Text and the lines it is from.

    :param found: bit set of the needles that its lines hold.
    """

    text: str
    first: int
    last: int
    keys: frozenset[Key]
    found: int = 0


class Composer:
    """Cuts snippets out of one hit, one after the other; no line is shown twice.

    :param weights: how much each of the question's words counts.
    """

    def __init__(self, lines: Lines, weights: NeedleWeights) -> None:
        self._lines = lines
        self._weights = weights
        self._values = line_values(lines, weights)
        self._windows = windows(lines, self._values, weights, PASSAGE)
        self._top = max(self._windows)[0] if self._windows else None

    def best(self, taken: set[Key]) -> float | None:
        """The score of the best passage that is not shown yet; None if there is none."""
        if not taken:
            return self._top
        shown = {p for p, key in enumerate(self._keys) if key in taken}
        left = [score for score, first, last in self._windows if shown.isdisjoint(range(first, last + 1))]
        return max(left, default=None)

    def compose(self, taken: set[Key], limit: int = LIMIT) -> Snippet | None:
        """A snippet of the best lines that are not in *taken*; None if no passage is left."""
        if self.best(taken) is None:
            return None
        best, *others = self._order(taken)
        heading = self._heading(best)
        room = limit - (self._lines.sizes[heading] + _LONGEST_JOINT if heading is not None else 0)
        chosen = _Chosen(self._lines, best)
        for position in others:
            if chosen.is_full(room):
                break
            chosen.add(position, room)
        if heading is not None and heading not in chosen.positions:
            chosen.insert(heading, limit)
        return self._snippet(chosen.positions, limit)

    def _order(self, taken: set[Key]) -> list[int]:
        """The lines that are not shown yet: that with most of the question, then what is worth most near it."""
        told = [p for p, said in enumerate(self._lines.said) if said]
        left = {p: place for place, p in enumerate(told) if not taken or self._keys[p] not in taken}
        share, found, values = self._weights.share, self._lines.found, self._values
        # The first of equal ones.
        best = max(left, key=lambda p: share(found[p]))
        at = left.pop(best)
        worth = {p: -values[p] - BESIDE / (1 + abs(place - at)) for p, place in left.items()}
        return [best, *sorted(worth, key=worth.__getitem__)]

    @cached_property
    def _keys(self) -> list[Key]:
        return list(zip(self._lines.numbers, self._lines.texts, strict=True))

    def _heading(self, best: int) -> int | None:
        """The heading that the best line stands under, if it is near."""
        for position in range(best, max(-1, best - MAX_GAP - 1), -1):
            if _HEADING.match(self._lines.texts[position]):
                return position
        return None

    def _snippet(self, positions: list[int], limit: int) -> Snippet:
        text = _text(self._lines, positions)
        keys = frozenset([self._keys[position] for position in positions])
        first, last = self._lines.numbers[positions[0]], self._lines.numbers[positions[-1]]
        return Snippet(text[:limit], first, last, keys, union([self._lines.found[position] for position in positions]))


class _Chosen:
    """The lines of a snippet that grows.

    :ivar positions: of its lines, in order; none of them blank.
    """

    def __init__(self, lines: Lines, first: int) -> None:
        self._lines = lines
        self._size = lines.sizes[first]
        self._gaps = 0
        self._shortest = min(size for size, said in zip(lines.sizes, lines.said, strict=True) if said)
        self.positions = [first]

    def is_full(self, room: int) -> bool:
        """Whether not even the shortest line can be taken in."""
        return len(self.positions) >= MAX_LINES or self._size + self._shortest - _LONGEST_JOINT > room

    def add(self, position: int, room: int) -> None:
        """Take in a line as well, if it is near enough and there is room."""
        # It may take the place of one joint: most of what does not fit is known by that.
        if self._size + self._lines.sizes[position] - _LONGEST_JOINT > room:
            return
        before, after = self._beside(position)
        near = before is None or position - before - 1 <= MAX_GAP
        if near and (after is None or after - position - 1 <= MAX_GAP):
            self._put(position, before, after, room, MAX_GAPS)

    def insert(self, position: int, room: int) -> None:
        """Take in a line as well if there is room."""
        self._put(position, *self._beside(position), room, MAX_LINES)

    def _put(self, position: int, before: int | None, after: int | None, room: int, most_gaps: int) -> None:
        lines = self._lines
        size, gaps = self._size + lines.sizes[position], self._gaps
        if before is not None:
            joint = _joint(lines, before, position)
            size, gaps = size + len(joint), gaps + (GAP in joint)
        if after is not None:
            joint = _joint(lines, position, after)
            size, gaps = size + len(joint), gaps + (GAP in joint)
            if before is not None:
                joint = _joint(lines, before, after)
                size, gaps = size - len(joint), gaps - (GAP in joint)
        if size <= room and gaps <= most_gaps:
            self._size, self._gaps = size, gaps
            bisect.insort(self.positions, position)

    def _beside(self, position: int) -> tuple[int | None, int | None]:
        """The lines before and after this one."""
        at = bisect.bisect(self.positions, position)
        return self.positions[at - 1] if at else None, self.positions[at] if at < len(self.positions) else None


def _text(lines: Lines, positions: Sequence[int]) -> str:
    """These lines with what stands between them."""
    parts = [lines.texts[position] for position in positions[:1]]
    for before, position in itertools.pairwise(positions):
        parts += (_joint(lines, before, position), lines.texts[position])
    return "".join(parts)


def _joint(lines: Lines, before: int, position: int) -> str:
    ends = position - before
    if lines.glued:
        # Pieces of one long line stand in one line, also if what is between them is blank.
        ends -= sum(at in lines.glued for at in range(before + 1, position + 1))
    if position == before + 1 or (ends and not any(lines.said[before + 1 : position])):
        return "\n" * ends
    same = lines.numbers[before] == lines.numbers[position]
    return f" {GAP} " if same else f"\n{GAP}\n"
