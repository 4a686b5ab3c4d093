"""Whether two paths name one folder, and one path for each folder that a host names."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path


def same_folder(one: Path, other: Path) -> bool:
    """Whether both paths lead to one folder, however they are spelt.

    What counts is the folder that the file system finds there, by device and number: links, ``..``, bind mounts and, on
    a file system that knows no case, ``Notes`` and ``notes`` make no difference.  Where one of the two is missing or
    cannot be looked at, the paths that links lead to are compared; on a file system without case, two spellings of a
    folder that does not exist yet are two folders (on Windows one).
    """
    if one == other:
        return True
    try:
        return one.samefile(other)
    except OSError:
        return os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other))


class FolderNames:
    """One path for each folder, whatever a host calls it.  Thread-safe.

    A name that was asked for before costs two looks at the file system instead of a walk along its path.  These looks
    are taken each time, so that a name that leads elsewhere by now (a link that was changed) gives another path.  A
    folder that was replaced by another one in the same place keeps its path: the notes are what stands there.

    :param limit: names that are remembered; the one that was learnt first is forgotten first, and found anew.
    """

    def __init__(self, *, limit: int = 64, real: Callable[[Path], str] = os.path.realpath) -> None:
        self._limit = limit
        self._real = real
        self._paths: dict[tuple[Path, Path], Path] = {}
        self._lock = threading.Lock()

    def path(self, name: Path, own: Path) -> Path:
        """*own* if that is the folder called *name*, else the real path of it, the same one for all of its names."""
        if name == own:
            return own
        key = (name, own)
        known = self._paths.get(key)
        if known is None or not same_folder(name, known):
            known = self._find(name, own)
            self._keep(key, known)
        return known

    def _find(self, name: Path, own: Path) -> Path:
        with self._lock:
            others = dict.fromkeys(path for (_, theirs), path in self._paths.items() if theirs == own)
        found = next((path for path in (own, *others) if same_folder(name, path)), None)
        return found or Path(self._real(name))

    def _keep(self, key: tuple[Path, Path], path: Path) -> None:
        with self._lock:
            self._paths.pop(key, None)
            while len(self._paths) >= self._limit:
                del self._paths[next(iter(self._paths))]
            self._paths[key] = path
