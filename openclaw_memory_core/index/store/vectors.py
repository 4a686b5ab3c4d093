"""Cosines of stored vectors with a query, in SQL where sqlite-vec is loaded, else with numpy."""

from __future__ import annotations

import json
import math
import sys
from array import array
from collections.abc import Iterable, Sequence

import apsw

from openclaw_memory_core.embeddings.base import Vector

_FLOAT = 4
_SHORTEST = 1e-15
_LONGEST = 1e15
_DIGITS = 6
"""Digits of a cosine that are the same whoever computed it."""


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


def stored_cosines(db: apsw.Connection, query: Vector, vectors: Iterable[int], *, extension: bool) -> dict[int, float]:
    """Exact cosine of *query* with these stored vectors, by vector id."""
    ids = json.dumps(list(vectors))
    if extension and "numpy" not in sys.modules:
        rows = db.execute(
            "SELECT v.id, 1.0 - vec_distance_cosine(v.embedding, :query) FROM json_each(:ids) AS j "
            "JOIN vectors AS v ON v.id = j.value",
            {"ids": ids, "query": query},
        )
        return {vector: round(cosine, _DIGITS) for vector, cosine in rows if cosine is not None}
    rows = db.execute("SELECT v.id, v.embedding FROM json_each(?) AS j JOIN vectors AS v ON v.id = j.value", (ids,))
    found = list(rows)
    values = cosines(query, [blob for _, blob in found])
    return {vector: value for (vector, _), value in zip(found, values, strict=True)}


def cosines(query: Vector, blobs: Sequence[Vector]) -> list[float]:
    """Exact cosine of *query* with each vector, all of the same length."""
    if not blobs:
        return []
    import numpy as np

    matrix = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), -1)
    asked = np.frombuffer(query, dtype="<f4").astype(np.float64)
    asked /= np.linalg.norm(asked)
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))
    return [round(float(value), _DIGITS) for value in (matrix @ asked) / lengths]
