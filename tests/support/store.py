"""A real store in a temporary folder with a short way to fill it."""

from __future__ import annotations

import datetime as dt
import hashlib
import random
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from openclaw_memory_core.index.model import Chunk, IndexIdentity, Term
from openclaw_memory_core.index.protocol import GenerationWriter
from openclaw_memory_core.index.store import SqliteStore
from openclaw_memory_core.privacy import Visible
from openclaw_memory_core.workspace.documents import Document, DocumentRef

Form = Literal["extension", "no-extension", "no-fts5"]

ALL = Visible(sources=("memory", "sessions"))
STAT = (10, 1_700_000_000_000_000_000, 2, 3, 4)


def identity(model: str = "ash", *, chunking: str = "1") -> IndexIdentity:
    return IndexIdentity({"provider": "fake", "model": model}, {"version": chunking}, {"version": "1"})


KEYWORD_ONLY = IndexIdentity({"provider": "none"}, {"version": "1"}, {"version": "1"})


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def pack(numbers: Iterable[float]) -> bytes:
    values = list(numbers)
    return struct.pack(f"<{len(values)}f", *values)


def vector_of(text: str, dims: int = 8) -> bytes:
    """A vector that depends on the text only."""
    rng = random.Random(repr(text))
    return pack(rng.gauss(0, 1) for _ in range(dims))


def chunk(text: str, line: int = 1, **fields: Any) -> Chunk:
    return Chunk(line, line + text.count("\n"), text, digest(text), text, **fields)


def document(path: str, text: str, **fields: Any) -> Document:
    line_map = fields.pop("line_map", None)
    ref = DocumentRef(path, fields.pop("source", "memory"), fields.pop("stat", STAT), **fields)
    return Document(ref, text, digest(text), line_map)


class Bench:
    """A store and the writer of one generation."""

    def __init__(self, path: Path, form: Form = "extension", **options: Any) -> None:
        self.path = path
        self.now = 1_700_000_000.0
        if form == "no-extension":
            options.setdefault("extension_path", path.with_name("absent-vec0"))
        self.store = SqliteStore(path, fts_enabled=form != "no-fts5", clock=lambda: self.now, **options)
        self.has_text = form != "no-fts5"

    def __enter__(self) -> Self:
        self.store.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def put(
        self,
        writer: GenerationWriter,
        path: str,
        texts: str | Sequence[Chunk],
        *,
        vectors: bool = True,
        dims: int = 8,
        **fields: Any,
    ) -> None:
        chunks = [chunk(texts)] if isinstance(texts, str) else list(texts)
        if vectors:
            writer.add_vectors({one.text_hash: vector_of(one.embed_text, dims) for one in chunks})
        text = "\n".join(one.text for one in chunks)
        writer.put_documents([(document(path, text, **fields), chunks)], indexed_at=self.now)

    def fill(self, notes: dict[str, str], **fields: Any) -> None:
        writer = self.store.writer(identity())
        for path, text in notes.items():
            self.put(writer, path, text, curated=path in {"MEMORY.md", "USER.md"}, **fields)
        writer.finish()

    def found(self, *words: str, visible: Visible = ALL, limit: int = 10) -> list[str]:
        """Paths that the words find, best first."""
        return self.found_terms([Term(word) for word in words], visible, limit)

    def found_terms(self, terms: Sequence[Term], visible: Visible = ALL, limit: int = 10) -> list[str]:
        with self.store.reader() as reader:
            hits = reader.keyword(terms, visible, limit)
            chunks = reader.chunks([hit.chunk_id for hit in hits])
            return [chunks[hit.chunk_id].path for hit in hits]

    def near(self, query: bytes, visible: Visible = ALL, limit: int = 10) -> list[str]:
        """Paths nearest to a vector, nearest first."""
        with self.store.reader() as reader:
            hits = reader.vector(query, visible, limit)
            chunks = reader.chunks([hit.chunk_id for hit in hits])
            return [chunks[hit.chunk_id].path for hit in hits]

    def day(self) -> dt.date:
        return dt.datetime.fromtimestamp(self.now, dt.UTC).date()
