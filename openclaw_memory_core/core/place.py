"""The place of an agent's index: which file it is, whether it is there, whether it may be written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from openclaw_memory_core.config.model import SearchConfig
    from openclaw_memory_core.errors import StoreReadOnlyError
    from openclaw_memory_core.index.store import SqliteStore


class IndexPlace:
    """Where the index of one agent is, by its settings.  Opens nothing."""

    def __init__(self, search: SearchConfig) -> None:
        self._search = search
        self.path = search.store.path

    @property
    def exists(self) -> bool:
        """Whether there is an index file."""
        former = self._search.store.former_path
        return _is_there(self.path) or (former is not None and _is_there(former))

    def why_unwritable(self) -> StoreReadOnlyError | None:
        """Why the index cannot be changed at the moment, by the rights of its file and folder; None if it can."""
        from openclaw_memory_core.index.store.access import why_not_writable

        return why_not_writable(self.path)

    def damaged_files(self) -> list[str]:
        """Damaged indexes that were moved away and are still there."""
        return [str(path) for path in self.store().damaged_files()]

    def take_over_former(self) -> bool:
        """Take over an index of ours whose place OpenClaw claims; False if there is none."""
        former = self._search.store.former_path
        if former is None or not _is_there(former):
            return False
        from openclaw_memory_core.index.store.adopt import adopt

        return adopt(former, self.path)

    def store(self) -> SqliteStore:
        """The store of this place, not open."""
        settings = self._search.store
        # Reading a note needs no SQLite.
        from openclaw_memory_core.index.store import SqliteStore

        return SqliteStore(
            self.path,
            vector_enabled=settings.vector_enabled,
            extension_path=settings.extension_path,
            fts_tokenizer=settings.fts_tokenizer,
            cache=self._search.cache,
        )


def _is_there(path: Path) -> bool:
    """True also for what a folder does not let us see: opening it then says what is wrong."""
    try:
        return path.exists()
    except OSError:
        return True
