"""Filling chunks: as much as fits, cut at the best border in reach, with an overlap where text runs on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from openclaw_memory_core.index.chunking.longlines import SENTENCE, WORD
from openclaw_memory_core.index.chunking.outline import HEADING, ITEM, LINE, NESTED, Outline

SECTION_SHARE = 0.25
"""A heading begins a new chunk once the present one holds this share of its limit."""
FILL_SHARE = 0.5
"""A chunk is filled at least so far, if its text allows, before a border is looked for."""


@dataclass(frozen=True, slots=True)
class Span:
    """Units of one chunk: *start* to *core* is overlap with the chunk before, *core* to *end* is new."""

    start: int
    core: int
    end: int


class Packer:
    """Cuts one outline.

    :param limit: largest chunk in quarter tokens, overlap included.
    :param overlap: text of the chunk before that a chunk repeats, at most, in quarter tokens.
        At most half of *limit*.
    """

    def __init__(self, outline: Outline, limit: int, overlap: int) -> None:
        self._outline = outline
        self._limit = limit
        self._overlap = overlap
        self._heads = [unit for unit, strength in enumerate(outline.strengths) if strength == HEADING]

    def spans(self, first: int, last: int) -> Iterator[Span]:
        """Tile the units *first* to *last* (exclusive)."""
        start = core = first
        while core < last:
            end = self._cut(start, core, last)
            yield Span(start, core, end)
            start = self._overlap_start(core, end) if end < last else end
            core = end

    def _cut(self, start: int, core: int, last: int) -> int:
        weights, strengths = self._outline.weights, self._outline.strengths
        base = weights[core]
        reach = bisect_right(weights, weights[start] + self._limit, core + 1, last + 1) - 1
        reach = max(reach, core + 1)
        section = self._section(core, reach, base)
        if section:
            return section
        if reach == last:
            return last
        low = min(max(bisect_left(weights, base + self._limit * FILL_SHARE, core, reach), core + 1), reach)
        window = strengths[low : reach + 1]
        best = max(window)
        if best <= WORD:
            return self._before(core, low) or reach - window[::-1].index(best)
        return reach - window[::-1].index(best)

    def _section(self, core: int, reach: int, base: int) -> int:
        """First heading in reach that has enough text before it; 0 if there is none."""
        weights, heads = self._outline.weights, self._heads
        for at in range(bisect_right(heads, core), len(heads)):
            unit = heads[at]
            if unit >= reach:
                return 0
            if weights[unit] - base >= self._limit * SECTION_SHARE:
                return unit
        return 0

    def _before(self, core: int, low: int) -> int:
        """Last line that may begin a chunk before a code block or an endless line; 0 if there is none."""
        strengths = self._outline.strengths
        return next((unit for unit in range(low - 1, core, -1) if strengths[unit] >= LINE), 0)

    def _overlap_start(self, core: int, end: int) -> int:
        """Where the chunk after *end* begins: at a line, item or sentence within the overlap, never across a heading.

        Only where a sentence, an endless word or a code block had to be cut may the overlap begin anywhere.
        """
        weights, strengths = self._outline.weights, self._outline.strengths
        if strengths[end] == HEADING:
            return end
        block = self._outline.fences.get(end, end + 1)
        needed = weights[block] - weights[end]
        if needed > self._limit:
            needed = weights[end + 1] - weights[end]
        room = min(self._overlap, self._limit - needed)
        begin = max(bisect_left(weights, weights[end] - room, core, end), core + 1)
        border = strengths[end]
        enough = border if border in {NESTED, ITEM} else SENTENCE
        for unit in range(begin, end):
            if strengths[unit] >= enough:
                return unit
        return min(begin, end) if border <= WORD else end
