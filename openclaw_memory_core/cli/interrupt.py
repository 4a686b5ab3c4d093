"""Ctrl-C as a request: the first one asks, the second one insists."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from openclaw_memory_core.cancel import CancelToken

if TYPE_CHECKING:
    from types import FrameType

_STOP = b"s"
_END = b"e"


@contextmanager
def interruptible() -> Iterator[CancelToken]:
    """A token that SIGINT or SIGTERM sets; a second signal raises KeyboardInterrupt.

    A signal handler runs between two instructions of the main thread, which may hold the very lock that setting the
    token needs.  So the handler only writes to a pipe, and a thread sets the token.
    """
    token = CancelToken()
    if threading.current_thread() is not threading.main_thread():
        yield token
        return
    reading, writing = os.pipe()
    waiter = threading.Thread(target=_wait, args=(reading, token), name="interrupt", daemon=True)
    waiter.start()
    handler = _Handler(writing)
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield token
    finally:
        for number, former in before.items():
            signal.signal(number, former)
        os.write(writing, _END)
        waiter.join()
        os.close(reading)
        os.close(writing)


class _Handler:
    def __init__(self, writing: int) -> None:
        self._writing = writing
        self._asked = False

    def __call__(self, number: int, _: FrameType | None) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
        os.write(self._writing, _STOP)
        if number == signal.SIGINT:
            # Not through sys.stderr, which may be in the middle of a write.
            with suppress(OSError):
                os.write(2, b"\nStopping; press Ctrl-C again to stop at once.\n")


def _wait(reading: int, token: CancelToken) -> None:
    if os.read(reading, 1) == _STOP:
        token.cancel()
