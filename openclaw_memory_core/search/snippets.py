"""The text that a hit shows: its best passages, whole lines, at most 700 characters."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

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
        self._shares = [weights.share(line.found) for line in lines]
        self._values = line_values(lines, weights)
        self._windows = windows(lines, self._values, weights, PASSAGE)

    def best(self, taken: set[Key]) -> Window | None:
        """The best passage that is not shown yet."""
        return next((window for window in self._windows if self._free(window, taken)), None)

    def compose(self, taken: set[Key], limit: int = LIMIT) -> Snippet | None:
        """A snippet of the best lines that are not in *taken*; None if no passage is left."""
        core = self.best(taken)
        if core is None:
            return None
        order = self._order(taken)
        heading = self._heading(order[0])
        room = limit - (len(self._lines[heading].text) + len(GAP) + 2 if heading is not None else 0)
        chosen = {order[0]}
        for position in order[1:]:
            self._add(chosen, position, room)
        if heading is not None and self._size(chosen | {heading}) <= limit:
            chosen.add(heading)
        return self._snippet(sorted(chosen), limit)

    def _order(self, taken: set[Key]) -> list[int]:
        """The lines that are not shown yet: that with most of the question, then what is worth most near it."""
        left = [p for p, line in enumerate(self._lines) if not line.blank and self._key(p) not in taken]
        best = max(left, key=lambda p: (self._shares[p], -p))
        told = {p: place for place, p in enumerate(p for p, line in enumerate(self._lines) if not line.blank)}
        worth = {p: self._values[p] + BESIDE / (1 + abs(told[p] - told[best])) for p in left}
        return [best, *sorted((p for p in left if p != best), key=lambda p: (-worth[p], p))]

    def _free(self, window: Window, taken: set[Key]) -> bool:
        return not any(self._key(position) in taken for position in self._shown(window))

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

    def _add(self, chosen: set[int], position: int, room: int) -> None:
        grown = chosen | {position}
        if len(grown) <= MAX_LINES and self._size(grown) <= room and self._together(sorted(grown)):
            chosen.add(position)

    def _together(self, positions: Sequence[int]) -> bool:
        return all(b - a - 1 <= MAX_GAP for a, b in itertools.pairwise(positions))

    def _size(self, chosen: Iterable[int]) -> int:
        return sum(map(len, self._parts(sorted(chosen))))

    def _parts(self, positions: Sequence[int]) -> Iterable[str]:
        before: int | None = None
        for position in positions:
            if before is not None:
                yield self._joint(before, position)
            yield self._lines[position].text
            before = position

    def _joint(self, before: int, position: int) -> str:
        between = self._lines[before + 1 : position]
        if not between:
            return "" if self._lines[position].glued else "\n"
        if all(line.blank for line in between):
            return "\n" * (len(between) + 1)
        same = self._lines[before].number == self._lines[position].number
        return f" {GAP} " if same else f"\n{GAP}\n"

    def _snippet(self, positions: list[int], limit: int) -> Snippet:
        text = "".join(self._parts(positions))
        keys = frozenset(self._key(position) for position in positions)
        first, last = self._lines[positions[0]].number, self._lines[positions[-1]].number
        return Snippet(text[:limit], first, last, keys, union(self._lines[position] for position in positions))
