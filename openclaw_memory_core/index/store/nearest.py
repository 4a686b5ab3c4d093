"""The vector leg: nearest chunks by cosine among those that may be seen.

Two stages: codes choose candidates, stored vectors rank them.  The codes are compared in SQL (sqlite-vec) by a process
that asks once, and in a table kept in memory (numpy) by one that asks again or has numpy loaded anyway.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import apsw

from openclaw_memory_core.index.model import VectorHit
from openclaw_memory_core.index.store.codes import encode, encode_all
from openclaw_memory_core.index.store.schema import sql, visible_bindings
from openclaw_memory_core.index.store.vectors import SPARE, cosines_of_rows, cosines_with, is_usable, stored_cosines
from openclaw_memory_core.records import record

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import Vector
    from openclaw_memory_core.index.store.code_cache import CodeCache
    from openclaw_memory_core.index.store.extension import VectorExtension
    from openclaw_memory_core.index.store.generations import Generation
    from openclaw_memory_core.index.store.kept_vectors import KeptVectors
    from openclaw_memory_core.privacy import Visible

OVERSAMPLING = 8
FEWEST = 400
"""Candidates for each place of the answer, and at least; see docs/storage.md for the measurement."""

_ENOUGH_BITS = 384
"""Shorter codes say less: with half as many bits, twice as many candidates are taken."""

_COUNT = "SELECT count(*) FROM gN_chunks WHERE vector > 0"

_BY_COSINE = """SELECT c.id, c.vector
    FROM gN_files AS f JOIN gN_chunks AS c ON c.file = f.id JOIN vectors AS v ON v.id = c.vector
    WHERE c.vector > 0 AND VISIBLE ORDER BY vec_distance_cosine(v.embedding, :query), c.id LIMIT :limit"""

_CLOSEST = """SELECT v.id FROM json_each(:vectors) AS j JOIN vectors AS v ON v.id = j.value
    ORDER BY vec_distance_cosine(v.embedding, :query) LIMIT :limit"""

_BY_CODE = """SELECT c.id, c.vector FROM gN_files AS f JOIN gN_chunks AS c ON c.file = f.id
    JOIN codes AS k ON k.centre = :centre AND k.vector = c.vector
    WHERE c.vector > 0 AND VISIBLE ORDER BY vec_distance_hamming(vec_bit(k.code), vec_bit(:code)) LIMIT :count"""

_WITHOUT_CODE = """SELECT c.id, c.vector FROM gN_files AS f JOIN gN_chunks AS c ON c.file = f.id
    WHERE c.vector > 0 AND VISIBLE
    AND NOT EXISTS (SELECT 1 FROM codes AS k WHERE k.centre = :centre AND k.vector = c.vector)"""

_HIDDEN = "SELECT f.id FROM gN_files AS f WHERE NOT VISIBLE"

_VECTORS = """SELECT c.id, v.embedding FROM json_each(?) AS j JOIN gN_chunks AS c ON c.id = j.value
    JOIN vectors AS v ON v.id = c.vector WHERE c.vector > 0"""


@record
class Question:
    """A vector to find neighbours of, and who asks."""

    vector: Vector
    visible: Visible
    limit: int

    @property
    def candidates(self) -> int:
        """How many chunks the codes have to choose."""
        bits = len(self.vector) // 4
        return max(FEWEST, OVERSAMPLING * self.limit) * max(1, -(-_ENOUGH_BITS // bits))


class NearestSearch:
    """The vector leg over one generation in one read transaction; a cosine is computed once for a query."""

    def __init__(
        self, db: apsw.Connection, generation: Generation, cache: CodeCache, extension: VectorExtension
    ) -> None:
        self._db = db
        self._generation = generation
        self._cache = cache
        self._extension = extension
        self._query: Vector = b""
        self._known: dict[int, float] = {}
        self._kept: KeptVectors | None = None

    def search(self, question: Question) -> list[VectorHit]:
        """Nearest chunks, nearest first; equal cosines in the order of the chunks."""
        if not self._answers(question.vector):
            return []
        if "numpy" in sys.modules or not self._extension.load(self._db):
            found = self._in_memory(question)
        elif self._is_small(question):
            found = self._read(question, self._all_in_sql(question))
        elif self._cache.asked_before:
            found = self._in_memory(question)
        else:
            self._cache.asked_before = True
            found = self._read(question, self._candidates_in_sql(question))
        if self._query != question.vector:
            self._query, self._known = question.vector, {}
        self._known |= found
        nearest = sorted((-cosine, chunk) for chunk, cosine in found.items())[: question.limit]
        return [VectorHit(chunk, -distance) for distance, chunk in nearest]

    def _read(self, question: Question, chosen: list[tuple[int, int]]) -> dict[int, float]:
        """Exact cosines of the best of these chunks, given with their vectors, which are read."""
        # Chunks with equal texts share a vector, so that so many vectors are always enough.
        vectors = sorted({vector for _, vector in chosen})
        values = stored_cosines(self._db, question.vector, vectors, best=question.limit)
        return {chunk: values[vector] for chunk, vector in chosen if vector in values}

    def cosines(self, query: Vector, chunk_ids: Sequence[int]) -> dict[int, float]:
        """Exact cosine of these chunks."""
        if not self._answers(query):
            return {}
        kept = self._known if self._query == query else {}
        known = {chunk: kept[chunk] for chunk in chunk_ids if chunk in kept}
        return known | self._others(query, [chunk for chunk in chunk_ids if chunk not in known])

    def _others(self, query: Vector, chunk_ids: Sequence[int]) -> dict[int, float]:
        if self._kept is None:
            return self.cosines_with(query, self.vectors(chunk_ids))
        return cosines_of_rows(query, *self._kept.of_chunks(chunk_ids))

    def vectors(self, chunk_ids: Sequence[int]) -> list[tuple[int, Vector]]:
        """These chunks, as far as they have one, with their vectors."""
        return list(self._db.execute(self._sql(_VECTORS), (json.dumps(list(chunk_ids)),))) if chunk_ids else []

    def cosines_with(self, query: Vector, vectors: Sequence[tuple[int, Vector]]) -> dict[int, float]:
        """Exact cosine of chunks with these vectors."""
        return cosines_with(query, vectors) if self._answers(query) else {}

    def _answers(self, query: Vector) -> bool:
        """Vectors of another length are of another model: they are never compared."""
        dims = self._generation.dims
        return self._extension.enabled and dims is not None and len(query) == 4 * dims and is_usable(query)

    def _is_small(self, question: Question) -> bool:
        if self._generation.centre is None:
            return True
        return bool(self._db.execute(self._sql(_COUNT)).get <= question.candidates)

    def _all_in_sql(self, question: Question) -> list[tuple[int, int]]:
        bindings = visible_bindings(question.visible) | {"query": question.vector, "limit": SPARE * question.limit}
        return list(self._db.execute(self._sql(_BY_COSINE), bindings))

    def _candidates_in_sql(self, question: Question) -> list[tuple[int, int]]:
        bindings = visible_bindings(question.visible) | {
            "centre": self._generation.centre,
            "code": self._code(question.vector),
            "count": question.candidates,
        }
        pairs = [
            (chunk, vector)
            for statement in (_BY_CODE, _WITHOUT_CODE)
            for chunk, vector in self._db.execute(self._sql(statement), bindings)
        ]
        vectors = json.dumps(sorted({vector for _, vector in pairs}))
        bindings = {"vectors": vectors, "query": question.vector, "limit": SPARE * question.limit}
        closest = {row[0] for row in self._db.execute(_CLOSEST, bindings)}
        return [(chunk, vector) for chunk, vector in pairs if vector in closest]

    def _in_memory(self, question: Question) -> dict[int, float]:
        """Exact cosines of the best of the chunks that codes in memory choose."""
        import numpy as np

        table = self._cache.table(self._db, self._generation)
        # Asked for once: what a process asks first is answered from the file, to the end.
        self._kept = self._cache.vectors(self._db, table, len(question.vector) // 4)
        hidden = self._cache.hidden(table, question.visible)
        if hidden is None:
            rows = self._db.execute(self._sql(_HIDDEN), visible_bindings(question.visible))
            hidden = self._cache.remember_hidden(table, question.visible, [row[0] for row in rows])
        chosen = table.candidates(self._code(question.vector), hidden, question.candidates)
        if self._kept is None:
            pairs = zip(table.chunks[chosen].tolist(), table.vectors[chosen].tolist(), strict=True)
            return self._read(question, list(pairs))
        vectors, place = np.unique(table.vectors[chosen], return_inverse=True)
        values = cosines_of_rows(question.vector, range(len(vectors)), self._kept.rows(vectors), best=question.limit)
        best = np.zeros(len(vectors), dtype=np.bool_)
        best[list(values)] = True
        shown = best[place]
        chunks, places = table.chunks[chosen[shown]].tolist(), place[shown].tolist()
        return {chunk: values[at] for chunk, at in zip(chunks, places, strict=True)}

    def _code(self, vector: Vector) -> bytes:
        mean = self._db.execute("SELECT mean FROM centres WHERE id = ?", (self._generation.centre,)).get
        mean = bytes(len(vector)) if mean is None else mean
        return encode_all([vector], mean)[0] if "numpy" in sys.modules else encode(vector, mean)

    def _sql(self, template: str) -> str:
        return sql(template, self._generation.id)
