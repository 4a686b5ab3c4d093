"""Keeping the index in line with the notes: when to update, when to rebuild, what to keep while a provider is down."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.cancel import CancelToken
from openclaw_memory_core.embeddings.base import identity_key
from openclaw_memory_core.errors import EmbeddingError, StoreBusyError
from openclaw_memory_core.index.job import SyncJob, SyncSettings
from openclaw_memory_core.index.past import LAST, TOTALS, last_sync, spent
from openclaw_memory_core.index.report import OnProgress, SyncReport

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import ChunkingConfig
    from openclaw_memory_core.embeddings.embedder import Embedder
    from openclaw_memory_core.index.model import IndexIdentity
    from openclaw_memory_core.index.protocol import IndexStore
    from openclaw_memory_core.workspace.documents import DocumentSource

__all__ = ["SyncEngine"]

_EXPLICIT = frozenset({"cli", "tool"})
"""Reasons behind which a person waits: the provider is asked although it just failed."""
FIRST_PAUSE_SECONDS = 60.0
LONGEST_PAUSE_SECONDS = 1800.0


class SyncEngine:
    """Brings one agent's index up to date.  Thread-safe; one sync at a time, across processes.

    :param embedder: None for keywords only, or while the provider cannot be used: an index with vectors keeps those
        it has, and new texts are found by keywords.
    :param identity: what the index must be valid for; another one in the store leads to a rebuild.
    :param clock: seconds since the epoch by the clock that stamps files; do not give a frozen one.
    :param monotonic: seconds that never go back, for durations and pauses.
    :param group: texts handed to the embedder at a time; large for batch jobs.
    :param lease_wait: seconds to wait for another process that is writing.
    """

    def __init__(
        self,
        store: IndexStore,
        sources: Sequence[DocumentSource],
        embedder: Embedder | None,
        *,
        chunking: ChunkingConfig,
        identity: IndexIdentity,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        group: int = 2048,
        lease_wait: float = 2.0,
    ) -> None:
        self._settings = SyncSettings(
            store=store,
            sources=tuple(sources),
            embedder=embedder,
            chunking=chunking,
            identity=identity,
            clock=clock,
            group=group,
        )
        self._store = store
        self._identity = identity
        self._clock = clock
        self._monotonic = monotonic
        self._lease_wait = lease_wait
        self._running = threading.Lock()
        self._failures = 0
        self._paused_until = 0.0
        self._provider_error: EmbeddingError | None = None

    @property
    def identity(self) -> IndexIdentity:
        """What the index must be valid for."""
        return self._identity

    def sync(
        self,
        *,
        reason: str,
        force: bool = False,
        paths: Collection[str] | None = None,
        progress: OnProgress | None = None,
        cancel: CancelToken | None = None,
    ) -> SyncReport:
        """Make the index hold what the sources hold.

        Texts become searchable first, vectors follow.  What fails is named in the report and does not stop the rest; a
        provider that fails leaves the texts searchable.

        :param reason: what asked for it, for status.
        :param force: build a new generation from all documents; vectors that are stored are used again.
        :param paths: look at these documents (or folders) only.
        :param progress: called from several threads.
        :raises StoreError: the index cannot be read or written; being busy is no error but is reported.
        """
        started, beginning = self._clock(), self._monotonic()
        busy = SyncReport(reason=reason, started_at=started, busy=True)
        if not self._running.acquire(timeout=self._lease_wait):
            return busy
        try:
            with self._store.lease(f"sync ({reason})", wait=self._lease_wait):
                explicit = force or not _EXPLICIT.isdisjoint(reason.split("+"))
                paused = not explicit and beginning < self._paused_until
                job = SyncJob(
                    self._settings,
                    reason=reason,
                    cancel=cancel or CancelToken(),
                    on_progress=progress,
                    texts_only=paused,
                )
                report = job.run(force=force, paths=paths)
                report = replace(report, started_at=started, duration=self._monotonic() - beginning)
                report = self._note_provider(report, paused=paused)
                self._remember(report, full=paths is None)
                return report
        except StoreBusyError:
            return busy
        finally:
            self._running.release()

    def _note_provider(self, report: SyncReport, *, paused: bool) -> SyncReport:
        if paused:
            return replace(report, provider_error=self._provider_error)
        self._provider_error = report.provider_error
        if report.provider_error is None:
            self._failures, self._paused_until = 0, 0.0
        else:
            pause = min(FIRST_PAUSE_SECONDS * 2**self._failures, LONGEST_PAUSE_SECONDS)
            self._failures += 1
            self._paused_until = self._monotonic() + pause
        return report

    def last(self) -> dict[str, Any] | None:
        """The last sync's report (:meth:`SyncReport.to_dict`) by any process, with ``finishedAt``; None if none."""
        return last_sync(self._store)

    def totals(self) -> dict[str, int]:
        """Texts, tokens and requests spent with the present provider identity over the life of this index."""
        return spent(self._store, self._identity)

    def _remember(self, report: SyncReport, *, full: bool) -> None:
        note = report.to_dict() | {"finishedAt": self._clock(), "pid": os.getpid()}
        self._store.set_state(LAST, note)
        if full and report.complete:
            self._store.set_state("sync.complete", note["finishedAt"])
        if report.requests:
            totals = self._store.state(TOTALS) or {}
            key = identity_key(self._identity.embedding)
            added = {"texts": report.embedded, "tokens": report.tokens, "requests": report.requests}
            before = totals.get(key, {})
            totals[key] = {name: before.get(name, 0) + value for name, value in added.items()}
            self._store.set_state(TOTALS, totals)
