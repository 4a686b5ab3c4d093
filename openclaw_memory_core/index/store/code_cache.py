"""The codes a process keeps between searches, brought up to date by what changed."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import apsw

from openclaw_memory_core.index.store.schema import sql

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from openclaw_memory_core.index.store.codes import CodeTable
    from openclaw_memory_core.index.store.generations import Generation
    from openclaw_memory_core.index.store.kept_vectors import KeptVectors
    from openclaw_memory_core.privacy import Visible

_MASKS = 8
"""Audiences whose hidden files are remembered."""

_CODES = """SELECT c.id, c.file, c.vector, k.code FROM gN_chunks AS c
    LEFT JOIN codes AS k ON k.centre = :centre AND k.vector = c.vector
    WHERE c.vector > 0 AND CONDITION"""

_CHANGED = "SELECT id, changed FROM gN_files"


class CodeCache:
    """One table of codes, shared by all threads.

    ``asked_before`` is True once a search found a large index: the next one is worth loading numpy for.
    """

    def __init__(self) -> None:
        self.asked_before = False
        self._table: CodeTable | None = None
        self._vectors: KeptVectors | None = None
        self._vectors_of: CodeTable | None = None
        self._hidden: dict[Visible, NDArray[np.int64]] = {}
        self._lock = threading.Lock()

    def table(self, db: apsw.Connection, generation: Generation) -> CodeTable:
        """The codes of *generation* exactly as *db*'s transaction sees them."""
        with self._lock:
            kept = self._table
            if kept is not None and kept.shows(generation.source, generation.revision, generation.centre):
                return kept
            table = _refresh(db, generation, kept)
            # A reader that began before the kept table was built gets one of its own.
            if kept is None or kept.source != table.source or table.revision >= kept.revision:
                self._table = table
                self._hidden.clear()
            return table

    def vectors(self, db: apsw.Connection, table: CodeTable, dims: int) -> KeptVectors | None:
        """The vectors of a small *table*; None for a large one, and when it is asked for the first time."""
        from openclaw_memory_core.index.store.kept_vectors import is_small, keep

        if not is_small(table, dims):
            return None
        with self._lock:
            if self._vectors_of is None:
                # A process that asks once reads what it needs.
                self._vectors_of = table
                return None
            if self._vectors_of is not table or self._vectors is None:
                # Reading may fail, and what is kept is of the former table then.
                self._vectors = keep(db, table, dims, self._vectors)
                self._vectors_of = table
            return self._vectors

    def hidden(self, table: CodeTable, visible: Visible) -> NDArray[np.int64] | None:
        """Files that *visible* hides, if that was asked of this table before."""
        with self._lock:
            return self._hidden.get(visible) if table is self._table else None

    def remember_hidden(self, table: CodeTable, visible: Visible, files: Sequence[int]) -> NDArray[np.int64]:
        """Keep the answer for the next search of the same audience."""
        import numpy as np

        found = np.array(files, dtype=np.int64)
        with self._lock:
            if table is self._table:
                while len(self._hidden) >= _MASKS:
                    del self._hidden[next(iter(self._hidden))]
                self._hidden[visible] = found
        return found

    def clear(self) -> None:
        """Forget everything: the file was closed or replaced."""
        with self._lock:
            self._table = self._vectors = self._vectors_of = None
            self._hidden.clear()


def _refresh(db: apsw.Connection, generation: Generation, kept: CodeTable | None) -> CodeTable:
    changed = dict(db.execute(sql(_CHANGED, generation.id)))
    centre = generation.centre or 0
    if kept is None or kept.source != generation.source or kept.centre != centre:
        everything = _CODES.replace("CONDITION", "true")
        rows = list(db.execute(sql(everything, generation.id), {"centre": centre}))
        return _build(generation, changed, rows)
    stale = [file for file, revision in kept.changed.items() if changed.get(file) != revision]
    new = [file for file, revision in changed.items() if kept.changed.get(file) != revision]
    bindings = {"centre": centre, "files": json.dumps(new)}
    some = _CODES.replace("CONDITION", "c.file IN (SELECT value FROM json_each(:files))")
    rows = list(db.execute(sql(some, generation.id), bindings)) if new else []
    return _join(kept, stale, _build(generation, changed, rows))


def _build(
    generation: Generation, changed: dict[int, int], rows: Sequence[tuple[int, int, int, bytes | None]]
) -> CodeTable:
    import numpy as np

    from openclaw_memory_core.index.store.codes import CodeTable, code_bytes

    size = code_bytes(generation.dims or 0)
    empty = bytes(size)
    codes = np.frombuffer(b"".join(row[3] or empty for row in rows), dtype=np.uint64).reshape(len(rows), size // 8)
    ids = np.array([row[:3] for row in rows], dtype=np.int64).reshape(len(rows), 3)
    return CodeTable(
        source=generation.source,
        revision=generation.revision,
        centre=generation.centre or 0,
        changed=changed,
        chunks=np.ascontiguousarray(ids[:, 0]),
        files=np.ascontiguousarray(ids[:, 1]),
        vectors=np.ascontiguousarray(ids[:, 2]),
        coded=np.array([row[3] is not None for row in rows], dtype=np.bool_),
        codes=np.ascontiguousarray(codes.T),
    )


def _join(kept: CodeTable, stale: Sequence[int], new: CodeTable) -> CodeTable:
    import numpy as np

    from openclaw_memory_core.index.store.codes import CodeTable

    stay = kept.without(stale)
    if not len(new.chunks) and stay.all():
        columns = (kept.chunks, kept.files, kept.vectors, kept.coded, kept.codes)
    else:
        columns = (
            np.concatenate([kept.chunks[stay], new.chunks]),
            np.concatenate([kept.files[stay], new.files]),
            np.concatenate([kept.vectors[stay], new.vectors]),
            np.concatenate([kept.coded[stay], new.coded]),
            np.concatenate([kept.codes[:, stay], new.codes], axis=1),
        )
    return CodeTable(new.source, new.revision, new.centre, new.changed, *columns)
