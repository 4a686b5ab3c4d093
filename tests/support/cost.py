"""What something costs this thread, whatever ran before it in the same process."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class Cost:
    """:param seconds: of CPU."""

    seconds: float = 0.0


@contextmanager
def cpu_cost(clock: Callable[[], float] = time.thread_time) -> Iterator[Cost]:
    """The CPU time of the block.

    Python collects no garbage meanwhile: a process that has run thousands of tests needs half a second for that, and it
    may fall into any of them.
    """
    cost = Cost()
    was_on = gc.isenabled()
    gc.disable()
    try:
        begun = clock()
        yield cost
        cost.seconds = clock() - begun
    finally:
        if was_on:
            gc.enable()
