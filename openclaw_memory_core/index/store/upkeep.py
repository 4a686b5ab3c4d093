"""Storing vectors, and tidying up in small steps: generations nobody reads, vectors nobody needs."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import apsw

from openclaw_memory_core.errors import StoreBusyError, StoreFullError
from openclaw_memory_core.index.store import generations
from openclaw_memory_core.index.store.schema import sql
from openclaw_memory_core.index.store.vectors import is_usable

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import Vector
    from openclaw_memory_core.index.store.connection import Database

logger = logging.getLogger(__name__)

_ROWS = 2000
"""Rows a transaction while tidying."""

_UNUSED = "AND NOT EXISTS (SELECT 1 FROM gN_chunks AS c WHERE c.vector = v.id)"
_SPARE = "SELECT count(*) FROM vectors AS v WHERE true UNUSED"
_OLDEST = "SELECT v.id FROM vectors AS v WHERE true UNUSED ORDER BY v.updated_at, v.id LIMIT ?"
_FORGET_CODES = """DELETE FROM codes WHERE centre IN (SELECT id FROM centres)
    AND vector IN (SELECT value FROM json_each(?))"""
_UNUSED_IDENTITIES = """SELECT i.id FROM identities AS i
    WHERE NOT EXISTS (SELECT 1 FROM generations AS g WHERE g.embedding = i.id)
    AND NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.identity = i.id)"""
_FORGET_IDENTITY = """DELETE FROM identities WHERE id = ?1
    AND NOT EXISTS (SELECT 1 FROM generations WHERE embedding = ?1)
    AND NOT EXISTS (SELECT 1 FROM vectors WHERE identity = ?1)"""


@dataclass(frozen=True, slots=True)
class Retention:
    """How many vectors are kept that no chunk refers to."""

    unreferenced: int


def store_vectors(db: apsw.Connection, embedding: int, vectors: Sequence[tuple[str, Vector]], now: float) -> None:
    """Store vectors by text hash; the first one stays where there are two.

    One without a direction is stored too, so that its text is not embedded again and again, but never searched.
    """
    db.executemany(
        "INSERT INTO vectors(identity, hash, updated_at, usable, embedding) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        [(embedding, text_hash, now, int(is_usable(vector)), vector) for text_hash, vector in vectors],
    )


def tidy(database: Database, keep: Retention) -> None:
    """Everything that can wait until a generation is published.  What cannot be done now is done next time."""
    with _put_off():
        drop_retired(database)
        while evict_step(database, keep):
            pass
        drop_unused_identities(database)


@contextmanager
def _put_off() -> Iterator[None]:
    try:
        yield
    except (StoreBusyError, StoreFullError) as error:
        logger.warning("Tidying up the index is put off: %s", error)


def drop_leftovers(database: Database) -> None:
    """Drop what a run before this one retired and did not get round to dropping."""
    with _put_off():
        drop_retired(database)


def drop_retired(database: Database) -> None:
    """Drop the tables of generations that were replaced or given up."""
    with database.read() as db:
        gone = [generation.id for generation in generations.in_state(db, "dropping")]
    for number in gone:
        done = False
        while not done:
            with database.write() as db:
                done = generations.drop_step(db, number, _ROWS)


def evict_step(database: Database, keep: Retention) -> bool:
    """Delete some vectors that no generation refers to, oldest first; False when enough are gone."""
    with database.read() as db:
        # Counting is slow on a large index, and readers hold nobody up.
        if _spare(db, keep) <= 0:
            return False
    with database.write() as db:
        spare = _spare(db, keep)
        step = max(0, min(spare, _ROWS))
        gone = json.dumps([row[0] for row in db.execute(_with_unused(db, _OLDEST), (step,))])
        db.execute(_FORGET_CODES, (gone,))
        db.execute("DELETE FROM vectors WHERE id IN (SELECT value FROM json_each(?))", (gone,))
        return spare > step


def drop_unused_identities(database: Database) -> None:
    """Forget providers of which neither a generation nor a vector is left."""
    with database.read() as db:
        gone = [row[0] for row in db.execute(_UNUSED_IDENTITIES)]
    for embedding in gone:
        with database.write() as db:
            db.execute("DELETE FROM codes WHERE centre IN (SELECT id FROM centres WHERE identity = ?)", (embedding,))
            db.execute("DELETE FROM centres WHERE identity = ?", (embedding,))
            db.execute(_FORGET_IDENTITY, (embedding,))


def _spare(db: apsw.Connection, keep: Retention) -> int:
    """How many vectors there are too many."""
    if db.execute("SELECT count(*) FROM vectors").get <= keep.unreferenced:
        return 0
    return cast("int", db.execute(_with_unused(db, _SPARE)).get - keep.unreferenced)


def _with_unused(db: apsw.Connection, statement: str) -> str:
    live = (*generations.in_state(db, "active"), *generations.in_state(db, "building"))
    return statement.replace("UNUSED", " ".join(sql(_UNUSED, one.id) for one in live))
