"""One sync, from looking at the store to its report: update in place, or build beside and publish."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openclaw_memory_core.embeddings.base import identity_key
from openclaw_memory_core.errors import StoreError, StoreFullError
from openclaw_memory_core.index.chunking import chunk_document
from openclaw_memory_core.index.refused import Refused
from openclaw_memory_core.index.report import OnProgress, SyncProgress, SyncReport
from openclaw_memory_core.index.run import GenerationRun, Outcome

if TYPE_CHECKING:
    from openclaw_memory_core.cancel import CancelToken
    from openclaw_memory_core.config.model import ChunkingConfig
    from openclaw_memory_core.embeddings.embedder import Embedder
    from openclaw_memory_core.index.model import Chunk, IndexIdentity
    from openclaw_memory_core.index.protocol import GenerationWriter, IndexStore
    from openclaw_memory_core.workspace.documents import Document, DocumentSource

__all__ = ["SyncJob", "SyncSettings"]

logger = logging.getLogger(__name__)

FIRST_PUBLISH_SECONDS = 2.0
"""The very first index answers searches after so long, although it is not complete."""
_BUILDING = "sync.building"


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncSettings:
    """What all syncs of an engine share; see :class:`~openclaw_memory_core.index.sync.SyncEngine`."""

    store: IndexStore
    sources: Sequence[DocumentSource]
    embedder: Embedder | None
    chunking: ChunkingConfig
    identity: IndexIdentity
    clock: Callable[[], float]
    group: int


@dataclass(frozen=True, slots=True)
class _Before:
    """The active generation as the sync finds it; 0 and None if there is none."""

    generation: int
    identity: IndexIdentity | None
    files: int
    vectors: int


class SyncJob:
    """One sync under the lease of the store.

    :param texts_only: leave the provider alone this time; nothing that needs it is begun.
    """

    def __init__(
        self,
        settings: SyncSettings,
        *,
        reason: str,
        cancel: CancelToken,
        on_progress: OnProgress | None = None,
        texts_only: bool = False,
    ) -> None:
        self._settings = settings
        self._store = settings.store
        self._reason = reason
        self._cancel = cancel
        self._on_progress = on_progress
        self._embedder = None if texts_only else settings.embedder
        self._texts_only = texts_only
        self._published = False
        self._writer: GenerationWriter | None = None

    def run(self, *, force: bool, paths: Collection[str] | None) -> SyncReport:
        """Do it.

        :raises StoreError: the index cannot be read or written.
        """
        before = self._look()
        rebuild = force or before.identity != self._settings.identity
        if not rebuild:
            return self._update(before, paths, force=False)
        precious = before.vectors > 0
        refreshed = None
        if before.identity is not None and ((self._texts_only and precious) or not self._resumes()):
            refreshed = self._refresh(before, before.identity)
            if self._cancel.cancelled or (self._texts_only and precious):
                return self._report(refreshed)
        return self._update(before, None, force=force, refreshed=refreshed)

    def _look(self) -> _Before:
        with self._store.reader() as reader:
            if reader.identity is None:
                return _Before(0, None, 0, 0)
            counts = reader.counts()
            return _Before(reader.generation, reader.identity, sum(counts.files.values()), counts.vectors)

    def _resumes(self) -> bool:
        """True if a generation of this identity was begun and its work should not be dropped."""
        return bool(self._store.state(_BUILDING) == self._key())

    def _key(self) -> str:
        identity = self._settings.identity
        return " ".join(identity_key(part) for part in (identity.embedding, identity.chunking, identity.text))

    def _refresh(self, before: _Before, identity: IndexIdentity) -> Outcome:
        """Bring the texts of the active generation up to date before, or instead of, building another one."""
        self._store.set_state(_BUILDING, None)
        writer = self._store.writer(identity)
        if writer.generation != before.generation:
            writer.abandon()
            return Outcome()
        run = self._generation_run(lambda: writer, None, frozenset())
        run.write_texts(paths=None)
        return run.outcome

    def _update(
        self, before: _Before, paths: Collection[str] | None, *, force: bool, refreshed: Outcome | None = None
    ) -> SyncReport:
        store, settings = self._store, self._settings
        writer = self._writer = store.writer(settings.identity, rebuild=force)
        building = writer.generation != before.generation
        resumed = building and self._resumes()
        if building or store.state(_BUILDING) is not None:
            store.set_state(_BUILDING, self._key() if building else None)
        refused = Refused(store, settings.identity)
        run = self._generation_run(self._current, self._embedder, frozenset() if force else refused.hashes)
        try:
            self._write(run, before, paths, building=building)
        except StoreFullError:
            if building and not self._published:
                with contextlib.suppress(StoreError):
                    writer.abandon()
                    store.set_state(_BUILDING, None)
            raise
        outcome = run.outcome
        refused.update(outcome, writer_files=self._current().files)
        report = self._report(outcome, refreshed)
        if building and not self._published and resumed and outcome.writes and before.identity is not None:
            # Notes changed while the provider is down: they must be found all the same, by the index that answers.
            self._refresh(before, before.identity)
        return report

    def _write(self, run: GenerationRun, before: _Before, paths: Collection[str] | None, *, building: bool) -> None:
        started = self._settings.clock()

        def publish_the_very_first() -> None:
            late = self._settings.clock() - started > FIRST_PUBLISH_SECONDS
            if before.identity is None and late and not self._published:
                self._publish()

        run.write_texts(
            paths=paths,
            after_documents=publish_the_very_first if building else None,
        )
        outcome = run.outcome
        sound = not (before.files and outcome.plan.is_blind)
        if building and sound and before.vectors == 0 and not outcome.cancelled:
            self._publish()
        run.fill_vectors()
        whole = sound and not outcome.cancelled and outcome.filled.error is None
        if building and whole and not self._published:
            self._publish()
        elif (outcome.writes or outcome.filled.embedded) and (self._published or not building):
            # Where it was published before all was written, the last vectors still lack their codes.
            self._current().finish()

    def _publish(self) -> None:
        if self._on_progress is not None:
            self._on_progress(SyncProgress("publish"))
        self._current().finish()
        self._published = True
        self._store.set_state(_BUILDING, None)

    def _current(self) -> GenerationWriter:
        if self._writer is None:  # set before the first use
            raise StoreError("no generation is open for writing")
        return self._writer

    def _generation_run(
        self, writer: Callable[[], GenerationWriter], embedder: Embedder | None, refused: frozenset[str]
    ) -> GenerationRun:
        settings = self._settings
        return GenerationRun(
            writer,
            settings.sources,
            self._chunk,
            embedder,
            now=settings.clock,
            cancel=self._cancel,
            refused=refused,
            group=settings.group,
            on_progress=self._on_progress,
        )

    def _chunk(self, document: Document) -> list[Chunk]:
        embedder = self._settings.embedder
        limit = embedder.info.limits.input_tokens if embedder is not None else None
        return chunk_document(document, self._settings.chunking, input_tokens=limit)

    def _report(self, outcome: Outcome, refreshed: Outcome | None = None) -> SyncReport:
        """The changes of the notes are those that the active index met; the work is that of the whole sync."""
        notes = outcome if refreshed is None or refreshed.cancelled else refreshed
        failed = refreshed.failed | outcome.failed if refreshed else outcome.failed
        return SyncReport(
            reason=self._reason,
            added=notes.added,
            changed=notes.changed,
            removed=notes.removed,
            unchanged=notes.plan.unchanged + notes.touched,
            touched=notes.touched,
            skipped=tuple(outcome.plan.skipped),
            unseen=tuple(prefix for _, prefix in outcome.plan.unseen),
            failed=failed,
            unembedded=outcome.unembedded,
            chunks=outcome.chunks,
            embedded=outcome.filled.embedded,
            cached=outcome.cached,
            missing=outcome.missing,
            requests=outcome.filled.requests,
            tokens=outcome.filled.tokens,
            rebuilt=self._published,
            complete=not failed and not outcome.cancelled,
            cancelled=outcome.cancelled,
            provider_error=outcome.filled.error,
        )
