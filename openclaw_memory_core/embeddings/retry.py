"""What to do about a failed request, and how long to wait before the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from openclaw_memory_core.errors import (
    EmbeddingError,
    ProviderInputError,
    ProviderRateLimitError,
    ProviderReplyError,
    ProviderTimeoutError,
    ProviderUnavailableError,
)

Remedy = Literal["stop", "wait", "again", "smaller"]

_TRANSIENT_4XX = frozenset({408, 409, 425})


def remedy(error: EmbeddingError) -> Remedy:
    """*stop*: trying again is useless; *wait*: slow down; *again*: may pass; *smaller*: the request was too much."""
    if isinstance(error, ProviderRateLimitError):
        return "wait"
    if isinstance(error, (ProviderInputError, ProviderTimeoutError)):
        return "smaller"
    if isinstance(error, ProviderReplyError):
        return "again"
    if isinstance(error, ProviderUnavailableError):
        passing = error.status is None or error.status >= 500 or error.status in _TRANSIENT_4XX
        return "again" if passing else "stop"
    return "stop"


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Numbers of the retries; times in seconds.

    :param attempts: tries of one request that fails in passing.
    :param slow_downs: times in a row that the provider may ask to slow down.
    :param first_delay: pause after the first failure; doubles up to *longest_delay*.
    :param first_slow_down: pause when the provider asks to slow down and does not say how long.
    :param longest_wait: the longest pause a run waits for; beyond it the run ends and says so.
    :param longest_closed: the longest pause that is believed at all.
    :param jitter: share of a pause that is added at random.
    """

    attempts: int = 3
    slow_downs: int = 5
    first_delay: float = 0.5
    longest_delay: float = 8.0
    first_slow_down: float = 2.0
    longest_slow_down: float = 60.0
    longest_wait: float = 300.0
    longest_closed: float = 3600.0
    jitter: float = 0.2

    def delay(self, failures: int, rng: Callable[[], float]) -> float:
        """Pause after *failures* (1 or more) failures in a row."""
        return self._spread(min(self.first_delay * 2 ** (failures - 1), self.longest_delay), rng)

    def slow_down(self, error: ProviderRateLimitError, failures: int, rng: Callable[[], float]) -> float:
        """Pause after a request to slow down; never shorter than the provider asked for."""
        if error.retry_after is not None:
            return error.retry_after + self.jitter * rng() * min(1.0, error.retry_after)
        return self._spread(min(self.first_slow_down * 2 ** (failures - 1), self.longest_slow_down), rng)

    def _spread(self, seconds: float, rng: Callable[[], float]) -> float:
        return seconds * (1.0 + self.jitter * rng())
