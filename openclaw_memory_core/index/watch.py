"""Noticing changed files: events of the system as mere dirty marks, polling where events cannot be had."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Literal

from openclaw_memory_core.index.polling import folder_signature, is_relevant
from openclaw_memory_core.index.watches import Observes, Watches, WatchLostError, system_observer

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent

__all__ = ["FileWatcher", "WatchMode"]

logger = logging.getLogger(__name__)

WatchMode = Literal["off", "events", "polling"]

_QUIET_EVENTS = frozenset({"opened", "closed_no_write"})
_LOOK_SECONDS = 5.0
"""So often it is checked whether the watches still stand."""
_MOST_DEAF = 2
"""Changes without any event that are put down to bad luck."""


class FileWatcher:
    """Calls *on_dirty* some time after files below the roots changed.

    Events only mark paths as dirty; whoever is called looks for himself.  Folders that do not exist are watched for in
    the nearest folder above them.  If the system refuses a watch, this is said once and the folders are polled.

    Events get lost: queues overflow, watches of sub-folders are refused without a word, network folders have none.  So
    the files are also looked at now and then; if changes keep coming without events, polling takes over.

    :param roots: absolute files and folders; asked again whenever something about them may have changed.
    :param on_dirty: takes the paths of the events, called in the watcher's thread; empty if only polling or a new
        watch tells that something may have changed.
    :param debounce_s: quiet time after the last event, in seconds; ten times as long at most.
    :param poll_s: seconds between two looks when polling.
    :param verify_s: seconds between two looks beside the events.
    :param suffixes: endings of files that can be documents; other files do not matter.
    :param clock: seconds that never go back.
    """

    def __init__(
        self,
        roots: Callable[[], Sequence[str]],
        on_dirty: Callable[[set[str]], None],
        *,
        debounce_s: float = 1.5,
        poll_s: float = 10.0,
        verify_s: float = 60.0,
        suffixes: Collection[str] = (".md", ".jsonl"),
        clock: Callable[[], float] = time.monotonic,
        observer_factory: Callable[[], Observes] = system_observer,
    ) -> None:
        self._roots = roots
        self._on_dirty = on_dirty
        self._debounce = debounce_s
        self._poll = poll_s
        self._verify = verify_s
        self._suffixes = tuple(suffixes)
        self._clock = clock
        self._observer_factory = observer_factory
        self._changed = threading.Condition()
        self._watches: Watches | None = None
        self._marks = _Marks(debounce_s)
        self._rearm = False
        self._mode: WatchMode = "off"
        self._reason: str | None = None
        self._signature = 0
        self._verified_at = 0.0
        self._events = 0
        self._deaf = 0
        self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def mode(self) -> WatchMode:
        """How changes are noticed now."""
        return self._mode

    def describe(self) -> dict[str, Any]:
        """Mode, why it is not events, and what is watched, for ``status``."""
        watches = self._watches
        facts: dict[str, Any] = {"mode": self._mode, "folders": watches.folders if watches is not None else []}
        if self._mode == "polling":
            facts |= {"reason": self._reason, "pollSeconds": self._poll}
        return facts

    def start(self) -> None:
        """Begin; returns when the watches stand or polling has begun.  Does nothing the second time."""
        with self._changed:
            if self._thread is not None or self._closed:
                return
            self._thread = threading.Thread(target=self._work, name="memory-watch", daemon=True)
        try:
            self._watches = Watches(self._observer_factory(), self._on_event)
            self._watches.start(self._roots())
            self._mode = "events"
            self._signature, self._verified_at = self._sign(), self._clock()
        except (OSError, ImportError, RuntimeError) as error:
            self._fall_back(error)
        self._thread.start()

    def close(self) -> None:
        """Stop and wait for the threads."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None and self._thread.is_alive():
            self._thread.join()
        self._drop_watches()
        self._mode = "off"

    def mark(self, *paths: str) -> None:
        """Something happened to these paths."""
        with self._changed:
            self._marks.add(paths, self._clock())
            self._changed.notify_all()

    def _on_event(self, event: FileSystemEvent) -> None:
        if event.event_type in _QUIET_EVENTS:
            return
        self._events += 1
        paths = [os.fsdecode(path) for path in (event.src_path, event.dest_path) if path]
        if event.is_directory:
            # "modified" only repeats what the events of the files in it say.
            if event.event_type != "modified":
                with self._changed:
                    self._rearm = True
                self.mark(*paths)
        elif relevant := [path for path in paths if is_relevant(path, self._suffixes)]:
            self.mark(*relevant)

    # --- the watcher's own thread ------------------------------------------------------------------------------------

    def _work(self) -> None:
        next_look = self._clock()
        while True:
            with self._changed:
                if self._closed:
                    return
                now = self._clock()
                ready = self._marks.take(now)
                look = self._rearm or now >= next_look
                self._rearm = False
                if ready is None and not look:
                    self._changed.wait(max(0.0, self._marks.due(next_look) - now))
                    continue
            if ready is not None:
                self._tell(ready)
            if look:
                self.look()
                next_look = self._clock() + (self._poll if self._mode == "polling" else _LOOK_SECONDS)

    def look(self) -> None:
        """Set watches anew where folders came or went; look at the files where there are no watches.

        Happens by itself, every few seconds and after events of folders.
        """
        watches = self._watches
        if watches is None:
            if self._has_changed():
                self.mark()
            return
        try:
            if watches.arm(self._roots()):
                # What was written before the new watch stood gave no event.
                self.mark()
            if self._clock() >= self._verified_at + self._verify:
                self._check_events()
        except (OSError, WatchLostError) as error:
            self._fall_back(error)

    def _check_events(self) -> None:
        """Look for changes that no event told of.

        :raises WatchLostError: that keeps happening.
        """
        events, self._events = self._events, 0
        self._verified_at = self._clock()
        if not self._has_changed():
            return
        self.mark()
        if not events:
            self._deaf += 1
            if self._deaf > _MOST_DEAF:
                raise WatchLostError("files change without events")

    def _has_changed(self) -> bool:
        before, self._signature = self._signature, self._sign()
        return before != self._signature

    def _sign(self) -> int:
        return folder_signature(self._roots(), self._suffixes)

    def _tell(self, paths: set[str]) -> None:
        try:
            self._on_dirty(paths)
        except Exception:
            logger.exception("A change of files could not be passed on")

    def _fall_back(self, error: Exception) -> None:
        self._drop_watches()
        number = error.errno if isinstance(error, OSError) else None
        self._reason = str(error) if number is None else os.strerror(number)
        self._mode = "polling"
        logger.warning(
            "Files cannot be watched (%s): they are polled every %g seconds instead, and looked at before each search",
            self._reason,
            self._poll,
        )
        self._signature = self._sign()
        with self._changed:
            self._rearm = True
        self.mark()

    def _drop_watches(self) -> None:
        watches, self._watches = self._watches, None
        if watches is not None:
            watches.close()


class _Marks:
    """Dirty paths and when they may be told: after a quiet time, or at last after ten times as long."""

    def __init__(self, debounce: float) -> None:
        self._debounce = debounce
        self._paths: set[str] = set()
        self._first: float | None = None
        self._last = 0.0

    def add(self, paths: Collection[str], now: float) -> None:
        if self._first is None:
            self._first = now
        self._last = now
        self._paths.update(paths)

    def take(self, now: float) -> set[str] | None:
        if now < self.due(float("inf")) or self._first is None:
            return None
        paths, self._paths, self._first = self._paths, set(), None
        return paths

    def due(self, otherwise: float) -> float:
        """When the paths may be told, or *otherwise* if that is earlier or there are none."""
        if self._first is None:
            return otherwise
        return min(otherwise, self._last + self._debounce, self._first + 10 * self._debounce)
