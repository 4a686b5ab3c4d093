"""One agent's index in one SQLite file."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from openclaw_memory_core.config.model import CacheConfig
from openclaw_memory_core.errors import StoreCorruptError
from openclaw_memory_core.index.store import facts, generations, opening
from openclaw_memory_core.index.store.code_cache import CodeCache
from openclaw_memory_core.index.store.connection import Database
from openclaw_memory_core.index.store.extension import VectorExtension
from openclaw_memory_core.index.store.faults import translate
from openclaw_memory_core.index.store.lease import Lease
from openclaw_memory_core.index.store.reader import SqliteReader
from openclaw_memory_core.index.store.recent import Kept

if TYPE_CHECKING:
    from apsw import Connection

    from openclaw_memory_core.index.model import IndexIdentity
    from openclaw_memory_core.index.store.generations import Generation
    from openclaw_memory_core.index.store.schema import TextKind
    from openclaw_memory_core.index.store.writer import SqliteWriter


TWO_READERS_FROM = 256 * 1024 * 1024
"""Bytes of an index that two threads search faster than one; a smaller one is searched before the other has begun."""


class SqliteStore:
    """Implements :class:`openclaw_memory_core.index.protocol.IndexStore`.  Thread-safe.

    :param path: the index file; its folder is made if there is none.
    :param vector_enabled: False stores vectors but never searches them.
    :param extension_path: sqlite-vec to load instead of the packaged one.
    :param fts_tokenizer: ``trigram`` finds parts of words of three characters and more.
    :param fts_enabled: False works without a text index, as on an SQLite without FTS5.
    :param clock: wall clock, seconds since the epoch.
    :param busy_timeout: seconds to wait for another process's transaction.
    :param vfs: name of a registered SQLite VFS.
    """

    def __init__(
        self,
        path: Path,
        *,
        vector_enabled: bool = True,
        extension_path: Path | None = None,
        fts_tokenizer: Literal["unicode61", "trigram"] = "unicode61",
        fts_enabled: bool = True,
        cache: CacheConfig | None = None,
        clock: Callable[[], float] = time.time,
        busy_timeout: float = 10.0,
        vfs: str | None = None,
    ) -> None:
        self.path = path
        self._kind: TextKind = fts_tokenizer if fts_enabled else "none"
        self._clock = clock
        cache = cache or CacheConfig()
        self._unreferenced = cache.max_entries if cache.enabled else 0
        self._extension = VectorExtension(extension_path, enabled=vector_enabled)
        self._codes = CodeCache()
        self._kept = Kept()
        self._lease = Lease(path.with_name(path.name + ".lock"), clock)
        self._database = Database(
            path, busy_timeout=busy_timeout, vfs=vfs, on_write=self._lease.renew, on_open=self._forget
        )

    def open(self) -> None:
        """See the protocol."""
        self._database.open()
        self._lease.clear_dead()

    @property
    def is_replaced(self) -> bool:
        """Whether another file than the open one is in its place, or none; the next reader opens that."""
        return self._database.is_replaced

    @contextmanager
    def reader(self) -> Iterator[SqliteReader]:
        """See the protocol."""
        with self._database.read() as db:
            yield SqliteReader(db, self._extension, self._codes, self._kept, fts=self._kind != "none")

    @property
    def worth_two_readers(self) -> bool:
        """See the protocol."""
        return self._database.has_log and self._database.size >= TWO_READERS_FROM

    def writer(self, identity: IndexIdentity, *, rebuild: bool = False) -> SqliteWriter:
        """See the protocol."""
        # Readers, which are most processes, need none of it.
        from openclaw_memory_core.index.store import upkeep
        from openclaw_memory_core.index.store.writer import SqliteWriter

        with self._database.write() as db:
            chosen = self._choose(db, identity, rebuild=rebuild)
        upkeep.drop_leftovers(self._database)
        return SqliteWriter(self._database, chosen, upkeep.Retention(self._unreferenced), self._clock)

    def _choose(self, db: Connection, identity: IndexIdentity, *, rebuild: bool) -> Generation:
        def fits(generation: Generation) -> bool:
            return generation.identity == identity and generation.text_kind == self._kind

        current = generations.active(db)
        chosen = current if current is not None and fits(current) and not rebuild else None
        for half in generations.in_state(db, "building"):
            if chosen is None and fits(half):
                chosen = half
            else:
                generations.retire(db, half.id)
        if chosen is None:
            number = generations.create(db, identity, self._kind, self._clock())
            chosen = next(one for one in generations.in_state(db, "building") if one.id == number)
        return chosen

    def lease(self, owner: str, *, wait: float) -> AbstractContextManager[None]:
        """See the protocol."""
        return self._lease.hold(owner, wait)

    def state(self, key: str) -> Any:
        """See the protocol."""
        with self._database.read() as db:
            found = db.execute("SELECT value FROM meta WHERE key = ?", ("state:" + key,)).get
        return None if found is None else json.loads(found)

    def set_state(self, key: str, value: Any) -> None:
        """See the protocol."""
        with self._database.write() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", ("state:" + key, json.dumps(value)))

    def set_aside(self) -> str:
        """See the protocol.  Only the newest damaged file is kept; call :meth:`open` to begin anew.

        A file that was not found to be damaged stays where it is: when two threads meet the same damage, the second
        one must not take away what the first one has begun anew.

        :raises StoreForeignError: the file is another program's; it is left alone.
        """
        with self._database.exclusive():
            if not self._database.damaged and not self._is_damaged_outside():
                return max(map(str, self.damaged_files()), default=str(self.path))
            self.close()
            return str(self._move_away())

    def _is_damaged_outside(self) -> bool:
        """Whether the first bytes of a closed file show that it is damaged."""
        try:
            if self.path.exists():
                opening.check_header(self.path)
        except StoreCorruptError:
            return True
        return False

    def damaged_files(self) -> list[Path]:
        """What was set aside and is still there, without SQLite's files beside it."""
        return [path for path in self._moved_away() if not path.name.endswith(opening.COMPANIONS)]

    def _moved_away(self) -> list[Path]:
        import glob

        return sorted(self.path.parent.glob(f"{glob.escape(self.path.name)}.corrupt-*"))

    def _move_away(self) -> Path:
        stamp = dt.datetime.fromtimestamp(self._clock(), dt.UTC).strftime("%Y%m%dT%H%M%SZ")
        older = self._moved_away()
        names = itertools.chain([stamp], (f"{stamp}-{number}" for number in itertools.count(2)))
        candidates = (self.path.with_name(f"{self.path.name}.corrupt-{name}") for name in names)
        target = next(candidate for candidate in candidates if not candidate.exists())
        try:
            # The log first: a new file at our path must never meet the old one's log.
            for companion in (*opening.COMPANIONS, ""):
                with contextlib.suppress(FileNotFoundError):
                    Path(f"{self.path}{companion}").rename(f"{target}{companion}")
            for path in older:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise translate(error, self.path) from error
        self._database.damaged = False
        return target

    def reset(self) -> None:
        """Delete the index.  Notes are not touched.

        Where another process has it open, the file stays and holds nothing.

        :raises StoreForeignError: the file is another program's; it is left alone.
        :raises StoreError: it is locked, or cannot be deleted.
        """
        with self._database.exclusive():
            self.close()
            if self.path.exists():
                with contextlib.suppress(StoreCorruptError):
                    opening.check_header(self.path)
                self._database.erase()

    def integrity_check(self, *, full: bool = False) -> list[str]:
        """Problems of the file in SQLite's words; empty if there are none.

        :param full: check the indexes against their tables as well (slow on a large index).
        """
        statement = "PRAGMA integrity_check" if full else "PRAGMA quick_check"
        try:
            # FTS5 checks against what its connection read of the index before, and calls later changes a corruption.
            with self._database.read_fresh() as db:
                found = [str(row[0]) for row in db.execute(statement)]
        except StoreCorruptError as error:
            return [error.message]
        if found == ["ok"]:
            return []
        self._database.damaged = True
        return found

    def vacuum(self) -> None:
        """Give unused pages back to the file system."""
        with self._database.outside() as db:
            db.execute("VACUUM")

    def describe(self) -> dict[str, Any]:
        """See the protocol."""
        with self._database.read() as db:
            self._extension.load(db)
            return {
                "path": str(self.path),
                **facts.of_file(db, self.path),
                **facts.of_generations(db),
                "lease": self._lease.owner(),
                "fts": facts.of_text(self._kind),
                "vector": facts.of_vectors(db, self._extension),
            }

    def close(self) -> None:
        """See the protocol."""
        self._database.close()
        self._forget()

    def _forget(self) -> None:
        """What is kept is of the file that was open.  An older copy of it may count its changes as that one did."""
        self._codes.clear()
        self._kept.clear()
