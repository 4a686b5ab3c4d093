"""All stored vectors of a small index in memory: looking there is faster than reading those that are wanted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from openclaw_memory_core.index.store.vectors import STORED

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from openclaw_memory_core.index.store.codes import CodeTable

MOST_BYTES = 32 * 1024 * 1024
"""Larger indexes are read from the file, candidate by candidate."""


@dataclass(frozen=True, slots=True)
class KeptVectors:
    """Vectors by their ids.  In one file a stored vector never changes and its id is never used again, so that none is
    out of date.

    :param file: name of the file that they were read from.
    :param ids: in ascending order.
    :param matrix: one row a vector.
    """

    file: str
    ids: NDArray[np.int64]
    matrix: NDArray[np.float32]

    def rows(self, vectors: Sequence[int]) -> NDArray[np.float32]:
        """The vectors with these ids, which must all be among those that are kept."""
        import numpy as np

        found: NDArray[np.float32] = self.matrix[np.searchsorted(self.ids, np.array(vectors, dtype=np.int64))]
        return found


def is_small(table: CodeTable, dims: int) -> bool:
    """Whether all vectors of *table* may be kept."""
    return len(table.vectors) * dims * 4 <= MOST_BYTES


def keep(db: apsw.Connection, table: CodeTable, dims: int, kept: KeptVectors | None) -> KeptVectors:
    """The vectors of *table*; those that are *kept* already are not read again."""
    import numpy as np

    if kept is not None and (kept.file, kept.matrix.shape[1]) != (table.source[0], dims):
        # The index was begun anew, or is that of another model now.
        kept = None
    wanted = np.unique(table.vectors)
    if kept is not None and np.array_equal(kept.ids, wanted):
        return kept
    matrix = np.empty((len(wanted), dims), dtype=np.float32)
    known = np.zeros(len(wanted), dtype=np.bool_)
    if kept is not None:
        known = np.isin(wanted, kept.ids)
        matrix[known] = kept.rows(wanted[known].tolist())
    missing = np.flatnonzero(~known)
    places = dict(zip(wanted[missing].tolist(), missing.tolist(), strict=True))
    for vector, blob in db.execute(STORED, (json.dumps(list(places)),)):
        matrix[places[vector]] = np.frombuffer(blob, dtype="<f4")
    return KeptVectors(table.source[0], wanted, matrix)
