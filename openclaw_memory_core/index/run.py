"""One sync of one generation: plan, texts first, vectors as they arrive, links at the end."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from openclaw_memory_core.errors import StoreError
from openclaw_memory_core.index.filling import Filled, VectorFiller
from openclaw_memory_core.index.plan import Plan, Task, is_racy, make_plan
from openclaw_memory_core.index.reading import Chunker, Reading, read_documents
from openclaw_memory_core.index.report import Failure, OnProgress, SyncProgress, failure

if TYPE_CHECKING:
    from openclaw_memory_core.cancel import CancelToken
    from openclaw_memory_core.embeddings.embedder import Embedder
    from openclaw_memory_core.embeddings.sizes import Estimate
    from openclaw_memory_core.index.model import Chunk
    from openclaw_memory_core.index.protocol import GenerationWriter
    from openclaw_memory_core.workspace.documents import DocumentRef, DocumentSource

__all__ = ["GenerationRun", "Outcome"]

logger = logging.getLogger(__name__)

MOST_IN_A_ROW = 3
"""Notes one after the other that the store may refuse before it is the store that is to blame."""


@dataclass(slots=True)
class Outcome:
    """Counts of a run, as :class:`~openclaw_memory_core.index.report.SyncReport` has them.

    :param paths_of: documents that wait for the vector of a text, by its hash.
    """

    plan: Plan = field(default_factory=Plan)
    added: int = 0
    changed: int = 0
    removed: int = 0
    touched: int = 0
    chunks: int = 0
    cached: int = 0
    missing: int = 0
    failed: dict[str, Failure] = field(default_factory=dict)
    unembedded: dict[str, Failure] = field(default_factory=dict)
    filled: Filled = field(default_factory=Filled)
    paths_of: dict[str, list[str]] = field(default_factory=dict)
    cancelled: bool = False

    @property
    def writes(self) -> int:
        """Documents whose rows changed."""
        return self.added + self.changed + self.removed


class GenerationRun:
    """Brings one generation in line with the sources.

    :param writer: gives the writer; asked anew each time.
    :param embedder: None writes texts only.
    :param now: seconds since the epoch by the clock that stamps files.
    """

    def __init__(
        self,
        writer: Callable[[], GenerationWriter],
        sources: Sequence[DocumentSource],
        chunker: Chunker,
        embedder: Embedder | None,
        *,
        now: Callable[[], float],
        cancel: CancelToken,
        refused: frozenset[str] = frozenset(),
        group: int = 2048,
        on_progress: OnProgress | None = None,
    ) -> None:
        self.outcome = Outcome()
        self._writer = writer
        self._sources = sources
        self._chunker = chunker
        self._now = now
        self._cancel = cancel
        self._on_progress = on_progress
        self._failed_in_a_row = 0
        self._filler: VectorFiller | None = None
        if embedder is not None and writer().identity.has_vectors:
            self._filler = VectorFiller(
                writer,
                embedder,
                cancel,
                refused=refused,
                group=group,
                on_progress=self._vectors_progress,
                on_cost=self._cost,
            )

    def write_texts(
        self,
        *,
        paths: Collection[str] | None,
        after_documents: Callable[[], None] | None = None,
    ) -> None:
        """Make the index hold the texts that the sources hold; vectors follow beside it.

        :param after_documents: called each time that some were written.
        :raises StoreError: the index cannot be written.
        """
        started = self._now()
        self._report(SyncProgress("scan"))
        plan = make_plan(self._sources, self._writer().files(), paths=paths)
        outcome = self.outcome
        outcome.plan = plan
        outcome.failed.update(plan.failed)
        try:
            if plan.remove and not self._cancel.cancelled:
                self._writer().remove(plan.remove)
                outcome.removed = len(plan.remove)
            self._write_tasks(plan, started, after_documents)
        except BaseException:
            if self._filler is not None:
                self._filler.stop()
            raise
        outcome.cancelled = self._cancel.cancelled

    def _write_tasks(self, plan: Plan, started: float, after_documents: Callable[[], None] | None) -> None:
        done, total = 0, len(plan.tasks)
        with closing(read_documents(plan.tasks, self._chunker, self._cancel)) as some:
            for readings in some:
                self._write(readings, started)
                for reading in readings:
                    done += 1
                    self._report(SyncProgress("text", done, total, reading.task.ref.path))
                if after_documents is not None:
                    after_documents()
                if self._cancel.cancelled:
                    break

    def _write(self, readings: Sequence[Reading], started: float) -> None:
        """Write these documents, those with a new text in one transaction."""
        new = []
        for reading in readings:
            try:
                if self._is_new(reading, started):
                    new.append(reading)
            except Exception as error:
                self._give_up_or_go_on(reading.task.ref.path, error)
        if new:
            self._put(new, started)

    def _is_new(self, reading: Reading, started: float) -> bool:
        """True if rows are to be written; the provider is asked for its vectors by then."""
        path = reading.task.ref.path
        if reading.document is None:
            self.outcome.failed[path] = reading.failure or Failure("internal", "unknown")
        elif reading.chunks is None:
            self.outcome.touched += 1
            self._touch(reading.task, reading.document.ref, started)
        else:
            self._note_missing(path, reading.chunks)
        return reading.document is not None and reading.chunks is not None

    def _put(self, readings: Sequence[Reading], started: float) -> None:
        documents = [(one.document, one.chunks) for one in readings if one.document is not None]
        try:
            self._writer().put_documents([(one, chunks or ()) for one, chunks in documents], indexed_at=started)
        except Exception as error:
            if len(readings) == 1:
                self._give_up_or_go_on(readings[0].task.ref.path, error)
                return
            # One of them is to blame, or all: that is found out one by one.
            for reading in readings:
                self._put([reading], started)
            return
        self._failed_in_a_row = 0
        for reading in readings:
            self.outcome.chunks += len(reading.chunks or ())
            if reading.task.state is None:
                self.outcome.added += 1
            else:
                self.outcome.changed += 1

    def _touch(self, task: Task, found: DocumentRef, started: float) -> None:
        """Store the new stamp; an equal one that is still too fresh to prove anything is not worth a write."""
        if task.state is None or task.state.stat != found.stat or not is_racy(found.stat, started):
            self._writer().touch(found.path, found.stat, indexed_at=started)

    def _give_up_or_go_on(self, path: str, error: Exception) -> None:
        """Whatever is wrong with one note, the others go on; what is wrong with the index ends the sync."""
        self._failed_in_a_row += 1
        if isinstance(error, StoreError) and (type(error) is not StoreError or self._failed_in_a_row > MOST_IN_A_ROW):
            raise error
        logger.error("%s cannot be written to the index: %s", path, failure(error).message)
        self.outcome.failed[path] = failure(error)

    def _note_missing(self, path: str, chunks: Sequence[Chunk]) -> None:
        if self._filler is None or not chunks:
            return
        texts = {chunk.text_hash: chunk.embed_text for chunk in chunks}
        known = self._writer().known_hashes(texts)
        self.outcome.cached += len(known)
        missing = {key: text for key, text in texts.items() if key not in known}
        if missing:
            for key in missing:
                self.outcome.paths_of.setdefault(key, []).append(path)
            self._filler.offer(path, missing)

    def fill_vectors(self) -> None:
        """Get every vector that is still missing, as far as the provider goes along.

        :raises StoreError: the index cannot be written.
        """
        outcome = self.outcome
        if self._filler is not None:
            outcome.filled = self._filler.finish()
            outcome.cancelled = outcome.cancelled or outcome.filled.cancelled
        if self._writer().identity.has_vectors:
            writer = self._writer()
            incomplete = [path for path, state in writer.files().items() if state.missing_vectors]
            outcome.missing = writer.link_vectors(*incomplete)

    def _vectors_progress(self, done: int, total: int) -> None:
        self._report(SyncProgress("vectors", done, total))

    def _cost(self, cost: Estimate) -> None:
        self._report(SyncProgress("vectors", 0, cost.texts, tokens=cost.tokens))

    def _report(self, progress: SyncProgress) -> None:
        if self._on_progress is not None:
            self._on_progress(progress)
