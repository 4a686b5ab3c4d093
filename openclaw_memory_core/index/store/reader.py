"""A consistent view of the active generation."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import apsw

from openclaw_memory_core.index.model import (
    FileState,
    IndexCounts,
    IndexIdentity,
    KeywordHit,
    Moment,
    PathHit,
    StoredChunk,
    Term,
    VectorHit,
)
from openclaw_memory_core.index.store import rows
from openclaw_memory_core.index.store.generations import Generation, active
from openclaw_memory_core.index.store.schema import sql, visible_bindings

if TYPE_CHECKING:
    import datetime as dt

    from openclaw_memory_core.embeddings.base import Vector
    from openclaw_memory_core.index.store.code_cache import CodeCache
    from openclaw_memory_core.index.store.extension import VectorExtension
    from openclaw_memory_core.index.store.kept_chunks import KeptChunks
    from openclaw_memory_core.index.store.nearest import NearestSearch
    from openclaw_memory_core.index.store.recent import Kept
    from openclaw_memory_core.privacy import Visible

_CHUNKS = """SELECT COLUMNS FROM gN_chunks AS c JOIN gN_files AS f ON f.id = c.file
    WHERE CONDITION ORDER BY c.id"""

_DATED = """SELECT c.id FROM gN_files AS f JOIN gN_chunks AS c ON c.file = f.id
    WHERE f.date BETWEEN :first AND :last AND VISIBLE ORDER BY f.date DESC, f.path, c.start_line LIMIT :limit"""

_SAMPLE = """WITH RECURSIVE
    ends(low, high) AS (SELECT (SELECT min(id) FROM gN_chunks), (SELECT max(id) FROM gN_chunks)),
    points(n, at) AS (
        SELECT 0, low FROM ends UNION ALL
        SELECT n + 1, low + (high - low) * (n + 1) / max(:limit - 1, 1) FROM points, ends WHERE n + 1 < :limit)
    SELECT DISTINCT c.id FROM points JOIN gN_chunks AS c ON c.id = (SELECT min(id) FROM gN_chunks WHERE id >= points.at)
    JOIN gN_files AS f ON f.id = c.file WHERE VISIBLE"""


class SqliteReader:
    """Implements :class:`openclaw_memory_core.index.protocol.IndexReader` inside one read transaction.

    Every method answers with nothing where there is no index yet.
    """

    def __init__(
        self, db: apsw.Connection, extension: VectorExtension, cache: CodeCache, kept: Kept, *, fts: bool
    ) -> None:
        self._db = db
        self._extension = extension
        self._cache = cache
        self._kept = kept
        self._active: Generation | None = active(db)
        self._search: NearestSearch | None = None
        self._chunks: tuple[KeptChunks | None] | None = None
        self._fts = fts and self._active is not None and self._active.text_kind != "none"

    @property
    def identity(self) -> IndexIdentity | None:
        """See the protocol."""
        return self._active.identity if self._active else None

    @property
    def generation(self) -> int:
        """See the protocol."""
        return self._active.id if self._active else 0

    @property
    def moment(self) -> Moment:
        """See the protocol."""
        return self._active.moment if self._active else ("", 0, 0)

    def counts(self) -> IndexCounts:
        """See the protocol."""
        cached = self._db.execute("SELECT count(*) FROM vectors").get
        if self._active is None:
            return IndexCounts(cache_entries=cached)
        found = list(self._db.execute(self._sql("SELECT source, count(*), sum(chunks) FROM gN_files GROUP BY source")))
        return IndexCounts(
            files={source: files for source, files, _ in found},
            chunks={source: chunks for source, _, chunks in found},
            vectors=self._db.execute(self._sql("SELECT count(*) FROM gN_chunks WHERE vector > 0")).get,
            cache_entries=cached,
        )

    def files(self) -> dict[str, FileState]:
        """See the protocol."""
        if self._active is None:
            return {}
        found = self._db.execute(self._sql("SELECT COLUMNS FROM gN_files").replace("COLUMNS", rows.FILE_COLUMNS))
        return {row[0]: rows.file_from_row(row) for row in found}

    def keyword(self, terms: Sequence[Term], visible: Visible, limit: int) -> list[KeywordHit]:
        """See the protocol."""
        if self._active is None or not self._fts or limit < 1:
            return []
        from openclaw_memory_core.index.store import keyword

        return keyword.search(self._db, self._active, terms, visible, limit, self._kept)

    def vector(self, query: Vector, visible: Visible, limit: int) -> list[VectorHit]:
        """See the protocol."""
        if self._active is None or limit < 1:
            return []
        from openclaw_memory_core.index.store.nearest import Question

        return self._nearest(self._active).search(Question(query, visible, limit))

    def cosines(self, query: Vector, chunk_ids: Sequence[int]) -> dict[int, float]:
        """See the protocol."""
        if self._active is None:
            return {}
        return self._nearest(self._active).cosines(query, chunk_ids)

    def paths(self, query: str, terms: Sequence[Term], visible: Visible, limit: int) -> list[PathHit]:
        """See the protocol."""
        if self._active is None or limit < 1:
            return []
        from openclaw_memory_core.index.store import keyword

        return keyword.paths(self._db, self._active, query, terms if self._fts else (), visible, limit)

    def chunks(self, chunk_ids: Sequence[int]) -> dict[int, StoredChunk]:
        """See the protocol."""
        if self._active is None:
            return {}
        if self._chunks is None:
            # Once for all that is read here: what a process asks first is answered from the file, to the end.
            self._chunks = (self._kept.chunks.chunks(self._db, self._active),)
        (kept,) = self._chunks
        if kept is not None:
            return kept.some(sorted(chunk_ids))
        where = "c.id IN (SELECT value FROM json_each(:ids))"
        return {chunk.id: chunk for chunk in self._load(where, {"ids": json.dumps(list(chunk_ids))})}

    def frequencies(self, terms: Sequence[str], visible: Visible) -> dict[str, int]:
        """See the protocol."""
        if self._active is None or not self._fts:
            return dict.fromkeys(terms, 0)
        from openclaw_memory_core.index.store import keyword

        return keyword.frequencies(self._db, self._active, terms, visible)

    def similar_words(
        self, word: str, limit: int, visible: Visible | None = None, never: Collection[str] = ()
    ) -> list[str]:
        """See the protocol."""
        if self._active is None or not self._fts or limit < 1:
            return []
        from openclaw_memory_core.index.store import typos

        return typos.similar_words(self._db, self._active, word, limit, visible, never)

    def neighbours(self, chunk_id: int) -> list[StoredChunk]:
        """See the protocol."""
        where = """c.id IN (
            SELECT max(o.id) FROM gN_chunks AS o JOIN gN_chunks AS t ON o.file = t.file WHERE t.id = :id AND o.id < :id
            UNION ALL
            SELECT min(o.id) FROM gN_chunks AS o JOIN gN_chunks AS t ON o.file = t.file WHERE t.id = :id AND o.id > :id)
        """
        return self._load(where, {"id": chunk_id})

    def dated(self, first: dt.date, last: dt.date, visible: Visible, limit: int) -> list[int]:
        """See the protocol."""
        days = {"first": first.isoformat(), "last": last.isoformat(), "limit": limit}
        return self._ids(_DATED, days, visible)

    def sample(self, visible: Visible, limit: int) -> list[int]:
        """See the protocol."""
        return self._ids(_SAMPLE, {"limit": limit}, visible)

    def sample_cosines(self, query: Vector, visible: Visible, limit: int) -> list[float]:
        """See the protocol."""
        if self._active is None:
            return []
        nearest = self._nearest(self._active)
        vectors = self._kept.samples.get(
            (self._active.moment, visible, limit), lambda: nearest.vectors(self.sample(visible, limit))
        )
        return list(nearest.cosines_with(query, vectors).values())

    def _ids(self, query: str, bindings: dict[str, object], visible: Visible) -> list[int]:
        if self._active is None:
            return []
        return [row[0] for row in self._db.execute(self._sql(query), visible_bindings(visible) | bindings)]

    def _load(self, where: str, bindings: dict[str, object]) -> list[StoredChunk]:
        if self._active is None:
            return []
        query = _CHUNKS.replace("COLUMNS", rows.CHUNK_COLUMNS).replace("CONDITION", where)
        found = self._db.execute(self._sql(query), bindings)
        return [rows.chunk_from_row(row) for row in found]

    def _nearest(self, generation: Generation) -> NearestSearch:
        if self._search is None:
            from openclaw_memory_core.index.store.nearest import NearestSearch

            self._search = NearestSearch(self._db, generation, self._cache, self._extension)
        return self._search

    def _sql(self, template: str) -> str:
        return sql(template, self.generation)
