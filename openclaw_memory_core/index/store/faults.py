"""From apsw's errors to ours, each with the path of the index and what to do about it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from openclaw_memory_core.errors import (
    CancelledError,
    OpenClawMemoryError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreForeignError,
    StoreFullError,
    StoreReadOnlyError,
)
from openclaw_memory_core.index.store.access import REFUSED, no_access

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

_BUSY_HINT = "Another process is writing; try again in a moment."
_CORRUPT_HINT = "Run `openclaw-memory index`: the damaged file is set aside and rebuilt from the notes."
_FULL_HINT = "Free some space on that file system; the old index stays in use until then."
_READ_ONLY_HINT = "Make the file and its folder writable, or set `memory.search.store.path` to a place that is."
_IO_HINT = "Check the disk and its free space; notes are not affected."
_OPEN_HINT = "Check that the folder exists, is a folder and may be entered."
_FOLDER_HINT = "Set `memory.search.store.path` to a file of its own, or move that folder away if nothing needs it."
_BUG_HINT = "Please report this; `openclaw-memory reset` and `index` rebuild the index from the notes."

MAPPING: dict[type[apsw.Error], tuple[type[OpenClawMemoryError], str, str]] = {
    apsw.BusyError: (StoreBusyError, "is locked", _BUSY_HINT),
    apsw.LockedError: (StoreBusyError, "is locked", _BUSY_HINT),
    apsw.ProtocolError: (StoreBusyError, "is locked", _BUSY_HINT),
    apsw.SchemaChangeError: (StoreBusyError, "changed while it was read", _BUSY_HINT),
    apsw.CorruptError: (StoreCorruptError, "is damaged", _CORRUPT_HINT),
    apsw.NotADBError: (StoreCorruptError, "is not a readable database", _CORRUPT_HINT),
    apsw.FormatError: (StoreCorruptError, "is damaged", _CORRUPT_HINT),
    apsw.FullError: (StoreFullError, "cannot grow: no space left on its file system", _FULL_HINT),
    apsw.ReadOnlyError: (StoreReadOnlyError, "cannot be written", _READ_ONLY_HINT),
    apsw.PermissionsError: (StoreReadOnlyError, "may not be used", _READ_ONLY_HINT),
    apsw.AuthError: (StoreReadOnlyError, "may not be used", _READ_ONLY_HINT),
    apsw.CantOpenError: (StoreReadOnlyError, "cannot be opened", _OPEN_HINT),
    apsw.IOError: (StoreError, "met an input/output error", _IO_HINT),
    apsw.NoLFSError: (StoreError, "is too large for this system", _IO_HINT),
    apsw.NoMemError: (StoreError, "ran out of memory", "Close other programs and try again."),
    apsw.InterruptError: (CancelledError, "was interrupted", "What was finished is kept."),
    apsw.AbortError: (CancelledError, "was interrupted", "What was finished is kept."),
    apsw.ConnectionClosedError: (StoreError, "is closed", "Open the store before using it."),
    apsw.CursorClosedError: (StoreError, "is closed", "Open the store before using it."),
    apsw.ConnectionNotClosedError: (StoreError, "could not be closed", _BUG_HINT),
    apsw.VFSFileClosedError: (StoreError, "is closed", "Open the store before using it."),
    apsw.ForkingViolationError: (StoreError, "was opened before a fork", "Open it anew in the child process."),
    apsw.ExtensionLoadingError: (StoreError, "could not load an extension", "Reinstall sqlite-vec."),
    apsw.NoFTS5Error: (StoreError, "has no full-text search", "Reinstall apsw."),
    apsw.TooBigError: (StoreError, "was given a value that is too large", _BUG_HINT),
    apsw.BindingsError: (StoreError, "was used wrongly", _BUG_HINT),
    apsw.ConstraintError: (StoreError, "refused a row", _BUG_HINT),
    apsw.EmptyError: (StoreError, "was used wrongly", _BUG_HINT),
    apsw.ExecTraceAbort: (StoreError, "was used wrongly", _BUG_HINT),
    apsw.ExecutionCompleteError: (StoreError, "was used wrongly", _BUG_HINT),
    apsw.IncompleteExecutionError: (StoreError, "was used wrongly", _BUG_HINT),
    apsw.InternalError: (StoreError, "met an internal error", _BUG_HINT),
    apsw.InvalidContextError: (StoreError, "was used wrongly", _BUG_HINT),
    apsw.MismatchError: (StoreError, "was used wrongly", _BUG_HINT),
    apsw.MisuseError: (StoreError, "was used wrongly", _BUG_HINT),
    apsw.NotFoundError: (StoreError, "was used wrongly", _BUG_HINT),
    apsw.RangeError: (StoreError, "was used wrongly", _BUG_HINT),
    apsw.SQLError: (StoreError, "refused a statement", _BUG_HINT),
    apsw.ThreadingViolationError: (StoreError, "was used in two threads at once", _BUG_HINT),
    apsw.VFSNotImplementedError: (StoreError, "was used wrongly", _BUG_HINT),
}
"""apsw's exception → our class, what to say after the path, hint."""


def translate(error: BaseException, path: Path) -> OpenClawMemoryError:
    """Our error for one of apsw's, or for one that Python itself raised about the file."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return StoreFullError(f"The index {path} cannot grow: {error.strerror}", hint=_FULL_HINT)
    if isinstance(error, IsADirectoryError) or (isinstance(error, (OSError, apsw.CantOpenError)) and _is_folder(path)):
        return StoreForeignError(f"In the place of the index {path} there is a folder", hint=_FOLDER_HINT)
    if isinstance(error, OSError) and error.errno in REFUSED:
        return no_access(path, _refusing(error, path))
    if isinstance(error, OSError):
        return StoreReadOnlyError(f"The index {path} cannot be used: {error.strerror or error}", hint=_OPEN_HINT)
    if isinstance(error, UnicodeEncodeError):
        # The text itself stays out of the message: it may be a note's.
        return StoreError(f"The index {path} was given a name that is not valid text", hint="Rename the file.")
    for kind in type(error).__mro__:
        if kind in MAPPING:
            ours, words, hint = MAPPING[kind]
            return ours(f"The index {path} {words} ({error})", hint=hint)
    return StoreError(f"The index {path} failed ({error})", hint=_BUG_HINT)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _refusing(error: OSError, path: Path) -> Path:
    """What does not let us in: the file if it is there and the folder lets us see that, else the folder."""
    place = Path(os.fsdecode(error.filename)) if error.filename is not None else path
    try:
        return place if place.exists() else place.parent
    except OSError:
        return place.parent


@contextmanager
def mapped(path: Path) -> Iterator[None]:
    """Turn every error of SQLite inside the block into one of ours."""
    try:
        yield
    except (apsw.Error, UnicodeEncodeError) as error:
        raise translate(error, path) from error
