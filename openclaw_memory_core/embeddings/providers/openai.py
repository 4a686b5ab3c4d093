"""OpenAI itself, and every service that speaks its shape and needs nothing special."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.embeddings.batch_openai import OpenAIBatches
from openclaw_memory_core.embeddings.vectors import normalised, ordered
from openclaw_memory_core.embeddings.wire import OpenAIWire

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import InputKind, ProviderInfo
    from openclaw_memory_core.embeddings.batch import BatchApi
    from openclaw_memory_core.embeddings.settings import ProviderSettings


@dataclass(frozen=True, slots=True)
class Shape:
    """How a service departs from OpenAI's own request.

    :param dimensions: name of the field that asks for a length; None if there is none.
    :param query: ``input_type`` of a query where the user configures none.
    :param document: the same for documents.
    :param encoding: value of ``encoding_format``.
    :param unit: scale vectors to length 1.
    """

    dimensions: str | None = "dimensions"
    query: str | None = None
    document: str | None = None
    encoding: str | None = "float"
    unit: bool = False


class OpenAIProvider:
    """``POST {base}/embeddings`` with ``model`` and ``input``, and what the shape adds."""

    def __init__(self, settings: ProviderSettings, shape: Shape | None = None) -> None:
        self._settings = settings
        self._shape = shape or Shape()
        self._info = settings.info()
        self.wire = OpenAIWire(settings.name, settings.base_url(), settings.keyring(), settings.headers())

    @property
    def info(self) -> ProviderInfo:
        """Static facts."""
        return self._info

    def embed(self, texts: Sequence[str], kind: InputKind, *, timeout: float) -> list[Sequence[float]]:
        """One vector a text, in order."""
        body = {"model": self._info.model, "input": list(texts), **self.options(kind)}
        vectors = ordered(self.wire.embeddings(body, timeout=timeout), len(texts))
        return [normalised(vector) for vector in vectors] if self._shape.unit else vectors

    def options(self, kind: InputKind) -> dict[str, Any]:
        """The fields of a request beside ``model`` and ``input``."""
        shape = self._shape
        options: dict[str, Any] = {"encoding_format": shape.encoding}
        if self._settings.dimensions and shape.dimensions:
            options[shape.dimensions] = self._settings.dimensions
        input_type = self._settings.input_type(kind) or (shape.query if kind == "query" else shape.document)
        if input_type:
            options["input_type"] = input_type
        return options

    def close(self) -> None:
        """Close the connections."""
        self.wire.close()


class NativeOpenAIProvider(OpenAIProvider):
    """OpenAI itself, with its batch API."""

    def batch_api(self) -> BatchApi:
        """Jobs whose lines are whole requests."""
        return OpenAIBatches(self.wire, self._line)

    def _line(self, text: str) -> dict[str, Any]:
        body = {"model": self.info.model, "input": text, **self.options("document")}
        return {"method": "POST", "url": "/v1/embeddings", "body": body}


def create(settings: ProviderSettings) -> OpenAIProvider:
    """The provider of *settings*; makes no request."""
    native = settings.name == "openai"
    return NativeOpenAIProvider(settings) if native else OpenAIProvider(settings)
