"""Keeps the entries of the curated files in memory and up to date."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection
from typing import TYPE_CHECKING

from openclaw_memory_core.errors import NoteError
from openclaw_memory_core.recall.entries import CuratedEntry, RecallIndex
from openclaw_memory_core.workspace.annotations import parse_entries
from openclaw_memory_core.workspace.places import USER_FILE

if TYPE_CHECKING:
    from openclaw_memory_core.workspace.documents import DocumentRef
    from openclaw_memory_core.workspace.workspace import Workspace
    from openclaw_memory_hookspecs import RecallBlock

logger = logging.getLogger(__name__)

# A file that was changed this recently may change again within one tick of the file system's clock.
_FRESH_NS = 50_000_000


class Recaller:
    """Recall from the curated files of one workspace; only the files at its root are trusted.

    The files are read anew when their stamp changes.  Safe to use from several threads.  The caller decides whether
    the session may see curated files at all.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._stamps: tuple[tuple[int, ...], ...] | None = None
        self._index = RecallIndex(())

    def recall(self, message: str, *, projects: Collection[str] = ()) -> RecallBlock | None:
        """At most three entries whose trigger phrase stands in *message*; None if none does.

        :param projects: active project keys; an entry that names others is left out.
        """
        return self._current().recall(message, projects=projects)

    def _current(self) -> RecallIndex:
        refs = self._workspace.curated_files()
        stamps = tuple(ref.stat for ref in refs)
        with self._lock:
            if stamps != self._stamps:
                self._index = RecallIndex(entry for ref in refs for entry in self._entries(ref))
                # A stamp far in the future (the clock was put back, or another machine's is ahead) is no fresh one.
                fresh = any(abs(time.time_ns() - ref.stat[1]) < _FRESH_NS for ref in refs)
                self._stamps = None if fresh else stamps
            return self._index

    def _entries(self, ref: DocumentRef) -> list[CuratedEntry]:
        try:
            text = self._workspace.text(ref.path)
        except NoteError as error:
            logger.warning("no recall from %s: %s", ref.path, error.message)
            return []
        return [CuratedEntry(ref.path, entry) for entry in parse_entries(text, projects=ref.path != USER_FILE)]
