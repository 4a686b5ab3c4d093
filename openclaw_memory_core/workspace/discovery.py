"""Which files are notes: one pass over the workspace that follows no link and opens nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING

from openclaw_memory_core.workspace.daily import note_date
from openclaw_memory_core.workspace.documents import DocumentRef, Scan, Skipped
from openclaw_memory_core.workspace.fs import Identity, identity, is_link, stamp
from openclaw_memory_core.workspace.globs import Glob, compile_glob
from openclaw_memory_core.workspace.places import (
    CURATED_NAMES,
    IGNORED_FOLDERS,
    LEGACY_FILE,
    MEMORY_FILE,
    MEMORY_FOLDER,
    SUFFIX,
    Places,
    stored_path,
)

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import ExtraPath

MAX_NOTE_BYTES = 64 * 1024 * 1024
"""A larger file is not a note; it is named and left out."""

_REASONS = {
    "symlink": "a symbolic link; links are not followed",
    "not-regular": "not a regular file",
    "unreadable": "no permission to read it",
    "undecodable": "its name is not valid text on this system",
    "too-large": f"larger than {MAX_NOTE_BYTES // (1024 * 1024)} MB",
    "shadowed": f"{MEMORY_FILE} exists and is used instead",
    "ignored-folder": "a folder of tools, not of notes",
    "not-markdown": f"its name does not end in {SUFFIX}",
    "missing": "it does not exist",
}


def discover(places: Places) -> Scan:
    """Everything that is a note now, sorted by path.  Never raises for what it finds."""
    walk = _Walk(places)
    walk.root_files()
    walk.tree(places.memory, MEMORY_FOLDER)
    for base, extra in places.extra:
        walk.extra_path(base, extra)
    return walk.result()


class _Walk:
    def __init__(self, places: Places) -> None:
        self.places = places
        self.curated = places.curated_identities()
        self.documents: dict[str, DocumentRef] = {}
        self.paths: dict[Identity, str] = {}
        self.skipped: dict[str, Skipped] = {}
        self.unseen: set[str] = set()

    def result(self) -> Scan:
        return Scan(
            documents=tuple(self.documents[path] for path in sorted(self.documents)),
            skipped=tuple(self.skipped[path] for path in sorted(self.skipped)),
            unseen=tuple(sorted(self.unseen)),
        )

    def skip(self, path: str, code: str, reason: str | None = None) -> None:
        path = os.fsencode(path).decode("utf-8", "replace")
        self.skipped.setdefault(path, Skipped(path, code, reason or _REASONS[code]))

    def unseen_error(self, path: str, prefix: str, error: OSError) -> None:
        self.unseen.add(prefix)
        self.skip(path or ".", "unreadable", error.strerror or type(error).__name__)

    def root_files(self) -> None:
        """Curated files, by the names the folder lists: a case-insensitive disk answers to either."""
        try:
            with os.scandir(self.places.root) as entries:
                found = {one.name: one for one in entries if one.name in CURATED_NAMES}
        except FileNotFoundError:
            # A workspace that is not there at the moment has not lost its notes.
            self.unseen.add("")
            self.skip(".", "missing", "the workspace folder does not exist")
            return
        except OSError as error:
            self.unseen_error("", "", error)
            return
        if MEMORY_FILE in found and LEGACY_FILE in found:
            found.pop(LEGACY_FILE)
            self.skip(LEGACY_FILE, "shadowed")
        for name in sorted(found):
            self.entry(found[name], name)

    def tree(self, folder: str, prefix: str, pattern: Glob | None = None) -> None:
        """Every note below *folder*, known as *prefix*; the folder itself may not be a link."""
        try:
            st = os.lstat(folder)
        except FileNotFoundError:
            return
        except OSError as error:
            self.unseen_error(prefix, prefix + "/", error)
            return
        if is_link(st):
            self.skip(prefix, "symlink")
        elif not stat.S_ISDIR(st.st_mode):
            self.skip(prefix, "not-regular", "a file where a folder of notes is expected")
        else:
            self.below(folder, prefix, pattern)

    def below(self, folder: str, prefix: str, pattern: Glob | None) -> None:
        pending = [(folder, prefix)]
        while pending:
            here, known = pending.pop()
            for entry in self.listing(here, known):
                path = f"{known}/{entry.name}" if known else entry.name
                if self.is_folder(entry, path):
                    if entry.name in IGNORED_FOLDERS:
                        self.skip(path, "ignored-folder")
                    else:
                        pending.append((entry.path, path))
                elif pattern is None or pattern.matches(path[len(prefix) + 1 if prefix else 0 :]):
                    self.entry(entry, path)

    def listing(self, folder: str, known: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                yield from sorted(entries, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self.unseen_error(known, known and known + "/", error)

    def is_folder(self, entry: os.DirEntry[str], path: str) -> bool:
        try:
            if not entry.is_dir(follow_symlinks=False):
                return False
            # Only Windows has junctions: folders to scandir, links to us.
            return os.name != "nt" or not is_link(entry.stat(follow_symlinks=False))
        except OSError as error:
            self.unseen_error(path, path, error)
            return False

    def entry(self, entry: os.DirEntry[str], path: str) -> None:
        """A file, link or special file that was listed."""
        if path in self.documents or path in self.skipped:
            return
        try:
            if entry.is_symlink():
                self.skip(path, "symlink")
            elif entry.name.endswith(SUFFIX):
                st = entry.stat(follow_symlinks=False)
                # scandir on Windows knows no inode.
                self.file(entry.path, path, st if st.st_ino else os.lstat(entry.path))
        except FileNotFoundError:
            return
        except OSError as error:
            self.unseen_error(path, path, error)

    def file(self, full: str, path: str, st: os.stat_result) -> None:
        if is_link(st):
            self.skip(path, "symlink")
        elif not stat.S_ISREG(st.st_mode):
            self.skip(path, "not-regular")
        elif not _is_text(path):
            self.skip(path, "undecodable")
        elif st.st_size > MAX_NOTE_BYTES:
            self.skip(path, "too-large")
        elif not _may_read(full, st):
            self.unseen.add(path)
            self.skip(path, "unreadable")
        else:
            self.add(path, st)

    def add(self, path: str, st: os.stat_result) -> None:
        if path in self.documents:
            return
        ident = identity(st)
        if st.st_ino and ident in self.paths:
            self.skip(path, "duplicate", f"the same file as {self.paths[ident]}")
            return
        self.paths[ident] = path
        self.documents[path] = DocumentRef(
            path=path,
            source="memory",
            stat=stamp(st),
            curated=ident in self.curated or self.places.is_curated_place(path),
            date=note_date(path),
        )

    def extra_path(self, base: str, extra: ExtraPath) -> None:
        """One element of ``extraPaths``: a folder, a file, or nothing any more."""
        known = stored_path(base, self.places.root)
        try:
            st = os.lstat(base)
        except (FileNotFoundError, NotADirectoryError):
            self.skip(known, "missing")
            return
        except OSError as error:
            self.unseen.update({known, known + "/"})
            self.skip(known, "unreadable", error.strerror or type(error).__name__)
            return
        if is_link(st):
            self.skip(known, "symlink")
        elif stat.S_ISDIR(st.st_mode):
            # The workspace itself as an extra path: its files are known by their plain names.
            self.below(base, "" if known == "." else known, compile_glob(extra.pattern) if extra.pattern else None)
        elif base.endswith(SUFFIX):
            self.file(base, known, st)
        else:
            self.skip(known, "not-markdown")


def _is_text(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _may_read(full: str, st: os.stat_result) -> bool:
    # Asking the system costs a call a file, so only where the mode leaves a doubt.
    return st.st_mode & 0o444 == 0o444 or os.access(full, os.R_OK)
