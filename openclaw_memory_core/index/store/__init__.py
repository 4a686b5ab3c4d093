"""The SQLite store behind :mod:`openclaw_memory_core.index.protocol`; the only place with SQL."""

from __future__ import annotations

from openclaw_memory_core.index.store.store import SqliteStore

__all__ = ["SqliteStore"]
