"""A lock on an open file, between threads and processes, that leaves nothing behind in the workspace.

The lock is on the note itself and advisory: editors do not see it.  It vanishes with the process that holds it.
"""

from __future__ import annotations

import contextlib
import errno
import sys
import time
from collections.abc import Callable, Iterator

_HELD = frozenset({errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK})
_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.02


class LockTimeoutError(Exception):
    """Somebody else held the lock all the time we were ready to wait."""


@contextlib.contextmanager
def locked(descriptor: int, *, timeout: float, sleep: Callable[[float], None] = time.sleep) -> Iterator[None]:
    """Hold an exclusive lock on an open file.

    On a file system without locks the body runs without one: an append of one write is all that protects there.

    :param timeout: seconds to wait at most.
    :raises LockTimeoutError: it stayed taken.
    """
    held = _acquire(descriptor, timeout, sleep)
    try:
        yield
    finally:
        if held:
            _unlock(descriptor)


def _acquire(descriptor: int, timeout: float, sleep: Callable[[float], None]) -> bool:
    deadline = time.monotonic() + timeout
    pause = _FIRST_PAUSE
    while True:
        try:
            _try_lock(descriptor)
            return True
        except OSError as error:
            if error.errno not in _HELD:
                return False
        if time.monotonic() >= deadline:
            raise LockTimeoutError
        sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


if sys.platform == "win32":
    import msvcrt
    import os

    # Windows locks forbid reading, so a byte far behind the end of any note is locked.
    _FAR = 1 << 40

    def _try_lock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
