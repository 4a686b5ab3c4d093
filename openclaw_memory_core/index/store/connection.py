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

from openclaw_memory_core.errors import StoreBusyError, StoreCorruptError, StoreError
from openclaw_memory_core.index.store import opening
from openclaw_memory_core.index.store.faults import mapped

logger = logging.getLogger(__name__)

_KEPT_READERS = 4
_TRIES = 5
_PRAGMAS = """
PRAGMA synchronous = NORMAL;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -16000;
PRAGMA journal_size_limit = 33554432;
PRAGMA trusted_schema = OFF;
PRAGMA recursive_triggers = OFF;
"""

FileKey = tuple[int, int]


class Database:
    """One index file.  ``damaged`` is True once SQLite, or the caller, has found the present file to be so,
    ``has_log`` if the open file has a write-ahead log, ``size`` its bytes when it was last looked at.

    :param busy_timeout: seconds to wait for another process's transaction.
    :param vfs: name of a registered SQLite VFS; None for the system's own.
    :param on_write: called before each writing transaction.
    :param on_open: called when another file than before was opened.
    """

    def __init__(
        self,
        path: Path,
        *,
        busy_timeout: float = 10.0,
        vfs: str | None = None,
        on_write: Callable[[], None] = lambda: None,
        on_open: Callable[[], None] = lambda: None,
    ) -> None:
        self.path = path
        self._busy_ms = int(busy_timeout * 1000)
        self._vfs = vfs
        self._on_write = on_write
        self._on_open = on_open
        self._idle: list[apsw.Connection] = []
        self._writer: apsw.Connection | None = None
        self._file: FileKey | None = None
        self._closed = True
        self._epoch = 0
        self._process = os.getpid()
        self._frozen = False
        self.has_log = False
        self.size = 0
        self.damaged = False
        self._state = threading.Lock()
        self._write = threading.RLock()

    def open(self) -> None:
        """Create the file if there is none, check that it is ours, and set it up.

        :raises StoreError: see :meth:`openclaw_memory_core.index.protocol.IndexStore.open`.
        """
        with self._write:
            if self._file is not None and self._file == self._key():
                return
            self._drop_connections()
            self._process = os.getpid()
            self._writer, self._file = self._open_present()
            self._closed = False
            self.damaged = False
            self._on_open()

    def _open_present(self) -> tuple[apsw.Connection, FileKey]:
        """A connection to the file that is at our path, and which file that is.

        Another process may put a new one there meanwhile, and what is written to the old one is read by nobody.
        """
        wal = True
        for _ in range(_TRIES):
            key = None
            try:
                with self._mapped():
                    opening.prepare(self.path)
                    key = self._key()
                    opening.check_header(self.path)
                    db = self._open_file(wal=wal)
                    if db is None:
                        opening.remove(self.path)
            except StoreError:
                if key is None or key == self._key():
                    raise
                continue
            if db is None:
                wal = False
            elif key is not None and key == self._key():
                return db, key
            else:
                db.close()
        raise StoreBusyError(
            f"The index {self.path} is replaced by another process again and again", hint="Try again in a moment."
        )

    def _open_file(self, *, wal: bool) -> apsw.Connection | None:
        """A connection to the file, made if need be; None if it cannot have the write-ahead log that it was given."""
        self._frozen = opening.is_frozen(self.path)
        db = self._connect()
        try:
            opening.set_up(db, self.path)
            works = not wal or opening.use_wal(db)
            self.has_log = db.pragma("journal_mode") == "wal"
        except BaseException:
            db.close()
            raise
        if works:
            return db
        db.close()
        return None

    def erase(self) -> None:
        """Close every connection and delete the file; where another process has it open, it is emptied instead.

        :raises StoreError: it is locked, or cannot be deleted.
        """
        from openclaw_memory_core.index.store.emptying import give_up

        with self._write:
            self.close()
            with self._mapped():
                give_up(self.path, self._connect)
            self.damaged = False

    def close(self) -> None:
        """Close every connection that is not in use; those in use are closed when they are given back."""
        with self._write:
            self._closed = True
            self._drop_connections()

    @property
    def is_replaced(self) -> bool:
        """Whether another file than the open one is at our path, or none."""
        return self._key() != self._file

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """A connection inside one read transaction: a consistent view, whatever is written meanwhile."""
        self._follow()
        with self._mapped():
            db, epoch = self._take()
            try:
                db.execute("BEGIN")
                yield db
            finally:
                self._give_back(db, epoch)

    @contextmanager
    def read_fresh(self) -> Iterator[apsw.Connection]:
        """A connection that has read nothing before, closed afterwards."""
        self._follow()
        with self._mapped():
            db = self._connect()
            try:
                yield db
            finally:
                db.close()

    @contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """The writing connection inside one transaction: all of it or nothing."""
        with self._write:
            self._follow()
            db = self._writer
            if db is None:
                raise StoreError(f"The index {self.path} is closed", hint="Open the store before using it.")
            self._on_write()
            with self._mapped():
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
            with self._mapped():
                yield self._writer

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """No other thread writes, opens or closes meanwhile."""
        with self._write:
            yield

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        """Our errors for SQLite's, and a note that the present file is damaged if that is what they say."""
        epoch = self._epoch
        try:
            with mapped(self.path):
                yield
        except StoreCorruptError:
            if epoch == self._epoch:
                self.damaged = True
            raise

    def _follow(self) -> None:
        """Move to the file that is at our path now: another process may have set the old one aside.

        Where that fails, or another thread is at it, there is no file for a moment, and it is tried again.
        """
        if self._closed:
            raise StoreError(f"The index {self.path} is closed", hint="Open the store before using it.")
        if self._process != os.getpid():
            # SQLite's view of the file's locks was copied with the process and is wrong here.
            raise StoreError(
                f"The index {self.path} was opened before this process was forked",
                hint="Load the memory slot in the child process, or start it with spawn instead of fork.",
            )
        if self._file is None or self._key() != self._file:
            logger.info("The index %s was replaced; opening the new one", self.path)
            self.open()

    def _key(self) -> FileKey | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        self.size = found.st_size
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
        name, flags = str(self.path), apsw.SQLITE_OPEN_READWRITE
        if self._frozen:
            name, flags = (
                f"{self.path.absolute().as_uri()}?immutable=1",
                apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
            )
        db = apsw.Connection(name, flags=flags, vfs=self._vfs)
        try:
            db.set_busy_timeout(self._busy_ms)
            db.execute(_PRAGMAS)
        except BaseException:
            db.close()
            raise
        return db
