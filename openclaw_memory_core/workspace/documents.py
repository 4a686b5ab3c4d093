"""Documents: what sources give to the index, and what a source could not give."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from openclaw_memory_core.records import record

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import Source


@record
class DocumentRef:
    """A document that exists, without its text.

    :param path: key of the document; relative to the workspace with ``/`` separators, or ``sessions/…``.
    :param stat: signature (size, mtime_ns, ctime_ns, inode, device): equal means unchanged, unless fresh.
    :param curated: root ``MEMORY.md``/``USER.md`` under whatever name: private, and chunked one entry a chunk.
    :param date: day of a dated note.
    :param session_key: of a transcript.
    """

    path: str
    source: Source
    stat: tuple[int, int, int, int, int]
    curated: bool = False
    date: dt.date | None = None
    session_key: str | None = None

    @property
    def mtime(self) -> float:
        """Modification time in seconds since the epoch."""
        return self.stat[1] / 1e9


@record
class Document:
    """A document with its text.

    :param text: decoded, without byte-order mark, line ends as in the file.
    :param content_hash: SHA-256 (hex) of what must change for the document to be indexed anew.
    :param line_map: for transcripts: the line to report for each line of *text*; None means the line itself.
    :param flaws: what could not be decoded faithfully, for people; empty for a sound file.
    :param embed_text: what the embedding provider gets in the place of *text*; such a document is one chunk.
    """

    ref: DocumentRef
    text: str
    content_hash: str
    line_map: tuple[int, ...] | None = None
    flaws: tuple[str, ...] = ()
    embed_text: str | None = None


@record
class Skipped:
    """Something that looks like a note and is not indexed.  *code* is stable, *reason* is for people."""

    path: str
    code: str
    reason: str


@record
class Scan:
    """One pass over a source.

    :param unseen: path prefixes that could not be looked at; nothing below them may be taken for deleted.
    """

    documents: tuple[DocumentRef, ...]
    skipped: tuple[Skipped, ...] = ()
    unseen: tuple[str, ...] = ()


class DocumentSource(Protocol):
    """A place that documents come from."""

    @property
    def name(self) -> Source:
        """Value of ``source`` of all its documents."""

    def scan(self) -> Scan:
        """Everything that is there now.  Never raises for what it finds; says it in the result."""

    def load(self, ref: DocumentRef) -> Document:
        """Read one document.

        :raises NoteError: it cannot be read now; the old rows stay.
        """

    def watch_roots(self) -> Sequence[str]:
        """Absolute folders and files whose changes concern this source; they need not exist."""
