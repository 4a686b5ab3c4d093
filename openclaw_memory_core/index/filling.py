"""Getting the missing vectors of one generation: beside the writing of texts, and what is left at the end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from openclaw_memory_core.errors import (
    CancelledError,
    EmbeddingError,
    ProviderInputError,
    ProviderReplyError,
    StoreError,
)
from openclaw_memory_core.index.protocol import GenerationWriter

if TYPE_CHECKING:
    from openclaw_memory_core.cancel import CancelToken
    from openclaw_memory_core.embeddings.base import Vector
    from openclaw_memory_core.embeddings.embedder import Embedder
    from openclaw_memory_core.embeddings.sizes import Estimate

__all__ = ["Filled", "VectorFiller"]

CHARS_WAITING = 16_000_000
"""Texts kept in memory for the provider; further ones are read from the index when their turn comes."""
FIRST_GROUP = 64
"""While texts are still being written, the provider gets at least so many at a time."""

MOST_COUNTED = 50_000
"""Texts looked at to say beforehand what a run will cost."""

WriterNow = Callable[[], GenerationWriter]


@dataclass(slots=True)
class Filled:
    """What came of it.

    :param refused: texts that the provider will not embed as they are, by hash.
    :param lost: texts that failed for another reason while others went well; worth another try next time.
    :param error: why embedding ended early.
    """

    embedded: int = 0
    requests: int = 0
    tokens: int = 0
    refused: dict[str, EmbeddingError] = field(default_factory=dict)
    lost: dict[str, EmbeddingError] = field(default_factory=dict)
    error: EmbeddingError | None = None
    cancelled: bool = False


class VectorFiller:
    """Embeds texts in a thread while documents are being written, then everything that is still missing.

    :param writer: gives the writer of the generation; asked anew each time, for a generation may become active.
    :param refused: hashes that were refused before and are not asked for again.
    :param group: texts handed to the embedder at a time, at most.
    :param on_progress: takes texts finished and texts known to be missing.
    :param on_cost: takes what is about to be sent, before the first request to a provider that costs money.
    """

    def __init__(
        self,
        writer: WriterNow,
        embedder: Embedder,
        cancel: CancelToken,
        *,
        refused: frozenset[str] = frozenset(),
        group: int = 2048,
        on_progress: Callable[[int, int], None] | None = None,
        on_cost: Callable[[Estimate], None] | None = None,
    ) -> None:
        self.filled = Filled()
        self._writer = writer
        self._embedder = embedder
        self._cancel = cancel.child()
        self._skip = set(refused)
        self._group = group
        self._paid = embedder.info.paid
        self._all_at_once = embedder.prefers_many_texts or self._paid
        self._on_progress = on_progress
        self._on_cost = on_cost
        self._changed = threading.Condition()
        self._waiting: dict[str, str] = {}
        self._chars = 0
        self._asked: set[str] = set()
        self._arrived: set[str] = set()
        self._wanted_by: dict[str, list[str]] = {}
        self._open: dict[str, int] = {}
        self._closed = False
        self._crash: BaseException | None = None
        self._thread: threading.Thread | None = None

    def offer(self, path: str, texts: Mapping[str, str]) -> None:
        """The chunks of *path*, about to be written, have no vector yet for *texts* (hash → text)."""
        with self._changed:
            if self._stopped():
                return
            mine = [key for key in texts if key not in self._skip and key not in self._arrived]
            for key in mine:
                self._wanted_by.setdefault(key, []).append(path)
                if key not in self._asked and key not in self._waiting and self._chars < CHARS_WAITING:
                    self._waiting[key] = texts[key]
                    self._chars += len(texts[key])
            if not mine:
                return
            self._open[path] = len(mine)
            self._changed.notify_all()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="memory-vectors", daemon=True)
            self._thread.start()

    def finish(self) -> Filled:
        """Embed what is left, from memory and then from the index, and link it.

        :raises StoreError: the index cannot be written.
        """
        self._tell_cost()
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        if self._crash is not None:
            raise self._crash
        while not self._stopped() and (texts := self._left()):
            before = self.filled.embedded + len(self._skip)
            self._embed(texts)
            if self.filled.embedded + len(self._skip) == before:
                break
        self.filled.cancelled = self._cancel.cancelled
        return self.filled

    def _tell_cost(self) -> None:
        """Everything is written by now, so what has no vector is what will be sent."""
        if not self._paid or self._on_cost is None or self._cancel.cancelled:
            return
        missing = self._writer().missing_texts(MOST_COUNTED)
        cost = self._embedder.estimate(text for key, text in missing.items() if key not in self._skip)
        if cost.texts:
            self._on_cost(cost)

    def stop(self) -> None:
        """Give up at once; used when writing failed."""
        self._cancel.cancel()
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _stopped(self) -> bool:
        return self.filled.error is not None or self._cancel.cancelled or self._crash is not None

    def _left(self) -> dict[str, str]:
        found = self._writer().missing_texts(self._group + len(self._skip))
        return dict([pair for pair in found.items() if pair[0] not in self._skip][: self._group])

    def _work(self) -> None:
        try:
            while not self._stopped() and (texts := self._next_group()):
                self._embed(texts)
        except BaseException as error:  # handed to the thread that asked, in finish()
            self._crash = error

    def _next_group(self) -> dict[str, str]:
        with self._changed:
            while not self._closed and (self._all_at_once or len(self._waiting) < FIRST_GROUP):
                self._changed.wait()
            if self._cancel.cancelled:
                return {}
            texts = dict(list(self._waiting.items())[: self._group])
            for key, text in texts.items():
                del self._waiting[key]
                self._chars -= len(text)
            self._asked.update(texts)
            return texts

    def _embed(self, texts: Mapping[str, str]) -> None:
        filled = self.filled
        try:
            report = self._embedder.embed_documents(texts, self._keep, cancel=self._cancel)
        except CancelledError:
            return
        except StoreError as error:
            if type(error) is not StoreError:
                raise
            # The store refuses vectors that do not fit those it has: the provider's fault, not the index's.
            filled.error = ProviderReplyError(error.message, hint=error.hint)
            return
        filled.requests += report.requests
        filled.tokens += report.tokens
        for key, problem in report.failed.items():
            (filled.refused if isinstance(problem, ProviderInputError) else filled.lost)[key] = problem
        self._skip.update(report.failed, report.blank)
        filled.error = report.error

    def _keep(self, vectors: Mapping[str, Vector]) -> None:
        """Store vectors as they arrive and link the documents that are complete with them."""
        writer = self._writer()
        writer.add_vectors(vectors)
        self.filled.embedded += len(vectors)
        complete: list[str] = []
        with self._changed:
            self._arrived.update(vectors)
            for key in vectors:
                for path in self._wanted_by.pop(key, ()):
                    self._open[path] -= 1
                    if not self._open[path]:
                        del self._open[path]
                        complete.append(path)
            total = self.filled.embedded + len(self._wanted_by)
        writer.link_vectors(*complete)
        if self._on_progress is not None:
            self._on_progress(self.filled.embedded, total)
