"""OpenAI itself, and every service that speaks its shape and needs nothing special."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openclaw_memory_core.embeddings.base import InputKind, ProviderInfo
from openclaw_memory_core.embeddings.settings import ProviderSettings
from openclaw_memory_core.embeddings.vectors import ordered
from openclaw_memory_core.embeddings.wire import OpenAIWire


class OpenAIProvider:
    """``POST {base}/embeddings`` with ``model`` and ``input``; ``dimensions`` and ``input_type`` where configured."""

    def __init__(self, settings: ProviderSettings) -> None:
        self._settings = settings
        self._info = settings.info()
        self._wire = OpenAIWire(settings.name, settings.base_url(), settings.keyring(), settings.headers())

    @property
    def info(self) -> ProviderInfo:
        """Static facts."""
        return self._info

    def embed(self, texts: Sequence[str], kind: InputKind, *, timeout: float) -> list[Sequence[float]]:
        """One vector a text, in order."""
        body: dict[str, Any] = {"model": self._info.model, "input": list(texts)}
        if self._settings.dimensions:
            body["dimensions"] = self._settings.dimensions
        input_type = self._settings.input_type(kind)
        if input_type:
            body["input_type"] = input_type
        return ordered(self._wire.embeddings(body, timeout=timeout), len(texts))

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()


def create(settings: ProviderSettings) -> OpenAIProvider:
    """The provider of *settings*; makes no request."""
    return OpenAIProvider(settings)
