"""What a process keeps between searches, a bounded number of things of one kind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import Vector
    from openclaw_memory_core.index.store.generations import Generation
    from openclaw_memory_core.privacy import Visible

Moment = tuple[str, int, int]
"""File, generation, revision: a part of each key, so that nothing kept is ever out of date."""

_K = TypeVar("_K")
_V = TypeVar("_V")


def moment(generation: Generation) -> Moment:
    """What the content of a generation depends on."""
    return generation.file, generation.id, generation.revision


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
        with self._lock:
            found = self._values.get(key)
        if found is not None:
            return found
        made = make()
        with self._lock:
            self._values[key] = made
            while len(self._values) > self._size:
                del self._values[next(iter(self._values))]
        return made

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._values.clear()


class Kept:
    """What readers of one index share.

    :ivar samples: chunks and vectors of a sample by audience and size: 0.4 MB each with vectors of 1,536 numbers.
    :ivar shares: share of all chunks that hold a word, by FTS5 expression.
    """

    def __init__(self) -> None:
        self.samples: Recent[tuple[Moment, Visible, int], Sequence[tuple[int, Vector]]] = Recent(4)
        self.shares: Recent[tuple[Moment, str], float] = Recent(4096)

    def clear(self) -> None:
        """Forget everything: the file was closed or replaced."""
        self.samples.clear()
        self.shares.clear()
