"""Ollama's native ``/api/embed``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from openclaw_memory_core.config.model import Secret
from openclaw_memory_core.embeddings.address import public_url
from openclaw_memory_core.embeddings.http import Http
from openclaw_memory_core.embeddings.keys import Keyring, sensitive_values
from openclaw_memory_core.embeddings.vectors import listed, normalised
from openclaw_memory_core.errors import ProviderReplyError

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import InputKind, ProviderInfo
    from openclaw_memory_core.embeddings.settings import ProviderSettings

_QUERY_PREFIXES = (
    ("nomic-embed", "search_query: "),
    ("mxbai-embed", "Represent this sentence for searching relevant passages: "),
    (
        "qwen3-embedding",
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ",
    ),
)


class OllamaProvider:
    """``POST {base}/api/embed``; vectors are cut to the configured length and scaled to length 1."""

    def __init__(self, settings: ProviderSettings) -> None:
        self._dimensions = settings.dimensions
        self._base = settings.base_url().removesuffix("/api").removesuffix("/v1")
        info = settings.info()
        self._info = replace(info, identity={**info.identity, "endpoint": public_url(self._base)})
        self._keys = _keys(settings, self._base)
        self._headers = settings.headers()
        self._http = Http(settings.name, [*self._keys.values(), *sensitive_values(self._headers)])

    @property
    def info(self) -> ProviderInfo:
        """Static facts."""
        return self._info

    def embed(self, texts: Sequence[str], kind: InputKind, *, timeout: float) -> list[Sequence[float]]:
        """One vector a text, in order."""
        prefix = query_prefix(self._info.model) if kind == "query" else ""
        body = {"model": self._info.model, "input": [prefix + text for text in texts]}
        reply = self._keys.each(
            lambda key: self._http.post(
                f"{self._base}/api/embed", body, headers=self._headers_for(key), timeout=timeout, notes=texts
            )
        )
        vectors = reply.get("embeddings") if isinstance(reply, dict) else None
        return [self._shaped(vector) for vector in listed(vectors, "ollama")]

    def close(self) -> None:
        """Nothing is kept open."""

    def _headers_for(self, key: Secret | None) -> dict[str, str]:
        return ({} if key is None else {"Authorization": f"Bearer {key.reveal()}"}) | self._headers

    def _shaped(self, vector: Sequence[float]) -> list[float]:
        try:
            return normalised(vector[: self._dimensions] if self._dimensions else vector)
        except (TypeError, OverflowError, ValueError):
            raise ProviderReplyError("an embedding of ollama holds something that is not a number") from None


def query_prefix(model: str) -> str:
    """What the family of *model* wants before a query, as its model card says."""
    name = model.rpartition("/")[2].lower()
    return next((prefix for family, prefix in _QUERY_PREFIXES if name.startswith(family)), "")


def create(settings: ProviderSettings) -> OllamaProvider:
    """The provider of *settings*; makes no request."""
    return OllamaProvider(settings)


def _keys(settings: ProviderSettings, base: str) -> Keyring:
    """The key of the configuration goes where the configuration says; that of the environment to ollama.com only."""
    given = settings.remote.api_key or (settings.own_key if settings.is_at_home() else None)
    host = urlsplit(base).hostname or ""
    from_env = settings.env.get("OLLAMA_API_KEY", "").strip()
    if given is None and from_env and (host == "ollama.com" or host.endswith(".ollama.com")):
        given = Secret(from_env)
    return Keyring([given] if given else [])
