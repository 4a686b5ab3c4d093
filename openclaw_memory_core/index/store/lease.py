"""The right to write, across processes: a lock file beside the index.

Where the system has file locks, the lock on that file is the truth and a dead owner's lock is gone with it.  Elsewhere
the file itself is the lock: its owner is dead if its process is gone, or if nobody renewed it for ten minutes.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from openclaw_memory_core.errors import StoreBusyError, StoreReadOnlyError
from openclaw_memory_core.index.store.faults import translate

STALE_SECONDS = 600.0
_POLL_SECONDS = 0.05


class Lease:
    """One process's view of the lock of one index.

    :param path: the lock file.
    :param clock: wall clock, seconds since the epoch.
    :param file_locks: False behaves as on a file system without locks.
    """

    def __init__(self, path: Path, clock: Callable[[], float], *, file_locks: bool = True) -> None:
        self.path = path
        self._clock = clock
        self._file_locks = file_locks
        self._held = False

    @contextmanager
    def hold(self, owner: str, wait: float) -> Iterator[None]:
        """Hold the lease inside the block.

        :raises StoreBusyError: somebody else held it for the whole of *wait* seconds.
        """
        deadline = time.monotonic() + wait
        pause = threading.Event()
        while (handle := self._try(owner)) is None:
            if time.monotonic() >= deadline:
                raise self._busy()
            pause.wait(_POLL_SECONDS)
        self._held = True
        try:
            yield
        finally:
            self._held = False
            self._release(handle)

    def renew(self) -> None:
        """Show that the owner is alive; does nothing where file locks show it."""
        if self._held and not self._file_locks:
            with contextlib.suppress(OSError):
                os.utime(self.path, (self._clock(), self._clock()))

    def owner(self) -> dict[str, Any] | None:
        """Who holds the lease: owner, pid, host, since; None if nobody does.  Never takes it, not even for a moment."""
        if not self.path.exists() or self._is_dead():
            return None
        return self._read()

    def clear_dead(self) -> None:
        """Take away what a dead owner left."""
        if not self.path.exists() or not self._is_dead():
            return
        with contextlib.suppress(StoreReadOnlyError):
            handle = self._try("")
            if handle is not None:
                self._release(handle)

    def _try(self, owner: str) -> int | None:
        try:
            return self._try_locked(owner) if self._file_locks else self._try_created(owner)
        except OSError as error:
            raise translate(error, self.path.with_name(self.path.name.removesuffix(".lock"))) from error

    def _try_locked(self, owner: str) -> int | None:
        while True:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                locked = _lock(handle)
            except OSError:
                os.close(handle)
                self._file_locks = False
                return self._try_created(owner)
            if not locked:
                os.close(handle)
                return None
            if _same_file(handle, self.path):
                self._sign(handle, owner)
                return handle
            # The owner before us deleted the file between our opening and our locking it.
            os.close(handle)

    def _try_created(self, owner: str) -> int | None:
        for _ in range(2):
            try:
                handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                if not self._is_dead():
                    return None
                with contextlib.suppress(OSError):
                    self.path.unlink()
                continue
            self._sign(handle, owner)
            return handle
        return None

    def _sign(self, handle: int, owner: str) -> None:
        note = {"owner": owner, "pid": os.getpid(), "host": _host(), "since": self._clock()}
        os.ftruncate(handle, 0)
        os.write(handle, json.dumps(note).encode())

    def _release(self, handle: int) -> None:
        # Deleted while still locked: whoever locks the old file after this sees that it is gone and starts over.
        if os.name == "nt":
            os.close(handle)
        with contextlib.suppress(OSError):
            self.path.unlink()
        if os.name != "nt":
            os.close(handle)

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def _is_dead(self) -> bool:
        note = self._read()
        if note.get("host") == _host() and isinstance(note.get("pid"), int):
            return not is_alive(note["pid"])
        if not note and self._file_locks:
            return True  # Killed before it could sign; the lock itself says whether that is so.
        try:
            return self._clock() - self.path.stat().st_mtime > STALE_SECONDS
        except OSError:
            return True

    def _busy(self) -> StoreBusyError:
        note = self._read()
        who = f"{note.get('owner') or 'another process'} (pid {note.get('pid', 'unknown')})"
        return StoreBusyError(
            f"The index beside {self.path} is being written by {who}",
            hint="Wait until it is done, or stop that process.",
        )


def _lock(handle: int) -> bool:
    """Lock without waiting; False if somebody else has it.

    :raises OSError: the file system has no locks.
    """
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False


def is_alive(pid: int) -> bool:
    """True if a process of this number exists, or if the system will not say."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _host() -> str:
    import socket

    return socket.gethostname()
