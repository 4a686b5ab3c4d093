"""What an embedding provider is, and nothing about any one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from openclaw_memory_core.records import record

if TYPE_CHECKING:
    from openclaw_memory_core.workspace.media import MediaRef

InputKind = Literal["document", "query"]

Vector = bytes
"""A vector as it is stored: little-endian float32, 4 bytes a dimension."""


@record
class ProviderLimits:
    """What one request may hold.  None means: no known limit.

    :param items: inputs a request.
    :param tokens: (estimated) tokens a request.
    :param body_bytes: bytes of UTF-8 text a request.
    :param input_tokens: (estimated) tokens of one input; longer inputs are split before they come here.
    :param concurrency: requests under way at once while indexing.
    :param query_timeout: seconds for a query.
    :param document_timeout: seconds for a request of documents.
    :param in_process: the workers themselves compute, so there is no server to be careful with, and a request costs
        little beside its texts: the last ones of a run are made small, so that all workers end at about the same time.
    """

    items: int | None = None
    tokens: int | None = 8000
    body_bytes: int | None = None
    input_tokens: int = 8000
    concurrency: int = 4
    query_timeout: float = 60.0
    document_timeout: float = 120.0
    in_process: bool = False


@record
class ProviderInfo:
    """Who answers, and what must be equal for its stored vectors to stay valid.

    :param identity: canonical settings that change the vectors: provider, model, endpoint, dimensions, input types …
        Never a key, never header order, never a trailing slash.
    :param dimensions: length of a vector when known beforehand.
    :param paid: True if a request costs money.
    :param local: True if no text leaves this machine.
    """

    id: str
    model: str
    identity: Mapping[str, str]
    limits: ProviderLimits = field(default_factory=ProviderLimits)
    dimensions: int | None = None
    paid: bool = False
    local: bool = False


@runtime_checkable
class EmbeddingProvider(Protocol):
    """One service or model.  One call of :meth:`embed` is one request; batching and retrying happen elsewhere."""

    @property
    def info(self) -> ProviderInfo:
        """Static facts; available without a request and without loading a model."""

    def embed(self, texts: Sequence[str], kind: InputKind, *, timeout: float) -> list[Sequence[float]]:
        """One vector a text, in order.

        :param timeout: seconds until :class:`~openclaw_memory_core.errors.ProviderTimeoutError`.
        :raises EmbeddingError: one of its subclasses says what went wrong.
        """

    def close(self) -> None:
        """Let go of connections, processes, models."""


@runtime_checkable
class TakesMedia(Protocol):
    """A provider that can embed images and sounds into the same space as texts."""

    @property
    def takes_media(self) -> bool:
        """Whether its model can."""

    def read_media_with(self, read: Callable[[MediaRef], bytes]) -> None:
        """Where the content behind a reference comes from; without it a reference is refused."""


def identity_key(identity: Mapping[str, str]) -> str:
    """SHA-256 (hex) of the canonical JSON of an identity."""
    import hashlib
    import json

    canonical = json.dumps(dict(identity), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
