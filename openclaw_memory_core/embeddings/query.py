"""One query: a few tries inside a strict deadline."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from openclaw_memory_core.embeddings.retry import RetryPolicy, remedy
from openclaw_memory_core.embeddings.sizes import sendable
from openclaw_memory_core.embeddings.vectors import dimensions, pack
from openclaw_memory_core.errors import (
    EmbeddingError,
    ProviderInputError,
    ProviderReplyError,
    ProviderTimeoutError,
)

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import EmbeddingProvider, Vector
    from openclaw_memory_core.embeddings.gate import Gate


class QueryCall:
    """Runs in a thread of its own, so that not even a server that drips its answer holds a search up."""

    def __init__(
        self,
        provider: EmbeddingProvider,
        gate: Gate,
        policy: RetryPolicy,
        *,
        clock: Callable[[], float],
        pause: Callable[[float, threading.Event], None],
        rng: Callable[[], float],
    ) -> None:
        self._provider = provider
        self._gate = gate
        self._policy = policy
        self._clock = clock
        self._pause = pause
        self._rng = rng
        self._stop = threading.Event()

    def run(self, text: str, timeout: float) -> Vector:
        """The vector of *text*.

        :raises ProviderTimeoutError: no answer within *timeout* seconds.
        """
        deadline = self._clock() + timeout
        answer: queue.SimpleQueue[Vector | BaseException] = queue.SimpleQueue()
        thread = threading.Thread(target=self._answer, args=(text, deadline, answer), name="query", daemon=True)
        thread.start()
        try:
            result = answer.get(timeout=max(0.001, timeout))
        except queue.Empty:
            raise _too_slow(self._provider, timeout) from None
        finally:
            self._stop.set()
        if isinstance(result, BaseException):
            raise result
        return result

    def _answer(self, text: str, deadline: float, answer: queue.SimpleQueue[Vector | BaseException]) -> None:
        try:
            answer.put(self._try(text, deadline))
        except BaseException as error:
            answer.put(error)

    def _try(self, text: str, deadline: float) -> Vector:
        failures = 0
        while True:
            self._wait_for_gate(deadline)
            ticket = self._gate.ticket
            try:
                vector = self._request(text, deadline)
            except EmbeddingError as error:
                self._gate.report(ticket, error)
                failures += 1
                hopeless = remedy(error) == "stop" or isinstance(error, (ProviderInputError, ProviderTimeoutError))
                if hopeless or failures >= self._policy.attempts:
                    raise
                if self._gate.pause() >= deadline - self._clock():
                    raise
            else:
                self._gate.report(ticket, None)
                return vector

    def _wait_for_gate(self, deadline: float) -> None:
        left = deadline - self._clock()
        self._gate.check(left)
        while not self._stop.is_set() and (pause := self._gate.pause()) > 0:
            self._pause(pause, self._stop)
        if self._stop.is_set():
            raise ProviderTimeoutError("the query was given up")

    def _request(self, text: str, deadline: float) -> Vector:
        left = max(0.001, deadline - self._clock())
        replies = self._provider.embed([sendable(text)], "query", timeout=left)
        if len(replies) != 1:
            raise ProviderReplyError(f"{len(replies)} embeddings came back for one text")
        vector = pack(replies[0])
        expected = self._provider.info.dimensions
        if not vector or (expected is not None and dimensions(vector) != expected):
            raise ProviderReplyError(f"the embedding has {dimensions(vector)} numbers, {expected} were expected")
        return vector


def _too_slow(provider: EmbeddingProvider, timeout: float) -> ProviderTimeoutError:
    return ProviderTimeoutError(
        f"{provider.info.id} did not answer a query within {timeout:.0f} s", hint="Is the service busy or far away?"
    )
