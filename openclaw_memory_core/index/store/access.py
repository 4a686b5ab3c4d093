"""Whether the place of the index lets us write, asked without touching anything; and the cure where it does not."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from openclaw_memory_core.errors import StoreReadOnlyError

__all__ = ["REFUSED", "no_access", "why_not_writable"]

REFUSED: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
"""What the system says where the rights are missing."""

_ELSEWHERE: Final = "or set `memory.search.store.path` to a file in a place that is writable."


def why_not_writable(path: Path) -> StoreReadOnlyError | None:
    """Why the index at *path* cannot be changed, or be made where there is none; None if nothing stands in the way.

    Both the file and its folder must be writable: SQLite and the lock keep files beside it while it is in use.
    """
    if not os.access(path.parent, os.F_OK):
        folder = next((one for one in path.parents if os.access(one, os.F_OK)), path.parent)
        return None if os.access(folder, os.W_OK | os.X_OK) else no_access(path, folder)
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return no_access(path, path.parent)
    if os.access(path, os.F_OK) and not os.access(path, os.R_OK | os.W_OK):
        return no_access(path, path)
    return None


def no_access(path: Path, place: Path) -> StoreReadOnlyError:
    """The error for the index at *path*, where *place*, the file or a folder above it, gives no right to write."""
    why = "" if place == path else f": no right to write in {place}"
    what = "written" if os.access(path, os.R_OK) else "used"
    return StoreReadOnlyError(f"The index {path} cannot be {what}{why}", hint=_cure(place))


def _cure(place: Path) -> str:
    if _is_read_only_disk(place):
        return f"Its file system is mounted read-only: mount it for writing, {_ELSEWHERE}"
    owner = _owner(place)
    if owner is not None and hasattr(os, "geteuid") and os.geteuid() not in (0, owner):
        return (
            f"It belongs to the user with the number {owner}: work as that user, give yourself the right, {_ELSEWHERE}"
        )
    rights = "u+rwx" if place.is_dir() else "u+rw"
    return f"Run `chmod {rights} {place}`, {_ELSEWHERE}" if os.name == "posix" else f"Make it writable, {_ELSEWHERE}"


def _owner(place: Path) -> int | None:
    try:
        return place.stat().st_uid
    except OSError:
        return None


def _is_read_only_disk(place: Path) -> bool:
    if not hasattr(os, "statvfs"):
        return False
    try:
        return bool(os.statvfs(place).f_flag & os.ST_RDONLY)
    except OSError:
        return False
