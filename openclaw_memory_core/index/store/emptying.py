"""Giving up an index that others may have open.

SQLite finds the log and the shared memory of a file by its *name*.  If a file is deleted while another process has it
open, that process leaves both to whoever makes the next index under the name, where they do not belong.  So an index is
deleted only by who is alone with it.  Otherwise it is emptied, in one transaction, and the others find it so.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import apsw

from openclaw_memory_core.index.store import opening

_TABLES = """SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
    ORDER BY sql NOT LIKE 'CREATE VIRTUAL %'"""
_BROKEN = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, apsw.IOError, apsw.SQLError)


def give_up(path: Path, connect: Callable[[], apsw.Connection]) -> None:
    """Delete an index, or empty it where others have it open.

    :param connect: opens it.
    :raises apsw.Error: it is locked, or cannot be written.
    :raises StoreReadOnlyError: it cannot be deleted.
    """
    try:
        with contextlib.closing(connect()) as db:
            if not _is_alone(db):
                with opening.alone(db):
                    _begin_anew(db)
                _shrink(db)
                return
            if os.name != "nt":
                # Nobody begins anything with it until it is gone.  Windows deletes no file that is open.
                opening.remove(path)
                return
    except _BROKEN:
        # What is broken is of no use to anybody.
        pass
    opening.remove(path)


def _begin_anew(db: apsw.Connection) -> None:
    for (name,) in list(db.execute(_TABLES)):
        # The tables of a text index go with it.
        db.execute(f'DROP TABLE IF EXISTS "{name}"')
    opening.make_tables(db)


def _is_alone(db: apsw.Connection) -> bool:
    """Whether nobody else has the file open; nobody can begin anything with it then."""
    try:
        # Giving up the log takes that nobody else uses it.
        if db.pragma("journal_mode", "delete") != "delete":
            return False
        db.execute("BEGIN EXCLUSIVE")
    except apsw.BusyError:
        return False
    return True


def _shrink(db: apsw.Connection) -> None:
    with contextlib.suppress(apsw.BusyError):
        db.execute("VACUUM")
        db.pragma("wal_checkpoint(truncate)")
