"""Transcripts of OpenClaw 2026.9 and later as documents, beside those that still lie in files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from openclaw_memory_core.config.model import SessionsConfig
from openclaw_memory_core.errors import NoteReadError, StoreError
from openclaw_memory_core.index.store.openclaw_sessions import HostSessions, HostTranscript, OpenClawSessions
from openclaw_memory_core.privacy import Audience, visible_session_keys
from openclaw_memory_core.sessions.jsonl import Event
from openclaw_memory_core.sessions.known import StoredSession, by_session_id, stored_sessions
from openclaw_memory_core.sessions.source import TranscriptSource, document_of
from openclaw_memory_core.sessions.transcripts import transcript_name
from openclaw_memory_core.sessions.visibility import visible_paths
from openclaw_memory_core.sessions.zstd import Decoder, decoder
from openclaw_memory_core.workspace.documents import Document, DocumentRef, Scan, Skipped


class OpenClawTranscripts:
    """Both kinds of transcripts of one agent (:class:`~openclaw_memory_core.workspace.documents.DocumentSource`).

    A transcript that is in the database and in a file is taken from the database: OpenClaw has moved it there.

    :param files: the transcripts in files.
    :param decode: decodes compressed events; None where nothing can.
    """

    def __init__(
        self,
        agent_id: str,
        database: OpenClawSessions,
        files: TranscriptSource,
        *,
        decode: Callable[[], Decoder | None] = decoder,
    ) -> None:
        self._agent_id = agent_id
        self._database = database
        self._files = files
        self._decode = decode

    @property
    def name(self) -> Literal["sessions"]:
        """Value of ``source`` of all its documents."""
        return "sessions"

    def scan(self) -> Scan:
        """Every transcript that may be indexed."""
        files = self._files.scan()
        prefix = f"sessions/{self._agent_id}/"
        try:
            sessions = self._database.sessions()
        except StoreError as error:
            skipped = Skipped(prefix, "openclaw-sessions-unreadable", f"{error.message}; {error.hint}")
            return Scan(files.documents, (*files.skipped, skipped), (*files.unseen, prefix))
        own = {ref.path: ref for ref in map(self._ref, self._remembered(sessions))}
        others = [ref for ref in files.documents if ref.path not in own]
        left_out = files.skipped
        if sessions.archived:
            reason = f"{sessions.archived} transcripts are in archives of OpenClaw, which are not read"
            left_out = (*left_out, Skipped(prefix, "openclaw-archived", reason))
        return Scan((*others, *own.values()), left_out, files.unseen)

    def load(self, ref: DocumentRef) -> Document:
        """The conversation of one transcript.

        :raises NoteReadError: it cannot be read now.
        """
        session_id = ref.path.rpartition("/")[2].removesuffix(".jsonl")
        try:
            here = {one.session_id for one in self._database.sessions().transcripts}
            if session_id not in here:
                return self._files.load(ref)
            flaws: list[str] = []
            return document_of(ref, self._events(session_id, flaws), flaws)
        except StoreError as error:
            raise NoteReadError(f"{ref.path} cannot be read: {error.message}", hint=error.hint) from error

    def watch_roots(self) -> Sequence[str]:
        """The folder of the files.  The database changes with every breath of OpenClaw; it is looked at by scans."""
        return self._files.watch_roots()

    def settle(self, session_id: str | None = None) -> None:
        """See :meth:`~openclaw_memory_core.sessions.source.TranscriptSource.settle`."""
        self._files.settle(session_id)

    def visible(
        self, who: Audience, sessions: SessionsConfig, in_files: frozenset[str], *, own_id: str | None = None
    ) -> frozenset[str]:
        """Paths of the transcripts that *who* may see, of both kinds.

        What the database says of a transcript counts, whatever is said of a file of the same name.

        :param in_files: those of the files, without regard to the database.
        :param own_id: id of the caller's own transcript.
        """
        try:
            found = self._database.sessions()
        except StoreError:
            # Which of the files belong to sessions of the database cannot be told.
            return frozenset()
        if not found.transcripts:
            return in_files
        stored = _stored(found.transcripts, self._agent_id)
        keys = visible_session_keys(who, [one.known for one in stored], sessions)
        paths = [self._path(one) for one in found.transcripts]
        return (in_files - set(paths)) | visible_paths(keys, paths, by_session_id(stored), own_id=own_id)

    def _remembered(self, sessions: HostSessions) -> Iterator[HostTranscript]:
        stored = _stored(sessions.transcripts, self._agent_id)
        for one, session in zip(sessions.transcripts, stored, strict=True):
            if session.remembered and transcript_name(f"{one.session_id}.jsonl") is not None:
                yield one

    def _path(self, one: HostTranscript) -> str:
        return f"sessions/{self._agent_id}/{one.session_id}.jsonl"

    def _ref(self, one: HostTranscript) -> DocumentRef:
        stat = (one.events, one.updated_at * 1_000_000, one.last, 0, 0)
        return DocumentRef(self._path(one), "sessions", stat, session_key=one.session_key.lower())

    def _events(self, session_id: str, flaws: list[str]) -> Iterator[Event]:
        """The events of a transcript; the line of an event is its number in OpenClaw plus one."""
        decode = self._decode()
        lost = 0
        for one in self._database.events(session_id):
            text = one.text if one.compressed is None else _decoded(one.compressed, decode)
            data = _object(text)
            if data is not None:
                yield Event(one.number + 1, data)
            elif one.compressed is not None:
                lost += 1
        if lost and decode is None:
            flaws.append(f"{lost} compressed events were left out; install zstandard to read them")
        elif lost:
            flaws.append(f"{lost} compressed events are damaged")


def _stored(transcripts: Sequence[HostTranscript], agent_id: str) -> list[StoredSession]:
    """Each transcript with its session, in the form of the entries of ``sessions.json``."""
    return [
        stored_sessions(
            {
                one.session_key: {
                    "sessionId": one.session_id,
                    "chatType": one.chat_type,
                    "spawnedBy": one.spawned_by,
                    "parentSessionKey": one.parent,
                    "incognito": one.incognito,
                    "updatedAt": one.updated_at,
                }
            },
            agent_id,
        )[0]
        for one in transcripts
    ]


def _decoded(data: bytes, decode: Decoder | None) -> str | None:
    if decode is None:
        return None
    try:
        return decode(data).decode("utf-8", "replace")
    except ValueError:
        return None


def _object(text: str | None) -> dict[str, object] | None:
    try:
        value = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
