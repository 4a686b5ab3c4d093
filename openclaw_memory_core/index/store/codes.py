"""Sign-bit codes of vectors, and the table of them that a process keeps.

A code holds one bit a dimension: whether the vector, brought to length 1 and with the mean of all vectors taken away,
is positive there.  The number of differing bits orders vectors nearly as their angle does (Charikar, 2002), at a
thirty-second of the size.  Taking the mean away matters: vectors of one model tend to point into one half of the space,
so that many of their signs say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openclaw_memory_core.index.store.vectors import floats

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from openclaw_memory_core.embeddings.base import Vector

    Ints = NDArray[np.int64]
    Words = NDArray[np.uint64]
    Mask = NDArray[np.bool_]

_WORD_BYTES = 8
_ROWS = 256
"""Vectors computed with at once in float64."""

_BLOCK = 65_536
"""Rows compared at once: what is written meanwhile stays in the processor's cache."""


def code_bytes(dims: int) -> int:
    """Length of a code: whole 64-bit words."""
    return -(-dims // 64) * _WORD_BYTES


def encode(vector: Vector, mean: Vector) -> bytes:
    """Code of one vector, without numpy."""
    numbers, means = floats(vector), floats(mean)
    length = sum(number * number for number in numbers) ** 0.5
    bits = 0
    for number, middle in zip(numbers, means, strict=True):
        bits = bits << 1 | (number / length > middle)
    size = code_bytes(len(numbers))
    return (bits << (8 * size - len(numbers))).to_bytes(size, "big")


def encode_all(vectors: Sequence[Vector], mean: Vector) -> list[bytes]:
    """Codes of many vectors."""
    import numpy as np

    units = unit_rows(vectors)
    bits = units > np.frombuffer(mean, dtype="<f4")
    packed = np.packbits(bits, axis=1)
    padded = np.zeros((len(vectors), code_bytes(bits.shape[1])), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return [row.tobytes() for row in padded]


def mean_of(vectors: Sequence[Vector]) -> Vector:
    """Mean of the vectors, each brought to length 1."""
    # A few at a time: thousands of them as float64, several times over, would be most of what indexing needs of memory.
    starts = range(0, len(vectors), _ROWS)
    total = sum(unit_rows(vectors[start : start + _ROWS]).sum(axis=0) for start in starts)
    mean: Vector = (total / len(vectors)).astype("<f4").tobytes()
    return mean


def unit_rows(vectors: Sequence[Vector]) -> NDArray[np.float64]:
    """The vectors as rows of length 1."""
    import numpy as np

    matrix = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1).astype(np.float64)
    units: NDArray[np.float64] = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return units


@dataclass(frozen=True, slots=True)
class CodeTable:
    """Chunks that have vectors, as columns.  Never changed once it is built, so threads share it freely.

    :param source: file and generation it was read from.
    :param revision: content of that generation.
    :param centre: row of ``centres`` its codes belong to.
    :param changed: revision of each file's rows, by file id.
    :param chunks: chunk ids.
    :param files: file id of each chunk.
    :param vectors: vector id of each chunk.
    :param coded: False where there is no code yet.
    :param codes: one row a 64-bit word, one column a chunk.
    """

    source: tuple[str, int]
    revision: int
    centre: int
    changed: dict[int, int]
    chunks: Ints
    files: Ints
    vectors: Ints
    coded: Mask
    codes: Words

    def shows(self, source: tuple[str, int], revision: int, centre: int | None) -> bool:
        """True if it is up to date with this."""
        return (self.source, self.revision, self.centre) == (source, revision, centre or 0)

    def candidates(self, code: bytes, hidden: Iterable[int], count: int) -> Ints:
        """Rows of the *count* chunks whose codes are nearest, and of all that have no code yet.

        :param hidden: files whose chunks do not take part.
        """
        import numpy as np

        seen = self._seen(hidden)
        distances = self._distances(code)
        # Whole numbers up to the bits of a code: counting finds the distance of the last place faster than sorting.
        usable = distances if seen.all() and self.coded.all() else distances[seen & self.coded]
        upto = np.bincount(usable, minlength=1).cumsum()
        farthest = int(upto.searchsorted(count))
        chosen = np.flatnonzero(seen & ((distances < farthest) | ~self.coded))
        ties = np.flatnonzero(seen & (distances == farthest) & self.coded)
        short = count - (int(upto[farthest - 1]) if farthest else 0)
        return np.concatenate([chosen, ties[:short]])

    def without(self, files: Iterable[int]) -> Mask:
        """Which rows do not belong to these files."""
        return self._seen(files)

    def _seen(self, hidden: Iterable[int]) -> Mask:
        import numpy as np

        out = np.fromiter(hidden, dtype=np.int64)
        if not len(out):
            return np.ones(len(self.files), dtype=np.bool_)
        top = int(max(out.max(), self.files.max(initial=0))) + 1
        shown = np.ones(top, dtype=np.bool_)
        shown[out] = False
        seen: Mask = shown[self.files]
        return seen

    def _distances(self, code: bytes) -> NDArray[np.uint16]:
        import numpy as np

        asked = np.frombuffer(code, dtype=np.uint64)
        total = np.zeros(len(self.chunks), dtype=np.uint16)
        for start in range(0, len(total), _BLOCK):
            part = slice(start, start + _BLOCK)
            for word, column in zip(asked, self.codes, strict=True):
                total[part] += _ones(column[part] ^ word)
        return total


def _ones(words: Words) -> NDArray[np.uint8]:
    """Number of set bits in each word."""
    import numpy as np

    if hasattr(np, "bitwise_count"):
        counts: NDArray[np.uint8] = np.bitwise_count(words)
        return counts
    return _ones_by_bytes(words)


def _ones_by_bytes(words: Words) -> NDArray[np.uint8]:
    """The same before numpy 2."""
    import numpy as np

    bits = np.unpackbits(words.view(np.uint8).reshape(len(words), _WORD_BYTES), axis=1)
    counts: NDArray[np.uint8] = bits.sum(axis=1, dtype=np.uint8)
    return counts
