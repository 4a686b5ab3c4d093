"""How much a live transcript must grow before it is indexed again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from openclaw_memory_core.workspace.fs import Stamp, opened

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class DeltaThresholds:
    """``sync.sessions``: a transcript counts as changed from this many new bytes, or new lines, on.

    :param quiet_seconds: a transcript that has not changed for so long is taken whatever its growth, so that the end of
        a conversation is found, too.
    """

    new_bytes: int = 100_000
    new_lines: int = 50
    quiet_seconds: float = 900.0

    def reached(self, path: Path, seen: Stamp, present: Stamp, *, now: float) -> bool:
        """Whether the growth from *seen* to *present* is worth a look.  A threshold of 0 means: any change is.

        :param now: seconds since the epoch.
        """
        if seen == present:
            return False
        size, was = present[0], seen[0]
        replaced = size < was or present[3:] != seen[3:]
        start = 0 if replaced else was
        if size - start >= self.new_bytes or now - present[1] / 1e9 >= self.quiet_seconds:
            return True
        return new_lines(path, start) >= self.new_lines


def new_lines(path: Path, start: int) -> int:
    """Line ends after byte *start*; 0 if the file cannot be read."""
    count = 0
    try:
        with opened(str(path.parent), [path.name]) as (descriptor, _):
            os.lseek(descriptor, start, os.SEEK_SET)
            while block := os.read(descriptor, _BLOCK):
                count += block.count(b"\n")
    except OSError:
        return 0
    return count
