"""A workspace, a real store and a provider whose behaviour a test can change, for tests of syncing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from support.fake_embeddings import words_vector

from openclaw_memory_core.config.model import ChunkingConfig, ExtraPath
from openclaw_memory_core.embeddings.base import InputKind, ProviderInfo, ProviderLimits
from openclaw_memory_core.embeddings.embedder import Embedder
from openclaw_memory_core.errors import EmbeddingError
from openclaw_memory_core.index.chunking import chunking_identity
from openclaw_memory_core.index.model import IndexIdentity, Term
from openclaw_memory_core.index.store import SqliteStore
from openclaw_memory_core.index.sync import SyncEngine
from openclaw_memory_core.privacy import Visible
from openclaw_memory_core.workspace.documents import DocumentSource
from openclaw_memory_core.workspace.workspace import Workspace

NO_VECTORS: Mapping[str, str] = {"provider": "none"}


class WordsProvider:
    """Vectors made from words.

    :param fail: raised instead of an answer while it is set.
    :param fail_after: after so many texts every request fails with *fail*.
    :param before: called before each answer, for example to wait.
    :param refuse: texts with one of these words get an error of their own.
    """

    def __init__(self, model: str = "ash", dimensions: int = 8, items: int = 16, concurrency: int = 2) -> None:
        self.model = model
        self.dimensions = dimensions
        self.limits = ProviderLimits(items=items, concurrency=concurrency)
        self.fail: EmbeddingError | None = None
        self.fail_after: int | None = None
        self.refuse: Mapping[str, EmbeddingError] = {}
        self.before: Callable[[], None] = lambda: None
        self.texts: list[str] = []
        self._lock = threading.Lock()

    @property
    def info(self) -> ProviderInfo:
        identity = {"provider": "words", "model": self.model}
        return ProviderInfo("words", self.model, identity, self.limits, self.dimensions)

    def embed(self, texts: Sequence[str], kind: InputKind, *, timeout: float) -> list[Sequence[float]]:
        self.before()
        with self._lock:
            if self.fail is not None and (self.fail_after is None or len(self.texts) + len(texts) > self.fail_after):
                raise self.fail
            for word, error in self.refuse.items():
                if any(word in text for text in texts):
                    raise error
            self.texts += texts
        return [words_vector(text, self.dimensions) for text in texts]

    def close(self) -> None:
        """Nothing to close."""


class SyncBench:
    """Everything a sync needs, below one folder.

    :param provider: None for keywords only.
    """

    def __init__(self, root: Path, provider: WordsProvider | None = None) -> None:
        self.root = root / "workspace"
        (self.root / "memory").mkdir(parents=True, exist_ok=True)
        self.index = root / "state" / "main.sqlite"
        self.provider = provider
        self.extra: list[ExtraPath] = []
        self.waited = 0.0
        self.store = SqliteStore(self.index)
        self.store.open()

    def wait(self, seconds: float) -> None:
        """Let the embedder's clock, which knows no other time, go on."""
        self.waited += seconds

    def write(self, path: str, text: str) -> Path:
        """Write a note."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def identity(self, provider: WordsProvider | None = None, chunking: ChunkingConfig | None = None) -> IndexIdentity:
        """Identity of an index made with *provider*."""
        provider = provider or self.provider
        return IndexIdentity(
            provider.info.identity if provider else NO_VECTORS,
            chunking_identity(chunking or ChunkingConfig()),
            {"tokenizer": "unicode61"},
        )

    def engine(
        self,
        provider: WordsProvider | None = None,
        *,
        store: Any = None,
        sources: Sequence[DocumentSource] | None = None,
        chunking: ChunkingConfig | None = None,
        **options: Any,
    ) -> SyncEngine:
        """A new engine, as after a restart."""
        provider = provider or self.provider
        embedder = Embedder(provider, sleep=self.wait, clock=lambda: self.waited) if provider else None
        return SyncEngine(
            store or self.store,
            sources if sources is not None else [Workspace(self.root, self.extra)],
            embedder,
            chunking=chunking or ChunkingConfig(),
            identity=self.identity(provider, chunking),
            **options,
        )

    def found(self, word: str, visible: Visible | None = None) -> set[str]:
        """Paths with *word*, by keywords."""
        with self.store.reader() as reader:
            if not reader.generation:
                return set()
            hits = reader.keyword([Term(word)], visible or Visible(("memory", "sessions")), 1000)
            return {chunk.path for chunk in reader.chunks([hit.chunk_id for hit in hits]).values()}

    def found_by_vector(self, text: str, limit: int = 5) -> list[str]:
        """Paths nearest to *text*, nearest first."""
        import struct

        dimensions = self.provider.dimensions if self.provider else 8
        query = struct.pack(f"<{dimensions}f", *words_vector(text, dimensions))
        with self.store.reader() as reader:
            hits = reader.vector(query, Visible(("memory", "sessions")), limit)
            chunks = reader.chunks([hit.chunk_id for hit in hits])
            return [chunks[hit.chunk_id].path for hit in hits]

    def content(self) -> list[tuple[Any, ...]]:
        """Everything the active generation holds, in a form that does not depend on how it came about."""
        with self.store.reader() as reader:
            found = reader.chunks(range(1, self._last_chunk() + 1)).values()
            return sorted((c.path, c.start_line, c.end_line, c.text, c.headings, c.curated) for c in found)

    def _last_chunk(self) -> int:
        import apsw

        with self.store.reader() as reader:
            generation = reader.generation
        if not generation:
            return 0
        db = apsw.Connection(str(self.index), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return int(db.execute(f"SELECT coalesce(max(id), 0) FROM g{generation}_chunks").get)
        finally:
            db.close()

    def vectors(self) -> int:
        """Chunks of the active generation that have a vector."""
        with self.store.reader() as reader:
            return reader.counts().vectors

    def close(self) -> None:
        """Close the store."""
        self.store.close()
