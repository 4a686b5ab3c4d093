"""Writing codes: the mean of an identity's vectors, and a code for each of them, in small steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import apsw

from openclaw_memory_core.index.store.codes import encode_all, mean_of

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import Vector
    from openclaw_memory_core.index.store.connection import Database

CODED_FROM = 1024
"""Fewer vectors than this are compared one by one; codes would save nothing."""

_SAMPLE = 4096
"""Vectors the mean is taken of."""

_GROWTH = 4
"""The mean is taken anew when there are so many times more vectors than then …"""

_SETTLED = 4 * _SAMPLE
"""… unless there were at least so many: it hardly moves any more."""

_STEP = 500
"""Codes a transaction."""

_UNCODED = "SELECT id, usable, embedding FROM vectors WHERE identity = ? AND id > ? ORDER BY id LIMIT ?"
"""Vectors are numbered in the order in which they come, so those without a code are the last ones."""


@dataclass(frozen=True, slots=True)
class _Plan:
    centre: int
    mean: Vector
    coded_to: int
    is_current: bool


def update_codes(database: Database, embedding: int) -> None:
    """Give every vector of this identity its code; a kill at any moment leaves codes of one mean in use."""
    plan = _plan(database, embedding)
    if plan is None:
        return
    _code_all(database, embedding, plan)
    if not plan.is_current:
        with database.write() as db:
            db.execute("UPDATE identities SET centre = ? WHERE id = ?", (plan.centre, embedding))
    _drop_others(database, embedding, plan.centre)


def _plan(database: Database, embedding: int) -> _Plan | None:
    with database.read() as db:
        total = db.execute("SELECT count(*) FROM vectors WHERE identity = ?", (embedding,)).get
        current = db.execute("SELECT centre FROM identities WHERE id = ?", (embedding,)).get
        statement = "SELECT id, mean, coded_to, total FROM centres WHERE identity = ? ORDER BY id DESC LIMIT 1"
        newest = list(db.execute(statement, (embedding,)))
    if total < CODED_FROM:
        return None
    for centre, mean, coded_to, then in newest:
        if centre != current or then >= _SETTLED or total < _GROWTH * then:
            return _Plan(centre, mean, coded_to, is_current=centre == current)
    with database.read() as db:
        sample = _sample(db, embedding)
    if not sample:
        return None
    mean = mean_of(sample)
    with database.write() as db:
        statement = "INSERT INTO centres(identity, mean, total) VALUES (?, ?, ?) RETURNING id"
        centre = cast("int", db.execute(statement, (embedding, mean, total)).get)
    return _Plan(centre, mean, coded_to=0, is_current=False)


def _sample(db: apsw.Connection, embedding: int) -> list[Vector]:
    """Vectors spread evenly over the order in which they were stored."""
    ids = [row[0] for row in db.execute("SELECT id FROM vectors WHERE identity = ? ORDER BY id", (embedding,))]
    stride = max(1, len(ids) // _SAMPLE)
    found = (db.execute("SELECT embedding FROM vectors WHERE id = ? AND usable", (one,)).get for one in ids[::stride])
    return [cast("Vector", vector) for vector in found if vector is not None]


def _code_all(database: Database, embedding: int, plan: _Plan) -> None:
    last = plan.coded_to
    while True:
        with database.read() as db:
            rows = list(db.execute(_UNCODED, (embedding, last, _STEP)))
        if not rows:
            return
        last = rows[-1][0]
        _write_codes(database, plan, [(vector, blob) for vector, usable, blob in rows if usable], last)


def _write_codes(database: Database, plan: _Plan, rows: Sequence[tuple[int, Vector]], last: int) -> None:
    codes = encode_all([vector for _, vector in rows], plan.mean) if rows else []
    with database.write() as db:
        db.executemany(
            "INSERT OR IGNORE INTO codes(centre, vector, code) VALUES (?, ?, ?)",
            [(plan.centre, vector, code) for (vector, _), code in zip(rows, codes, strict=True)],
        )
        db.execute("UPDATE centres SET coded_to = ? WHERE id = ?", (last, plan.centre))


def _drop_others(database: Database, embedding: int, centre: int) -> None:
    with database.read() as db:
        statement = "SELECT id FROM centres WHERE identity = ? AND id <> ?"
        others = [row[0] for row in db.execute(statement, (embedding, centre))]
    for other in others:
        gone = _STEP
        while gone == _STEP:
            with database.write() as db:
                db.execute(
                    "DELETE FROM codes WHERE centre = ? AND vector IN "
                    "(SELECT vector FROM codes WHERE centre = ? LIMIT ?)",
                    (other, other, _STEP),
                )
                gone = db.changes()
        with database.write() as db:
            db.execute("DELETE FROM centres WHERE id = ?", (other,))
