"""The door to one provider that all its requests go through, from every thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from openclaw_memory_core.errors import EmbeddingError, ProviderInputError, ProviderRateLimitError

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.retry import RetryPolicy


class Gate:
    """Lets requests through, one at a time until the provider has answered one, then *width* at once.

    Any failure closes it for a pause that holds for everybody, and narrows it to one again.  Requests that were
    already under way when it closed may fail too; together they count as one failure.

    :param proven: no answer is waited for before the first *width* are let through.
    :param clock: seconds, monotonic.
    :param sleep: waits for so many seconds; the event ends the wait early.
    """

    def __init__(
        self,
        width: int,
        *,
        policy: RetryPolicy,
        clock: Callable[[], float],
        sleep: Callable[[float, threading.Event], None],
        rng: Callable[[], float],
        proven: bool = False,
    ) -> None:
        self._width = max(1, width)
        self._policy = policy
        self._clock = clock
        self._sleep = sleep
        self._rng = rng
        self._changed = threading.Condition()
        self._proven = proven
        self._inside = 0
        self._opens_at = 0.0
        self._round = 0
        self._failures = 0
        self._slow_downs = 0
        self._closed_by: EmbeddingError | None = None

    def enter(self, stop: threading.Event) -> int | None:
        """Wait for a place; returns a ticket for :meth:`leave`, or None if *stop* was set meanwhile."""
        while not stop.is_set():
            with self._changed:
                pause = self._opens_at - self._clock()
                if pause <= 0:
                    if self._inside < (self._width if self._proven else 1):
                        self._inside += 1
                        return self._round
                    self._changed.wait(0.2)
            if pause > 0:
                self._sleep(pause, stop)
        return None

    def leave(self, ticket: int, error: EmbeddingError | None) -> bool:
        """Say how the request went; True if the provider has now failed more often in a row than we bear."""
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()
            return self._note(ticket, error)

    def report(self, ticket: int, error: EmbeddingError | None) -> bool:
        """As :meth:`leave`, for a request that did not take a place (a query)."""
        with self._changed:
            return self._note(ticket, error)

    @property
    def ticket(self) -> int:
        """Ticket for a request that takes no place."""
        return self._round

    def pause(self) -> float:
        """Seconds until requests may pass again, 0 if they may now."""
        return max(0.0, self._opens_at - self._clock())

    def check(self, patience: float) -> None:
        """Give up at once where waiting would take longer than *patience* seconds.

        :raises EmbeddingError: it would; the error is the one that closed the gate.
        """
        pause = self.pause()
        closed_by = self._closed_by
        if pause <= patience or closed_by is None:
            return
        if isinstance(closed_by, ProviderRateLimitError):
            raise ProviderRateLimitError(
                f"the provider asked for a pause, {pause:.0f} s of it are left",
                retry_after=pause,
                hint="Wait and try again; what is embedded already is kept.",
            )
        raise closed_by

    def _note(self, ticket: int, error: EmbeddingError | None) -> bool:
        if error is None:
            self._proven = True
            self._failures = self._slow_downs = 0
            return False
        if isinstance(error, ProviderInputError):
            return False
        self._proven = False
        fresh = ticket == self._round
        if isinstance(error, ProviderRateLimitError):
            return self._note_slow_down(error, fresh=fresh)
        if fresh:
            self._failures += 1
            self._close(self._policy.delay(self._failures, self._rng), error)
        return self._failures >= self._policy.attempts

    def _note_slow_down(self, error: ProviderRateLimitError, *, fresh: bool) -> bool:
        self._slow_downs += fresh
        wait = self._policy.slow_down(error, max(1, self._slow_downs), self._rng)
        self._close(min(wait, self._policy.longest_closed), error)
        return self._slow_downs > self._policy.slow_downs or self.pause() > self._policy.longest_wait

    def _close(self, seconds: float, error: EmbeddingError) -> None:
        self._closed_by = error
        self._round += 1
        self._opens_at = max(self._opens_at, self._clock() + seconds)
