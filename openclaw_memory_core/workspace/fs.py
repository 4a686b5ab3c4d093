"""Opening files without being led astray: no link is followed, nothing but a regular file is read, nothing blocks.

On POSIX the way from a trusted folder to the file is walked with ``openat``, so a link put in place between a check
and its use changes nothing.  Where that is missing (Windows) each component is checked before and the file after
opening.
"""

# Paths are strings here, as the operating system takes them: a Path rewrites names and costs more than the call.
# ruff: noqa: PTH102, PTH118

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

_T = TypeVar("_T")

Identity = tuple[int, int]
"""Device and inode: two names of one file have the same."""

Stamp = tuple[int, int, int, int, int]
"""Size, mtime_ns, ctime_ns, inode, device: equal means unchanged."""

TRANSIENT = frozenset({errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK})
"""Errors that network and cloud file systems give for a moment."""

_ATTEMPTS = 3
_PAUSE = 0.03
_BLOCK = 1 << 18
_MOUNT_POINT_TAG = 0xA0000003
_HAS_OPENAT = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY") and hasattr(os, "O_NOFOLLOW")
_COMMON = (
    getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
# O_PATH asks for no read permission on the folders along the way; other systems have to ask for it.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)

READ_FLAGS = os.O_RDONLY | getattr(os, "O_NOCTTY", 0)


def identity(st: os.stat_result) -> Identity:
    """Device and inode of a file."""
    return (st.st_dev, st.st_ino)


def stamp(st: os.stat_result) -> Stamp:
    """What must be equal for a file to count as unchanged."""
    return (st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino, st.st_dev)


def is_link(st: os.stat_result) -> bool:
    """A symbolic link, or a junction on Windows (*st* from ``lstat``)."""
    return stat.S_ISLNK(st.st_mode) or getattr(st, "st_reparse_tag", 0) == _MOUNT_POINT_TAG


def lstat(path: str) -> os.stat_result | None:
    """``os.lstat``, None where nothing is.

    :raises OSError: it cannot be told.
    """
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def link_error(name: str) -> OSError:
    """The error for a link where none may be."""
    return OSError(errno.ELOOP, "a symbolic link is not followed", name)


def is_link_error(error: OSError) -> bool:
    """Whether a link stood in the way (Linux and macOS say ELOOP, some BSDs EMLINK)."""
    return error.errno in {errno.ELOOP, errno.EMLINK}


def open_below(
    base: str, parts: Sequence[str], flags: int = READ_FLAGS, mode: int = 0o600, *, make_folders: bool = False
) -> int:
    """Open ``base/parts…`` and return the descriptor; no component of *parts* may be a link.

    :param base: a folder that is trusted as it is, links included.
    :param make_folders: create missing folders of *parts* (mode 0700).
    :raises OSError: ELOOP for a link in the way, else what the system says.
    """
    if _HAS_OPENAT:
        return _open_at(base, parts, flags, mode, make_folders=make_folders)
    return _open_checked(base, parts, flags, mode, make_folders=make_folders)


def _open_at(base: str, parts: Sequence[str], flags: int, mode: int, *, make_folders: bool) -> int:
    folder = os.open(base, _FOLDER)
    try:
        for name in parts[:-1]:
            if make_folders:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=folder)
            child = _open_folder_at(name, folder)
            os.close(folder)
            folder = child
        return os.open(parts[-1], flags | _COMMON, mode, dir_fd=folder)
    finally:
        os.close(folder)


def _open_folder_at(name: str, folder: int) -> int:
    try:
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
    except NotADirectoryError:
        # Linux says "not a directory" for a link to one, too.
        if is_link(os.stat(name, dir_fd=folder, follow_symlinks=False)):
            raise link_error(name) from None
        raise


def _open_checked(base: str, parts: Sequence[str], flags: int, mode: int, *, make_folders: bool) -> int:
    path = base
    for name in parts[:-1]:
        path = os.path.join(path, name)
        if make_folders:
            with contextlib.suppress(FileExistsError):
                os.mkdir(path, 0o700)
        if is_link(os.lstat(path)):
            raise link_error(name)
    path = os.path.join(path, parts[-1])
    before = lstat(path)
    if before is not None and is_link(before):
        raise link_error(parts[-1])
    descriptor = os.open(path, flags | _COMMON, mode)
    after = os.lstat(path)
    if is_link(after) or identity(after) != identity(os.fstat(descriptor)):
        os.close(descriptor)
        raise link_error(parts[-1])
    return descriptor


@contextlib.contextmanager
def opened(base: str, parts: Sequence[str]) -> Iterator[tuple[int, os.stat_result]]:
    """Open a regular file for reading; gives the descriptor and its stat.

    :raises OSError: EINVAL if it is not a regular file, ELOOP for a link, else what the system says.
    """
    descriptor = open_below(base, parts)
    try:
        st = os.fstat(descriptor)
        if not stat.S_ISREG(st.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", parts[-1])
        yield descriptor, st
    finally:
        os.close(descriptor)


def read_all(descriptor: int) -> bytes:
    """Everything from the present position to the end."""
    blocks = []
    while block := os.read(descriptor, _BLOCK):
        blocks.append(block)
    return b"".join(blocks)


def retry_transient(action: Callable[[], _T], sleep: Callable[[float], None] = time.sleep) -> _T:
    """Run *action*, again after a short pause for an error of :data:`TRANSIENT`, three times in all."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return action()
        except OSError as error:
            if error.errno not in TRANSIENT:
                raise
            sleep(_PAUSE)
    return action()
