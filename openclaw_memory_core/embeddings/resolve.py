"""Which provider answers, and what happens when it does not.  Cheap: no request, no model, no heavy import."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from openclaw_memory_core.config.model import AgentConfig, MemoryConfig, RemoteConfig, SearchConfig
from openclaw_memory_core.embeddings.registry import PROVIDERS, create_provider, spec_for_api, unknown_provider
from openclaw_memory_core.embeddings.settings import ProviderSettings, ProviderSpec
from openclaw_memory_core.errors import EmbeddingError, ProviderUnavailableError
from openclaw_memory_core.records import record

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import EmbeddingProvider

Requirement = Literal["required", "optional", "fts-only"]
Action = Literal["fallback", "keyword", "unavailable"]

_AUTO_ORDER = ("openai", "gemini", "voyage", "mistral", "embedded")
_FAMILIES = {
    "openai": ("openai/", "text-embedding-3", "text-embedding-ada"),
    "gemini": ("gemini", "google/", "models/", "text-embedding-004"),
    "voyage": ("voyage",),
    "mistral": ("mistral", "codestral"),
}
_WITHOUT_REMOTE = frozenset({"local", "embedded"})
"""Providers that make no use of ``remote`` and ``model``; with them these settings belong to the fallback."""


@record
class FailureVerdict:
    """What to do after a provider has failed.

    :param action: *fallback*: go on with :attr:`resolution`; *keyword*: answer from keywords and say why;
        *unavailable*: do not answer, the user named this provider.
    :param reason: for people and for ``debug.embeddingBootstrap``; holds no secret.
    :param resolution: the fallback, for *fallback* only.
    """

    action: Action
    reason: str
    resolution: Resolution | None = None


@record
class Resolution:
    """The outcome of choosing a provider.

    :param provider: None: search by keywords, or not at all (see *requirement*).
    :param requested: as configured, ``auto`` when unset.
    :param chosen: id of *provider*.
    :param requirement: *required*: no answer without it; *optional*: keywords alone will do; *fts-only*: keywords are
        all that is wanted.
    :param reasons: why earlier candidates were passed over, one sentence each.
    :param error: why there is no provider although one is wanted.
    :param fallback_from: the provider that *provider* stands in for.
    :param fallback: id of the configured fallback, None if there is none.
    """

    provider: EmbeddingProvider | None
    requested: str
    chosen: str | None
    requirement: Requirement
    reasons: tuple[str, ...] = ()
    error: EmbeddingError | None = None
    fallback_from: str | None = None
    fallback: str | None = None
    make_fallback: Callable[[], EmbeddingProvider] | None = field(default=None, repr=False, compare=False)

    @property
    def unavailable(self) -> bool:
        """True if search must not answer: a provider is required and cannot be made."""
        return self.provider is None and self.requirement == "required"

    @property
    def degraded(self) -> str | None:
        """Why a search by keywords alone is less than what was asked for; None if all is well."""
        if self.provider is not None or self.requirement == "fts-only":
            return None
        return describe(self.error) if self.error else "; ".join(self.reasons) or "no embedding provider is available"

    @property
    def fallback_reason(self) -> str | None:
        """Why the fallback works in the place of the first choice; None if it does not."""
        if self.fallback_from is None or not self.reasons:
            return None
        return self.reasons[-1].removeprefix(f"{self.fallback_from}: ")

    def after_failure(self, error: EmbeddingError) -> FailureVerdict:
        """What to do now that the provider has failed at work (the same for a query and for indexing).

        A fallback has vectors of its own: a query may use it only where the index was built with it.
        """
        reason = describe(error)
        if self.fallback is not None and self.fallback_from is None and self.make_fallback is not None:
            try:
                standby = self.make_fallback()
            except EmbeddingError as problem:
                reason = f"{reason}; fallback {self.fallback}: {describe(problem)}"
            else:
                return FailureVerdict("fallback", reason, self._stand_in(standby, reason))
        return FailureVerdict("unavailable" if self.requirement == "required" else "keyword", reason)

    def _stand_in(self, standby: EmbeddingProvider, reason: str) -> Resolution:
        return replace(
            self,
            provider=standby,
            chosen=self.fallback,
            reasons=(*self.reasons, f"{self.chosen or self.requested}: {reason}"),
            error=None,
            fallback_from=self.chosen or self.requested,
        )


def describe(error: EmbeddingError) -> str:
    """An error as one line for people."""
    return f"{error.message} ({error.hint})" if error.hint else error.message


def resolve_provider(
    search: SearchConfig, config: MemoryConfig, *, agent: AgentConfig, env: Mapping[str, str] | None = None
) -> Resolution:
    """Choose the provider for an agent.  Never raises for what is configured; makes no request.

    :param env: environment variables; those of *config* when None.
    """
    return _Resolver(search, config, agent, config.env if env is None else env).resolve()


def _may_be_its_model(model: str | None, provider: str) -> bool:
    """False if *model* is plainly another provider's: with ``auto`` nobody knows beforehand who will get it."""
    owner = next((name for name, known in _FAMILIES.items() if (model or "").startswith(known)), None)
    return provider != "embedded" and owner in (None, provider)


