"""Moving an index to another name, with the work that is in it."""

from __future__ import annotations

import logging
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw

from openclaw_memory_core.errors import StoreError
from openclaw_memory_core.index.store.opening import check_header, remove

logger = logging.getLogger(__name__)

_BUSY_MS: Final = 2_000


def adopt(former: Path, path: Path) -> bool:
    """Move our index from *former* to *path*; True if nothing of ours is left at *former*.

    What is at *path* already stays and wins: an index can always be made again.  A file at *former* that is not ours
    is left alone, and so is one that another process is writing to; the next call tries again.
    """
    try:
        check_header(former)
    except StoreError as error:
        logger.info("%s is not moved: %s", former, error.message)
        return False
    if former.stat().st_size == 0:
        return False
    try:
        if not path.exists():
            _copy(former, path)
        remove(former)
    except (apsw.Error, OSError, StoreError) as error:
        logger.warning("the index %s could not be moved to %s: %s", former, path, error)
        return False
    logger.info("the index %s was moved to %s", former, path)
    return True


def _copy(former: Path, path: Path) -> None:
    half = path.with_name(path.name + ".moving")
    half.unlink(missing_ok=True)
    with closing(apsw.Connection(str(former), flags=apsw.SQLITE_OPEN_READWRITE)) as db:
        db.set_busy_timeout(_BUSY_MS)
        # Whoever writes now would write into a file that is about to go.
        db.execute("BEGIN IMMEDIATE")
        db.execute("ROLLBACK")
        db.execute("VACUUM INTO ?", (str(half),))
    half.chmod(0o600)
    half.replace(path)
