"""The text that a hit shows: its best passages, whole lines, at most 700 characters."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterable, Sequence

from openclaw_memory_core.records import record
from openclaw_memory_core.search.passages import Line, Window, union

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

AFTER = 0.1
"""Bonus of a line that goes on where a passage of the snippet ends."""

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
    """Cuts snippets out of one hit, one after the other; no line is shown twice."""

    def __init__(self, lines: Sequence[Line], values: Sequence[float], windows: Sequence[Window]) -> None:
        self._lines = lines
        self._values = values
        self._windows = windows

    def best(self, taken: set[Key]) -> Window | None:
        """The best passage that is not shown yet."""
        return next((window for window in self._windows if self._free(window, taken)), None)

    def compose(self, taken: set[Key], limit: int = LIMIT) -> Snippet | None:
        """A snippet of the best passages that are not in *taken*; None if nothing is left."""
        core = self.best(taken)
        if core is None:
            return None
        heading = self._heading(core)
        room = limit - (len(self._lines[heading].text) + _LONGEST_JOINT if heading is not None else 0)
        chosen = _Chosen(self._lines, self._shown(core))
        for window in self._windows:
            if window.score <= 0 or chosen.is_full(room):
                break
            more = self._shown(window)
            if chosen.lacks(more) and self._free(window, taken):
                chosen.add(more, room)
        if not chosen.is_full(room):
            self._fill(chosen, taken, room)
        if heading is not None and chosen.lacks([heading]):
            chosen.insert([heading], limit)
        return self._snippet(chosen.positions, limit)

    def _free(self, window: Window, taken: set[Key]) -> bool:
        return not taken or not any(self._key(position) in taken for position in self._shown(window))

    def _shown(self, window: Window) -> list[int]:
        if window.first == window.last:
            return [window.first]
        return [p for p in range(window.first, window.last + 1) if not self._lines[p].blank]

    def _key(self, position: int) -> Key:
        line = self._lines[position]
        return line.number, line.text

    def _heading(self, core: Window) -> int | None:
        """The heading that the passage stands under, if it is near."""
        for position in range(core.first, max(-1, core.first - MAX_GAP - 1), -1):
            if _HEADING.match(self._lines[position].text):
                return position
        return None

    def _fill(self, chosen: _Chosen, taken: set[Key], room: int) -> None:
        """Use what is left of the room for single lines: the best of those beside or near what is shown."""
        left = [p for p in range(len(self._lines)) if not self._lines[p].blank and self._key(p) not in taken]
        after = {p + 1 for p in chosen.positions}
        left.sort(key=lambda p: -self._values[p] - (AFTER if p in after else 0.0))
        for position in left:
            if chosen.lacks([position]):
                chosen.add([position], room)

    def _snippet(self, positions: list[int], limit: int) -> Snippet:
        text = _text(self._lines, positions)
        keys = frozenset(self._key(position) for position in positions)
        first, last = self._lines[positions[0]].number, self._lines[positions[-1]].number
        return Snippet(text[:limit], first, last, keys, union(self._lines[position] for position in positions))


class _Chosen:
    """The lines of a snippet that grows.

    :ivar positions: of its lines, in order; none of them blank.
    """

    def __init__(self, lines: Sequence[Line], core: list[int]) -> None:
        self._lines = lines
        self._size = len(_text(lines, core))
        self._together = _together(core)
        self._shortest = min(len(line.text) for line in lines if not line.blank)
        self.positions = core

    def is_full(self, room: int) -> bool:
        """Whether not even the shortest line can be taken in."""
        return len(self.positions) >= MAX_LINES or self._size + self._shortest - _LONGEST_JOINT > room

    def lacks(self, positions: Iterable[int]) -> bool:
        """Whether it holds none of these."""
        return not any(position in self.positions for position in positions)

    def add(self, more: list[int], room: int) -> None:
        """Take in neighbouring lines as well, if they are near enough and there is room."""
        if not self._together or len(self.positions) + len(more) > MAX_LINES:
            return
        # They may take the place of one joint: most of what does not fit is known by that.
        if self._size + sum(len(self._lines[p].text) for p in more) - _LONGEST_JOINT > room:
            return
        at = bisect.bisect(self.positions, more[0])
        if _together([*self.positions[max(at - 1, 0) : at], *more, *self.positions[at : at + 1]]):
            self.insert(more, room)

    def insert(self, more: list[int], room: int) -> None:
        """Take in neighbouring lines as well if there is room."""
        at = bisect.bisect(self.positions, more[0])
        beside = self.positions[max(at - 1, 0) : at + 1]
        between = [*self.positions[max(at - 1, 0) : at], *more, *self.positions[at : at + 1]]
        size = self._size + len(_text(self._lines, between)) - len(_text(self._lines, beside))
        if size <= room:
            self._size = size
            self.positions[at:at] = more


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
    if not between:
        return "" if lines[position].glued else "\n"
    if all(line.blank for line in between):
        return "\n" * (len(between) + 1)
    same = lines[before].number == lines[position].number
    return f" {GAP} " if same else f"\n{GAP}\n"
