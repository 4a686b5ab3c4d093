"""The vector leg: nearest chunks by cosine among those that may be seen."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from openclaw_memory_core.embeddings.base import Vector
from openclaw_memory_core.index.model import VectorHit
from openclaw_memory_core.index.store.extension import VectorExtension
from openclaw_memory_core.index.store.generations import Generation
from openclaw_memory_core.index.store.schema import sql, visible_bindings
from openclaw_memory_core.index.store.vectors import is_usable, stored_cosines
from openclaw_memory_core.privacy import Visible


class CodeCache:
    """What this process keeps of the codes."""


def search(
    db: apsw.Connection,
    generation: Generation,
    cache: CodeCache,  # noqa: ARG001
    extension: VectorExtension,
    query: Vector,
    visible: Visible,
    limit: int,
) -> list[VectorHit]:
    """Nearest chunks, nearest first; equal cosines in the order of the chunks."""
    if not extension.enabled or not is_usable(query):
        return []
    seen = list(
        db.execute(
            sql(
                "SELECT c.id, c.vector FROM gN_files AS f JOIN gN_chunks AS c ON c.file = f.id "
                "WHERE c.vector > 0 AND VISIBLE",
                generation.id,
            ),
            visible_bindings(visible),
        )
    )
    values = stored_cosines(db, query, {vector for _, vector in seen}, extension=extension.load(db))
    hits = [VectorHit(chunk, values[vector]) for chunk, vector in seen if vector in values]
    return sorted(hits, key=lambda hit: (-hit.cosine, hit.chunk_id))[:limit]


def cosines(
    db: apsw.Connection, generation: Generation, extension: VectorExtension, query: Vector, chunk_ids: Sequence[int]
) -> dict[int, float]:
    """Exact cosine of these chunks."""
    if not extension.enabled or not is_usable(query):
        return {}
    statement = "SELECT c.id, c.vector FROM json_each(?) AS j JOIN gN_chunks AS c ON c.id = j.value WHERE c.vector > 0"
    pairs = dict(db.execute(sql(statement, generation.id), (json.dumps(list(chunk_ids)),)))
    values = stored_cosines(db, query, set(pairs.values()), extension=extension.load(db))
    return {chunk: values[vector] for chunk, vector in pairs.items() if vector in values}
