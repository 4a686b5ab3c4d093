"""Reading and chunking documents in a thread of its own, a bounded way ahead of whoever writes them."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openclaw_memory_core.errors import NoteError
from openclaw_memory_core.index.model import Chunk
from openclaw_memory_core.index.plan import Task, same_facts
from openclaw_memory_core.index.report import Failure, failure
from openclaw_memory_core.workspace.documents import Document

if TYPE_CHECKING:
    from openclaw_memory_core.cancel import CancelToken

__all__ = ["Reading", "read_documents"]

logger = logging.getLogger(__name__)

CHARS_AHEAD = 4_000_000
FEW = 8
"""So few documents are read without a thread."""
CHARS_TOGETHER = 64_000
"""Documents are handed over until they have so many characters together: about six daily notes …"""
SECONDS_TOGETHER = 0.05
"""… or until the first of them has waited so long."""

Chunker = Callable[[Document], list[Chunk]]


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of one task.

    :param document: None if it could not be read or cut; then *failure* says why.
    :param chunks: None if the text is the one that is indexed already.
    """

    task: Task
    document: Document | None = None
    chunks: list[Chunk] | None = None
    failure: Failure | None = None


def read_documents(
    tasks: Sequence[Task], chunker: Chunker, cancel: CancelToken
) -> Generator[list[Reading], None, None]:
    """Read *tasks* in their order, a few small ones at a time; one that fails is reported and the next is read.

    Close the iterator if you stop early: its thread ends with it.
    """
    if len(tasks) <= FEW:
        for task in tasks:
            if cancel.cancelled:
                return
            yield [_read(task, chunker)]
        return
    ahead = _Ahead(CHARS_AHEAD)
    thread = threading.Thread(target=_work, args=(tasks, chunker, cancel, ahead), name="memory-reader", daemon=True)
    thread.start()
    try:
        while readings := ahead.take():
            yield readings
    finally:
        ahead.close()
        thread.join()


def _work(tasks: Sequence[Task], chunker: Chunker, cancel: CancelToken, ahead: _Ahead) -> None:
    try:
        for task in tasks:
            if cancel.cancelled or not ahead.put(_read(task, chunker)):
                return
    finally:
        ahead.end()


def _read(task: Task, chunker: Chunker) -> Reading:
    try:
        document = task.source.load(task.ref)
        state = task.state
        if state is not None and document.content_hash == state.content_hash and same_facts(document.ref, state):
            return Reading(task, document)
        return Reading(task, document, chunker(document))
    except NoteError as error:
        return Reading(task, failure=failure(error))
    except Exception as error:  # whatever is wrong with one note, the others go on
        logger.exception("%s cannot be indexed; its old rows stay", task.ref.path)
        return Reading(task, failure=failure(error))


class _Ahead:
    """A queue between two threads that holds a bounded number of characters."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._items: deque[Reading] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._ended = False

    def put(self, reading: Reading) -> bool:
        """Add one, waiting for room; False if nobody takes them any more."""
        with self._changed:
            while self._held and self._held + _size(reading) > self._most and not self._closed:
                self._changed.wait()
            if self._closed:
                return False
            self._held += _size(reading)
            self._items.append(reading)
            self._changed.notify_all()
            return True

    def take(self) -> list[Reading]:
        """The next few, waiting for them; none at the end."""
        with self._changed:
            while not self._items and not self._ended:
                self._changed.wait()
            self._changed.wait_for(lambda: self._held >= CHARS_TOGETHER or self._ended, SECONDS_TOGETHER)
            taken: list[Reading] = []
            size = 0
            while self._items and (not taken or size + _size(self._items[0]) <= CHARS_TOGETHER):
                taken.append(self._items.popleft())
                size += _size(taken[-1])
            self._held -= size
            self._changed.notify_all()
            return taken

    def end(self) -> None:
        """Nothing more will be added."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def close(self) -> None:
        """Nothing more will be taken."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def _size(reading: Reading) -> int:
    return 1000 + (len(reading.document.text) if reading.document else 0)
