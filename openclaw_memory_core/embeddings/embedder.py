"""What indexing and search use: batching, retrying and checking around one provider."""

from __future__ import annotations

import random
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.embeddings.batch import ForgetfulJobStore, JobStore, OffersBatches
from openclaw_memory_core.embeddings.batch_run import BatchRunner
from openclaw_memory_core.embeddings.gate import Gate
from openclaw_memory_core.embeddings.query import QueryCall
from openclaw_memory_core.embeddings.retry import RetryPolicy
from openclaw_memory_core.embeddings.run import DocumentRun, EmbedReport, OnVectors, Progress
from openclaw_memory_core.embeddings.sender import Sender
from openclaw_memory_core.embeddings.sizes import Estimate, Packer, estimate
from openclaw_memory_core.embeddings.vectors import dimensions
from openclaw_memory_core.errors import EmbeddingError, ProviderInputError

if TYPE_CHECKING:
    from openclaw_memory_core.cancel import CancelToken
    from openclaw_memory_core.config.model import BatchConfig
    from openclaw_memory_core.embeddings.base import EmbeddingProvider, ProviderInfo, Vector

_REMEMBERED_QUERIES = 128


class Embedder:
    """One provider with everything that every provider needs.  Thread-safe; keep one for each provider.

    :param sleep: replaces real waiting (seconds) in tests.
    :param clock: seconds, monotonic.
    :param rng: 0 ≤ x < 1, for the jitter of retries.
    :param batch: settings of batch jobs; None or not enabled: every text is sent directly.
    :param jobs: keeps submitted jobs through restarts, so that none is paid for twice.
    """

    def __init__(
        self,
        provider: EmbeddingProvider,
        *,
        sleep: Callable[[float], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        rng: Callable[[], float] = random.random,
        policy: RetryPolicy | None = None,
        batch: BatchConfig | None = None,
        jobs: JobStore | None = None,
    ) -> None:
        self._provider = provider
        self._policy = policy or RetryPolicy()
        self._clock = clock
        self._pause: Callable[[float, threading.Event], None] = _interruptible if sleep is None else _ignoring(sleep)
        self._rng = rng
        limits = provider.info.limits
        self._gate = Gate(
            limits.concurrency,
            policy=self._policy,
            clock=clock,
            sleep=self._pause,
            rng=rng,
            proven=limits.in_process,
        )
        self._lock = threading.Lock()
        self._queries: OrderedDict[str, Vector] = OrderedDict()
        self._batches: BatchRunner | None = None
        if batch is not None and batch.enabled and isinstance(provider, OffersBatches):
            store = jobs or ForgetfulJobStore()
            self._batches = BatchRunner(
                provider.batch_api(), provider.info, batch, store, clock=clock, pause=self._pause, rng=rng
            )

    @property
    def info(self) -> ProviderInfo:
        """Static facts of the provider."""
        return self._provider.info

    @property
    def provider(self) -> EmbeddingProvider:
        """The provider itself."""
        return self._provider

    def estimate(self, texts: Iterable[str]) -> Estimate:
        """How much :meth:`embed_documents` would send."""
        return estimate(texts)

    def embed_documents(
        self,
        texts: Mapping[str, str],
        on_vectors: OnVectors,
        *,
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> EmbedReport:
        """Embed *texts* (hash → text) and hand the vectors over as they arrive.

        Failures of the provider do not raise: they are in the report.

        :param on_vectors: called in this thread with vectors by hash; what it raises ends the run and is raised here.
        :raises CancelledError: *cancel* was set.
        """
        if self._batches is None:
            return self._embed_directly(texts, on_vectors, cancel, progress)
        outcome = self._batches.run(texts, on_vectors, cancel, progress)
        direct = self._embed_directly(outcome.left, on_vectors, cancel, progress)
        sent = {key: text for key, text in texts.items() if key not in outcome.left}
        return replace(
            direct,
            done=direct.done + outcome.done,
            requests=direct.requests + outcome.requests,
            tokens=direct.tokens + (estimate(sent.values()).tokens if outcome.done else 0),
            error=direct.error or outcome.error,
            blank=frozenset(key for key, text in texts.items() if not text.strip()),
            pending=outcome.pending,
        )

    @property
    def prefers_many_texts(self) -> bool:
        """True if texts go by batch jobs: better all of them at once than a few at a time."""
        return self._batches is not None and self._batches.enabled

    def batch_status(self) -> dict[str, Any] | None:
        """How batch jobs fare; None where they are not used."""
        return None if self._batches is None else self._batches.status()

    def _embed_directly(
        self, texts: Mapping[str, str], on_vectors: OnVectors, cancel: CancelToken | None, progress: Progress | None
    ) -> EmbedReport:
        packer = Packer(texts, self.info.limits)
        try:
            self._gate.check(self._policy.longest_wait)
        except EmbeddingError as error:
            return EmbedReport(error=error, blank=packer.blank)
        sender = Sender(self._provider, packer, self._gate, self._policy)
        workers = max(1, self.info.limits.concurrency)
        run = DocumentRun(sender, workers=workers, total=packer.total, blank=packer.blank)
        return run.run(on_vectors, cancel, progress)

    def embed_query(self, text: str, *, timeout: float | None = None) -> Vector:
        """Vector of a question, within *timeout* seconds whatever the provider does (None: the provider's own limit).

        :raises EmbeddingError: one of its subclasses says what went wrong.
        """
        if not text.strip():
            raise ProviderInputError("a blank query cannot be embedded")
        with self._lock:
            known = self._queries.get(text)
            if known is not None:
                self._queries.move_to_end(text)
                return known
        limit = self.info.limits.query_timeout
        call = QueryCall(self._provider, self._gate, self._policy, clock=self._clock, pause=self._pause, rng=self._rng)
        vector = call.run(text, limit if timeout is None else min(timeout, limit))
        with self._lock:
            self._queries[text] = vector
            while len(self._queries) > _REMEMBERED_QUERIES:
                self._queries.popitem(last=False)
        return vector

    def probe(self, *, timeout: float | None = None) -> int:
        """Ask the provider for one vector; returns its length.

        :raises EmbeddingError: the provider does not work.
        """
        with self._lock:
            self._queries.pop("ping", None)
        return dimensions(self.embed_query("ping", timeout=timeout))

    def close(self) -> None:
        """Let go of the provider's connections and models."""
        self._provider.close()


def _interruptible(seconds: float, stop: threading.Event) -> None:
    stop.wait(seconds)


def _ignoring(sleep: Callable[[float], None]) -> Callable[[float, threading.Event], None]:
    return lambda seconds, _stop: sleep(seconds)
