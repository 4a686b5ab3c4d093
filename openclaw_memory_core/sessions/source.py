"""Transcripts as documents for the index: one line of text for each utterance, secrets masked."""

from __future__ import annotations

import hashlib
import os
import stat as stat_module
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from openclaw_memory_core.errors import NoteReadError
from openclaw_memory_core.sessions.cleaning import one_line
from openclaw_memory_core.sessions.delta import DeltaThresholds
from openclaw_memory_core.sessions.jsonl import Event, read_events
from openclaw_memory_core.sessions.known import StoredSession, owners_in
from openclaw_memory_core.sessions.store import SessionStore
from openclaw_memory_core.sessions.transcripts import Utterance, transcript_name, utterances
from openclaw_memory_core.workspace.documents import Document, DocumentRef, Scan, Skipped
from openclaw_memory_core.workspace.fs import Stamp, stamp

_WIDTH = 800
_LABELS = {"user": "User", "assistant": "Assistant"}


class TranscriptSource:
    """The transcripts of one agent (:class:`~openclaw_memory_core.workspace.documents.DocumentSource`).

    A live transcript changes with every turn.  Once loaded, it is reported as changed only when it has grown by the
    thresholds; until then it keeps the stamp it was loaded with.

    :param store: the agent's ``sessions.json``: tells keys, and which sessions may not be remembered.
    :param now: seconds since the epoch, compared with modification times.
    """

    def __init__(
        self,
        agent_id: str,
        sessions_dir: Path,
        store: SessionStore,
        thresholds: DeltaThresholds | None = None,
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._agent_id = agent_id
        self._folder = sessions_dir
        self._store = store
        self._thresholds = thresholds or DeltaThresholds()
        self._now = now
        self._loaded: dict[str, Stamp] = {}

    @property
    def name(self) -> Literal["sessions"]:
        """Value of ``source`` of all its documents."""
        return "sessions"

    def scan(self) -> Scan:
        """Every transcript that may be indexed."""
        prefix = f"sessions/{self._agent_id}/"
        try:
            with os.scandir(self._folder) as listing:
                names = sorted(entry.name for entry in listing)
        except FileNotFoundError:
            return Scan(())
        except OSError as error:
            reason = error.strerror or type(error).__name__
            return Scan((), (Skipped(prefix, "sessions-unreadable", f"{self._folder}: {reason}"),), (prefix,))
        owners = owners_in(self._store, self._agent_id)
        found: list[DocumentRef] = []
        skipped: list[Skipped] = []
        unseen: list[str] = []
        for name in names:
            try:
                ref = self._ref(name, owners)
            except OSError as error:
                skipped.append(Skipped(prefix + name, "unreadable", error.strerror or type(error).__name__))
                unseen.append(prefix + name)
                continue
            if isinstance(ref, Skipped):
                skipped.append(ref)
            elif ref is not None:
                found.append(ref)
        return Scan(tuple(found), tuple(skipped), tuple(unseen))

    def load(self, ref: DocumentRef) -> Document:
        """The conversation of one transcript.

        :raises NoteReadError: it cannot be read now.
        """
        path = self._folder / ref.path.rpartition("/")[2]
        try:
            seen = stamp(path.lstat())
            document = document_of(ref, read_events(path))
        except OSError as error:
            raise NoteReadError(
                f"{ref.path} cannot be read: {error.strerror or type(error).__name__}.", hint="Check its permissions."
            ) from error
        self._loaded[ref.path] = seen
        return document

    def watch_roots(self) -> Sequence[str]:
        """The sessions folder; it need not exist."""
        return (str(self._folder),)

    def settle(self, session_id: str | None = None) -> None:
        """Take the next change of a session, or of all, whatever its size (after a compaction, at a session's end)."""
        for path in list(self._loaded):
            name = transcript_name(path.rpartition("/")[2])
            if session_id is None or (name is not None and name.session_id == session_id.lower()):
                del self._loaded[path]

    def _ref(self, name: str, owners: Mapping[str, Sequence[StoredSession]]) -> DocumentRef | Skipped | None:
        known = transcript_name(name)
        if known is None:
            return None
        path = f"sessions/{self._agent_id}/{name}"
        full = self._folder / name
        st = full.lstat()
        if not stat_module.S_ISREG(st.st_mode):
            return Skipped(path, "not-a-file", "only regular files are read; links are not followed")
        sessions = owners.get(known.session_id, ())
        if any(not session.remembered for session in sessions):
            return None
        key = sessions[0].key if sessions else None
        return DocumentRef(path, "sessions", self._reported(path, full, stamp(st)), session_key=key)

    def _reported(self, path: str, full: Path, present: Stamp) -> Stamp:
        seen = self._loaded.get(path)
        if seen is None or self._thresholds.reached(full, seen, present, now=self._now()):
            return present
        return seen


def document_of(ref: DocumentRef, events: Iterable[Event], flaws: Sequence[str] = ()) -> Document:
    """The conversation in *events* as a document.

    :param flaws: what could not be read; looked at after the events were.
    """
    text, lines = render(utterances(events))
    digest = hashlib.sha256(f"{text}\n{','.join(map(str, lines))}".encode("utf-8", "surrogatepass")).hexdigest()
    return Document(ref, text, digest, lines, tuple(flaws))


def render(spoken: Iterable[Utterance]) -> tuple[str, tuple[int, ...]]:
    """Text of a transcript and, for each of its lines, the line of the file.

    Every utterance is one line ``User: …`` or ``Assistant: …``; a long one is cut at blanks into lines of at most 800
    characters that carry the label each.
    """
    lines: list[str] = []
    numbers: list[int] = []
    for utterance in spoken:
        for piece in _wrapped(one_line(utterance.text)):
            lines.append(f"{_LABELS[utterance.role]}: {piece}")
            numbers.append(utterance.line)
    return "\n".join(lines), tuple(numbers)


def _wrapped(text: str) -> Iterable[str]:
    start = 0
    while len(text) - start > _WIDTH:
        cut = text.rfind(" ", start + 1, start + _WIDTH + 1)
        end = cut if cut > start else start + _WIDTH
        yield text[start:end]
        start = end + 1 if cut > start else end
    yield text[start:]
