"""Exact cosines of stored vectors with a query, the same to the last digit with numpy and without."""

from __future__ import annotations

import json
import math
import sys
from array import array
from collections.abc import Iterable, Sequence
from operator import mul

import apsw

from openclaw_memory_core.embeddings.base import Vector

_FLOAT = 4
_SHORTEST = 1e-15
_LONGEST = 1e15
_DIGITS = 6
"""Digits of a cosine that are the same whoever computed it."""

_STORED = "SELECT v.id, v.embedding FROM json_each(?) AS j JOIN vectors AS v ON v.id = j.value"


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


def stored_cosines(db: apsw.Connection, query: Vector, vectors: Iterable[int]) -> dict[int, float]:
    """Exact cosine of *query* with these stored vectors, by vector id."""
    found = list(db.execute(_STORED, (json.dumps(list(vectors)),)))
    compute = _with_numpy if "numpy" in sys.modules else _in_python
    values = compute(query, [blob for _, blob in found])
    return {vector: round(value, _DIGITS) for (vector, _), value in zip(found, values, strict=True)}


def _with_numpy(query: Vector, blobs: Sequence[Vector]) -> list[float]:
    import numpy as np

    if not blobs:
        return []
    # Products of two float32 are exact in float64, so every way of adding them up gives the same digits.
    matrix = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), -1).astype(np.float64)
    asked = np.frombuffer(query, dtype="<f4").astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix) * (asked @ asked))
    # Not the @ of numpy: its threads cost more than they gain on so few numbers.
    cosines: list[float] = (np.einsum("ij,j->i", matrix, asked) / lengths).tolist()
    return cosines


def _in_python(query: Vector, blobs: Sequence[Vector]) -> list[float]:
    asked = floats(query)
    length = math.hypot(*asked)
    numbers = [floats(blob) for blob in blobs]
    return [sum(map(mul, asked, one)) / (length * math.hypot(*one)) for one in numbers]
