"""The command line, one module a command."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``openclaw-memory`` and return its exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted.

    :param arguments: without the program's name; None takes those of the process.
    """
    from openclaw_memory_core.cli.run import run

    return run(list(sys.argv[1:] if arguments is None else arguments))
