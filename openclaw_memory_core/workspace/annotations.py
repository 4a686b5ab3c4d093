"""Entries of a curated file and the annotations on them.

An entry is one list item (a line that begins with ``- ``, ``* `` or ``+ ``) or one section (a heading and what follows
it up to the next item or heading).  Annotations are HTML comments of one line::

    - Norlink ferry account 4411 <!-- trigger: book the ferry, ferry --> <!-- importance: 8 -->

They count only at the end of a line and never inside code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from openclaw_memory_core.records import record

INVALID_PROJECT = "!invalid-project-annotation"
"""Stands for a project annotation that cannot be read; an entry with it belongs to no active project."""

# A value holds no further "<!--": a line full of beginnings without an end then costs no more than its length.
_ANNOTATION = re.compile(
    r"<!--[ \t]*(trigger|importance|project)s?[ \t]*:((?:(?!<!--|-->).)*)-->", re.IGNORECASE | re.DOTALL
)
_BACKTICKS = re.compile(r"`+")
_FENCE = re.compile(r"^([ \t]*(?:[-*+][ \t]+)*)(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_BULLET = re.compile(r"^[-*+][ \t]+\S")
_HEADING = re.compile(r"^#{1,6}(?:[ \t]|$)")
_TRIGGER_BREAK = re.compile(r"[,;|，、；]")


@record
class Entry:
    """One list item or section.

    :param start_line: 1-based.
    :param end_line: 1-based, inclusive; blank lines at the end do not belong to it.
    :param text: without annotations, one line for each line of the entry.
    :param importance: 1 to 10, the highest that is given.
    :param projects: keys that must all be active for the entry to be recalled.
    """

    start_line: int
    end_line: int
    text: str
    triggers: tuple[str, ...] = ()
    importance: int | None = None
    projects: tuple[str, ...] = ()


@record
class _Line:
    raw: str
    code: bool
    fence: str = ""


def strip_annotations(text: str) -> str:
    """*text* without annotations and without the blanks they leave at line ends; the same number of lines."""
    if "<!--" not in text:
        return text
    return "\n".join(line.raw if line.code else _strip_line(line.raw) for line in _lines(text))


def parse_entries(text: str, *, projects: bool = True) -> list[Entry]:
    """Entries of a curated file, in order; together they hold every line that is not blank.

    :param projects: read project annotations (not for ``USER.md``).
    """
    entries: list[Entry] = []
    block: list[_Line] = []
    start = 1
    for number, line in enumerate(_lines(text), 1):
        if not line.code and begins_entry(line.raw) and block:
            entries.extend(_entry(start, block, projects=projects))
            block = []
        if not block:
            start = number
        block.append(line)
    entries.extend(_entry(start, block, projects=projects))
    return entries


def open_fence(text: str, following: str = ".") -> str:
    """The code fence that a line *following* the text would still be inside of; empty if there is none."""
    *_, last = _lines(f"{text}\n{following}")
    return last.fence


def begins_entry(line: str) -> bool:
    """Whether a line outside code begins a list item or a section."""
    return bool(_BULLET.match(line) or _HEADING.match(line))


def _lines(text: str) -> Iterator[_Line]:
    """Lines with the knowledge of code fences (CommonMark 0.31 §4.5).

    A fence that was opened inside a list item ends with the item, closed or not.
    """
    fence = ""
    in_item = contained = False
    for raw in text.split("\n"):
        if fence:
            if contained and raw[:1] not in {"", " ", "\t", "\r"}:
                fence = ""
            else:
                inside = _Line(raw, code=True, fence=fence)
                if _closes(raw, fence):
                    fence = ""
                yield inside
                continue
        if begins_entry(raw):
            in_item = _BULLET.match(raw) is not None
        match = _FENCE.match(raw)
        if match is not None:
            fence = match[2]
            contained = in_item and match[1] != ""
        # The line of a bullet that opens a fence still begins its entry.
        yield _Line(raw, code=match is not None and not begins_entry(raw))


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(fence) and stripped == fence[0] * len(stripped)


def _entry(start: int, block: list[_Line], *, projects: bool) -> Iterator[Entry]:
    full = [number for number, line in enumerate(block) if line.raw.strip()]
    if not full:
        return
    start += full[0]
    block = block[full[0] : full[-1] + 1]
    marks = [mark for line in block if not line.code for mark in _marks(line.raw)]
    importances = [int(value) for name, value in marks if name == "importance" and _is_importance(value)]
    yield Entry(
        start_line=start,
        end_line=start + len(block) - 1,
        text="\n".join(line.raw if line.code else _strip_line(line.raw) for line in block),
        triggers=_triggers([value for name, value in marks if name == "trigger"]),
        importance=max(importances, default=None),
        projects=_projects([value for name, value in marks if name == "project"]) if projects else (),
    )


def _marks(line: str) -> Iterator[tuple[str, str]]:
    if not line.rstrip().endswith("-->"):
        return
    for match in _ANNOTATION.finditer(_mask_code(line)):
        yield match[1].lower(), match[2].strip()


def _mask_code(line: str) -> str:
    """*line* with the code spans blotted out, the same length.

    A span reaches from a run of backticks to the next run of the same length (CommonMark 0.31 §6.1).
    """
    runs = [match.span() for match in _BACKTICKS.finditer(line)]
    later: dict[int, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[number][1] - runs[number][0], []).append(number)
    kept, at, number = [], 0, 0
    while number < len(runs):
        first, last = runs[number]
        same = later[last - first]
        while same and same[-1] <= number:
            same.pop()
        if same:
            number = same[-1]
            kept += [line[at:first], "\x00" * (runs[number][1] - first)]
            at = runs[number][1]
        number += 1
    return "".join([*kept, line[at:]])


def _strip_line(line: str) -> str:
    if "<!--" not in line:
        return line
    spans = [match.span() for match in _ANNOTATION.finditer(_mask_code(line))]
    if not spans:
        return line
    kept, at = [], 0
    for first, last in spans:
        kept.append(line[at:first])
        at = last
    kept.append(line[at:])
    end = "\r" if line.endswith("\r") else ""
    return "".join(kept).rstrip() + end


def _is_importance(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) <= 2 and 1 <= int(value) <= 10


def _triggers(values: list[str]) -> tuple[str, ...]:
    phrases = (phrase.strip() for value in values for phrase in _TRIGGER_BREAK.split(value))
    return tuple({phrase.casefold(): phrase for phrase in phrases if phrase}.values())


def _projects(values: list[str]) -> tuple[str, ...]:
    keys: dict[str, None] = {}
    for value in values:
        for key in value.split(";"):
            keys[_project_key(key.strip())] = None
    return tuple(keys)


def _project_key(key: str) -> str:
    if not key or any(char in key for char in "<>\r\n"):
        return INVALID_PROJECT
    if key.startswith("path:"):
        return key
    host, slash, rest = key.partition("/")
    return host.lower() + slash + rest if slash else key
