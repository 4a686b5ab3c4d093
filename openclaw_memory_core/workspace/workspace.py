"""One agent's notes: what is there, what it says, and what may be read."""

# Paths are strings here, as the operating system takes them: a Path rewrites names and costs more than the call.
# ruff: noqa: PTH100, PTH118

from __future__ import annotations

import dataclasses
import datetime as dt
import errno
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from openclaw_memory_core.errors import NoteNotFoundError, NoteReadError, PathNotAllowedError, UsageError
from openclaw_memory_core.workspace.daily import daily_path, note_date
from openclaw_memory_core.workspace.discovery import MAX_NOTE_BYTES, discover
from openclaw_memory_core.workspace.documents import Document, DocumentRef, Scan
from openclaw_memory_core.workspace.fs import (
    Identity,
    identity,
    is_link_error,
    lstat,
    opened,
    read_all,
    retry_transient,
    stamp,
)
from openclaw_memory_core.workspace.places import (
    MEMORY_FOLDER,
    USER_FILE,
    PathFlavour,
    Place,
    Places,
    native_flavour,
    stored_path,
)

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import AgentConfig, ExtraPath, MemoryConfig, Source
    from openclaw_memory_core.workspace.append import AppendResult
    from openclaw_memory_core.workspace.decode import Decoded
    from openclaw_memory_core.workspace.slices import NoteSlice

DAILY_VARIANTS = 4
"""How many notes of one day a session starts with beside the main one."""

_ENCODED = ("%2e", "%2f", "%5c")
_CITATION = re.compile(r"(.+\.md)(?:#L|:L?)([0-9]{1,9})(?:-L?([0-9]{1,9}))?$")
_NOT_ALLOWED_HINT = "Give the path of a search hit, MEMORY.md, USER.md, or a .md file below memory/ or an extra path."
_NOT_FOUND_HINT = "Search for the note's words."


