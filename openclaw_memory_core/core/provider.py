"""The embedding provider at work: which one answers, what failed, and when the fallback takes over."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from openclaw_memory_core.core.answers import ProviderFacts
from openclaw_memory_core.embeddings.resolve import Resolution, describe, resolve_provider
from openclaw_memory_core.errors import EmbeddingError

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import AgentConfig, MemoryConfig
    from openclaw_memory_core.embeddings.base import EmbeddingProvider, ProviderInfo, Vector
    from openclaw_memory_core.embeddings.embedder import Embedder
    from openclaw_memory_core.embeddings.jobs import KeepsState

COOLDOWN_SECONDS: Final = 60.0
"""After a failed query the provider is left alone so long: a dead server must not slow every search down."""


class ActiveProvider:
    """The provider of one agent, with its failures.  Thread-safe; makes no request by itself.

    :param clock: seconds, monotonic.
    :param jobs: gives the store that keeps submitted batch jobs through restarts.
    """

    def __init__(
        self,
        config: MemoryConfig,
        agent: AgentConfig,
        *,
        clock: Callable[[], float] = time.monotonic,
        jobs: Callable[[], KeepsState] | None = None,
    ) -> None:
        self._config = config
        self._agent = agent
        self._clock = clock
        self._jobs = jobs
        self._lock = threading.RLock()
        self._resolution: Resolution | None = None
        self._embedder: Embedder | None = None
        self._standby: Embedder | None = None
        self._spare: EmbeddingProvider | None = None
        self._failure: EmbeddingError | None = None
        self._failed_at = 0.0

    @property
    def resolution(self) -> Resolution:
        """The choice; made at first use, cheap."""
        with self._lock:
            if self._resolution is None:
                self._resolution = resolve_provider(self._agent.search, self._config, agent=self._agent)
            return self._resolution

    @property
    def embedder(self) -> Embedder | None:
        """The provider with batching and retries around it; None without a provider."""
        with self._lock:
            provider = self.resolution.provider
            if self._embedder is None and provider is not None:
                self._embedder = self._make_embedder(provider)
            return self._embedder

    def _make_embedder(self, provider: EmbeddingProvider) -> Embedder:
        from openclaw_memory_core.embeddings.embedder import Embedder

        batch = self._agent.search.remote.batch
        if not batch.enabled or self._jobs is None:
            return Embedder(provider, batch=batch)
        from openclaw_memory_core.embeddings.jobs import StateJobs

        return Embedder(provider, batch=batch, jobs=StateJobs(self._jobs))

    def batch_status(self) -> dict[str, Any] | None:
        """How batch jobs fare; None where they are not used."""
        if not self._agent.search.remote.batch.enabled or self.embedder is None:
            return None
        return self.embedder.batch_status()

    @property
    def failure(self) -> EmbeddingError | None:
        """Why the provider did not answer the last time, or why there is none; None if all is well."""
        return self._failure or self.resolution.error

    def embed_query(self, text: str, *, timeout: float) -> Vector:
        """The vector of a query.

        :raises EmbeddingError: it failed now, or less than a minute ago.
        """
        embedder = self.embedder
        if embedder is None:
            raise self.resolution.error or EmbeddingError("no embedding provider is configured")
        with self._lock:
            if self._failure is not None and self._clock() - self._failed_at < COOLDOWN_SECONDS:
                raise self._failure
        try:
            vector = embedder.embed_query(text, timeout=timeout)
        except EmbeddingError as error:
            self.report(error)
            raise
        self.report(None)
        return vector

    @property
    def info(self) -> ProviderInfo | None:
        """Static facts of the provider; None without one."""
        provider = self.resolution.provider
        return None if provider is None else provider.info

    def report(self, error: EmbeddingError | None) -> None:
        """Remember how the last request ended."""
        with self._lock:
            self._failure = error
            self._failed_at = self._clock()

    def take_fallback(self, error: EmbeddingError) -> bool:
        """Let the configured fallback take over after *error*; False if there is none that works."""
        with self._lock:
            verdict = self.resolution.after_failure(error)
            if verdict.action != "fallback" or verdict.resolution is None:
                return False
            self._close_embedder()
            self._resolution = verdict.resolution
            self._failure = None
            return True

    def standby_for(self, identity: Mapping[str, str]) -> Embedder | None:
        """The fallback, if the index holds its vectors: an earlier process had to do without the first choice.

        It answers queries until a sync has got through to the first choice, or given up on it.

        :param identity: whose vectors the index holds.
        """
        with self._lock:
            provider = self._standby_provider()
            if provider is None or dict(provider.info.identity) != dict(identity):
                return None
            if self._standby is None:
                from openclaw_memory_core.embeddings.embedder import Embedder

                self._standby = Embedder(provider)
            return self._standby

    def standby_info(self, identity: Mapping[str, str]) -> ProviderInfo | None:
        """Facts of the fallback that :meth:`standby_for` gives, without making it ready to work."""
        with self._lock:
            provider = self._standby_provider()
            return provider.info if provider is not None and dict(provider.info.identity) == dict(identity) else None

    def _standby_provider(self) -> EmbeddingProvider | None:
        if self._spare is None:
            reason = EmbeddingError("the index holds the vectors of the fallback")
            standby = self.resolution.after_failure(reason).resolution
            self._spare = None if standby is None else standby.provider
        return self._spare

    def facts(self, *, used: bool, standby: ProviderInfo | None = None, why: str | None = None) -> ProviderFacts:
        """Who answered.

        :param used: the provider's vectors took part in the answer.
        :param standby: the fallback, where it answered in the place of the first choice.
        :param why: what was wrong with the first choice when the fallback took over.
        """
        resolution = self.resolution
        if standby is not None:
            reason = why or "the index still holds the vectors of the fallback"
            return ProviderFacts(standby.id, standby.model, resolution.chosen or resolution.requested, reason)
        info = self.info
        return ProviderFacts(
            provider=resolution.chosen or "none",
            model=info.model if info is not None else "fts-only",
            fallback_from=resolution.fallback_from,
            fallback_reason=resolution.fallback_reason,
            bootstrap=None if used else self._bootstrap(),
        )

    def _bootstrap(self) -> Mapping[str, Any] | None:
        failure = self.failure
        if failure is None:
            return None
        resolution = self.resolution
        return {
            "ok": False,
            "provider": resolution.chosen or resolution.requested,
            "reason": describe(failure),
            "degradedTo": "unavailable" if resolution.requirement == "required" else "keyword-only",
        }

    def probe(self, *, timeout: float = 20.0) -> dict[str, Any]:
        """Ask the provider for one vector, for ``status --deep``; the cool-down does not count here."""
        embedder = self.embedder
        if embedder is None:
            reason = self.resolution.degraded or "keywords only, by configuration"
            return {"ok": self.resolution.requirement == "fts-only", "checked": False, "reason": reason}
        try:
            vector = embedder.embed_query("ping", timeout=timeout)
        except EmbeddingError as error:
            self.report(error)
            return {"ok": False, "checked": True, "error": describe(error)}
        self.report(None)
        return {"ok": True, "checked": True, "dimensions": len(vector) // 4}

    def close(self) -> None:
        """Let go of connections and models."""
        with self._lock:
            self._close_embedder()

    def _close_embedder(self) -> None:
        for one in (self._embedder, self._spare):
            if one is not None:
                one.close()
        self._embedder = self._standby = self._spare = None
