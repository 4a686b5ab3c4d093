"""All chunks of a small index in memory: loading a hundred candidates would be a sixth of a search."""

from __future__ import annotations

import json
import sys
import threading
from typing import TYPE_CHECKING

from openclaw_memory_core.index.store import rows
from openclaw_memory_core.index.store.schema import sql
from openclaw_memory_core.records import record

if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

    from openclaw_memory_core.index.model import Moment, StoredChunk
    from openclaw_memory_core.index.store.generations import Generation

MOST_CHUNKS = 16_384
MOST_BYTES = 24 * 1024 * 1024
"""Larger indexes are read from the file, candidate by candidate."""

_FIELDS = 350
_LINE = 40
"""Bytes of a chunk without its texts, and of a line number."""

_DOCUMENTS = "SELECT id, changed, chunks FROM gN_files"

_CHUNKS = """SELECT COLUMNS, c.file FROM gN_files AS f
    JOIN gN_chunks AS c ON c.file = f.id WHERE CONDITION"""
_CHUNKS = _CHUNKS.replace("COLUMNS", rows.CHUNK_COLUMNS)


@record
class KeptChunks:
    """The chunks of a generation at one revision, which never changes.

    :param moment: of the index that they were read from.
    :param changed: revision of each document's rows, by its number.
    :param known: each chunk by its number.
    :param owners: number of the document of each chunk.
    """

    moment: Moment
    changed: dict[int, int]
    known: dict[int, StoredChunk]
    owners: dict[int, int]

    def some(self, chunk_ids: Iterable[int]) -> dict[int, StoredChunk]:
        """These chunks, as far as there are such."""
        return {number: self.known[number] for number in chunk_ids if number in self.known}


class ChunkCache:
    """Keeps the chunks of one generation, shared by all threads; of a later one only what is new is read."""

    def __init__(self) -> None:
        self._kept: KeptChunks | None = None
        self._asked_before = False
        self._too_large: tuple[str, int] | None = None
        self._lock = threading.Lock()

    def chunks(self, db: apsw.Connection, generation: Generation) -> KeptChunks | None:
        """The chunks of *generation* exactly as *db*'s transaction sees them.

        None for a large index, and when it is asked for the first time: a process that asks once reads what it needs.
        """
        with self._lock:
            kept = self._kept
            if kept is not None and kept.moment == generation.moment:
                return kept
            first, self._asked_before = not self._asked_before, True
            if first or self._too_large == generation.source:
                return None
            same = kept if kept is not None and kept.moment[:2] == generation.source else None
            new = _read(db, generation, same)
            if new is None:
                self._too_large, self._kept = generation.source, None
            elif same is None or new.moment > same.moment:
                # A reader that began before the kept ones were read gets its own.
                self._kept = new
            return new

    def clear(self) -> None:
        """Forget everything: the file was closed or replaced."""
        with self._lock:
            self._kept = self._too_large = None
            self._asked_before = False


def _read(db: apsw.Connection, generation: Generation, kept: KeptChunks | None) -> KeptChunks | None:
    """The chunks of *generation*, without reading those again that are *kept*; None if there are too many."""
    documents = list(db.execute(sql(_DOCUMENTS, generation.id)))
    if sum(chunks for *_, chunks in documents) > MOST_CHUNKS:
        return None
    changed = {number: revision for number, revision, _ in documents}
    known: dict[int, StoredChunk] = {}
    owners: dict[int, int] = {}
    condition, bindings = "true", {}
    if kept is not None:
        stays = {number for number, revision in changed.items() if kept.changed.get(number) == revision}
        owners = {chunk: owner for chunk, owner in kept.owners.items() if owner in stays}
        known = kept.some(owners)
        condition = "f.id IN (SELECT value FROM json_each(:documents))"
        bindings = {"documents": json.dumps(list(changed.keys() - stays))}
    size = sum(map(_bytes, known.values()))
    for *row, owner in db.execute(sql(_CHUNKS.replace("CONDITION", condition), generation.id), bindings):
        chunk = rows.chunk_from_row(row)
        size += _bytes(chunk)
        if size > MOST_BYTES:
            return None
        known[chunk.id], owners[chunk.id] = chunk, owner
    return KeptChunks(generation.moment, changed, known, owners)


def _bytes(chunk: StoredChunk) -> int:
    """What it takes in memory, about."""
    return _FIELDS + _LINE * len(chunk.line_map or ()) + sum(map(sys.getsizeof, (chunk.text, *chunk.headings)))