class Workspace:
    """The Markdown files of one agent.  Safe to use from several threads; keeps no file open.

    :param root: the workspace folder; need not exist.
    :param extra_paths: further folders and files, absolute.
    :param neighbours: workspaces of other agents; where an extra path reaches into one, its curated files stay curated.
    """

    def __init__(self, root: Path, extra_paths: Sequence[ExtraPath] = (), neighbours: Iterable[Path] = ()) -> None:
        self.root = Path(os.path.abspath(root))
        others = [os.path.abspath(one) for one in neighbours] if extra_paths else []
        self._places = Places(str(self.root), extra_paths, [one for one in others if one != str(self.root)])

    @classmethod
    def of_agent(cls, agent: AgentConfig, config: MemoryConfig) -> Workspace:
        """The workspace of an agent, with the other agents' as its neighbours."""
        return cls(agent.workspace, agent.search.extra_paths, [one.workspace for one in config.agents.values()])

    @property
    def name(self) -> Source:
        """``memory``: value of ``source`` of all documents from here."""
        return "memory"

    def scan(self) -> Scan:
        """Every note that is there now, sorted by path, and what was left out and why.

        Links, special files and folders of tools are named, never opened.  An error other than "absent" puts the path
        into ``Scan.unseen``: what lies there must not be taken for deleted.
        """
        return discover(self._places)

    def load(self, ref: DocumentRef) -> Document:
        """Read one note.  The stamp of the answer is the one the file had when reading began.

        :raises NoteNotFoundError: it is gone.
        :raises NoteReadError: it cannot be read now.
        """
        place = self._places.find(ref.path, native_flavour())
        if place is None:
            raise NoteReadError(f"{ref.path} is not a note of this workspace any more")
        decoded, st = self._read(place)
        current = dataclasses.replace(
            ref,
            stat=stamp(st),
            curated=self._counts_as_curated(place, st),
            date=note_date(ref.path),
        )
        import hashlib

        digest = hashlib.sha256(decoded.text.encode("utf-8")).hexdigest()
        return Document(ref=current, text=decoded.text, content_hash=digest, flaws=decoded.flaws)

    def watch_roots(self) -> Sequence[str]:
        """Absolute files and folders whose changes concern the notes; they need not exist."""
        return tuple(self._places.watch_roots())

    def read(
        self,
        path: str,
        from_line: int | None = None,
        lines: int | None = None,
        *,
        max_chars: int = 12_000,
        curated: bool = True,
        flavour: PathFlavour | None = None,
    ) -> NoteSlice:
        """Some lines of a note, for ``memory_get``.

        :param path: as a search hit gives it, or any other spelling of an allowed file; a citation (``a.md#L5-L9``,
            ``a.md:5-9``) gives its lines, too.
        :param from_line: 1-based first line, None for 1 (or that of the citation).
        :param lines: how many, None for 120 (or those of the citation).
        :param max_chars: budget in characters.
        :param curated: False refuses curated files, under whatever name.
        :param flavour: how to understand *path*; None for this system.
        :raises UsageError: no path, or a number below 1.
        :raises PathNotAllowedError: outside what may be read; says nothing about whether it exists.
        :raises NoteNotFoundError: allowed, and not there.
        :raises NoteReadError: there, and not readable.
        """
        from openclaw_memory_core.workspace.slices import check_window, cut_slice

        if not path.strip():
            raise UsageError("the path is empty", hint=_NOT_ALLOWED_HINT)
        check_window(from_line, lines)
        flavour = flavour or native_flavour()
        cited = _CITATION.match(path.strip())
        if cited is not None and self._places.find(path, flavour) is None:
            path, first, last = cited.groups()
            if from_line is None:
                from_line = max(int(first), 1)
                lines = lines or max(int(last or first) - from_line + 1, 1)
        try:
            place = self._place(path, flavour)
            decoded, st = self._read(place, curated=curated)
        except (PathNotAllowedError, NoteNotFoundError) as error:
            if error.hint in (_NOT_ALLOWED_HINT, _NOT_FOUND_HINT):
                error.hint = self._did_you_mean(path, curated=curated) or error.hint
            raise
        is_curated = self._counts_as_curated(place, st)
        return cut_slice(place.stored, decoded.text, from_line, lines, max_chars, curated=is_curated)

    def text(self, path: str, *, curated: bool = True) -> str:
        """The whole text of a note.  Parameters and errors as for :meth:`read`."""
        return self._read(self._place(path, native_flavour()), curated=curated)[0].text

    def curated_identities(self) -> frozenset[Identity]:
        """(device, inode) of every curated file, however many names it has."""
        return self._places.curated_identities()

    def is_curated(self, path: str) -> bool:
        """Whether *path* is a curated file under whatever name (hard links count); False if nothing is there."""
        place = self._places.find(path, native_flavour())
        if place is None:
            return False
        st = lstat(os.path.join(place.base, *place.parts))
        return st is not None and self._counts_as_curated(place, st)

    def curated_files(self) -> tuple[DocumentRef, ...]:
        """The curated files that count, ``MEMORY.md`` (or ``memory.md``) before ``USER.md``; links are left out."""
        found: list[DocumentRef] = []
        for name in (self._places.root_file(), USER_FILE):
            ref = self.ref(name)
            if ref is not None and ref.stat not in {one.stat for one in found}:
                found.append(dataclasses.replace(ref, curated=True))
        return tuple(found)

    def daily_notes(self, day: dt.date) -> tuple[DocumentRef, ...]:
        """Notes of a day directly below ``memory/``: ``YYYY-MM-DD.md``, then its newest four variants with a slug.

        The variants are in order of their last change, oldest first.  Links and other names of curated files are
        left out.
        """
        prefix = day.isoformat()
        try:
            with os.scandir(self._places.memory) as entries:
                names = [one.name for one in entries if one.name.startswith(prefix)]
        except OSError:
            return ()
        refs = [self.ref(f"{MEMORY_FOLDER}/{name}") for name in sorted(names)]
        notes = [ref for ref in refs if ref is not None and ref.date == day and not ref.curated]
        main = [ref for ref in notes if ref.path == daily_path(day)]
        slugged = sorted((ref for ref in notes if ref not in main), key=lambda ref: (ref.stat[1], ref.path))
        return (*main, *slugged[-DAILY_VARIANTS:])

    def append(
        self,
        path: str,
        text: str,
        *,
        trigger: str | Sequence[str] | None = None,
        importance: int | None = None,
        project: str | Sequence[str] | None = None,
    ) -> AppendResult:
        """Add one entry to a note of this workspace, as ``append_entry`` does."""
        from openclaw_memory_core.workspace.append import append_entry

        return append_entry(self.root, path, text, trigger=trigger, importance=importance, project=project)

    def ref(self, path: str) -> DocumentRef | None:
        """The note at an allowed path, None if there is no regular file."""
        place = self._places.find(path, native_flavour())
        if place is None:
            return None
        try:
            with opened(place.base, place.parts) as (_, st):
                return DocumentRef(
                    path=place.stored,
                    source="memory",
                    stat=stamp(st),
                    curated=self._counts_as_curated(place, st),
                    date=note_date(place.stored),
                )
        except OSError:
            return None

    def stored_path(self, full: Path) -> str:
        """How a file is known: relative to the workspace, ``/`` separators."""
        return stored_path(str(full), str(self.root))

    def _place(self, path: str, flavour: PathFlavour) -> Place:
        """Where *path* is, the spelling as given first: a name may hold blanks or a percent sign."""
        place = self._places.find(path, flavour) or self._places.find(path.strip(), flavour)
        if place is None or (_is_encoded(path) and not _is_there(place)):
            raise PathNotAllowedError("this path is not a note that may be read", hint=_NOT_ALLOWED_HINT)
        return place

    def _did_you_mean(self, path: str, *, curated: bool) -> str | None:
        """Names the note that *path* was meant for, among those that may be read here."""
        from openclaw_memory_core.workspace.closest import closest_note

        near = closest_note(path, [ref.path for ref in self.scan().documents if curated or not ref.curated])
        return near and f"Did you mean {near}?"

    def _counts_as_curated(self, place: Place, st: os.stat_result) -> bool:
        """Whether the file that *st* is of is curated, told by its place and by its identity at this moment."""
        return self._places.is_curated_place(place.stored) or identity(st) in self.curated_identities()

    def _read(self, place: Place, *, curated: bool = True) -> tuple[Decoded, os.stat_result]:
        from openclaw_memory_core.workspace.decode import decode

        def refuse_curated(st: os.stat_result) -> None:
            # Asked of the open file, by its place and by identities looked up after it was opened: a program that
            # replaces MEMORY.md at this moment gives it another identity, one that nobody has seen yet.
            if not curated and (identity(st) in before or self._counts_as_curated(place, st)):
                raise PathNotAllowedError(
                    "this note is private and is not shown in this session",
                    hint="Ask in the private main session.",
                )

        before = frozenset[Identity]() if curated else self.curated_identities()
        try:
            data, st = retry_transient(lambda: _read_bytes(place, refuse_curated))
        except (FileNotFoundError, NotADirectoryError):
            raise NoteNotFoundError(f"{place.stored} does not exist", hint=_NOT_FOUND_HINT) from None
        except OSError as error:
            if is_link_error(error) or error.errno == errno.EINVAL:
                raise PathNotAllowedError(
                    "this path is not a note that may be read", hint="Links and special files are never opened."
                ) from None
            reason = error.strerror or type(error).__name__
            raise NoteReadError(f"{place.stored} cannot be read: {reason}", hint="Check its permissions.") from error
        return decode(data), st


def _read_bytes(place: Place, check: Callable[[os.stat_result], None]) -> tuple[bytes, os.stat_result]:
    with opened(place.base, place.parts) as (descriptor, st):
        check(st)
        if st.st_size > MAX_NOTE_BYTES:
            raise OSError(errno.EFBIG, "the file is too large for a note", place.stored)
        return read_all(descriptor), st


def _is_there(place: Place) -> bool:
    try:
        return lstat(os.path.join(place.base, *place.parts)) is not None
    except OSError:
        return False


def _is_encoded(path: str) -> bool:
    lowered = path.lower()
    return any(mark in lowered for mark in _ENCODED)
