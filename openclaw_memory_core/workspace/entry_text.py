"""From the text a model wants to keep to one Markdown entry that cannot pretend to be anything else."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from openclaw_memory_core.errors import UsageError
from openclaw_memory_core.workspace.annotations import INVALID_PROJECT, begins_entry, open_fence, parse_entries

_ITEM = re.compile(r"^[-*+][ \t]")
_FENCE_OPEN = re.compile(r"^[ \t]*(?:[-*+][ \t]+)*(`{3,}|~{3,})")
# Wider than what is ever read as an annotation, so that no variant slips through.
_FORGED = re.compile(r"<!--(?=(?:(?!<!--)\W)*(?:trigger|importance|project))", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def format_entry(
    text: str,
    *,
    triggers: Sequence[str] = (),
    importance: int | None = None,
    projects: Sequence[str] = (),
) -> str:
    """One entry, without a line feed at its end.

    Text becomes a list item, its further lines indented below it.  Text that begins with a list item or a heading is
    kept as it is, unless annotations are given that more than one item would share.  Anything else (a quote, a table,
    code) would belong to the entry before it.  An open code fence is closed.  Annotations inside *text* do not count:
    their ``<!--`` is written ``&lt;!--``; only the parameters make annotations.

    :param triggers: phrases; may hold several, separated by commas.
    :param importance: 1 to 10.
    :raises UsageError: the text is empty, or an annotation cannot be written as one.
    """
    body = _clean(text)
    if not body.strip():
        raise UsageError("the text is empty", hint="Give the text to remember.")
    marks = _annotations(triggers, importance, projects)
    lines = _FORGED.sub("&lt;!--", body).split("\n")
    if not _stands_alone(lines, single=bool(marks)):
        lines = ["- " + lines[0], *(f"  {line}" if line.strip() else "" for line in lines[1:])]
    return "\n".join(_annotated(lines, marks))


def _clean(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _LONE_SURROGATE.sub("\ufffd", _CONTROL.sub("", text))
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    if lines:
        lines = textwrap.dedent("\n".join(lines)).split("\n")
        lines[0] = lines[0].lstrip()
    return "\n".join(_close_fence(lines))


def _close_fence(lines: list[str]) -> list[str]:
    """Close a fence that is open at the end, so that it does not swallow the entries that follow."""
    fence = open_fence("\n".join(lines))
    return [*lines, fence] if fence else lines


def _stands_alone(lines: list[str], *, single: bool) -> bool:
    """Whether the text is Markdown already; with *single* it must also be one list item."""
    if not begins_entry(lines[0]):
        return False
    return not single or (_ITEM.match(lines[0]) is not None and len(parse_entries("\n".join(lines))) == 1)


def _annotated(lines: list[str], marks: str) -> list[str]:
    if not marks:
        return lines
    if _FENCE_OPEN.match(lines[0]) or "`" in lines[0]:
        fence = open_fence("\n".join(lines), "  .")
        return [*lines, *([f"  {fence}"] if fence else []), f"  {marks}"]
    return [f"{lines[0]} {marks}", *lines[1:]]


def _annotations(triggers: Sequence[str], importance: int | None, projects: Sequence[str]) -> str:
    marks = []
    if triggers:
        marks.append(f"<!-- trigger: {', '.join(_value('trigger', one) for one in triggers)} -->")
    if importance is not None:
        if isinstance(importance, bool) or not 1 <= importance <= 10:
            raise UsageError(f"the importance is {importance}", hint="Give a whole number from 1 to 10.")
        marks.append(f"<!-- importance: {importance} -->")
    if projects:
        marks.append(f"<!-- project: {'; '.join(_value('project', one) for one in projects)} -->")
    return " ".join(marks)


def _value(name: str, value: str) -> str:
    value = value.strip()
    forbidden = "--" in value or any(char in value for char in "<>`\n\r") or _CONTROL.search(value)
    if not value or forbidden or value == INVALID_PROJECT:
        raise UsageError(
            f"a {name} is empty or holds a line break, '--', '<', '>' or a backtick",
            hint=f"Give the {name} as a short plain phrase.",
        )
    return _LONE_SURROGATE.sub("\ufffd", value)
