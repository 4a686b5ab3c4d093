"""What a session starts with: curated files where it may see them, and the notes of yesterday and today."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from openclaw_memory_core.errors import NoteError, NoteNotFoundError
from openclaw_memory_core.workspace.annotations import strip_annotations
from openclaw_memory_core.workspace.daily import session_days
from openclaw_memory_hookspecs import ContextFile, SessionContext

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import StartupConfig
    from openclaw_memory_core.workspace.workspace import Workspace

logger = logging.getLogger(__name__)

MIN_LEFT = 64
"""With fewer characters left, a further file is not begun."""

_HEAD_SHARE = 0.75


@dataclass(slots=True)
class _Budget:
    left: int
    files: list[ContextFile] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def add(self, path: str, text: str, limit: int, *, within: _Budget | None = None) -> None:
        """Show *text* in at most *limit* characters, and no more than what is left here and in *within*."""
        room = min(limit, self.left, within.left if within else self.left)
        if len(text.rstrip()) > room and room < MIN_LEFT:
            self.left_out.append(path)
            return
        shown = fit(path, text, room)
        for budget in (self, within):
            if budget is not None:
                budget.left -= len(shown.text)
        self.files.append(shown)


def session_context(
    workspace: Workspace,
    *,
    today: dt.date,
    private: bool,
    startup: StartupConfig,
    reason: str = "this is not the private main session",
) -> SessionContext:
    """Files to put into the context, in reading order: ``MEMORY.md``, ``USER.md``, then daily notes, oldest first.

    Curated files come without annotations.  When the budget is short, today's note is served before yesterday's, and
    both after the curated files; whatever is cut says so in its text and in its notice.  A note that cannot be read
    is a warning, never a failure.

    :param today: the day in the user's time zone.
    :param private: False withholds curated files under whatever name.
    :param startup: budgets in characters; ``enabled`` switches the daily notes.
    :param reason: why the session is not private, for the sentences about what was withheld.
    """
    warnings: list[str] = []
    total = _Budget(startup.max_total_chars)
    withheld: list[str] = []
    for ref in workspace.curated_files():
        if not private:
            withheld.append(f"{ref.path} exists and is not shown here: {reason}.")
        elif (text := _text(workspace, ref.path, warnings, curated=True)) is not None:
            total.add(ref.path, strip_annotations(text), startup.max_file_chars)
    daily = _Budget(min(startup.daily_max_total_chars, total.left))
    if startup.enabled:
        _add_daily(workspace, session_days(today, startup.daily_days), daily, total, startup, warnings)
    left_out = [*total.left_out, *daily.left_out]
    if left_out:
        warnings.append(f"Not shown for lack of room, read with memory_get: {', '.join(left_out)}.")
    return SessionContext(
        files=(*total.files, *sorted(daily.files, key=lambda one: _reading_order(one.path))),
        withheld=tuple(withheld),
        warnings=tuple(warnings),
    )


def _add_daily(
    workspace: Workspace,
    days: Sequence[dt.date],
    daily: _Budget,
    total: _Budget,
    startup: StartupConfig,
    warnings: list[str],
) -> None:
    for day in days:
        for ref in workspace.daily_notes(day):
            text = _text(workspace, ref.path, warnings, curated=False)
            if text is not None and text.strip():
                daily.add(ref.path, text, startup.daily_max_file_chars, within=total)


def _reading_order(path: str) -> tuple[str, bool, str]:
    name = path.rpartition("/")[2]
    day = name[:10]
    return day, name != f"{day}.md", name


def _text(workspace: Workspace, path: str, warnings: list[str], *, curated: bool) -> str | None:
    try:
        return workspace.text(path, curated=curated)
    except NoteNotFoundError:
        return None
    except NoteError as error:
        logger.warning("session start without %s: %s", path, error.message)
        warnings.append(error.message)
        return None


def fit(path: str, text: str, limit: int) -> ContextFile:
    """*text* in at most *limit* characters: the whole, or its head (75 %) and tail (25 %) around a visible notice."""
    full = len(text)
    text = text.rstrip()
    if len(text) <= limit:
        return ContextFile(path, text)
    widest = _notice(path, full, full)
    room = limit - len(widest) - 4
    if room < MIN_LEFT // 2:
        notice = _notice(path, 0, full)
        return ContextFile(path, notice[:limit], truncated=True, notice=notice)
    head = _cut_head(text, int(room * _HEAD_SHARE))
    tail = _cut_tail(text, room - int(room * _HEAD_SHARE))
    notice = _notice(path, len(head) + len(tail), full)
    return ContextFile(path, f"{head}\n\n{notice}\n\n{tail}", truncated=True, notice=notice)


def _notice(path: str, shown: int, full: int) -> str:
    return f"[… {path} is cut here: {shown} of {full} characters are shown; read the rest with memory_get …]"


def _cut_head(text: str, size: int) -> str:
    """The first *size* characters, ended at a line end if there is one in the last fifth of them."""
    cut = text[:size]
    end = cut.rfind("\n", size - size // 5)
    return (cut[:end] if end > 0 else cut).rstrip()


def _cut_tail(text: str, size: int) -> str:
    """The last *size* characters, begun at a line if one begins in the first fifth of them."""
    cut = text[len(text) - size :]
    begin = cut.find("\n", 0, size // 5)
    return cut[begin + 1 :]
