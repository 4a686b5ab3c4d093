"""The only way we write notes: one entry at the end of a file, whole, under a lock, on the disk before we say so.

Nothing is ever truncated, renamed or rewritten, so whatever happens in between, every byte that was there stays.
"""

# Paths are strings here, as the operating system takes them: a Path rewrites names and costs more than the call.
# ruff: noqa: PTH100, PTH103, PTH118

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from openclaw_memory_core.errors import NoteReadError, NoteWriteError, PathNotAllowedError
from openclaw_memory_core.workspace.daily import note_date
from openclaw_memory_core.workspace.decode import detect_encoding
from openclaw_memory_core.workspace.entry_text import format_entry
from openclaw_memory_core.workspace.fs import identity, is_link, is_link_error, lstat, open_below, opened, read_all
from openclaw_memory_core.workspace.locks import LockTimeoutError, locked
from openclaw_memory_core.workspace.places import Place, Places, native_flavour

LOCK_SECONDS = 10.0
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT
_BLOCK = 1 << 18
_REOPENS = 20
_NO_FSYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES, errno.EPERM})


@dataclass(frozen=True, slots=True)
class AppendResult:
    """Where the entry is now.

    :param path: the note, relative to the workspace.
    :param line: 1-based first line of the entry.
    :param end_line: its last line.
    :param bytes: how many bytes were added, heading and line ends included.
    :param duplicate: the note ended with the same entry already; it stands there twice now.
    """

    path: str
    line: int
    end_line: int
    bytes: int
    duplicate: bool = False


