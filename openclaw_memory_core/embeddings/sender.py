"""The workers' side of a run: sends requests, retries, halves, and finds the one text that a provider will not take."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from openclaw_memory_core.embeddings.retry import RetryPolicy, remedy
from openclaw_memory_core.embeddings.vectors import dimensions, pack
from openclaw_memory_core.errors import (
    EmbeddingError,
    ProviderInputError,
    ProviderReplyError,
    ProviderUnavailableError,
)

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import EmbeddingProvider, Vector
    from openclaw_memory_core.embeddings.gate import Gate
    from openclaw_memory_core.embeddings.sizes import Item, Packer

_HOPELESS = 3
"""So many single texts lost in a row: the reason is not in the texts."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """Vectors by text hash, and the estimated tokens they stand for.

    :param stored: set once they are handed over.
    """

    vectors: dict[str, Vector]
    tokens: int
    stored: threading.Event = field(default_factory=threading.Event, compare=False)


@dataclass(frozen=True, slots=True)
class Lost:
    """A single text that the provider will not embed."""

    key: str
    error: EmbeddingError


@dataclass(frozen=True, slots=True)
class Ended:
    """A worker has nothing left to do; *crash* is a fault of ours, to be raised in the caller's thread."""

    crash: BaseException | None = None


Event = Arrived | Lost | Ended


class _Stopped(Exception):  # noqa: N818
    """Unwinds a worker when the run is over."""


class Sender:
    """Shared by the workers of one run."""

    def __init__(self, provider: EmbeddingProvider, packer: Packer, gate: Gate, policy: RetryPolicy) -> None:
        self.stop = threading.Event()
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.requests = 0
        self.error: EmbeddingError | None = None
        self._provider = provider
        self._packer = packer
        self._gate = gate
        self._policy = policy
        self._lock = threading.Lock()
        self._dimensions = provider.info.dimensions
        self._accepted = 0
        self._lost_in_a_row = 0

    def work(self) -> None:
        """Body of a worker thread: request after request until nothing is left or the run is stopped."""
        crash: BaseException | None = None
        try:
            while not self.stop.is_set():
                with self._lock:
                    items = self._packer.take()
                if not items:
                    break
                self._send(items)
        except _Stopped:
            pass
        except BaseException as error:
            crash = error
        self.events.put(Ended(crash))

    def _send(self, items: Sequence[Item]) -> None:
        error = self._attempt(items, self._policy.attempts)
        if error is not None:
            self._narrow(items, error, alive=False)

    def _narrow(self, items: Sequence[Item], error: EmbeddingError, *, alive: bool) -> int:
        """Find out by halving which texts are the trouble; returns how many were accepted."""
        if len(items) == 1:
            self._lose(items[0], error)
            return 0
        size_matters = isinstance(error, ProviderInputError)
        middle = (len(items) + 1) // 2
        halves = (items[:middle], items[middle:])
        outcome = [self._attempt(half, self._policy.attempts if size_matters else 1) for half in halves]
        accepted = sum(len(half) for half, problem in zip(halves, outcome, strict=True) if problem is None)
        if not accepted and not alive and not any(isinstance(problem, ProviderInputError) for problem in outcome):
            self._abort(error)
        for half, problem in zip(halves, outcome, strict=True):
            if problem is not None:
                accepted += self._narrow(half, problem, alive=alive or accepted > 0)
        if accepted == len(items):
            with self._lock:
                self._packer.shrink(middle)
        return accepted

    def _attempt(self, items: Sequence[Item], attempts: int) -> EmbeddingError | None:
        """One request with its retries; returns what is wrong with it in the end, None if it went well."""
        failures = 0
        while True:
            ticket = self._gate.enter(self.stop)
            if ticket is None:
                raise _Stopped
            error: EmbeddingError | None = None
            arrived: Arrived | None = None
            try:
                arrived = self._request(items)
            except EmbeddingError as problem:
                error = problem
            finally:
                too_often = self._gate.leave(ticket, error)
            if error is None:
                self._wait_until_stored(arrived)
                return None
            what = remedy(error)
            if what == "stop" or (too_often and (what == "wait" or _unreachable(error))):
                self._abort(error)
            if what == "wait":
                continue
            failures += 1
            if failures >= attempts or (
                what == "smaller" and (len(items) > 1 or isinstance(error, ProviderInputError))
            ):
                return error

    def _wait_until_stored(self, arrived: Arrived | None) -> None:
        """A worker asks for no more before what it got is safe: a kill then costs one request a worker at most."""
        while arrived is not None and not arrived.stored.wait(0.1):
            if self.stop.is_set():
                raise _Stopped

    def _request(self, items: Sequence[Item]) -> Arrived:
        with self._lock:
            self.requests += 1
        timeout = self._provider.info.limits.document_timeout
        replies = self._provider.embed([item.text for item in items], "document", timeout=timeout)
        if len(replies) != len(items):
            raise ProviderReplyError(f"{len(replies)} embeddings came back for {len(items)} texts")
        vectors: dict[str, Vector] = {}
        bad: list[Lost] = []
        for item, reply in zip(items, replies, strict=True):
            try:
                vectors[item.key] = self._checked(reply)
            except ProviderReplyError as error:
                bad.append(Lost(item.key, error))
        if bad and not vectors:
            raise bad[0].error
        with self._lock:
            self._accepted += len(vectors)
            self._lost_in_a_row = 0
        arrived = Arrived(vectors, sum(item.tokens for item in items))
        self.events.put(arrived)
        for lost in bad:
            self.events.put(lost)
        return arrived

    def _checked(self, reply: Sequence[float]) -> Vector:
        vector = pack(reply)
        length = dimensions(vector)
        with self._lock:
            if self._dimensions is None and length:
                self._dimensions = length
        if length != self._dimensions:
            raise ProviderReplyError(
                f"an embedding has {length} numbers, {self._dimensions} were expected",
                hint="Set outputDimensionality to what the model gives, or remove it.",
            )
        return vector

    def _lose(self, item: Item, error: EmbeddingError) -> None:
        with self._lock:
            self._lost_in_a_row += 1
            refused = isinstance(error, ProviderInputError)
            hopeless = self._lost_in_a_row >= _HOPELESS and (not refused or not self._accepted)
            alone = not refused and not self._accepted
        if hopeless or alone:
            self._abort(error)
        self.events.put(Lost(item.key, error))

    def _abort(self, error: EmbeddingError) -> NoReturn:
        with self._lock:
            if self.error is None:
                self.error = error
        self.stop.set()
        raise _Stopped


def _unreachable(error: EmbeddingError) -> bool:
    return isinstance(error, ProviderUnavailableError) and error.status is None
