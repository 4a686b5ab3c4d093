"""What the chunks of an index depend on; known without importing the chunker."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import ChunkingConfig

__all__ = ["CHUNKER_VERSION", "SMALLEST_CHUNK", "chunk_limit", "chunking_identity"]

CHUNKER_VERSION = 2
"""Part of the index identity: raise it whenever the same text would give other chunks or other text to embed."""

SMALLEST_CHUNK = 16
"""Estimated tokens; a smaller size makes no sense."""


def chunk_limit(config: ChunkingConfig, input_tokens: int | None = None) -> int:
    """Largest chunk in estimated tokens: the configured size, or what the provider takes if that is less."""
    return max(SMALLEST_CHUNK, min(config.tokens, input_tokens or config.tokens))


def chunking_identity(config: ChunkingConfig, input_tokens: int | None = None) -> dict[str, str]:
    """The chunker's part of an :class:`~openclaw_memory_core.index.model.IndexIdentity`."""
    return {
        "version": str(CHUNKER_VERSION),
        "tokens": str(chunk_limit(config, input_tokens)),
        "overlap": str(config.overlap),
    }
