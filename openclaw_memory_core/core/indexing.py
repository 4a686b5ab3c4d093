"""The index of one agent, wired together: store, provider, sync engine, background worker, watcher."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from openclaw_memory_core.cancel import CancelToken
from openclaw_memory_core.core.place import IndexPlace
from openclaw_memory_core.core.provider import ActiveProvider
from openclaw_memory_core.errors import CancelledError, StoreBusyError, StoreCorruptError, StoreError
from openclaw_memory_core.index.identity import chunking_identity
from openclaw_memory_core.index.model import IndexIdentity
from openclaw_memory_core.index.past import remember_stand_in, why_stand_in

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import AgentConfig, MemoryConfig
    from openclaw_memory_core.embeddings.base import ProviderInfo
    from openclaw_memory_core.index.doorbell import Doorbell
    from openclaw_memory_core.index.report import OnProgress, SyncReport
    from openclaw_memory_core.index.scheduler import IndexScheduler
    from openclaw_memory_core.index.store import SqliteStore
    from openclaw_memory_core.index.sync import SyncEngine
    from openclaw_memory_core.index.watch import FileWatcher
    from openclaw_memory_core.workspace.documents import DocumentSource

logger = logging.getLogger(__name__)
_T = TypeVar("_T")

ATTEMPTS: Final = 3
"""Another process may replace the index again while it is tried anew."""

_GROUP: Final = 2048
_BATCH_GROUP: Final = 50_000
_NO_VECTORS: Final = {"provider": "none"}


class _Open:
    """The open store and what is made for it when it is first needed."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.identity: IndexIdentity | None = None
        self.engine: SyncEngine | None = None


