"""The sessions of OpenClaw 2026.9 and later, read from its own database and never written.

OpenClaw keeps them in ``<state>/agents/<id>/agent/openclaw-agent.sqlite``: ``session_nodes`` (one row a session key),
``session_windows`` (one row a transcript; a reset begins a new one) and ``transcript_events`` (the lines that used to
stand in a JSONL file, from a certain age on compressed).  Only columns of schema 23 are used.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import apsw

from openclaw_memory_core.errors import StoreError

SCHEMA: Final = 23
"""``user_version`` of the databases that this was written for."""

FILE_NAME: Final = "openclaw-agent.sqlite"
_BUSY_MS: Final = 2_000
_RACY_NS: Final = 2_000_000_000
_PAGE: Final = 500

_WINDOWS: Final = """
SELECT w.session_id, w.session_key,
       coalesce(w.chat_type, CASE WHEN json_valid(n.entry_json) THEN json_extract(n.entry_json, '$.chatType') END),
       coalesce(n.spawned_by, w.spawned_by),
       coalesce(n.parent_session_key, w.parent_session_key),
       CASE WHEN json_valid(n.entry_json) THEN json_extract(n.entry_json, '$.incognito') END,
       coalesce(w.transcript_updated_at, w.updated_at),
       (SELECT count(*) FROM transcript_events e WHERE e.session_id = w.session_id),
       (SELECT max(e.seq) FROM transcript_events e WHERE e.session_id = w.session_id)
FROM session_windows w JOIN session_nodes n ON n.session_key = w.session_key
ORDER BY w.session_id
"""
_ARCHIVED: Final = """
SELECT (SELECT count(*) FROM session_transcript_cold_archives)
     + (SELECT count(*) FROM session_transcript_archives WHERE reason = 'reset')
"""
_EVENTS: Final = """
SELECT seq, event_json, event_zstd FROM transcript_events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class HostTranscript:
    """A transcript and the session that it belongs to.

    :param updated_at: milliseconds since the epoch.
    :param events: how many lines it has; the last one has the number *last*.
    """

    session_id: str
    session_key: str
    chat_type: str | None
    spawned_by: str | None
    parent: str | None
    incognito: bool
    updated_at: int
    events: int
    last: int


@dataclass(frozen=True, slots=True)
class HostEvent:
    """A line: as JSON text, or compressed with Zstandard."""

    number: int
    text: str | None
    compressed: bytes | None


@dataclass(frozen=True, slots=True)
class HostSessions:
    """Everything that the database holds.

    :param archived: how many transcripts OpenClaw has put into archives, which are not read.
    """

    transcripts: tuple[HostTranscript, ...] = ()
    archived: int = 0


class OpenClawSessions:
    """One agent's database.  Thread-safe; nothing is open between calls.

    :param path: the file; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: tuple[tuple[int, ...], HostSessions] | None = None

    def sessions(self) -> HostSessions:
        """What is there now; nothing where there is no such file.  Read anew only if the file has changed.

        :raises StoreError: the file cannot be read, or its tables are not those that we know.
        """
        signature = self._sign()
        if signature is None:
            return HostSessions()
        known = self._known
        if known is not None and known[0] == signature:
            return known[1]
        with self._reading() as db:
            rows: list[Any] = db.execute(_WINDOWS).fetchall()
            archived: Any = db.execute(_ARCHIVED).fetchone()
        transcripts = tuple(_transcript(row) for row in rows if row[7])
        found = HostSessions(transcripts, archived[0])
        # What changed just now may change again within one tick of the clock.
        self._known = (signature, found) if time.time_ns() - max(signature) > _RACY_NS else None
        return found

    def events(self, session_id: str) -> Iterator[HostEvent]:
        """The lines of a transcript in order, in short transactions: OpenClaw goes on writing meanwhile.

        :raises StoreError: see :meth:`sessions`.
        """
        last = -1
        while rows := self._page(session_id, last):
            yield from rows
            last = rows[-1].number

    def _page(self, session_id: str, after: int) -> list[HostEvent]:
        with self._reading() as db:
            rows: list[Any] = db.execute(_EVENTS, (session_id, after, _PAGE)).fetchall()
        return [HostEvent(*row) for row in rows]

    @contextmanager
    def _reading(self) -> Iterator[apsw.Connection]:
        """A connection for one question; every error of SQLite inside becomes ours."""
        try:
            with closing(self._open()) as db:
                yield db
        except apsw.BusyError as error:
            raise StoreError(
                f"{self.path} is locked by OpenClaw", hint="It is looked at again at the next sync."
            ) from error
        except apsw.Error as error:
            raise StoreError(
                f"the sessions of OpenClaw in {self.path} cannot be read ({error})",
                hint=f"This version reads schema {SCHEMA}; look for a newer one of this package.",
            ) from error

    def _open(self) -> apsw.Connection:
        if not self.path.is_file() or self.path.is_symlink():
            raise StoreError(f"{self.path} is not there", hint="OpenClaw makes it when a session begins.")
        db = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            db.set_busy_timeout(_BUSY_MS)
            db.execute("PRAGMA query_only = ON")
            db.execute("PRAGMA trusted_schema = OFF")
        except BaseException:
            db.close()
            raise
        return db

    def _sign(self) -> tuple[int, ...] | None:
        """Size and time of the file and of its log; None if there is no file."""
        try:
            main = self.path.lstat()
        except OSError:
            return None
        try:
            log = self.path.with_name(self.path.name + "-wal").stat()
        except OSError:
            return (main.st_size, main.st_ino, main.st_mtime_ns)
        return (main.st_size, main.st_ino, main.st_mtime_ns, log.st_size, log.st_mtime_ns)


def _transcript(row: Any) -> HostTranscript:
    session_id, key, chat_type, spawned_by, parent, incognito, updated_at, events, last = row
    return HostTranscript(session_id, key, chat_type, spawned_by, parent, bool(incognito), updated_at, events, last)
