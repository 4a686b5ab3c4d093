"""All stored vectors of a small index in memory: looking there is faster than reading those that are wanted."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import apsw

from openclaw_memory_core.index.store.vectors import STORED

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from openclaw_memory_core.index.store.codes import CodeTable

MOST_BYTES = 64 * 1024 * 1024
"""Larger indexes are read from the file, candidate by candidate."""


@dataclass(frozen=True, slots=True)
class KeptVectors:
    """Vectors by their ids.  In one file a stored vector never changes and its id is never used again, so that none is
    out of date.

    :param file: name of the file that they were read from.
    :param ids: in ascending order.
    :param matrix: one row a vector.
    :param chunks: that have these vectors, in ascending order.
    :param places: row of each chunk's vector.
    """

    file: str
    ids: NDArray[np.int64]
    matrix: NDArray[np.float32]
    chunks: NDArray[np.int64]
    places: NDArray[np.intp]

    def rows(self, vectors: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors with these ids, which must all be among those that are kept."""
        found: NDArray[np.float32] = self.matrix[self.ids.searchsorted(vectors)]
        return found

    def of_chunks(self, chunk_ids: Sequence[int]) -> tuple[list[int], NDArray[np.float32]]:
        """Those of these chunks that have vectors, and the vectors."""
        import numpy as np

        asked = np.array(chunk_ids, dtype=np.int64)
        at = self.chunks.searchsorted(asked)
        there = at < len(self.chunks)
        there[there] = self.chunks[at[there]] == asked[there]
        return asked[there].tolist(), self.matrix[self.places[at[there]]]


def is_small(table: CodeTable, dims: int) -> bool:
    """Whether all vectors of *table* may be kept."""
    return len(table.vectors) * dims * 4 <= MOST_BYTES


def keep(db: apsw.Connection, table: CodeTable, dims: int, kept: KeptVectors | None) -> KeptVectors | None:
    """The vectors of *table*; those that are *kept* already are not read again.  None if one is missing."""
    import numpy as np

    if kept is not None and (kept.file, kept.matrix.shape[1]) != (table.source[0], dims):
        # The index was begun anew, or is that of another model now.
        kept = None
    wanted = np.unique(table.vectors)
    order = np.argsort(table.chunks)
    chunks, rows = table.chunks[order], np.searchsorted(wanted, table.vectors[order])
    if kept is not None and np.array_equal(kept.ids, wanted):
        return replace(kept, chunks=chunks, places=rows)
    matrix = np.empty((len(wanted), dims), dtype=np.float32)
    known = np.zeros(len(wanted), dtype=np.bool_)
    if kept is not None:
        known = np.isin(wanted, kept.ids)
        matrix[known] = kept.rows(wanted[known])
    missing = np.flatnonzero(~known)
    places = dict(zip(wanted[missing].tolist(), missing.tolist(), strict=True))
    for vector, blob in db.execute(STORED, (json.dumps(list(places)),)):
        matrix[places.pop(vector)] = np.frombuffer(blob, dtype="<f4")
    if places:
        return None
    return KeptVectors(table.source[0], wanted, matrix, chunks, rows)
