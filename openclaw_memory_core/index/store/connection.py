"""Connections to the index file: opening, pragmas, a pool for readers, one writer at a time."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from openclaw_memory_core.errors import StoreCorruptError, StoreError, StoreForeignError, StoreReadOnlyError
from openclaw_memory_core.index.store import schema
from openclaw_memory_core.index.store.faults import mapped, translate

logger = logging.getLogger(__name__)

_MAGIC = b"SQLite format 3\0"
_HEADER = 100
_KEPT_READERS = 4
_PRAGMAS = """
PRAGMA synchronous = NORMAL;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -8000;
PRAGMA journal_size_limit = 33554432;
PRAGMA trusted_schema = OFF;
PRAGMA recursive_triggers = OFF;
"""

FileKey = tuple[int, int]


class Database:
    """One index file.

    :param busy_timeout: seconds to wait for another process's transaction.
    :param vfs: name of a registered SQLite VFS; None for the system's own.
    :param on_write: called before each writing transaction.
    """

    def __init__(
        self,
        path: Path,
        *,
        busy_timeout: float = 10.0,
        vfs: str | None = None,
        on_write: Callable[[], None] = lambda: None,
    ) -> None:
        self.path = path
        self.journal_mode = "wal"
        self.read_only = False
        self._busy_ms = int(busy_timeout * 1000)
        self._vfs = vfs
        self._on_write = on_write
        self._idle: list[apsw.Connection] = []
        self._writer: apsw.Connection | None = None
        self._file: FileKey | None = None
        self._epoch = 0
        self._state = threading.Lock()
        self._write = threading.RLock()

    @property
    def is_open(self) -> bool:
        """True between :meth:`open` and :meth:`close`."""
        return self._file is not None

    def open(self) -> None:
        """Create the file if there is none, check that it is ours, and set it up.

        :raises StoreError: see :meth:`openclaw_memory_core.index.protocol.IndexStore.open`.
        """
        with self._write:
            if self._file is not None and self._file == self._key():
                return
            self._drop_connections()
            self._prepare_folder()
            check_header(self.path)
            with mapped(self.path):
                db = self._connect()
                try:
                    self._set_up(db)
                except BaseException:
                    db.close()
                    raise
            self._writer = db
            self._file = self._key()

    def close(self) -> None:
        """Close every connection that is not in use; those in use are closed when they are given back."""
        with self._write:
            self._drop_connections()

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """A connection inside one read transaction: a consistent view, whatever is written meanwhile."""
        self._follow()
        with mapped(self.path):
            db, epoch = self._take()
            try:
                db.execute("BEGIN")
                yield db
            finally:
                self._give_back(db, epoch)

    @contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """The writing connection inside one transaction: all of it or nothing."""
        with self._write:
            self._follow()
            db = self._writer
            if db is None:
                raise StoreError(f"The index {self.path} is closed", hint="Open the store before using it.")
            self._on_write()
            with mapped(self.path):
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield db
                    db.execute("COMMIT")
                except BaseException:
                    if db.in_transaction:
                        with contextlib.suppress(apsw.Error):
                            db.execute("ROLLBACK")
                    raise

    @contextmanager
    def outside(self) -> Iterator[apsw.Connection]:
        """The writing connection without a transaction: for VACUUM, checkpoints and the like."""
        with self._write:
            self._follow()
            if self._writer is None:
                raise StoreError(f"The index {self.path} is closed", hint="Open the store before using it.")
            with mapped(self.path):
                yield self._writer

    def _follow(self) -> None:
        """Move to the file that is at our path now: another process may have set the old one aside."""
        if self._file is None:
            raise StoreError(f"The index {self.path} is closed", hint="Open the store before using it.")
        if self._key() != self._file:
            logger.info("The index %s was replaced; opening the new one", self.path)
            self.open()

    def _key(self) -> FileKey | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return (found.st_dev, found.st_ino)

    def _take(self) -> tuple[apsw.Connection, int]:
        with self._state:
            epoch = self._epoch
            if self._idle:
                return self._idle.pop(), epoch
        return self._connect(), epoch

    def _give_back(self, db: apsw.Connection, epoch: int) -> None:
        try:
            if db.in_transaction:
                db.execute("ROLLBACK")
        except apsw.Error:
            db.close()
            return
        with self._state:
            if epoch == self._epoch and len(self._idle) < _KEPT_READERS:
                self._idle.append(db)
                return
        db.close()

    def _drop_connections(self) -> None:
        with self._state:
            idle, self._idle = self._idle, []
            self._epoch += 1
        for db in idle:
            db.close()
        if self._writer is not None:
            self._writer.close()
        self._writer = None
        self._file = None

    def _connect(self) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        db = apsw.Connection(str(self.path), flags=flags, vfs=self._vfs)
        try:
            db.set_busy_timeout(self._busy_ms)
            db.execute(_PRAGMAS)
        except BaseException:
            db.close()
            raise
        return db

    def _prepare_folder(self) -> None:
        folder = self.path.parent
        try:
            if not folder.is_dir():
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self.path.exists():
                # Created here, so that nobody else can read it even for a moment; SQLite's own files take this mode.
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise translate(error, self.path) from error

    def _set_up(self, db: apsw.Connection) -> None:
        self.read_only = db.readonly("main")
        if self.read_only:
            self.journal_mode = str(db.execute("PRAGMA journal_mode").get)
            if not _is_ours(db):
                raise StoreReadOnlyError(
                    f"The index {self.path} is empty and cannot be written",
                    hint="Make the file and its folder writable, or set `store.path` to a place that is.",
                )
            return
        if not _is_ours(db):
            _create(db)
        version = db.pragma("user_version")
        if version != schema.FORMAT:
            raise StoreError(
                f"The index {self.path} has format {version}; this version reads format {schema.FORMAT}",
                hint="Update openclaw-memory-core, or run `openclaw-memory reset` and `index` to rebuild it.",
            )
        self.journal_mode = _use_wal(db)


def _is_ours(db: apsw.Connection) -> bool:
    return bool(db.pragma("application_id") == schema.APPLICATION_ID)


def _create(db: apsw.Connection) -> None:
    # Vectors of common sizes (384, 512, 768) fill pages of this size best; it is fixed once there is a table.
    db.pragma("page_size", 8192)
    db.execute("BEGIN IMMEDIATE")
    try:
        if not _is_ours(db):  # Another process may have been faster.
            db.execute(schema.SHARED)
            db.pragma("application_id", schema.APPLICATION_ID)
            db.pragma("user_version", schema.FORMAT)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _use_wal(db: apsw.Connection) -> str:
    """Write-ahead log where the file system can do it, else the rollback journal; returns which it is."""
    try:
        return str(db.pragma("journal_mode", "wal"))
    except (apsw.IOError, apsw.CantOpenError, apsw.ProtocolError):
        return str(db.pragma("journal_mode", "delete"))


def check_header(path: Path) -> None:
    """Look at the first bytes of the file, without SQLite, which might touch it.

    :raises StoreForeignError: it is another program's database, or a text.
    :raises StoreCorruptError: it is neither empty nor a database.
    """
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise translate(error, path) from error
    if not head:
        return
    foreign = StoreForeignError(
        f"The file {path} belongs to another program and is left alone",
        hint="Set `store.path` to a file of its own.",
    )
    if head.startswith(_MAGIC) and len(head) >= _HEADER:
        if int.from_bytes(head[68:72], "big") != schema.APPLICATION_ID:
            raise foreign
        return
    if _is_text(head):
        raise foreign
    raise StoreCorruptError(
        f"The index {path} is not a readable database",
        hint="Run `openclaw-memory index`: the damaged file is set aside and rebuilt from the notes.",
    )


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(head) - 4
    return True
