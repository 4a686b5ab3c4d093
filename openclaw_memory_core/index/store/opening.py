"""What happens to the file when it is opened: whose it is, making it, choosing how its changes are made safe."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from openclaw_memory_core.errors import StoreCorruptError, StoreError, StoreForeignError, StoreReadOnlyError
from openclaw_memory_core.index.store import schema
from openclaw_memory_core.index.store.faults import translate

COMPANIONS = ("-wal", "-shm", "-journal")
"""Files that SQLite keeps beside the index while it is in use."""

_MAGIC = b"SQLite format 3\0"
_HEADER = 100

_PAGE_SIZE = 8192
"""Vectors of common sizes (384, 512, 768 numbers) fill pages of this size best.  Fixed once there is a table."""

_OLDEST = 1
"""Oldest format with the shared tables of today: what it holds of vectors is good."""

_NOT_OURS = (".md", ".markdown", ".txt", ".json", ".json5", ".jsonl")
"""Endings of what people and hosts write: never an index, not even if it is empty or looks like a broken one."""


def prepare(path: Path) -> None:
    """Make the folder and an empty file where there are none.

    The file is made here and not by SQLite, so that nobody else can read it even for a moment; SQLite gives the mode
    of the file to those it puts beside it.

    :raises StoreForeignError: the path is that of a note or of another text.
    """
    _refuse_text_names(path)
    try:
        if not path.parent.is_dir():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise translate(error, path) from error


def check_header(path: Path) -> None:
    """Look at the first bytes of the file, without SQLite, which might touch it.

    :raises StoreForeignError: it is another program's database, a text, or no file to keep anything in.
    :raises StoreCorruptError: it is neither empty nor a database.
    """
    _refuse_text_names(path)
    try:
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            # A pipe would be waited for without end.
            raise _foreign(path)
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise translate(error, path) from error
    if head.startswith(_MAGIC) and len(head) >= _HEADER:
        foreign = int.from_bytes(head[68:72], "big") != schema.APPLICATION_ID
    elif head:
        foreign = _is_text(head)
        if not foreign:
            raise StoreCorruptError(
                f"The index {path} is not a readable database",
                hint="Run `openclaw-memory index`: the damaged file is set aside and rebuilt from the notes.",
            )
    else:
        return
    if foreign:
        raise _foreign(path)


def _foreign(path: Path) -> StoreForeignError:
    return StoreForeignError(
        f"The file {path} belongs to another program and is left alone",
        hint="Set `memory.search.store.path` to a file of its own, or move that one away if nothing needs it.",
    )


def _refuse_text_names(path: Path) -> None:
    # A note in UTF-16 or Latin-1 cannot be told from a broken index by its bytes.
    if path.suffix.lower() in _NOT_OURS:
        raise _foreign(path)


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(head) - 4
    return True


def is_frozen(path: Path) -> bool:
    """True on a read-only file system with no log to read: nobody can change the file, and SQLite must not try to."""
    return not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists()


def set_up(db: apsw.Connection, path: Path) -> None:
    """Make the shared tables if there are none, and check the number of the format."""
    if db.pragma("application_id") != schema.APPLICATION_ID:
        if db.readonly("main"):
            raise StoreReadOnlyError(
                f"The index {path} is empty and cannot be written",
                hint="Make the file and its folder writable, or set `memory.search.store.path` to a place that is.",
            )
        _create(db)
    version = db.pragma("user_version")
    if version == schema.FORMAT:
        return
    says = f"The index {path} has format {version}; this version reads format {schema.FORMAT}"
    if not _OLDEST <= version < schema.FORMAT:
        raise StoreError(
            says, hint="Update openclaw-memory-core, or run `openclaw-memory reset` and `index` to rebuild it."
        )
    if db.readonly("main"):
        raise StoreReadOnlyError(
            says, hint="Make the file and its folder writable: it is then built anew from the notes, with its vectors."
        )
    _renew(db)


def _create(db: apsw.Connection) -> None:
    db.pragma("page_size", _PAGE_SIZE)
    with alone(db):
        if db.pragma("application_id") != schema.APPLICATION_ID:  # Another process may have been faster.
            make_tables(db)


def make_tables(db: apsw.Connection) -> None:
    """Make a file without tables an index that holds nothing, in the transaction that is open."""
    db.execute(schema.SHARED)
    db.pragma("application_id", schema.APPLICATION_ID)
    db.pragma("user_version", schema.FORMAT)


def _renew(db: apsw.Connection) -> None:
    """Give up the generations of an older format; the next sync builds one anew, with the vectors there are."""
    with alone(db):
        if db.pragma("user_version") < schema.FORMAT:  # Another process may have been faster.
            db.execute("UPDATE generations SET state = 'dropping'")
            db.pragma("user_version", schema.FORMAT)


@contextmanager
def alone(db: apsw.Connection) -> Iterator[None]:
    """A transaction in which nobody else writes: all of it or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def use_wal(db: apsw.Connection) -> bool:
    """Turn the write-ahead log on in an index that holds nothing yet.

    It is part of the file from then on, so an index in use keeps what it has.  That the log works shows only when it
    is used: some network file systems have no shared memory.

    :return: False if the log is on and does not work; the file is then of no use.
    """
    if db.readonly("main") or db.execute("SELECT 1 FROM generations").get is not None:
        return True
    try:
        db.pragma("journal_mode", "wal")
        db.execute("BEGIN IMMEDIATE")
        db.execute("ROLLBACK")
    except apsw.BusyError:
        # Another process does the same with the new file at this moment.
        return True
    except (apsw.IOError, apsw.CantOpenError, apsw.ProtocolError):
        return False
    return True


def remove(path: Path) -> None:
    """Delete the index and what SQLite keeps beside it, which goes first.

    As soon as the index is gone another process may make a new one, whose log must stay.

    :raises StoreReadOnlyError: it cannot be deleted.
    """
    try:
        for companion in (*COMPANIONS, ""):
            Path(f"{path}{companion}").unlink(missing_ok=True)
    except OSError as error:
        raise translate(error, path) from error
