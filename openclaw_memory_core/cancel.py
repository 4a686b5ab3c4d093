"""Asking a running job to stop, from any thread."""

from __future__ import annotations

import threading

from openclaw_memory_core.errors import CancelledError

__all__ = ["CancelToken"]


class CancelToken:
    """One flag that many threads may watch; once set it stays set."""

    __slots__ = ("_children", "_event")

    def __init__(self) -> None:
        self._event = threading.Event()
        self._children: list[CancelToken] = []

    def cancel(self) -> None:
        """Ask to stop.  Calling it again changes nothing."""
        self._event.set()
        for child in list(self._children):
            child.cancel()

    def child(self) -> CancelToken:
        """A token that is cancelled with this one, and can be cancelled alone."""
        token = CancelToken()
        self._children.append(token)
        if self._event.is_set():
            token.cancel()
        return token

    @property
    def cancelled(self) -> bool:
        """True once :meth:`cancel` was called."""
        return self._event.is_set()

    def raise_if_cancelled(self) -> None:
        """Stop here if asked to.

        :raises CancelledError: :meth:`cancel` was called.
        """
        if self._event.is_set():
            raise CancelledError(
                "The work was stopped on request.", hint="What was finished is kept; run it again to go on."
            )

    def wait(self, seconds: float) -> bool:
        """Sleep for *seconds*, or until cancelled; True if cancelled."""
        return self._event.wait(seconds)