class _Resolver:
    def __init__(self, search: SearchConfig, config: MemoryConfig, agent: AgentConfig, env: Mapping[str, str]) -> None:
        self._search = search
        self._config = config
        self._agent = agent
        self._env = env

    def resolve(self) -> Resolution:
        requested = self._search.provider.strip() or "auto"
        if requested == "none":
            return Resolution(None, "none", None, "fts-only")
        if requested == "auto":
            return self._auto()
        return self._named(requested)

    def _auto(self) -> Resolution:
        reasons: list[str] = []
        for name in self._candidates(reasons):
            try:
                provider = self._make(name, model=_may_be_its_model(self._search.model, name))
            except EmbeddingError as error:
                reasons.append(f"{name}: {describe(error)}")
            else:
                return self._resolution("auto", "optional", provider=provider, chosen=name, reasons=tuple(reasons))
        nothing = ProviderUnavailableError("no embedding provider is available", hint="; ".join(reasons))
        return self._resolution("auto", "optional", reasons=tuple(reasons), error=nothing)

    def _candidates(self, reasons: list[str]) -> Iterator[str]:
        if self._local_file_exists():
            yield "local"
        else:
            reasons.append("local: no model file is configured")
        yield from (name for name in _AUTO_ORDER if name in PROVIDERS)

    def _named(self, name: str) -> Resolution:
        requirement: Requirement = "optional" if name == "local" else "required"
        try:
            provider = self._make(name)
        except EmbeddingError as error:
            failed = self._resolution(name, requirement, error=error)
            verdict = failed.after_failure(error)
            if verdict.resolution is not None:
                return verdict.resolution
            if failed.fallback is not None:
                return replace(failed, reasons=(verdict.reason,))
            return failed
        return self._resolution(name, requirement, provider=provider, chosen=name)

    def _resolution(
        self,
        requested: str,
        requirement: Requirement,
        *,
        provider: EmbeddingProvider | None = None,
        chosen: str | None = None,
        reasons: tuple[str, ...] = (),
        error: EmbeddingError | None = None,
    ) -> Resolution:
        fallback = self._search.fallback.strip()
        usable = fallback not in ("", "none", "auto", requested, chosen)
        return Resolution(
            provider=provider,
            requested=requested,
            chosen=chosen,
            requirement=requirement,
            reasons=reasons,
            error=error,
            fallback=fallback if usable else None,
            make_fallback=(lambda: self._make_fallback(fallback, requested)) if usable else None,
        )

    def _make_fallback(self, name: str, requested: str) -> EmbeddingProvider:
        # Address, key and model under "remote" were meant for the first provider, unless that has no use for them.
        inherits = requested in _WITHOUT_REMOTE
        return self._make(name, remote=inherits, model=inherits)

    def _make(self, name: str, *, remote: bool = True, model: bool = True) -> EmbeddingProvider:
        return create_provider(self._settings(name, remote=remote, model=model))

    def _settings(self, name: str, *, remote: bool, model: bool) -> ProviderSettings:
        search = self._search
        spec, entry_id = self._spec(name)
        entry = self._config.providers.get(entry_id)
        timeout = search.sync.embedding_batch_timeout_seconds
        return ProviderSettings(
            spec=spec,
            name=name,
            env=self._env,
            agent_dir=self._agent.agent_dir,
            state_dir=self._config.state_dir,
            home=self._config.home,
            model=search.model if model else None,
            remote=search.remote if remote else RemoteConfig(),
            local=search.local,
            own_url=entry.base_url if entry else None,
            own_key=entry.api_key if entry else None,
            own_key_problem=entry.api_key_problem if entry else None,
            own_headers=entry.headers if entry else {},
            query_input_type=search.query_input_type or search.input_type,
            document_input_type=search.document_input_type or search.input_type,
            dimensions=search.output_dimensionality if model else None,
            concurrency=search.remote.non_batch_concurrency,
            document_timeout=timeout,
        )

    def _spec(self, name: str) -> tuple[ProviderSpec, str]:
        spec = PROVIDERS.get(name)
        if spec is not None:
            return spec, spec.config_id or spec.id
        entry = self._config.providers.get(name)
        found = spec_for_api(entry.api, bool(entry.base_url)) if entry else None
        if found is None:
            raise unknown_provider(name, self._config.providers)
        return found, name

    def _local_file_exists(self) -> bool:
        path = (self._search.local.model_path or "").strip()
        if "local" not in PROVIDERS or not path or path.startswith(("hf:", "http:", "https:")):
            return False
        full = self._config.home / path[2:] if path.startswith(("~/", "~\\")) else Path(path)
        return full.is_file()
