"""Where notes may be: the layout of a workspace, and which requested paths lie inside it."""

# Paths are strings here, as the operating system takes them: a Path rewrites names and costs more than the call.
# ruff: noqa: PTH116, PTH118, PTH119, PTH120, PTH206

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from openclaw_memory_core.records import record
from openclaw_memory_core.workspace.fs import Identity, identity, is_link, lstat
from openclaw_memory_core.workspace.globs import compile_glob

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import ExtraPath

PathFlavour = Literal["posix", "windows"]

MEMORY_FILE = "MEMORY.md"
USER_FILE = "USER.md"
LEGACY_FILE = "memory.md"
MEMORY_FOLDER = "memory"
SUFFIX = ".md"
"""Case-sensitive: ``plan.MD`` is not a note."""

CURATED_NAMES = (MEMORY_FILE, USER_FILE, LEGACY_FILE)
_CURATED_PLACES = frozenset(name.casefold() for name in CURATED_NAMES)
IGNORED_FOLDERS = frozenset(
    {".git", "node_modules", ".pnpm-store", ".venv", "venv", ".tox", "__pycache__", ".openclaw-repair"}
)
"""Folders that are never entered, below ``memory/`` and below extra paths."""

_WINDOWS_DEVICE = re.compile(r"(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")


@record
class Place:
    """A file that may be opened: *parts* below the trusted folder *base*, and the path by which it is known."""

    base: str
    parts: tuple[str, ...]
    stored: str


def native_flavour() -> PathFlavour:
    """The flavour of this system."""
    return "windows" if os.name == "nt" else "posix"


