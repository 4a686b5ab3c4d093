"""From a document to chunks: about the configured size, cut where Markdown has its borders."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from openclaw_memory_core.index.chunking.building import ChunkBuilder, embed_text, regions, without_bare_headings
from openclaw_memory_core.index.chunking.outline import outline
from openclaw_memory_core.index.chunking.packing import Packer
from openclaw_memory_core.index.identity import CHUNKER_VERSION, SMALLEST_CHUNK, chunk_limit, chunking_identity
from openclaw_memory_core.index.model import Chunk
from openclaw_memory_core.workspace.annotations import parse_entries, strip_annotations
from openclaw_memory_core.workspace.tokens import QUARTERS

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import ChunkingConfig
    from openclaw_memory_core.workspace.documents import Document

__all__ = ["CHUNKER_VERSION", "chunk_document", "chunk_limit", "chunking_identity", "embed_text"]


def chunk_document(document: Document, config: ChunkingConfig, *, input_tokens: int | None = None) -> list[Chunk]:
    """Cut *document* into chunks in the order of its lines.

    No chunk is larger than :func:`chunk_limit`, overlap included, and none is blank.  Line ranges are exact, 1-based
    and inclusive; where one line is cut into several chunks, each of them names that line.  Annotation comments are
    taken out of the text.  Curated files give one chunk an entry (several if
    it is too large for one), and none for a heading that the entries below it carry.

    :param input_tokens: largest input of the embedding provider in estimated tokens; None for no such limit.
    """
    text = document.text
    if document.embed_text is not None:
        digest = hashlib.sha256(document.embed_text.encode("utf-8", "surrogatepass")).hexdigest()
        return [Chunk(1, 1, text, digest, document.embed_text)]
    stripped = strip_annotations(text) if "<!--" in text else text
    if not stripped or stripped.isspace():
        return []
    limit = chunk_limit(config, input_tokens) * QUARTERS
    overlap = min(config.overlap * QUARTERS, limit // 2)
    shape = outline(
        stripped, max(overlap, limit // 8, SMALLEST_CHUNK * QUARTERS), markdown=document.ref.source != "sessions"
    )
    packer = Packer(shape, limit, overlap)
    builder = ChunkBuilder(stripped, shape, input_tokens)
    if not document.ref.curated:
        return [chunk for span in packer.spans(0, len(shape)) if (chunk := builder.chunk(span))]
    chunks = (
        builder.chunk(span, entry)
        for first, last, entry in regions(shape, parse_entries(text))
        for span in packer.spans(first, last)
    )
    return without_bare_headings([chunk for chunk in chunks if chunk is not None])
