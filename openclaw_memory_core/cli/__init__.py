"""The command line, one module a command."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

__all__ = ["main"]

_FEW_COLLECTIONS = 100_000
"""Objects made since the last collection; long commands still collect."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``openclaw-memory`` and return its exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted.

    :param arguments: without the program's name; None takes those of the process, which ends afterwards.
    """
    if arguments is not None:
        return _run(arguments)
    # Looking for garbage among modules and classes, which never become any, takes a fifth of the time of a command.
    gc.set_threshold(_FEW_COLLECTIONS)
    try:
        return _run(sys.argv[1:])
    finally:
        gc.freeze()


def _run(arguments: Sequence[str]) -> int:
    from openclaw_memory_core.cli.run import run

    return run(list(arguments))
