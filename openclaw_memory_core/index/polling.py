"""What folders look like, for comparing: names, sizes and times; nothing is opened, no link followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator

__all__ = ["folder_signature", "is_relevant"]

IGNORED_FOLDERS = frozenset({".git", "node_modules", ".venv", "__pycache__"})


def is_relevant(path: str, suffixes: Collection[str]) -> bool:
    """True if a file of this name can be a document; editors' temporary and backup files cannot."""
    return path.lower().endswith(tuple(suffixes))


def folder_signature(roots: Iterable[str], suffixes: Collection[str]) -> int:
    """A number that is equal as long as no document below *roots* came, went or changed."""
    return hash(frozenset(entry for root in roots for entry in _stamps(root, tuple(suffixes))))


def _stamps(root: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, int, int, int]]:
    try:
        found = os.lstat(root)
    except OSError:
        return
    if not stat.S_ISDIR(found.st_mode):
        if is_relevant(root, suffixes):
            yield root, found.st_size, found.st_mtime_ns, found.st_ino
        return
    folders = [root]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in IGNORED_FOLDERS:
                            folders.append(entry.path)
                    elif is_relevant(entry.name, suffixes):
                        status = entry.stat(follow_symlinks=False)
                        yield entry.path, status.st_size, status.st_mtime_ns, status.st_ino
        except OSError:
            # Gone or unreadable: a difference to the last look, if there is one, shows in what is missing.
            continue
