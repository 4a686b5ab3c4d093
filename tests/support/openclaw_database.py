"""An agent's database as OpenClaw 2026.9.6 makes it, as far as sessions go (schema 23, columns that matter)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw

_SCHEMA = """
CREATE TABLE session_nodes (
  session_key TEXT NOT NULL PRIMARY KEY, current_session_id TEXT NOT NULL, entry_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL, parent_session_key TEXT, spawned_by TEXT
) STRICT;
CREATE TABLE session_windows (
  session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, transcript_updated_at INTEGER, chat_type TEXT, parent_session_key TEXT, spawned_by TEXT
) STRICT;
CREATE TABLE transcript_events (
  session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL, event_zstd BLOB,
  event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY (session_id, seq)
) STRICT;
CREATE TABLE session_transcript_archives (
  session_id TEXT NOT NULL, generation TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (session_id, generation)
) STRICT;
CREATE TABLE session_transcript_cold_archives (session_id TEXT NOT NULL PRIMARY KEY) STRICT;
PRAGMA user_version = 23;
"""


class OpenClawDatabase:
    """``OpenClawDatabase(agent_dir / "openclaw-agent.sqlite")``; the writer's connection is open between calls."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._time = 1_796_000_000_000
        with closing(self.open()) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(_SCHEMA)

    def open(self) -> apsw.Connection:
        """A connection that may write."""
        return apsw.Connection(str(self.path))

    def session(self, key: str, session_id: str, *, entry: Mapping[str, Any] | None = None, **columns: Any) -> None:
        """A session key with a transcript of its own; ``columns`` of ``session_windows``."""
        self._time += 1000
        with closing(self.open()) as db:
            text = json.dumps({"sessionId": session_id, **(entry or {})})
            db.execute(
                "INSERT INTO session_nodes VALUES (?, ?, ?, ?, NULL, NULL)"
                " ON CONFLICT DO UPDATE SET current_session_id = excluded.current_session_id",
                (key, session_id, text, self._time),
            )
            names = ["session_id", "session_key", "created_at", "updated_at", "transcript_updated_at", *columns]
            values = [session_id, key, self._time, self._time, self._time, *columns.values()]
            db.execute(
                f"INSERT INTO session_windows ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", values
            )

    def say(self, session_id: str, role: str, text: str, *, zstd: bytes | None = None) -> None:
        """Add a message; *zstd* is stored in its place."""
        self._time += 1000
        message = {"role": role, "content": text, "timestamp": self._time}
        event = json.dumps({"type": "message", "id": f"m{self._time}", "message": message}, ensure_ascii=False)
        with closing(self.open()) as db:
            (last,) = db.execute(
                "SELECT coalesce(max(seq), -1) FROM transcript_events WHERE session_id = ?", (session_id,)
            ).fetchone()
            db.execute(
                "INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?, ?, NULL)",
                (session_id, last + 1, event if zstd is None else None, self._time, zstd, len(event)),
            )
            db.execute(
                "UPDATE session_windows SET transcript_updated_at = ? WHERE session_id = ?", (self._time, session_id)
            )

    def execute(self, sql: str) -> None:
        """Anything else."""
        with closing(self.open()) as db:
            db.execute(sql)


def event_bytes(role: str, text: str) -> bytes:
    """A message event as it is before compression."""
    return json.dumps({"type": "message", "message": {"role": role, "content": text}}).encode()
