"""What the silent turn is asked, with the date filled in and the silent token ensured."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

from openclaw_memory_core.flush.silent import SILENT_TOKEN

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import FlushConfig

_DATE = "YYYY-MM-DD"
_OPENING = "Memory flush: the older part of this conversation is about to leave the context."

DEFAULT_PROMPT = (
    f"{_OPENING} Save now what will be needed later and is not written down yet: decisions and their reasons, facts, "
    f"preferences, promises, open tasks. Use memory_append; it adds to memory/{_DATE}.md and changes nothing that is "
    "already there. Write each entry so that it can be understood without this conversation. Daily notes are read in "
    "group sessions, too: leave out passwords, keys and what is for the owner alone. Do nothing else. Then, or if "
    f"there is nothing to save, answer with exactly {SILENT_TOKEN}."
)
DEFAULT_SYSTEM_PROMPT = (
    "This turn is for saving memories only. The user does not see it: do not talk to the user, do not go on with the "
    f"task. The only file you may write is memory/{_DATE}.md, by appending. "
    f"Finish with exactly {SILENT_TOKEN}."
)
_SILENT_HINT = f"If nothing needs to be said to the user, start the answer with {SILENT_TOKEN}."
_CURRENT_TIME = "Current time:"
_HOST_OPENING = "Pre-compaction memory flush"
_NOTE = re.compile(r"memory/(?:YYYY-MM-DD|\d{4}-\d{2}-\d{2})\.md")


def user_prompt(config: FlushConfig, now: dt.datetime) -> str:
    """The turn's user message.

    :param now: present time in the user's zone.
    """
    text = _with_silent_hint(_dated(config.prompt or DEFAULT_PROMPT, now))
    if _CURRENT_TIME in text:
        return text
    return f"{text}\n{_CURRENT_TIME} {now:%A, %Y-%m-%d %H:%M} ({now.tzname() or 'UTC'})"


def system_prompt(config: FlushConfig, now: dt.datetime) -> str:
    """What is added to the turn's system prompt."""
    return _with_silent_hint(_dated(config.system_prompt or DEFAULT_SYSTEM_PROMPT, now))


def is_flush_prompt(text: str) -> bool:
    """True for a user message that asked for a flush, ours, the host's or a custom one; none of them is conversation.

    A custom prompt is known by what both of its kinds have in common: the silent token and the path of a daily note.
    """
    start = text.lstrip()
    if start.startswith((_OPENING, _HOST_OPENING)):
        return True
    return SILENT_TOKEN in text and _NOTE.search(text) is not None


def _dated(text: str, now: dt.datetime) -> str:
    return text.replace(_DATE, now.date().isoformat())


def _with_silent_hint(text: str) -> str:
    return text if SILENT_TOKEN in text else f"{text}\n\n{_SILENT_HINT}"
