"""Notes in a real index and a searcher over them, with a provider whose vectors a test can set."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from support.store import STAT, document, pack

from openclaw_memory_core.config.model import ChunkingConfig, DecayConfig, HybridConfig, MmrConfig, QueryConfig
from openclaw_memory_core.embeddings.base import ProviderInfo, Vector
from openclaw_memory_core.errors import EmbeddingError
from openclaw_memory_core.index.chunking import chunk_document
from openclaw_memory_core.index.model import IndexIdentity
from openclaw_memory_core.index.store import SqliteStore
from openclaw_memory_core.privacy import Visible
from openclaw_memory_core.search import Searcher, SearchHit, SearchRequest, SearchResponse
from openclaw_memory_core.workspace.documents import DocumentRef

TODAY = dt.date(2026, 5, 5)
NOW = dt.datetime(2026, 5, 5, 10, tzinfo=dt.UTC)
DIMS = 8


class Provider:
    """Vectors by what a text holds: the first of *vectors* whose key stands in it, else a faint default."""

    def __init__(self, vectors: Mapping[str, list[float]] | None = None, model: str = "ash") -> None:
        self.info = ProviderInfo("fake", model, {"provider": "fake", "model": model}, dimensions=DIMS)
        self.vectors = dict(vectors or {})
        self.asked: list[str] = []
        self.error: EmbeddingError | None = None

    def vector(self, text: str) -> Vector:
        found = next((values for key, values in self.vectors.items() if key in text), [0.0] * (DIMS - 1) + [1.0])
        return pack([*found, *[0.0] * (DIMS - len(found))])

    def embed_query(self, text: str, *, timeout: float) -> Vector:
        self.asked.append(text)
        if self.error is not None:
            raise self.error
        return self.vector(text)


class SearchBench:
    """Put notes in, ask questions."""

    def __init__(self, folder: Path, provider: Provider | None = None) -> None:
        self.provider = provider
        self.store = SqliteStore(folder / "index.sqlite")
        self.store.open()
        self.today = TODAY

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def put(self, notes: Mapping[str, str], *, fields: Mapping[str, Any] | None = None) -> Self:
        """Index *notes* (path → text); a date in the file name is the note's date unless *fields* say otherwise."""
        embedding = self.provider.info.identity if self.provider else {"provider": "none"}
        writer = self.store.writer(IndexIdentity(dict(embedding), {"version": "1"}, {"tokenizer": "unicode61"}))
        for path, text in notes.items():
            given = {"date": _date(path), "curated": path in {"MEMORY.md", "USER.md"}} | dict(fields or {})
            ref = DocumentRef(path, given.pop("source", "memory"), STAT, **given)
            doc = replace(document(path, text), ref=ref)
            chunks = chunk_document(doc, ChunkingConfig())
            if self.provider is not None:
                writer.add_vectors({chunk.text_hash: self.provider.vector(chunk.embed_text) for chunk in chunks})
            writer.put_documents([(doc, chunks)], indexed_at=NOW.timestamp())
        writer.finish()
        return self

    def searcher(self, settings: QueryConfig | None = None, *, keywords_only: bool = False) -> Searcher:
        return Searcher(
            self.store,
            None if keywords_only else self.provider,
            settings or QueryConfig(),
            today=lambda: self.today,
            now=lambda: NOW,
            keywords_only_by_intent=keywords_only or self.provider is None,
        )

    def ask(self, query: str, settings: QueryConfig | None = None, **fields: Any) -> SearchResponse:
        keywords_only = fields.pop("keywords_only", False)
        request = SearchRequest(query=query, **({"visible": Visible(("memory", "sessions"))} | fields))
        return self.searcher(settings, keywords_only=keywords_only).search(request)

    def hits(self, query: str, settings: QueryConfig | None = None, **fields: Any) -> tuple[SearchHit, ...]:
        return self.ask(query, settings, **fields).hits

    def paths(self, query: str, settings: QueryConfig | None = None, **fields: Any) -> list[str]:
        return [hit.path for hit in self.hits(query, settings, **fields)]


def settings(
    *, decay: bool = True, mmr: float | None = None, min_score: float = 0.35, max_results: int = 6, **hybrid: Any
) -> QueryConfig:
    """Query settings; *mmr* is λ, None switches diversity off."""
    return QueryConfig(
        max_results=max_results,
        min_score=min_score,
        hybrid=HybridConfig(
            temporal_decay=DecayConfig(enabled=decay),
            mmr=MmrConfig(enabled=mmr is not None, lambda_=0.7 if mmr is None else mmr),
            **hybrid,
        ),
    )


def _date(path: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(path.rsplit("/", 1)[-1].removesuffix(".md")[:10])
    except ValueError:
        return None
