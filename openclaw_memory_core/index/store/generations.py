"""The list of generations: which is active, which is being built, which is going away."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal, cast

import apsw

from openclaw_memory_core.embeddings.base import identity_key
from openclaw_memory_core.index.store import rows
from openclaw_memory_core.index.store.schema import ROW_TABLES, TEXT_TABLES, TextKind, generation_schema, sql
from openclaw_memory_core.records import record

if TYPE_CHECKING:
    from openclaw_memory_core.index.model import IndexIdentity, Moment

State = Literal["building", "active", "dropping"]

_SELECT = """SELECT g.id, g.state, g.identity, g.embedding, g.text_kind, g.revision, i.dims, i.centre, g.created_at,
    g.published_at, (SELECT value FROM meta WHERE key = 'file')
    FROM generations AS g JOIN identities AS i ON i.id = g.embedding WHERE g.state = ? ORDER BY g.id"""

_COUNT = (
    "UPDATE meta SET value = ((value >> 20) + 1 << 20) | (random() & 0xfffff) WHERE key = 'revision' RETURNING value"
)


@record
class Generation:
    """A row of ``generations`` with what is needed of its embedding identity.

    :param embedding: row of ``identities``.
    :param dims: length of its vectors; None as long as there is none.
    :param centre: row of ``centres`` that its codes belong to; None as long as there are none.
    :param file: name of this file, which no other one has: numbers of generations begin anew in each.
    """

    id: int
    state: State
    identity: IndexIdentity
    embedding: int
    text_kind: TextKind
    revision: int
    dims: int | None
    centre: int | None
    created_at: float
    published_at: float | None
    file: str

    @property
    def source(self) -> tuple[str, int]:
        """What no other generation has."""
        return self.file, self.id

    @property
    def moment(self) -> Moment:
        """What its content depends on."""
        return self.file, self.id, self.revision


def in_state(db: apsw.Connection, state: State) -> list[Generation]:
    """All generations in this state."""
    found = []
    for row in db.execute(_SELECT, (state,)):
        identity = rows.identity_from_json(cast("str", row[2]))
        found.append(Generation(row[0], row[1], identity, *row[3:]))
    return found


def active(db: apsw.Connection) -> Generation | None:
    """The generation that answers searches; None if there is none."""
    found = in_state(db, "active")
    return found[0] if found else None


def next_revision(db: apsw.Connection) -> int:
    """Count one change and return its number.

    The last 20 bits are random: where an older copy is put into the place of the index, its changes have other numbers
    than those that were made before.
    """
    return cast("int", db.execute(_COUNT).get)


def embedding_row(db: apsw.Connection, identity: IndexIdentity) -> int:
    """Row of the embedding identity, made if there is none."""
    key = identity_key(identity.embedding)
    settings = json.dumps(dict(identity.embedding), sort_keys=True)
    db.execute("INSERT INTO identities(key, settings) VALUES (?, ?) ON CONFLICT DO NOTHING", (key, settings))
    return cast("int", db.execute("SELECT id FROM identities WHERE key = ?", (key,)).get)


def create(db: apsw.Connection, identity: IndexIdentity, kind: TextKind, now: float) -> int:
    """Begin a new generation and return its number."""
    row = (rows.identity_json(identity), embedding_row(db, identity), kind, next_revision(db), now)
    statement = """INSERT INTO generations(state, identity, embedding, text_kind, revision, created_at)
        VALUES ('building', ?, ?, ?, ?, ?) RETURNING id"""
    number = cast("int", db.execute(statement, row).get)
    db.execute(generation_schema(number, kind))
    return number


def retire(db: apsw.Connection, number: int) -> None:
    """Mark a generation as going away; its tables are dropped later."""
    db.execute("UPDATE generations SET state = 'dropping' WHERE id = ?", (number,))


def publish(db: apsw.Connection, number: int, now: float) -> None:
    """Let this generation answer from now on; the one before goes away."""
    db.execute("UPDATE generations SET state = 'dropping' WHERE state = 'active'")
    db.execute(
        "UPDATE generations SET state = 'active', published_at = ?, revision = ? WHERE id = ? AND state = 'building'",
        (now, next_revision(db), number),
    )


def drop_step(db: apsw.Connection, number: int, size: int) -> bool:
    """Take away a part of a generation that nobody reads any more; True when nothing is left of it."""
    tables = [f"g{number}_{name}" for name in (*TEXT_TABLES, *ROW_TABLES)]
    for table in tables:
        if db.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).get is None:
            continue
        if table.endswith(ROW_TABLES):
            gone = "DELETE FROM TABLE WHERE id IN (SELECT id FROM TABLE LIMIT ?)".replace("TABLE", table)
            db.execute(gone, (size,))
            if db.changes() == size:
                return False
        db.execute(sql("DROP TABLE ", number) + table)
        return False
    db.execute("DELETE FROM generations WHERE id = ?", (number,))
    return True
