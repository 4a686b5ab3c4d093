"""What ``status`` and ``doctor`` are told about the store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from openclaw_memory_core.index.store import generations, schema

if TYPE_CHECKING:
    from openclaw_memory_core.index.store.extension import VectorExtension


def of_file(db: apsw.Connection, path: Path) -> dict[str, Any]:
    """Sizes in bytes, format, how changes are made safe.

    ``reusableBytes`` are pages that hold nothing at present; ``journalReason`` says why there is no write-ahead log.
    """
    wal = Path(f"{path}-wal")
    journal = str(db.pragma("journal_mode"))
    facts = {
        "bytes": path.stat().st_size,
        "walBytes": wal.stat().st_size if wal.exists() else 0,
        "reusableBytes": db.pragma("freelist_count") * db.pragma("page_size"),
        "format": schema.FORMAT,
        "sqliteVersion": apsw.sqlite_lib_version(),
        "readOnly": db.readonly("main"),
        "journalMode": journal,
    }
    if journal != "wal":
        facts["journalReason"] = (
            "this file system cannot hold a write-ahead log: searches wait while a document is written"
        )
    return facts


def of_generations(db: apsw.Connection) -> dict[str, Any]:
    """Which generation answers, since when, and which are being built."""
    current = generations.active(db)
    return {
        "generation": current.id if current else 0,
        "revision": current.revision if current else 0,
        "publishedAt": current.published_at if current else None,
        "building": [one.id for one in generations.in_state(db, "building")],
    }


def of_text(kind: schema.TextKind) -> dict[str, Any]:
    """Whether words can be searched, and how they are cut; ``reason`` says why not."""
    if kind == "none":
        return {"enabled": False, "tokenizer": None, "reason": "FTS5 is not available: search by vectors only"}
    return {"enabled": True, "tokenizer": kind, "reason": None}


def of_vectors(db: apsw.Connection, extension: VectorExtension) -> dict[str, Any]:
    """Whether vectors can be searched and by what: ``sqlite-vec``, ``numpy`` or ``off``, with the reason."""
    current = generations.active(db)
    method = "off"
    if extension.enabled:
        method = "sqlite-vec" if extension.reason is None else "numpy"
    return {
        "enabled": extension.enabled,
        "method": method,
        "extension": extension.enabled and extension.reason is None,
        "extensionPath": str(extension.path) if extension.path else None,
        "extensionVersion": extension.version,
        "reason": extension.reason,
        "dimensions": current.dims if current else None,
        "coded": current is not None and current.centre is not None,
    }
