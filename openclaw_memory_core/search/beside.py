"""The keyword leg beside the rest of a search: SQLite leaves Python's lock alone, so two processors share the work."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from openclaw_memory_core.index.model import KeywordHit, Moment, Term
from openclaw_memory_core.index.protocol import IndexReader
from openclaw_memory_core.privacy import Visible

OpenReader = Callable[[], AbstractContextManager[IndexReader]]


class KeywordLeg:
    """Asks in a thread of its own, through a reader of its own; leaving the ``with`` block waits for it.

    :param beside: opens that reader; None asks in the caller's thread.
    """

    def __init__(self, beside: OpenReader | None, terms: Sequence[Term], views: Sequence[Visible], limit: int) -> None:
        self._terms = terms
        self._views = views
        self._limit = limit
        self._found: tuple[Moment, list[list[KeywordHit]]] | None = None
        self._thread: threading.Thread | None = None
        if beside is not None and terms and (os.cpu_count() or 1) > 1:
            thread = threading.Thread(target=self._ask, args=(beside,), name="keywords", daemon=True)
            # Without room for a thread, or at the end of the process, the caller's own will do.
            with contextlib.suppress(RuntimeError):
                thread.start()
                self._thread = thread

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._thread is not None:
            self._thread.join()

    def hits(self, reader: IndexReader) -> list[list[KeywordHit]]:
        """Hits for each view, best first, as *reader* sees them."""
        if self._thread is not None:
            self._thread.join()
        if self._found is not None and self._found[0] == reader.moment:
            return self._found[1]
        # The index changed in between, or something is wrong, which shows here where it can be handled.
        return self._all(reader)

    def _ask(self, beside: OpenReader) -> None:
        try:
            with beside() as reader:
                self._found = (reader.moment, self._all(reader))
        except Exception:
            self._found = None

    def _all(self, reader: IndexReader) -> list[list[KeywordHit]]:
        return [reader.keyword(self._terms, view, self._limit) if self._terms else [] for view in self._views]
