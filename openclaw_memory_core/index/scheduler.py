"""Syncing in the background: one worker, requests coalesced, failures tried again later and later."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection
from typing import Any, Protocol

from openclaw_memory_core.cancel import CancelToken
from openclaw_memory_core.errors import OpenClawMemoryError
from openclaw_memory_core.index.report import OnProgress, SyncProgress, SyncReport, failure

__all__ = ["IndexScheduler", "Syncs"]

logger = logging.getLogger(__name__)

BUSY_RETRY_SECONDS = 1.0
FIRST_RETRY_SECONDS = 60.0
LONGEST_RETRY_SECONDS = 1800.0


class Syncs(Protocol):
    """What the scheduler needs of a sync engine."""

    def sync(
        self,
        *,
        reason: str,
        force: bool = False,
        paths: Collection[str] | None = None,
        progress: OnProgress | None = None,
        cancel: CancelToken | None = None,
    ) -> SyncReport:
        """Bring the index up to date; see :meth:`openclaw_memory_core.index.sync.SyncEngine.sync`."""


class IndexScheduler:
    """One background worker.  Its thread starts with the first request, whose sync is a full check.

    :param debounce: seconds that requests with ``settle=True`` wait for further ones, ten times as long at most.
    :param interval: seconds between syncs that nobody asked for; 0 for none.
    :param clock: seconds that never go back.
    :param on_report: called in the worker after each sync.
    """

    def __init__(
        self,
        engine: Syncs,
        *,
        debounce: float = 1.5,
        interval: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        on_report: Callable[[SyncReport], None] | None = None,
    ) -> None:
        self._engine = engine
        self._debounce = debounce
        self._interval = interval
        self._clock = clock
        self._on_report = on_report
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._reasons: list[str] = []
        self._paths: set[str] | None = set()
        self._force = False
        self._due: float | None = None
        self._latest: float | None = None
        self._retry_at: float | None = None
        self._failures = 0
        self._running: str | None = None
        self._token: CancelToken | None = None
        self._progress: SyncProgress | None = None
        self._checked = False
        self._report: SyncReport | None = None
        self._error: Exception | None = None

    # --- asking ------------------------------------------------------------------------------------------------------

    def request(
        self, reason: str, paths: Collection[str] | None = None, *, settle: bool = False, force: bool = False
    ) -> None:
        """Ask for a sync; returns at once.  Requests that wait are served by one sync.

        :param paths: documents that concern this request; None for all.
        :param settle: wait for the debounce time, for more changes may follow.
        :param force: rebuild.
        """
        with self._changed:
            if self._closed:
                return
            now = self._clock()
            if reason not in self._reasons:
                self._reasons.append(reason)
            self._force = self._force or force
            if paths is None or not self._checked:
                self._paths = None
            elif self._paths is not None:
                self._paths.update(paths)
            self._set_due(now, settle=settle)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="memory-index", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def _set_due(self, now: float, *, settle: bool) -> None:
        if not settle:
            self._due = now
            return
        if self._latest is None:
            self._latest = now + 10 * self._debounce
        if self._due is None or self._due > now:
            self._due = min(now + self._debounce, self._latest)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is asked for and nothing runs; False if that took longer than *timeout* seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._is_pending(), timeout)

    def cancel(self) -> None:
        """Stop the running sync and forget what waits; the worker stays."""
        with self._changed:
            self._take()
            if self._token is not None:
                self._token.cancel()
            self._changed.notify_all()

    def close(self) -> None:
        """Stop the running sync and wait for the worker to end."""
        with self._changed:
            self._closed = True
            thread = self._thread
        self.cancel()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    # --- state -------------------------------------------------------------------------------------------------------

    @property
    def dirty(self) -> bool:
        """True if the index may be behind: never checked, asked for, running, or the last sync did not get through."""
        with self._changed:
            failed = self._error is not None or (self._report is not None and not self._report.complete)
            return not self._checked or self._is_pending() or failed

    def pending(self) -> tuple[str, ...]:
        """Reasons that wait for their sync."""
        with self._changed:
            return tuple(self._reasons)

    @property
    def last_error(self) -> Exception | None:
        """What the last sync raised; None if it did not."""
        return self._error

    def describe(self) -> dict[str, Any]:
        """Queue, progress, last report and error, for ``status``."""
        with self._changed:
            progress = self._progress
            facts: dict[str, Any] = {"running": self._running is not None, "pending": list(self._reasons)}
            if self._running is not None:
                facts["reason"] = self._running
            if progress is not None and self._running is not None:
                facts["progress"] = {"phase": progress.phase, "done": progress.done, "total": progress.total}
            if self._report is not None:
                facts["lastReport"] = self._report.to_dict()
            if self._error is not None:
                why = failure(self._error)
                facts["lastError"] = {"code": why.code, "message": why.message}
            if self._retry_at is not None:
                facts["retryInSeconds"] = round(max(0.0, self._retry_at - self._clock()), 1)
            return facts

    def _is_pending(self) -> bool:
        return bool(self._reasons) or self._running is not None

    # --- the worker --------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (job := self._next()) is not None:
            reason, paths, force, token = job
            report: SyncReport | None = None
            error: Exception | None = None
            try:
                report = self._engine.sync(
                    reason=reason, force=force, paths=paths, progress=self._note_progress, cancel=token
                )
            except OpenClawMemoryError as raised:
                error = raised
                if str(self._error) != str(raised):
                    logger.warning("The index could not be updated: %s", raised)
            except Exception as raised:  # the worker must live on; the error is kept for status
                error = raised
                logger.exception("The index could not be updated")
            if report is not None and self._on_report is not None:
                self._on_report(report)
            self._finish(report, error, full=paths is None, force=force)

    def _next(self) -> tuple[str, frozenset[str] | None, bool, CancelToken] | None:
        with self._changed:
            while not self._closed:
                now = self._clock()
                if self._retry_at is not None and now >= self._retry_at:
                    self._retry_at = None
                    self._reasons.append("retry")
                    self._paths, self._due = None, now
                if self._reasons and self._due is not None and now >= self._due:
                    reason, paths, force = self._take()
                    self._running, self._token, self._progress = reason, CancelToken(), None
                    return reason, paths, force, self._token
                self._sleep(now)
            return None

    def _sleep(self, now: float) -> None:
        times = [time for time in (self._due if self._reasons else None, self._retry_at) if time is not None]
        if self._interval > 0 and not self._reasons:
            times.append(now + self._interval)
        woken = self._changed.wait(max(0.0, min(times) - now) if times else None)
        if not woken and self._interval > 0 and not self._reasons and self._retry_at is None and not self._closed:
            self._reasons.append("interval")
            self._paths, self._due = None, self._clock()

    def _take(self) -> tuple[str, frozenset[str] | None, bool]:
        reason = "+".join(self._reasons)
        paths = None if self._paths is None else frozenset(self._paths)
        force = self._force
        self._reasons, self._paths, self._force = [], set(), False
        self._due = self._latest = None
        return reason, paths, force

    def _finish(self, report: SyncReport | None, error: Exception | None, *, full: bool, force: bool) -> None:
        with self._changed:
            self._running = self._token = self._progress = None
            self._error = error
            if report is not None:
                self._report = report
                self._checked = self._checked or (full and not report.busy and not report.cancelled)
            self._plan_retry(report, error)
            if report is not None and report.busy:
                self._force = self._force or force
            self._changed.notify_all()

    def _plan_retry(self, report: SyncReport | None, error: Exception | None) -> None:
        if report is not None and report.cancelled:
            return
        if report is not None and report.busy:
            self._retry_at = self._clock() + BUSY_RETRY_SECONDS
        elif error is not None or (report is not None and (report.failed or report.missing or report.provider_error)):
            if self._retry_at is None:
                pause = min(FIRST_RETRY_SECONDS * 2**self._failures, LONGEST_RETRY_SECONDS)
                self._failures += 1
                self._retry_at = self._clock() + pause
        else:
            self._failures = 0
            self._retry_at = None

    def _note_progress(self, progress: SyncProgress) -> None:
        self._progress = progress
