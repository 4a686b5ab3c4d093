"""Between rows of the tables and the dataclasses of :mod:`openclaw_memory_core.index.model`."""

from __future__ import annotations

import datetime as dt
import functools
import json
from array import array
from collections.abc import Sequence
from typing import Any

from openclaw_memory_core.index.model import FileState, IndexIdentity, StoredChunk

CHUNK_COLUMNS = (
    "c.id, f.path, f.source, c.start_line, c.end_line, c.text, c.headings, f.curated, f.date, f.mtime, "
    "c.importance, f.session_key, "
    # The part of the document's line numbers that is the chunk's.
    "substr(f.line_map, 8 * c.start_line - 7, 8 * (c.end_line - c.start_line + 1))"
)
FILE_COLUMNS = "path, source, content_hash, stat, indexed_at, chunks, missing, curated, date, session_key"


def identity_json(identity: IndexIdentity) -> str:
    """The identity in a form that is equal exactly when the identities are."""
    parts = {"embedding": dict(identity.embedding), "chunking": dict(identity.chunking), "text": dict(identity.text)}
    return json.dumps(parts, sort_keys=True)


@functools.lru_cache(maxsize=8)
def identity_from_json(text: str) -> IndexIdentity:
    """The identity that :func:`identity_json` wrote."""
    return IndexIdentity(**json.loads(text))


def pack_list(values: Sequence[str]) -> str | None:
    """A tuple of strings as it is stored; None for an empty one."""
    return json.dumps(list(values), ensure_ascii=True) if values else None


def unpack_list(text: str | None) -> tuple[str, ...]:
    """The tuple that :func:`pack_list` wrote."""
    return _unpacked(text) if text else ()


@functools.lru_cache(maxsize=256)
def _unpacked(text: str) -> tuple[str, ...]:
    # The chunks of a section share their headings.
    return tuple(json.loads(text))


def pack_lines(lines: Sequence[int] | None) -> bytes | None:
    """Line numbers as 8-byte integers."""
    return None if lines is None else array("q", lines).tobytes()


def unpack_lines(blob: bytes | None) -> tuple[int, ...] | None:
    """The line numbers that :func:`pack_lines` wrote."""
    if blob is None:
        return None
    lines = array("q")
    lines.frombytes(blob)
    return tuple(lines)


def unpack_date(text: str | None) -> dt.date | None:
    """A stored day."""
    return dt.date.fromisoformat(text) if text else None


def chunk_from_row(row: Sequence[Any]) -> StoredChunk:
    """A chunk from :data:`CHUNK_COLUMNS`."""
    number, path, source, start, end, text, headings, curated, date, mtime, importance, session_key, lines = row
    return StoredChunk(
        number,
        path,
        source,
        start,
        end,
        text,
        unpack_list(headings),
        bool(curated),
        unpack_date(date),
        mtime,
        importance,
        session_key,
        unpack_lines(lines),
    )


def file_from_row(row: Sequence[Any]) -> FileState:
    """The state of a document from :data:`FILE_COLUMNS`."""
    path, source, content_hash, stat, indexed_at, chunks, missing, curated, date, session_key = row
    # Thousands of them are looked at to say that nothing has changed, and parsing JSON would be most of it.
    size, mtime_ns, ctime_ns, inode, device = map(int, stat[1:-1].split(","))
    return FileState(
        path,
        source,
        content_hash,
        (size, mtime_ns, ctime_ns, inode, device),
        indexed_at,
        chunks,
        missing,
        bool(curated),
        unpack_date(date),
        session_key,
    )