def is_encodable(path: str) -> bool:
    """Whether this system can have a file of this name: JSON can spell half a character, a file system cannot."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


def stored_path(full: str, root: str) -> str:
    """*full* relative to *root* with ``/``; absolute where no relative path exists (another drive)."""
    try:
        relative = os.path.relpath(full, root)
    except ValueError:
        relative = full
    return relative.replace(os.sep, "/")


class Places:
    """The layout of one workspace.

    :param root: absolute path of the workspace; trusted as it is, even if it is a link.
    :param neighbours: absolute paths of other workspaces: their curated files are curated here, too.
    """

    def __init__(self, root: str, extra_paths: Sequence[ExtraPath], neighbours: Sequence[str] = ()) -> None:
        self.root = root
        self._curated_paths = tuple(os.path.join(one, name) for one in (root, *neighbours) for name in CURATED_NAMES)
        self._neighbours = frozenset(os.path.join(one, name).casefold() for one in neighbours for name in CURATED_NAMES)
        self.memory = os.path.join(root, MEMORY_FOLDER)
        self.extra = tuple((os.path.normpath(extra.path), extra) for extra in extra_paths)

    def root_file(self) -> str:
        """Name of the root memory file that counts: ``memory.md`` only where ``MEMORY.md`` does not exist."""
        upper = lstat(os.path.join(self.root, MEMORY_FILE))
        if upper is not None:
            return MEMORY_FILE
        return LEGACY_FILE if lstat(os.path.join(self.root, LEGACY_FILE)) else MEMORY_FILE

    def curated_identities(self) -> frozenset[Identity]:
        """Identities of every curated file, of the targets of curated links, and of a shadowed ``memory.md``."""
        found: set[Identity] = set()
        for path in self._curated_paths:
            for look in (os.lstat, os.stat):
                try:
                    st = look(path)
                except (OSError, ValueError):
                    continue
                if not is_link(st):
                    found.add(identity(st))
        return frozenset(found)

    def is_curated_place(self, stored: str) -> bool:
        """Whether a stored path is the place of a curated file, whatever lies there at the moment."""
        own = stored.casefold() in _CURATED_PLACES
        if own or not self._neighbours:
            return own
        return os.path.normpath(os.path.join(self.root, stored)).casefold() in self._neighbours

    def find(self, path: str, flavour: PathFlavour) -> Place | None:
        """The place of a requested path, None if it is outside.  Does not look whether the file exists.

        :param path: relative to the workspace, or absolute; ``.`` and ``..`` are resolved by name, which is right
            because no link below an allowed folder is ever followed.
        """
        if not path or "\0" in path or not is_encodable(path):
            return None
        if flavour == "windows":
            path = path.replace("\\", "/")
            if not _sound_on_windows(path):
                return None
        full = os.path.normpath(os.path.join(self.root, path))
        if not full.endswith(SUFFIX):
            return None
        return self._by_name(full) or self._by_identity(full)

    def _by_name(self, full: str) -> Place | None:
        parts = _below(full, self.root)
        if parts:
            if len(parts) == 1 and parts[0] in CURATED_NAMES:
                return self._curated(parts[0])
            if parts[0] == MEMORY_FOLDER and len(parts) > 1:
                return self._inside(self.root, parts, parts[1:])
        for base, extra in self.extra:
            if full == base:
                return self._at(base, ())
            rest = _below(full, base)
            if rest and _matches(extra, rest):
                return self._at(base, rest)
        return None

    def _by_identity(self, full: str) -> Place | None:
        """The same folders under another spelling: a case-insensitive disk, a link above the workspace."""
        homes = self._homes()
        rest: tuple[str, ...] = ()
        current = full
        while (parent := os.path.dirname(current)) != current:
            rest = (os.path.basename(current), *rest)
            current = parent
            place = self._home_of(current, rest, homes)
            if place is not None:
                return place
        return None

    def _homes(self) -> dict[Identity, Callable[[tuple[str, ...]], Place | None]]:
        homes: dict[Identity, Callable[[tuple[str, ...]], Place | None]] = {}
        for base, extra in reversed(self.extra):
            if (ident := _folder_identity(base)) is not None:
                homes[ident] = lambda rest, base=base, extra=extra: (  # type: ignore[misc]
                    self._at(base, rest) if _matches(extra, rest) else None
                )
        if (ident := _folder_identity(self.memory)) is not None:
            homes[ident] = lambda rest: self._inside(self.root, (MEMORY_FOLDER, *rest), rest)
        return homes

    def _home_of(
        self,
        folder: str,
        rest: tuple[str, ...],
        homes: dict[Identity, Callable[[tuple[str, ...]], Place | None]],
    ) -> Place | None:
        try:
            ident = identity(os.stat(folder))
        except (OSError, ValueError):
            return None
        if ident in homes:
            return homes[ident](rest)
        if len(rest) == 1 and ident == _folder_identity(self.root):
            return self._curated_spelling(rest[0])
        return None

    def _curated_spelling(self, name: str) -> Place | None:
        for known in CURATED_NAMES:
            if known.casefold() == name.casefold():
                ours, theirs = (lstat(os.path.join(self.root, one)) for one in (known, name))
                if ours and theirs and identity(ours) == identity(theirs):
                    return self._curated(known)
        return None

    def _curated(self, name: str) -> Place | None:
        """``MEMORY.md`` stands for the root memory file that counts, ``memory.md`` only for itself."""
        counts = self.root_file()
        if name == LEGACY_FILE and name != counts:
            upper, lower = (lstat(os.path.join(self.root, one)) for one in (MEMORY_FILE, LEGACY_FILE))
            if not (upper and lower and identity(upper) == identity(lower)):
                return None
        if name != USER_FILE:
            name = counts
        return Place(self.root, (name,), name)

    def _inside(self, base: str, parts: tuple[str, ...], rest: tuple[str, ...]) -> Place | None:
        if not rest or IGNORED_FOLDERS.intersection(rest[:-1]):
            return None
        return Place(base, parts, stored_path(os.path.join(base, *parts), self.root))

    def _at(self, base: str, rest: tuple[str, ...]) -> Place | None:
        """The extra path itself may not be a link either, so the trusted folder is the one above it."""
        name = os.path.basename(base)
        above, parts = (os.path.dirname(base), (name, *rest)) if name else (base, rest)
        return self._inside(above, parts, rest or (name,))

    def watch_roots(self) -> Iterator[str]:
        """Absolute paths whose changes concern the notes."""
        for name in (*CURATED_NAMES, MEMORY_FOLDER):
            yield os.path.join(self.root, name)
        for base, _ in self.extra:
            yield base


def _below(full: str, folder: str) -> tuple[str, ...]:
    prefix = folder if folder.endswith(os.sep) else folder + os.sep
    return tuple(full[len(prefix) :].split(os.sep)) if full.startswith(prefix) else ()


def _matches(extra: ExtraPath, rest: tuple[str, ...]) -> bool:
    return extra.pattern is None or compile_glob(extra.pattern).matches("/".join(rest))


def _folder_identity(path: str) -> Identity | None:
    try:
        st = os.stat(path)
    except (OSError, ValueError):
        return None
    return identity(st) if st.st_ino else None


def _sound_on_windows(path: str) -> bool:
    """No stream (``a.md:x.md``), device name or trailing dot that Windows would read as another name."""
    drive = re.match(r"^[A-Za-z]:/", path)
    parts = path[drive.end() if drive else 0 :].split("/")
    for part in parts:
        if ":" in part or _WINDOWS_DEVICE.match(part) or (part not in {".", ".."} and part.endswith((".", " "))):
            return False
    return True
