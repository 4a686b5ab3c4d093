"""The shape of a Markdown text: units that are never cut, and how good it is to cut before each of them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from openclaw_memory_core.index.chunking.longlines import HARD, pieces
from openclaw_memory_core.workspace.tokens import quarter_tokens

GLUED = 0
LINE, NESTED, ITEM, BLOCK, HEADING = 4, 5, 6, 7, 8
"""Strengths of a cut, from a line inside a paragraph to a heading; 1 to 3 are inside lines and fences."""

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t\r]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\r?$)")
_FENCE = re.compile(r"[ \t]*(`{3,}(?!.*`)|~{3,})")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t\r]*$")
_STRUCTURE = frozenset("#-*+`~=0123456789")
_FRONTMATTER_LINES = 200


@dataclass(slots=True)
class Outline:
    """A text as a row of units: whole lines, or pieces of very long ones.

    :param starts: offset of each unit, and the length of the text at the end.
    :param lines: 1-based line of each unit.
    :param weights: running sum of the units' sizes in quarter tokens, beginning with 0.
    :param strengths: how good it is to cut before each unit.
    :param headings: (unit, headings above it, these and the heading itself), in order.
    :param fences: first unit of a code fence → the unit after it.
    """

    starts: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    weights: list[int] = field(default_factory=lambda: [0])
    strengths: list[int] = field(default_factory=list)
    headings: list[tuple[int, tuple[str, ...], tuple[str, ...]]] = field(default_factory=list)
    fences: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.strengths)

    def units(self, first_line: int, last_line: int) -> tuple[int, int]:
        """Range of the units of these lines."""
        return bisect_left(self.lines, first_line), bisect_left(self.lines, last_line + 1)

    def path(self, unit: int) -> tuple[str, ...]:
        """Headings above *unit*, outermost first."""
        at = bisect_right(self.headings, unit, key=lambda heading: heading[0]) - 1
        if at < 0:
            return ()
        heading, above, within = self.headings[at]
        return above if heading == unit else within


class _Scanner:
    """Walks over the lines once and fills an :class:`Outline`."""

    def __init__(self, *, markdown: bool) -> None:
        self.outline = Outline()
        self._markdown = markdown
        self._levels: list[tuple[int, str]] = []
        self._fence: str | None = None
        self._fence_unit = 0
        self._after_heading = False
        self._after_blank = True
        self._plain_block: str | None = None

    def strength(self, line: str) -> int:
        """Strength of the cut before *line*; keeps track of fences and headings."""
        body = line.lstrip()
        if self._fence is not None:
            return self._in_fence(body)
        if not body:
            self._after_blank, self._plain_block = True, None
            return GLUED if self._after_heading else LINE
        found = None
        if self._markdown and body[0] in _STRUCTURE:
            found = self._structure(line)
        if found is None:
            found = self._plain(line, indented=body is not line)
        self._after_blank = False
        return found

    def _plain(self, line: str, *, indented: bool) -> int:
        if self._after_heading:
            self._after_heading = False
            return GLUED
        if not self._after_blank or indented:
            self._plain_block = None
            return NESTED if self._after_blank else LINE
        self._plain_block = line
        return BLOCK

    def _structure(self, line: str) -> int | None:
        match = _ATX.match(line)
        if match:
            return self._heading(len(match[1]), match[2] or "", len(self.outline))
        match = _FENCE.match(line)
        if match:
            self._fence, self._fence_unit = match[1], len(self.outline)
            return self._begin(NESTED if line.startswith(("    ", "\t")) else BLOCK)
        match = _SETEXT.match(line)
        if match and self._plain_block is not None:
            self.outline.strengths[-1] = self._heading(
                1 if match[1][0] == "=" else 2, self._plain_block, len(self.outline) - 1
            )
            return GLUED
        if _ITEM.match(line):
            return self._begin(NESTED if line[0] in " \t" else BLOCK if self._after_blank else ITEM)
        return None

    def _begin(self, strength: int) -> int:
        glued, self._after_heading, self._plain_block = self._after_heading, False, None
        return GLUED if glued else strength

    def _heading(self, level: int, title: str, unit: int) -> int:
        while self._levels and self._levels[-1][0] >= level:
            self._levels.pop()
        above = self._path()
        self._levels.append((level, title.strip()))
        self.outline.headings.append((unit, above, self._path()))
        strength = self._begin(HEADING)
        self._after_heading = True
        return strength

    def _path(self) -> tuple[str, ...]:
        return tuple(name for _, name in self._levels if name)

    def _in_fence(self, body: str) -> int:
        mark = self._fence or ""
        closing = body.rstrip()
        if closing.startswith(mark) and not closing.strip(mark[0]):
            self.outline.fences[self._fence_unit] = len(self.outline) + 1
            self._fence, self._after_blank = None, True
            return GLUED
        return HARD


def _frontmatter_end(lines: list[str]) -> int:
    """Number of lines of YAML front matter at the top, 0 if there is none."""
    if lines[0].rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:_FRONTMATTER_LINES], start=2):
        if line.rstrip() in {"---", "..."}:
            return number
    return 0


def heading_title(line: str) -> str | None:
    """Title of a ``#`` heading; None if *line* is something else."""
    match = _ATX.match(line)
    return (match[2] or "").strip() if match else None


def outline(text: str, most: int, *, markdown: bool = True) -> Outline:
    """Find the units of *text*.

    :param most: largest size of a unit in quarter tokens; longer lines are cut into pieces.
    :param markdown: False for transcripts, where only lines count.
    """
    lines = text.split("\n")
    scanner = _Scanner(markdown=markdown)
    out = scanner.outline
    starts, numbers, weights, strengths = out.starts, out.lines, out.weights, out.strengths
    front = _frontmatter_end(lines) if markdown else 0
    total = offset = 0
    for number, line in enumerate(lines, start=1):
        end = offset + len(line) + 1
        strength = (HARD if number > 1 else BLOCK) if number <= front else scanner.strength(line)
        weight = (len(line) if line.isascii() else quarter_tokens(line)) + 1
        if weight <= most:
            total += weight
            starts.append(offset)
            numbers.append(number)
            weights.append(total)
            strengths.append(strength)
        else:
            for at, size, cut in pieces(text, offset, min(end, len(text)), most):
                total += size
                starts.append(at)
                numbers.append(number)
                weights.append(total)
                strengths.append(strength if at == offset else cut)
        offset = end
    starts.append(len(text))
    return out
