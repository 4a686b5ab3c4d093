"""The text that the system prompt gets: constant for a session, so that prompt caches hold."""

from __future__ import annotations

from typing import Final

_SEARCH: Final = (
    "Your memory is Markdown files in the workspace. Before you answer anything about earlier work, decisions, dates, "
    "people, preferences or open tasks, call memory_search, then memory_get for the lines you need."
)
_HONESTY: Final = (
    "If a search answer carries a warning, or says stale, partial, withheld or unavailable, say so instead of claiming "
    "that nothing is known. Name path and line when it helps the user to check."
)
_SESSIONS: Final = "Earlier conversations: sessions_search finds them, sessions_history reads them."
_WRITE: Final = (
    "When something should be remembered, write it down with memory_append at once: day-to-day notes to today's note "
    "(target today)"
)
_WRITE_CURATED: Final = ", lasting decisions, preferences and facts to MEMORY.md (target curated)."


def prompt_section(*, search: bool, writable: bool, private: bool) -> str:
    """How to use the memory tools and where to write what; empty when the session has none of them."""
    lines: list[str] = []
    if search:
        lines += [_SEARCH, _HONESTY, _SESSIONS]
    if writable:
        lines.append(_WRITE + (_WRITE_CURATED if private else "."))
    if lines and not private:
        lines.append("This is not a private session: MEMORY.md and USER.md are not available here.")
    return "## Memory\n" + "\n".join(lines) if lines else ""
