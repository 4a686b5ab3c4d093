"""The part of a note that one ``memory_get`` shows."""

from __future__ import annotations

from openclaw_memory_core.errors import UsageError
from openclaw_memory_core.records import record

DEFAULT_LINES = 120


@record
class NoteSlice:
    """Some lines of a note, as in the file.

    :param path: the path by which the note is known.
    :param from_line: 1-based number of the first line of *text*.
    :param lines: how many lines *text* holds; 0 past the end.
    :param total_lines: lines of the whole note; a newline at its very end begins no further line.
    :param truncated: there is more than *text* after *from_line*.
    :param next_from: where to go on; None at the end.
    :param curated: the note is private.
    :param line_cut: the first line alone is over the budget and was cut.
    """

    path: str
    text: str
    from_line: int
    lines: int
    total_lines: int
    truncated: bool = False
    next_from: int | None = None
    curated: bool = False
    line_cut: bool = False


def note_lines(text: str) -> list[str]:
    """Lines of a note, split at line feeds only; a carriage return stays in its line."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def check_window(from_line: int | None, lines: int | None) -> None:
    """Refuse a window that begins before the first line or holds none.

    :raises UsageError: a number below 1.
    """
    for name, value in (("from", from_line), ("lines", lines)):
        if value is not None and value < 1:
            raise UsageError(f"'{name}' is {value}", hint=f"Lines are counted from 1; give '{name}' as 1 or more.")


def cut_slice(
    path: str,
    text: str,
    from_line: int | None,
    lines: int | None,
    max_chars: int,
    *,
    curated: bool = False,
) -> NoteSlice:
    """Cut the window out of *text*: whole lines up to *max_chars*; only an over-long first line is cut itself.

    :param from_line: 1-based; None means 1.  Past the end: an empty slice that tells the total.
    :param lines: None means :data:`DEFAULT_LINES`.
    :param max_chars: budget in characters, line feeds between the lines included.
    """
    check_window(from_line, lines)
    every = note_lines(text)
    start = from_line or 1
    window = every[start - 1 : start - 1 + (lines or DEFAULT_LINES)]
    kept: list[str] = []
    used = 0
    for line in window:
        used += len(line) + (1 if kept else 0)
        if used > max_chars and kept:
            break
        kept.append(line)
    line_cut = len(kept) == 1 and len(kept[0]) > max_chars
    if line_cut:
        kept = [kept[0][:max_chars]]
    end = start - 1 + len(kept)
    more = bool(kept) and end < len(every)
    return NoteSlice(
        path=path,
        text="\n".join(kept),
        from_line=start,
        lines=len(kept),
        total_lines=len(every),
        truncated=more or line_cut,
        next_from=end + 1 if more else None,
        curated=curated,
        line_cut=line_cut,
    )
