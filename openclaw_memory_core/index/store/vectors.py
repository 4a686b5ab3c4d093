"""Exact cosines of stored vectors with a query, the same to the last digit with numpy and without."""

from __future__ import annotations

import json
import math
import sys
from array import array
from collections.abc import Iterable, Sequence
from operator import mul
from typing import TYPE_CHECKING

import apsw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from openclaw_memory_core.embeddings.base import Vector

_FLOAT = 4
_SHORTEST = 1e-15
_LONGEST = 1e15
_PARTS = 1e6
"""Cosines are given in millionths: so far they are the same whoever computed them."""

SPARE = 2
"""Float32 orders vectors well enough to choose so many times more than are wanted; those are ranked exactly."""

STORED = "SELECT v.id, v.embedding FROM json_each(?) AS j JOIN vectors AS v ON v.id = j.value"


def floats(vector: Vector) -> array[float]:
    """The numbers of a vector."""
    numbers = array("f")
    numbers.frombytes(vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def is_usable(vector: Vector) -> bool:
    """False for a vector without a direction: empty, all zero, or with a number that is not finite."""
    if not vector or len(vector) % _FLOAT:
        return False
    # The length of the vector finds all three: infinities and NaN survive it.  Beyond the bounds its square leaves the
    # range of a float32, in which sqlite-vec computes.
    return _SHORTEST < math.hypot(*floats(vector)) < _LONGEST


def stored_cosines(
    db: apsw.Connection, query: Vector, vectors: Iterable[int], *, best: int | None = None
) -> dict[int, float]:
    """Exact cosine of *query* with these stored vectors, by vector id.

    :param best: so many nearest ones are enough; others may be left out.
    """
    return cosines_with(query, list(db.execute(STORED, (json.dumps(sorted(vectors)),))), best=best)


def cosines_with(query: Vector, vectors: Sequence[tuple[int, Vector]], *, best: int | None = None) -> dict[int, float]:
    """Exact cosine of *query* with each of these numbered vectors, by number.

    :param best: so many nearest ones are enough; others may be left out.
    """
    compute = _with_numpy if "numpy" in sys.modules else _in_python
    return {vectors[row][0]: value for row, value in compute(query, [blob for _, blob in vectors], best)}


def cosines_of_rows(
    query: Vector, numbers: Sequence[int], rows: NDArray[np.float32], *, best: int | None = None
) -> dict[int, float]:
    """The same for vectors that are the rows of a matrix."""
    return {numbers[row]: value for row, value in _cosines(query, rows, best)}


def _with_numpy(query: Vector, blobs: Sequence[Vector], best: int | None) -> Iterable[tuple[int, float]]:
    import numpy as np

    if not blobs:
        return []
    return _cosines(query, np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), -1), best)


def _cosines(query: Vector, matrix: NDArray[np.float32], best: int | None) -> Iterable[tuple[int, float]]:
    import numpy as np

    # Not the @ of numpy: its threads cost more than they gain on so few numbers.
    asked = np.frombuffer(query, dtype="<f4")
    rows = np.arange(len(matrix))
    if best is not None and len(matrix) > SPARE * best:
        near = np.einsum("ij,j->i", matrix, asked) / np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
        rows = (-near).argpartition(SPARE * best)[: SPARE * best]
    # Products of two float32 are exact in float64, so every way of adding them up gives the same digits.
    few, exact = matrix[rows].astype(np.float64), asked.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", few, few) * np.einsum("i,i", exact, exact))
    values = np.rint(np.einsum("ij,j->i", few, exact) / lengths * _PARTS) / _PARTS + 0.0  # no -0.0
    return zip(rows.tolist(), values.tolist(), strict=True)


def _in_python(query: Vector, blobs: Sequence[Vector], _best: int | None) -> Iterable[tuple[int, float]]:
    asked = floats(query)
    length = math.hypot(*asked)
    numbers = [floats(blob) for blob in blobs]
    values = (sum(map(mul, asked, one)) / (length * math.hypot(*one)) for one in numbers)
    return enumerate(round(value * _PARTS) / _PARTS for value in values)
