"""The text that a hit shows: its best passages, whole lines, at most 700 characters."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Sequence

from openclaw_memory_core.records import record
from openclaw_memory_core.search.passages import Line, NeedleWeights, Window, line_values, union, windows

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

    def __init__(self, lines: Sequence[Line], weights: NeedleWeights) -> None:
        self._lines = lines
        self._weights = weights
        self._values = line_values(lines, weights)
        self._windows = windows(lines, self._values, weights, PASSAGE)

    def best(self, taken: set[Key]) -> Window | None:
        """The best passage that is not shown yet."""
        return next((window for window in self._windows if self._free(window, taken)), None)

    def compose(self, taken: set[Key], limit: int = LIMIT) -> Snippet | None:
        """A snippet of the best lines that are not in *taken*; None if no passage is left."""
        if self.best(taken) is None:
            return None
        best, *others = self._order(taken)
        heading = self._heading(best)
        room = limit - (len(self._lines[heading].text) + _LONGEST_JOINT if heading is not None else 0)
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
        told = [p for p, line in enumerate(self._lines) if not line.blank]
        left = {p: place for place, p in enumerate(told) if not taken or self._key(p) not in taken}
        # The first of equal ones.
        best = max(left, key=lambda p: self._weights.share(self._lines[p].found))
        at = left.pop(best)
        return [best, *sorted(left, key=lambda p: -self._values[p] - BESIDE / (1 + abs(left[p] - at)))]

    def _free(self, window: Window, taken: set[Key]) -> bool:
        return not taken or not any(self._key(position) in taken for position in self._shown(window))

    def _shown(self, window: Window) -> list[int]:
        return [p for p in range(window.first, window.last + 1) if not self._lines[p].blank]

    def _key(self, position: int) -> Key:
        line = self._lines[position]
        return line.number, line.text

    def _heading(self, best: int) -> int | None:
        """The heading that the best line stands under, if it is near."""
        for position in range(best, max(-1, best - MAX_GAP - 1), -1):
            if _HEADING.match(self._lines[position].text):
                return position
        return None

    def _snippet(self, positions: list[int], limit: int) -> Snippet:
        text = _text(self._lines, positions)
        keys = frozenset(self._key(position) for position in positions)
        first, last = self._lines[positions[0]].number, self._lines[positions[-1]].number
        return Snippet(text[:limit], first, last, keys, union(self._lines[position] for position in positions))


class _Chosen:
    """The lines of a snippet that grows.

    :ivar positions: of its lines, in order; none of them blank.
    """

    def __init__(self, lines: Sequence[Line], first: int) -> None:
        self._lines = lines
        self._size = len(lines[first].text)
        self._shortest = min(len(line.text) for line in lines if not line.blank)
        self.positions = [first]

    def is_full(self, room: int) -> bool:
        """Whether not even the shortest line can be taken in."""
        return len(self.positions) >= MAX_LINES or self._size + self._shortest - _LONGEST_JOINT > room

    def add(self, position: int, room: int) -> None:
        """Take in a line as well, if it is near enough and there is room."""
        # It may take the place of one joint: most of what does not fit is known by that.
        if self._size + len(self._lines[position].text) - _LONGEST_JOINT > room:
            return
        at = bisect.bisect(self.positions, position)
        if _together([*self.positions[max(at - 1, 0) : at], position, *self.positions[at : at + 1]]):
            self.insert(position, room)

    def insert(self, position: int, room: int) -> None:
        """Take in a line as well if there is room."""
        at = bisect.bisect(self.positions, position)
        beside = self.positions[max(at - 1, 0) : at + 1]
        between = [*self.positions[max(at - 1, 0) : at], position, *self.positions[at : at + 1]]
        size = self._size + len(_text(self._lines, between)) - len(_text(self._lines, beside))
        if size <= room:
            self._size = size
            self.positions.insert(at, position)


def _together(positions: Sequence[int]) -> bool:
    return all(b - a - 1 <= MAX_GAP for a, b in itertools.pairwise(positions))


def _text(lines: Sequence[Line], positions: Sequence[int]) -> str:
    """These lines with what stands between them."""
    parts = [lines[position].text for position in positions[:1]]
    for before, position in itertools.pairwise(positions):
        parts += (_joint(lines, before, position), lines[position].text)
    return "".join(parts)


def _joint(lines: Sequence[Line], before: int, position: int) -> str:
    between = lines[before + 1 : position]
    # Pieces of one long line stand in one line, also if what is between them is blank.
    ends = sum(not line.glued for line in lines[before + 1 : position + 1])
    if not between or (ends and all(line.blank for line in between)):
        return "\n" * ends
    same = lines[before].number == lines[position].number
    return f" {GAP} " if same else f"\n{GAP}\n"
