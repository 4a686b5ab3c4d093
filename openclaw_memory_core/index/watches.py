"""Which folders are watched, and keeping it so while folders come, go and are replaced."""

# Paths are strings, as the events of the system give them.
# ruff: noqa: PTH112, PTH114, PTH116, PTH120

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler

__all__ = ["Observes", "WatchLostError", "Watches", "system_observer"]


class Emits(Protocol):
    """A thread of an observer."""

    @property
    def watch(self) -> Any:
        """What :meth:`Observes.schedule` gave for it."""

    def is_alive(self) -> bool:
        """False once it ended, for example because its folder was deleted."""


class Observes(Protocol):
    """What is used of a watchdog observer."""

    @property
    def emitters(self) -> Collection[Emits]:
        """Its threads, one a watch."""

    def schedule(self, event_handler: FileSystemEventHandler, path: str, *, recursive: bool = False) -> Any:
        """Watch a folder."""

    def unschedule(self, watch: Any) -> None:
        """Stop watching it."""

    def start(self) -> None:
        """Start the threads."""

    def stop(self) -> None:
        """Tell the threads to end."""

    def join(self, timeout: float | None = None) -> None:
        """Wait for them."""

    def is_alive(self) -> bool:
        """True while it runs."""


class WatchLostError(RuntimeError):
    """The observer stopped working: the system refused it something later on."""


_MOST_LOST = 20
_FOLDERS_DEEP = 10


class _Watch(NamedTuple):
    """A folder by name and by identity: one that was deleted and made again needs a new watch."""

    path: str
    recursive: bool
    identity: tuple[int, int]


def system_observer() -> Observes:
    """The observer for this system."""
    from watchdog.observers import Observer

    # Two folders made at once, one in the other, are registered twice by watchdog 7: harmless, but it warns on stderr.
    warnings.filterwarnings("ignore", message="Callback with id .* already exists", category=RuntimeWarning)
    observer: Observes = Observer()
    return observer


class Watches:
    """The watches of one observer.

    :raises OSError: from every method that touches the system: it refuses a watch.
    """

    def __init__(self, observer: Observes, on_event: Callable[[FileSystemEvent], None]) -> None:
        self._observer = observer
        self._handler = _handler(on_event)
        self._held: dict[_Watch, Any] = {}
        self._started = False
        self._lost = 0

    @property
    def folders(self) -> list[str]:
        """What is watched."""
        return sorted({watch.path for watch in self._held})

    def start(self, roots: Sequence[str]) -> None:
        """Set the watches, then start."""
        self.arm(roots)
        self._observer.start()
        self._started = True

    def arm(self, roots: Sequence[str]) -> bool:
        """Make the watches those that *roots* need now; True if there are new ones.

        :raises WatchLostError: the observer has died, or its watches keep doing so.
        """
        if self._held and not self._observer.is_alive() and self._started:
            raise WatchLostError("the observer ended unexpectedly")
        wanted = _wanted(roots)
        dead = [emitter.watch for emitter in self._observer.emitters if self._started and not emitter.is_alive()]
        for watch, observed in list(self._held.items()):
            if watch not in wanted or observed in dead:
                self._drop(watch, lost=watch in wanted)
        found = False
        for _ in range(_FOLDERS_DEEP):
            # A folder that came while the one above it was not watched yet gave no event: look again.
            if not self._add(_wanted(roots)):
                break
            found = True
        return found

    def _add(self, wanted: Collection[_Watch]) -> bool:
        new = [watch for watch in wanted if watch not in self._held]
        for watch in new:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                self._held[watch] = self._observer.schedule(self._handler, watch.path, recursive=watch.recursive)
        return bool(new)

    def _drop(self, watch: _Watch, *, lost: bool) -> None:
        """Forget a watch; one that ended although its folder stands is set again, but not for ever."""
        with contextlib.suppress(KeyError, OSError):
            self._observer.unschedule(self._held[watch])
        del self._held[watch]
        self._lost += lost
        if self._lost > _MOST_LOST:
            raise WatchLostError("watches keep ending unexpectedly")

    def close(self) -> None:
        """Stop watching and wait for the threads."""
        self._held.clear()
        with contextlib.suppress(RuntimeError, OSError):
            self._observer.stop()
        if self._observer.is_alive():
            self._observer.join()


def _wanted(roots: Sequence[str]) -> set[_Watch]:
    """Folders among *roots* with all below them, and for each root the nearest folder above it.

    The folder above tells when the root itself comes, goes or is replaced; nothing below it is watched, for a
    workspace may hold a whole source tree beside the notes.
    """
    deep = {root for root in roots if os.path.isdir(root) and not os.path.islink(root)}
    flat = {_existing_parent(root) for root in roots}
    covered = tuple(path + os.sep for path in deep)
    chosen = [(path, True) for path in deep if not _is_below(path, deep)]
    chosen += [(path, False) for path in flat if path not in deep and not path.startswith(covered)]
    return {_Watch(path, recursive, found) for path, recursive in chosen if (found := _identity(path)) is not None}


def _is_below(path: str, folders: Collection[str]) -> bool:
    return any(path.startswith(folder + os.sep) for folder in folders if folder != path)


def _existing_parent(path: str) -> str:
    parent = os.path.dirname(path)
    while not os.path.isdir(parent) and os.path.dirname(parent) != parent:
        parent = os.path.dirname(parent)
    return parent


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _handler(on_event: Callable[[FileSystemEvent], None]) -> FileSystemEventHandler:
    from watchdog.events import FileSystemEventHandler

    class Marks(FileSystemEventHandler):
        """Passes every event on."""

        def on_any_event(self, event: FileSystemEvent) -> None:
            on_event(event)

    return Marks()
