"""The memory as one session sees it: what the tool handlers call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openclaw_memory_core.core.memory import MemoryCore
    from openclaw_memory_hookspecs import Session


class SessionAccess:
    """Binds a session to its core (:class:`~openclaw_memory_core.tools.memory.MemoryAccess`)."""

    def __init__(self, core: MemoryCore, session: Session) -> None:
        self._core = core
        self._session = session

    def search(
        self, query: str, *, max_results: int | None, min_score: float | None, corpus: str | None
    ) -> dict[str, Any]:
        """Answer of ``memory_search``."""
        return self._core.search(
            query, session=self._session, max_results=max_results, min_score=min_score, corpus=corpus
        )

    def get(self, path: str, *, from_line: int | None, lines: int | None) -> dict[str, Any]:
        """Answer of ``memory_get``."""
        return self._core.get(path, session=self._session, from_line=from_line, lines=lines)

    def append(self, text: str, *, target: str, trigger: str | None, importance: int | None) -> dict[str, Any]:
        """Answer of ``memory_append``."""
        return self._core.append(text, session=self._session, target=target, trigger=trigger, importance=importance)