class IndexService:
    """Opens nothing and starts nothing before it is asked to.  Thread-safe.

    :param sources: where documents come from, notes first.
    :param background: sync in a thread of our own, and watch the files once :meth:`start` was called.
    """

    def __init__(
        self, config: MemoryConfig, agent: AgentConfig, sources: Sequence[DocumentSource], *, background: bool
    ) -> None:
        self.agent = agent
        self.sources = tuple(sources)
        self.place = IndexPlace(agent.search)
        self.provider = ActiveProvider(config, agent, jobs=lambda: self.store)
        self.sources += self._media_sources()
        self._background = background
        self._lock = threading.RLock()
        self._opened: _Open | None = None
        self._scheduler: IndexScheduler | None = None
        self._watcher: FileWatcher | None = None
        self._notices: list[str] = []
        self._bell: Doorbell | None = None
        self._closed = False

    def _media_sources(self) -> tuple[DocumentSource, ...]:
        """Images and sounds under extra paths, where that is switched on and the provider takes them."""
        search = self.agent.search
        provider = self.provider.resolution.provider if search.multimodal.enabled and search.extra_paths else None
        if provider is None:
            return ()
        from openclaw_memory_core.embeddings.base import TakesMedia
        from openclaw_memory_core.workspace.media_source import MediaSource

        if not isinstance(provider, TakesMedia) or not provider.takes_media:
            return ()
        media = MediaSource(self.agent.workspace, search.extra_paths, search.multimodal)
        provider.read_media_with(media.read)
        return (media,)

    def changes(self) -> int | None:
        """Changes of notes so far; equal answers mean that nothing has changed in between.  None if it is not known.

        Transcripts also count as changed or not by their size and the time, so there is no answer with them.
        """
        if not self._background or len(self.sources) > 1:
            return None
        with self._lock:
            if self._bell is None and not self._closed:
                from openclaw_memory_core.index.doorbell import Doorbell

                self._bell = Doorbell(self._roots)
            bell = self._bell
        return None if bell is None else bell.changes()

    @property
    def trouble(self) -> StoreError | None:
        """Why the last update in the background failed; None if it did not, or only found another writer at work."""
        error = self._scheduler.last_error if self._scheduler is not None else None
        return error if isinstance(error, StoreError) and not isinstance(error, StoreBusyError) else None

    @property
    def notices(self) -> tuple[str, ...]:
        """What this process has done about a damaged index."""
        return tuple(self._notices)

    @property
    def scheduler(self) -> IndexScheduler | None:
        """The background worker, once it was needed."""
        return self._scheduler

    @property
    def watcher(self) -> FileWatcher | None:
        """The file watcher, once it was started."""
        return self._watcher

    @property
    def store(self) -> SqliteStore:
        """The open store.

        :raises StoreError: it cannot be opened.  A damaged one is set aside and made anew.
        """
        return self._open().store

    def look(self) -> SqliteStore:
        """The open store for one who only looks: a damaged one stays where it is.

        :raises StoreError: it cannot be opened.
        """
        return self._open(repair=False).store

    @property
    def engine(self) -> SyncEngine:
        """The sync engine; see :attr:`store` for errors."""
        with self._lock:
            opened = self._open()
            if opened.engine is None:
                opened.engine = self._make_engine(opened.store)
            return opened.engine

    @property
    def identity(self) -> IndexIdentity:
        """What the index must be valid for; see :attr:`store` for errors."""
        with self._lock:
            opened = self._open()
            if opened.identity is None:
                opened.identity = self._make_identity(opened.store)
            return opened.identity

    def healing(self, work: Callable[[SqliteStore], _T]) -> _T:
        """*work* with the store; once more with a new one if it turns out to be damaged, and if another process has
        replaced it meanwhile, which looks like many kinds of failure.

        :raises StoreError: anything else that is wrong with it.
        """
        healed = False
        for left in reversed(range(ATTEMPTS)):
            try:
                return work(self.store)
            except StoreCorruptError as error:
                if healed or not left:
                    raise
                healed = True
                self._replace(error)
            except StoreError:
                if not left or not self._is_replaced():
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _is_replaced(self) -> bool:
        with self._lock:
            return self._opened is not None and self._opened.store.is_replaced

    # --- keeping fresh -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start watching the files, if configured and not done before."""
        from openclaw_memory_core.index.watch import FileWatcher

        sync = self.agent.search.sync
        with self._lock:
            if self._closed or not self._background or self._watcher is not None or not sync.watch:
                return
            self._watcher = FileWatcher(self._roots, self._files_changed, debounce_s=sync.watch_debounce_ms / 1000)
        self._watcher.start()

    def request(self, reason: str, paths: Collection[str] | None = None) -> None:
        """Ask for a sync in the background; costs nothing, never raises.  Does nothing in a one-shot command."""
        if not self._background or self._closed:
            return
        self._worker().request(reason, paths)

    def sync(
        self,
        *,
        reason: str,
        force: bool = False,
        paths: Collection[str] | None = None,
        progress: OnProgress | None = None,
        cancel: CancelToken | None = None,
    ) -> SyncReport:
        """Bring the index up to date in this thread; lets the fallback provider take over where that is configured.

        :raises StoreError: the index cannot be read or written.
        """

        def run(_: SqliteStore) -> SyncReport:
            return self.engine.sync(reason=reason, force=force, paths=paths, progress=progress, cancel=cancel)

        report = self.healing(run)
        if report.provider_error is not None:
            self.provider.report(report.provider_error)
            if self.provider.take_fallback(report.provider_error):
                self._renew_engine()
                report = self.healing(run)
        elif report.embedded:
            self.provider.report(None)
        why = self.provider.resolution.fallback_reason
        if why is not None and report.provider_error is None and not report.busy:
            remember_stand_in(self.store, self.identity, why)
        return report

    def stand_in(self, held: IndexIdentity | None) -> tuple[ProviderInfo, str] | None:
        """The fallback, if an earlier process made the index that is *held* with it, and why; None if it did not."""
        info = self.provider.info
        if held is None or not held.has_vectors or info is None or dict(held.embedding) == dict(info.identity):
            return None
        standby = self.provider.standby_info(held.embedding)
        if standby is None:
            return None
        return standby, why_stand_in(self.store, held) or "the index holds the vectors of the fallback"

    def catch_up(self, seconds: float) -> bool:
        """Wait at most *seconds* for the index to be up to date; True if it is.

        In the background that is waiting for the worker; a one-shot command syncs by itself and stops at the limit.
        """
        if self._background:
            return self._worker().wait(seconds)
        cancel = CancelToken()
        timer = threading.Timer(seconds, cancel.cancel)
        timer.daemon = True
        timer.start()
        try:
            return self.sync(reason="search", cancel=cancel).complete
        except CancelledError:
            return False
        finally:
            timer.cancel()

    def use_fallback(self) -> bool:
        """After a failed query: let the configured fallback take over; False if there is none."""
        error = self.provider.failure
        if error is None or not self.provider.take_fallback(error):
            return False
        self._renew_engine()
        self.request("fallback")
        return True

    # --- ending ------------------------------------------------------------------------------------------------------

    def set_damaged_aside(self) -> str:
        """Move an index that was found to be damaged away, and return where it went; the next update makes a new one.

        :raises StoreError: it cannot be moved, or is another program's.
        """
        with self._lock:
            opened, self._opened = self._opened, None
            store = opened.store if opened is not None else self.place.store()
            if opened is None:
                with contextlib.suppress(StoreCorruptError):
                    store.open()
            try:
                return store.set_aside()
            finally:
                store.close()

    def reset(self) -> None:
        """Delete the index file.

        :raises StoreForeignError: the file is another program's; it is left alone.
        """
        with self._lock:
            store = self._opened.store if self._opened is not None else self.place.store()
            store.reset()
            self._opened = None

    def close(self) -> None:
        """Stop the watcher and the worker, wait for them, close store and provider."""
        with self._lock:
            self._closed = True
            watcher, scheduler, opened = self._watcher, self._scheduler, self._opened
            bell, self._bell = self._bell, None
            self._watcher = self._scheduler = self._opened = None
        if bell is not None:
            bell.close()
        if watcher is not None:
            watcher.close()
        if scheduler is not None:
            scheduler.close()
        if opened is not None:
            opened.store.close()
        self.provider.close()

    # --- inside ------------------------------------------------------------------------------------------------------

    def _open(self, *, repair: bool = True) -> _Open:
        with self._lock:
            if self._opened is None:
                self.place.take_over_former()
                store = self.place.store()
                try:
                    store.open()
                except StoreCorruptError as error:
                    if not repair:
                        raise
                    self._set_aside(store, error)
                self._opened = _Open(store)
            return self._opened

    def _make_engine(self, store: SqliteStore) -> SyncEngine:
        from openclaw_memory_core.index.sync import SyncEngine

        return SyncEngine(
            store,
            self.sources,
            self.provider.embedder,
            chunking=self.agent.search.chunking,
            identity=self.identity,
            group=_BATCH_GROUP if self.agent.search.remote.batch.enabled else _GROUP,
        )

    def _make_identity(self, store: SqliteStore) -> IndexIdentity:
        """What the index must be valid for.  A provider that cannot be made keeps the vectors of the last one alive."""
        info = self.provider.info
        embedding = _NO_VECTORS if info is None else dict(info.identity)
        if info is None and self.provider.resolution.requirement != "fts-only":
            with store.reader() as reader:
                present = reader.identity
            if present is not None and present.has_vectors:
                embedding = dict(present.embedding)
        return IndexIdentity(
            embedding=embedding,
            chunking=chunking_identity(self.agent.search.chunking),
            text={"tokenizer": self.agent.search.store.fts_tokenizer},
        )

    def _renew_engine(self) -> None:
        with self._lock:
            if self._opened is not None:
                self._opened = _Open(self._opened.store)

    def _replace(self, error: StoreCorruptError) -> None:
        with self._lock:
            if self._opened is not None:
                self._set_aside(self._opened.store, error)
        self.request("recovery")

    def _set_aside(self, store: SqliteStore, error: StoreCorruptError) -> None:
        where = store.set_aside()
        notice = f"The index was damaged ({error.message}); it was moved to {where} and is built anew from the notes."
        # A command shows its notices itself.
        logger.log(logging.WARNING if self._background else logging.INFO, "%s", notice)
        self._notices.append(notice)
        store.open()

    def _worker(self) -> IndexScheduler:
        from openclaw_memory_core.index.scheduler import IndexScheduler

        with self._lock:
            if self._scheduler is None:
                self._scheduler = IndexScheduler(self, interval=self.agent.search.sync.interval_minutes * 60)
            return self._scheduler

    def _roots(self) -> list[str]:
        return [root for source in self.sources for root in source.watch_roots()]

    def _files_changed(self, _: set[str]) -> None:
        # Events are marks only: the sync looks for itself, by stamps.
        self.request("watch")

    def describe_worker(self) -> dict[str, Any]:
        """Queue, progress and watcher, for ``status``."""
        worker = self._scheduler.describe() if self._scheduler is not None else {"running": False}
        watch = self._watcher.describe() if self._watcher is not None else {"mode": "off"}
        return {"worker": worker, "watch": watch}
