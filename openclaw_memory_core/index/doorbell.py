"""Knowing at once whether a note has changed, without looking at every file.

The file watcher hears of a change a moment later, through threads of its own.  A search cannot wait that long: a note
saved just before it must count as changed.  Linux queues an event before the call that changed the file returns, so a
queue of our own, read at the moment of the search, tells for certain.  Where there is no such queue there is no answer,
and the caller looks at the files.
"""

from __future__ import annotations

import contextlib
import os
import struct
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final

from openclaw_memory_core.index.polling import IGNORED_FOLDERS, is_relevant

__all__ = ["Doorbell"]

_MODIFY, _ATTRIB = 0x2, 0x4
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF = 0x400, 0x800
_OVERFLOW, _IGNORED, _ONLY_FOLDERS, _IS_FOLDER = 0x4000, 0x8000, 0x1000000, 0x40000000
_ASKED: Final = (
    _MODIFY | _ATTRIB | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF | _ONLY_FOLDERS
)
_FOLDERS_CHANGED: Final = _OVERFLOW | _IGNORED | _DELETE_SELF | _MOVE_SELF | _IS_FOLDER
_EVENT = struct.Struct("iIII")
_BUFFER = 1 << 16


class Doorbell:
    """Counts changes of files below the roots.  Thread-safe.

    Not heard: writes through memory maps, through a hard link elsewhere, and by another machine on a network folder.
    Whoever relies on the count looks for himself now and then.

    :param roots: absolute files and folders; they need not exist.
    :param suffixes: endings of files that matter.
    """

    def __init__(self, roots: Callable[[], Sequence[str]], *, suffixes: Collection[str] = (".md", ".jsonl")) -> None:
        self._roots = roots
        self._suffixes = tuple(suffixes)
        self._lock = threading.Lock()
        self._queue: int | None = None
        self._process = os.getpid()
        self._changes = 0
        self._armed = False
        self._useless = not sys.platform.startswith("linux")

    def changes(self) -> int | None:
        """Changes so far; equal to an earlier answer only if nothing has changed since.  None if that is not known."""
        with self._lock:
            if self._useless or os.getpid() != self._process:
                return None
            try:
                self._read()
                if not self._armed:
                    self._arm()
            except (OSError, AttributeError):
                # No permission, no watches left, no such call in the C library: it will not be better next time.
                self._give_up()
                return None
            return self._changes if self._armed else None

    def close(self) -> None:
        """Let go of the queue."""
        with self._lock:
            self._give_up()

    def _give_up(self) -> None:
        self._useless = True
        if self._queue is not None and os.getpid() == self._process:
            os.close(self._queue)
        self._queue = None

    def _read(self) -> None:
        while self._queue is not None:
            try:
                data = os.read(self._queue, _BUFFER)
            except BlockingIOError:
                return
            for mask, name in _events(data):
                if mask & _FOLDERS_CHANGED:
                    self._armed = False
                if mask & _FOLDERS_CHANGED or is_relevant(name, self._suffixes):
                    self._changes += 1

    def _arm(self) -> None:
        """Watch every folder that notes can be in; what changed before that is found by whoever looks next.

        :raises OSError: the system refuses.
        """
        library = _library()
        if self._queue is None:
            self._queue = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
            if self._queue < 0:
                self._queue = None
                raise OSError("no inotify")
        heard = {self._watch(library, folder) for folder in self._folders()}
        self._armed = False not in heard
        self._changes += 1

    def _watch(self, library: Any, folder: str) -> bool:
        import ctypes

        if library.inotify_add_watch(self._queue, os.fsencode(folder), _ASKED) >= 0:
            return True
        number = ctypes.get_errno()
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            raise OSError(number, os.strerror(number))
        return False

    def _folders(self) -> Iterator[str]:
        roots = self._roots()
        yield from {os.path.dirname(root) for root in roots}  # noqa: PTH120 - strings, as the system takes them
        pending = [root for root in roots if os.path.isdir(root)]  # noqa: PTH112
        while pending:
            folder = pending.pop()
            yield folder
            with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
                pending += [
                    entry.path
                    for entry in entries
                    if entry.name not in IGNORED_FOLDERS and entry.is_dir(follow_symlinks=False)
                ]


def _events(data: bytes) -> Iterator[tuple[int, str]]:
    start = 0
    while start < len(data):
        _, mask, _, length = _EVENT.unpack_from(data, start)
        start += _EVENT.size
        yield mask, os.fsdecode(data[start : start + length].rstrip(b"\0"))
        start += length


def _library() -> Any:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)
