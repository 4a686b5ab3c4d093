"""What a process keeps between searches, a bounded number of things of one kind.

The moment of the index is a part of each key, so that nothing kept is ever out of date.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from openclaw_memory_core.index.store.kept_chunks import ChunkCache

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import Vector
    from openclaw_memory_core.index.model import Moment
    from openclaw_memory_core.index.store.ranking import Extent
    from openclaw_memory_core.privacy import Visible

_K = TypeVar("_K")
_V = TypeVar("_V")


class Recent(Generic[_K, _V]):
    """The last few values.  Thread-safe.

    :param size: how many; the oldest makes room.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: dict[_K, _V] = {}
        self._lock = threading.Lock()

    def get(self, key: _K, make: Callable[[], _V]) -> _V:
        """The value for this key, made if it is not kept."""
        return self.get_all([key], lambda _: [make()])[0]

    def get_all(self, keys: Sequence[_K], make: Callable[[Sequence[_K]], Sequence[_V]]) -> list[_V]:
        """The values for these keys; those that are not kept are made together."""
        with self._lock:
            found = {key: self._values[key] for key in keys if key in self._values}
        missing = [key for key in keys if key not in found]
        if missing:
            made = dict(zip(missing, make(missing), strict=True))
            found |= made
            with self._lock:
                self._values.update(made)
                while len(self._values) > self._size:
                    del self._values[next(iter(self._values))]
        return [found[key] for key in keys]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._values.clear()


class Kept:
    """What readers of one index share.

    :ivar chunks: those of a small index.
    :ivar samples: chunks and vectors of a sample by audience and size: 0.4 MB each with vectors of 1,536 numbers.
    :ivar extents: sizes of the text index.
    :ivar hides: whether anything is hidden from an audience.
    :ivar shares: share of all chunks that hold a word, by FTS5 expression.
    """

    def __init__(self) -> None:
        self.chunks = ChunkCache()
        self.samples: Recent[tuple[Moment, Visible, int], Sequence[tuple[int, Vector]]] = Recent(4)
        self.extents: Recent[Moment, Extent] = Recent(4)
        self.hides: Recent[tuple[Moment, Visible], bool] = Recent(64)
        self.shares: Recent[tuple[Moment, str], float] = Recent(4096)

    def clear(self) -> None:
        """Forget everything: the file was closed or replaced."""
        self.chunks.clear()
        self.samples.clear()
        self.extents.clear()
        self.hides.clear()
        self.shares.clear()