def append_entry(
    workspace_root: Path,
    rel_path: str,
    text: str,
    *,
    trigger: str | Sequence[str] | None = None,
    importance: int | None = None,
    project: str | Sequence[str] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> AppendResult:
    """Add one entry to the end of a note of the workspace; safe against other threads, processes and editors.

    The note and its folders are made if missing (modes 0600 and 0700); a new daily note gets its date as a heading.

    :param rel_path: ``MEMORY.md``, ``USER.md`` or a ``.md`` file below ``memory/``.
    :param text: see :func:`~openclaw_memory_core.workspace.entry_text.format_entry`.
    :raises UsageError: empty text, or an annotation that cannot be written.
    :raises PathNotAllowedError: the path is no such note, or a link, or another name of a curated file.
    :raises NoteWriteError: it was not written whole.  What was in the note before is untouched.
    """
    entry = format_entry(text, triggers=_several(trigger), importance=importance, projects=_several(project))
    places = Places(os.path.abspath(workspace_root), ())
    place = places.find(rel_path, native_flavour())
    if place is None:
        raise PathNotAllowedError(
            "this path is not a note that may be written",
            hint="Write to MEMORY.md, USER.md or a .md file below memory/.",
        )
    try:
        os.makedirs(places.root, mode=0o700, exist_ok=True)
        with _opened_locked(place, sleep) as descriptor:
            _check_curated(places, place, descriptor)
            return _append(descriptor, place, entry)
    except LockTimeoutError:
        raise _held(place) from None
    except OSError as error:
        raise _write_error(place, error) from error


def append_raw(
    workspace_root: Path,
    rel_path: str,
    data: bytes,
    *,
    after: bytes,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Add *data* as it is to the end of a note that holds exactly *after* now; a note that holds nothing is made.

    :param rel_path: a ``.md`` file below ``memory/``.
    :raises PathNotAllowedError: the path is no such note, or a link, or another name of a curated file.
    :raises NoteWriteError: the note holds something else, or was not written whole.
    """
    places = Places(os.path.abspath(workspace_root), ())
    place = places.find(rel_path, native_flavour())
    if place is None or len(place.parts) < 2:
        raise PathNotAllowedError("this path is not a note that may be written", hint="Write below memory/.")
    try:
        os.makedirs(places.root, mode=0o700, exist_ok=True)
        with _opened_locked(place, sleep) as descriptor:
            _check_curated(places, place, descriptor)
            os.lseek(descriptor, 0, os.SEEK_SET)
            if read_all(descriptor) != after:
                raise NoteWriteError(f"{place.stored} has changed meanwhile", hint="Nothing was written. Try again.")
            _write_all(descriptor, place, data)
            _sync(descriptor)
    except LockTimeoutError:
        raise _held(place) from None
    except OSError as error:
        raise _write_error(place, error) from error


def read_raw(workspace_root: Path, rel_path: str) -> bytes:
    """The bytes of a note below ``memory/``; none if it does not exist.

    :raises PathNotAllowedError: the path is no such note, or a link.
    :raises NoteReadError: it cannot be read.
    """
    place = Places(os.path.abspath(workspace_root), ()).find(rel_path, native_flavour())
    if place is None or len(place.parts) < 2:
        raise PathNotAllowedError("this path is not a note below memory/")
    try:
        with opened(place.base, place.parts) as (descriptor, _):
            return read_all(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        if is_link_error(error):
            raise PathNotAllowedError(f"{place.stored} is a link or lies behind one") from error
        raise NoteReadError(f"{place.stored} cannot be read: {error.strerror or type(error).__name__}") from error


def _held(place: Place) -> NoteWriteError:
    return NoteWriteError(
        f"{place.stored} is held by another process for more than {LOCK_SECONDS:.0f} seconds",
        hint="Nothing was written. Try again.",
    )


def _several(value: str | Sequence[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _write_error(place: Place, error: OSError) -> NoteWriteError | PathNotAllowedError:
    if is_link_error(error):
        return PathNotAllowedError(f"{place.stored} is a link or lies behind one", hint="Links are never written to.")
    return NoteWriteError(
        f"{place.stored} cannot be written: {error.strerror or type(error).__name__}",
        hint="What was in the note before is untouched. Check permissions and free space.",
    )


@contextlib.contextmanager
def _opened_locked(place: Place, sleep: Callable[[float], None]) -> Iterator[int]:
    """The note, open and locked; opened anew if an editor replaced the file while we waited for the lock."""
    path = os.path.join(place.base, *place.parts)
    for _ in range(_REOPENS):
        existed = lstat(path) is not None
        descriptor = open_below(place.base, place.parts, _FLAGS, make_folders=True)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
            with locked(descriptor, timeout=LOCK_SECONDS, sleep=sleep):
                now = lstat(path)
                if now is not None and not is_link(now) and identity(now) == identity(os.fstat(descriptor)):
                    yield descriptor
                    if not existed:
                        _sync_folders(place)
                    return
        finally:
            os.close(descriptor)
    raise OSError(errno.EBUSY, "another program keeps replacing the file")


def _check_curated(places: Places, place: Place, descriptor: int) -> None:
    """A daily note that is another name of MEMORY.md may not be used to write there."""
    if len(place.parts) > 1 and identity(os.fstat(descriptor)) in places.curated_identities():
        raise PathNotAllowedError(
            f"{place.stored} is another name of a curated file",
            hint="Write to the curated file by its own name.",
        )


def _append(descriptor: int, place: Place, entry: str) -> AppendResult:
    before = _Before.of(descriptor, place, entry)
    day = note_date(place.stored)
    heading = f"# {day.isoformat()}\n\n" if before.size == 0 and day is not None else ""
    lead = "" if before.ends_line else "\n"
    added = lead + heading + entry + "\n"
    line = before.line_feeds + added[: len(lead + heading)].count("\n") + 1
    data = (added.replace("\n", "\r\n") if before.crlf else added).encode("utf-8")
    _write_all(descriptor, place, data)
    _sync(descriptor)
    return AppendResult(place.stored, line, line + entry.count("\n"), len(data), before.ends_alike)


@dataclass(frozen=True, slots=True)
class _Before:
    size: int
    line_feeds: int
    ends_line: bool
    crlf: bool
    ends_alike: bool

    @classmethod
    def of(cls, descriptor: int, place: Place, entry: str) -> _Before:
        """What matters of the note as it is, and whether *entry* is its end."""
        os.lseek(descriptor, 0, os.SEEK_SET)
        size = line_feeds = 0
        first = last = b""
        # The entry with other line ends, the line before it, and some blank lines behind it.
        kept = len(entry.encode("utf-8")) + entry.count("\n") + 64
        while block := os.read(descriptor, _BLOCK):
            first = first or block[:4096]
            last = (last + block)[-kept:]
            size += len(block)
            line_feeds += block.count(b"\n")
        encoding, _ = detect_encoding(first)
        if encoding != "utf-8":
            raise NoteWriteError(
                f"{place.stored} is {encoding.upper()}; adding UTF-8 would damage it",
                hint="Nothing was written. Save the note as UTF-8.",
            )
        end = b"\n" + last.replace(b"\r\n", b"\n").rstrip() if size <= kept else last.replace(b"\r\n", b"\n").rstrip()
        return cls(
            size,
            line_feeds,
            ends_line=size == 0 or last.endswith(b"\n"),
            crlf=last.endswith(b"\r\n"),
            ends_alike=end.endswith(b"\n" + entry.rstrip().encode("utf-8")),
        )


def _write_all(descriptor: int, place: Place, data: bytes) -> None:
    written = 0
    try:
        while written < len(data):
            written += os.write(descriptor, data[written:])
    except OSError as error:
        if written == 0:
            raise
        raise NoteWriteError(
            f"only {written} of {len(data)} bytes could be added to {place.stored}: {error.strerror}",
            hint="What was in the note before is untouched; the end of the note holds the beginning of the entry.",
        ) from error


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems cannot; a real failure to store must be heard.
        if error.errno not in _NO_FSYNC:
            raise


def _sync_folders(place: Place) -> None:
    """Make the new names durable: the note's folder and those above it up to the workspace."""
    if os.name == "nt":
        return
    for depth in range(len(place.parts)):
        folder = os.open(os.path.join(place.base, *place.parts[:depth]), os.O_RDONLY)
        try:
            _sync(folder)
        finally:
            os.close(folder)
