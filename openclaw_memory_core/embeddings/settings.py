"""What a provider module gets to work with: the configuration, boiled down to one provider."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Literal

from openclaw_memory_core.config.model import LocalConfig, RemoteConfig, Secret
from openclaw_memory_core.embeddings.address import is_loopback, normalise_url, public_url, same_place
from openclaw_memory_core.embeddings.base import InputKind, ProviderInfo, ProviderLimits
from openclaw_memory_core.embeddings.keys import Keyring, profile_keys, rotation_keys
from openclaw_memory_core.errors import MissingKeyError, ProviderUnavailableError
from openclaw_memory_core.records import record

KeyNeed = Literal["required", "optional", "never"]

_INPUT_TOKENS = {
    "text-embedding-ada-002": 8191,
    "text-embedding-004": 2048,
    "gemini-embedding-001": 2048,
    "embeddinggemma": 2048,
}
_HIGHEST_INPUT_TOKENS = 8000
_UNSET = re.compile(r"the variable (\w+) is not set")
"""How the configuration says that a key's variable is missing."""


@record
class ProviderSpec:
    """A row of the registry.

    :param module: module with ``create(settings) -> EmbeddingProvider``.
    :param default_model: None if the user must name one.
    :param base_url: None if the user must give one, or if there is none.
    :param env: variables that may hold the key, best first.
    :param config_id: name under ``models.providers`` (and among the auth profiles).
    :param rotates: prefix of further keys in the environment, see :func:`rotation_keys`.
    :param extra: extra of this package that the provider needs, and the module that proves it is there.
    :param paid: requests cost money.
    :param local: no text leaves this machine with the default address (for the documentation).
    :param prefixes: prefixes that users write before the model's name.
    :param limits: what one request may hold.
    :param note: for the table in the documentation.
    """

    id: str
    module: str
    default_model: str | None = None
    base_url: str | None = None
    env: tuple[str, ...] = ()
    config_id: str = ""
    rotates: str | None = None
    key: KeyNeed = "required"
    extra: tuple[str, str] | None = None
    paid: bool = True
    local: bool = False
    prefixes: tuple[str, ...] = ()
    limits: ProviderLimits = field(default_factory=ProviderLimits)
    note: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names under which keys of this provider are filed."""
        return tuple(dict.fromkeys((self.config_id or self.id, self.id)))


@record
class ProviderSettings:
    """The settings of one provider.

    :param name: id as configured; differs from ``spec.id`` for a custom ``models.providers`` entry.
    :param model: as configured; None for the default.
    :param own_url: ``models.providers.<id>.baseUrl``.
    :param own_key: ``models.providers.<id>.apiKey``.
    """

    spec: ProviderSpec
    name: str
    env: Mapping[str, str] = field(repr=False)
    agent_dir: Path
    state_dir: Path
    home: Path
    model: str | None = None
    remote: RemoteConfig = field(default_factory=RemoteConfig)
    local: LocalConfig = field(default_factory=LocalConfig)
    own_url: str | None = None
    own_key: Secret | None = None
    own_key_problem: str | None = None
    own_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query_input_type: str | None = None
    document_input_type: str | None = None
    dimensions: int | None = None
    concurrency: int | None = None
    document_timeout: float | None = None

    def base_url(self) -> str:
        """Where requests go.

        :raises ProviderUnavailableError: no usable address is configured.
        """
        return normalise_url(self.remote.base_url, self._home_url(), key_path=f"remote.baseUrl of {self.name}")

    def model_name(self) -> str:
        """The model, without the provider's prefix.

        :raises ProviderUnavailableError: the provider has no default and none is configured.
        """
        model = (self.model or self.spec.default_model or "").strip()
        for prefix in (f"{self.name}/", *self.spec.prefixes):
            model = model.removeprefix(prefix)
        if not model:
            raise ProviderUnavailableError(f"no model is configured for {self.name}", hint="Set memory.search.model.")
        return model

    def is_at_home(self) -> bool:
        """True if requests go to the provider's own address, so that its own keys and headers may go along."""
        home = self._home_url()
        return home is not None and same_place(self.base_url(), normalise_url(home, None))

    def keyring(self) -> Keyring:
        """The keys for this address, in the documented order: remote, auth profiles, environment, provider entry.

        :raises MissingKeyError: the provider needs a key and there is none.
        """
        keys = [self.remote.api_key] if self.remote.api_key else []
        if self.is_at_home():
            keys += [] if keys else self._home_keys()
            keys += rotation_keys(self.spec.rotates, self.env, *self.spec.env[1:]) if self.spec.rotates and keys else []
        authorised = any(name.lower() in ("authorization", "x-goog-api-key") for name in self.headers())
        if not keys and self.spec.key == "required" and not authorised:
            raise self._missing_key()
        return Keyring(keys)

    def headers(self) -> dict[str, str]:
        """Configured headers for this address; those of ``remote`` win, whatever their case."""
        own = self.own_headers if self.is_at_home() else {}
        taken = {name.lower() for name in self.remote.headers}
        return {name: value for name, value in own.items() if name.lower() not in taken} | dict(self.remote.headers)

    def input_type(self, kind: InputKind) -> str | None:
        """What to send as ``input_type``."""
        return self.query_input_type if kind == "query" else self.document_input_type

    def info(self, *, extra: Mapping[str, str] | None = None, dimensions: int | None = None) -> ProviderInfo:
        """Facts of a provider that sits at :meth:`base_url`; *extra* adds to the identity."""
        model = self.model_name()
        identity = {"provider": self.name, "model": model, "endpoint": public_url(self.base_url())}
        asked = {
            "dimensions": str(self.dimensions) if self.dimensions else None,
            "queryInputType": self.query_input_type,
            "documentInputType": self.document_input_type,
        }
        identity |= {name: value for name, value in asked.items() if value}
        return ProviderInfo(
            id=self.name,
            model=model,
            identity=identity | dict(extra or {}),
            limits=self.limits(model),
            dimensions=dimensions or self.dimensions,
            paid=self.spec.paid,
            local=is_loopback(self.base_url()),
        )

    def limits(self, model: str) -> ProviderLimits:
        """The provider's limits with what the user and the model change about them."""
        limits = self.spec.limits
        known = next((tokens for name, tokens in _INPUT_TOKENS.items() if model.startswith(name)), None)
        return replace(
            limits,
            input_tokens=min(known or limits.input_tokens, _HIGHEST_INPUT_TOKENS),
            concurrency=self.concurrency or limits.concurrency,
            document_timeout=self.document_timeout or limits.document_timeout,
        )

    def _home_url(self) -> str | None:
        return self.own_url or self.spec.base_url

    def _home_keys(self) -> list[Secret]:
        profiles = profile_keys(self.agent_dir, *(self.spec.names if self.name == self.spec.id else (self.name,)))
        if profiles:
            return profiles
        if self.name == self.spec.id:
            found = next((value for name in self.spec.env if (value := self.env.get(name, "").strip())), None)
            if found:
                return [Secret(found)]
        return [self.own_key] if self.own_key else []

    def _missing_key(self) -> MissingKeyError:
        problem = self.remote.api_key_problem or self.own_key_problem
        why = f" ({problem})" if problem else ""
        message = f'No API key found for provider "{self.name}"{why}'
        if not self.is_at_home():
            where = public_url(self.base_url())
            return MissingKeyError(
                f"{message} at {where}", hint="A base URL of your own needs its own key: set remote.apiKey."
            )
        if problem:
            own = f"models.providers.{self.name}.apiKey"
            setting = "memory.search.remote.apiKey" if self.remote.api_key_problem else own
            unset = _UNSET.fullmatch(problem)
            cure = f"Set {unset[1]}, or write" if unset else "Cure that, or write"
            return MissingKeyError(message, hint=f"{cure} another key into {setting}.")
        hint = f"Set {self.spec.env[0]} or memory.search.remote.apiKey." if self.spec.env else "Set remote.apiKey."
        return MissingKeyError(message, hint=hint)
