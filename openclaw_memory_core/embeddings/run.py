"""One run over many texts: requests in parallel, results handed over as they arrive, failures named one by one."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from openclaw_memory_core.embeddings.base import Vector
from openclaw_memory_core.embeddings.sender import Arrived, Ended, Lost, Sender

if TYPE_CHECKING:
    from openclaw_memory_core.cancel import CancelToken
    from openclaw_memory_core.errors import EmbeddingError

OnVectors = Callable[[Mapping[str, Vector]], None]
"""Takes vectors by text hash; always called in the thread that started the run."""

Progress = Callable[[int, int], None]
"""Takes texts finished and texts in all."""


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """How a run went.

    :param done: texts whose vectors were handed over.
    :param failed: texts that the provider will not embed, by hash, each with the reason.
    :param requests: requests made.
    :param tokens: estimated tokens of what was embedded.
    :param error: why the run ended early; texts in neither *done* nor *failed* can be tried again.
    :param blank: hashes of blank texts, which are never sent.
    :param pending: texts that batch jobs still work on or wait for; the next run collects them.
    """

    done: int = 0
    failed: Mapping[str, EmbeddingError] = field(default_factory=dict)
    requests: int = 0
    tokens: int = 0
    error: EmbeddingError | None = None
    blank: frozenset[str] = frozenset()
    pending: int = 0


class DocumentRun:
    """Starts workers and empties their queue in the caller's thread."""

    def __init__(self, sender: Sender, *, workers: int, total: int, blank: frozenset[str]) -> None:
        self._sender = sender
        self._workers = workers
        self._total = total
        self._blank = blank
        self._done = 0
        self._tokens = 0
        self._failed: dict[str, EmbeddingError] = {}

    def run(self, on_vectors: OnVectors, cancel: CancelToken | None, progress: Progress | None) -> EmbedReport:
        """Embed everything.

        :raises CancelledError: *cancel* was set; workers are not waited for, what arrived was handed over.
        """
        threads = [
            threading.Thread(target=self._sender.work, name=f"embedding-{number}", daemon=True)
            for number in range(min(self._workers, self._total))
        ]
        for thread in threads:
            thread.start()
        try:
            self._consume(len(threads), on_vectors, cancel, progress)
        finally:
            self._sender.stop.set()
        for thread in threads:
            thread.join()
        return EmbedReport(
            self._done, self._failed, self._sender.requests, self._tokens, self._sender.error, self._blank
        )

    def _consume(
        self, alive: int, on_vectors: OnVectors, cancel: CancelToken | None, progress: Progress | None
    ) -> None:
        while alive:
            try:
                event = self._next(cancel)
            except BaseException:
                self._sender.stop.set()
                self._hand_over_rest(on_vectors)
                raise
            if isinstance(event, Ended):
                alive -= 1
                if event.crash is not None:
                    raise event.crash
                continue
            self._note(event, on_vectors)
            if progress is not None:
                progress(self._done + len(self._failed), self._total)

    def _next(self, cancel: CancelToken | None) -> Arrived | Lost | Ended:
        while True:
            if cancel is not None:
                cancel.raise_if_cancelled()
            try:
                # A short wait: without one, Ctrl-C would not get through on every platform.
                return self._sender.events.get(timeout=0.1)
            except queue.Empty:
                continue

    def _hand_over_rest(self, on_vectors: OnVectors) -> None:
        while not self._sender.events.empty():
            event = self._sender.events.get()
            if isinstance(event, Arrived):
                self._note(event, on_vectors)

    def _note(self, event: Arrived | Lost, on_vectors: OnVectors) -> None:
        if isinstance(event, Lost):
            self._failed[event.key] = event.error
            return
        on_vectors(event.vectors)
        event.stored.set()
        self._done += len(event.vectors)
        self._tokens += event.tokens
