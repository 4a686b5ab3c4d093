"""What a session leaves behind when it is begun anew: a dated note with its last words, made without a model."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable
from pathlib import Path

from openclaw_memory_core.errors import OpenClawMemoryError
from openclaw_memory_core.session_keys import parse_session_key
from openclaw_memory_core.sessions.cleaning import one_line
from openclaw_memory_core.sessions.jsonl import read_events
from openclaw_memory_core.sessions.known import stored_sessions
from openclaw_memory_core.sessions.paths import transcript_path
from openclaw_memory_core.sessions.store import SessionStore
from openclaw_memory_core.sessions.transcripts import Utterance, transcript_name, utterances
from openclaw_memory_core.workspace.append import AppendResult
from openclaw_memory_core.workspace.daily import in_zone
from openclaw_memory_hookspecs import Session

logger = logging.getLogger(__name__)

REASONS = frozenset({"new", "reset"})
"""Ends of a session that leave a summary; after the others the talk goes on or was not worth a note."""

MESSAGES = 15
MAX_TEXT_CHARS = 1000
_NOBODY_TALKS = frozenset({"cron", "subagent", "hook", "acp", "node"})


class SummaryWriter:
    """Writes ``memory/YYYY-MM-DD-HHMM.md``, date and time in the user's zone.

    :param append: adds an entry to a note: path relative to the workspace, text.
    :param timezone: IANA name of the user's zone, None for the host's.
    """

    def __init__(
        self,
        sessions_dir: Path,
        store: SessionStore,
        append: Callable[[str, str], AppendResult],
        *,
        clock: Callable[[], dt.datetime],
        timezone: str | None,
    ) -> None:
        self._folder = sessions_dir
        self._store = store
        self._append = append
        self._clock = clock
        self._timezone = timezone
        self._written: dict[Path, tuple[int, int]] = {}

    def write(self, session: Session, reason: str) -> AppendResult | None:
        """Leave a summary of *session*; None if there is nothing to tell or it could not be written (which is logged).

        What the assistant said after looking into memory is left out: notes are open to more sessions than curated
        files are.
        """
        if reason not in REASONS or not self._may_be_remembered(session):
            return None
        try:
            transcript = self._transcript(session)
            if transcript is None:
                return None
            stat = transcript.stat()
            if self._written.get(transcript) == (stat.st_size, stat.st_mtime_ns):
                return None
            spoken = [one for one in utterances(read_events(transcript)) if not one.text.startswith("/")]
            if not any(one.role == "user" for one in spoken):
                return None
            now = in_zone(self._clock(), self._timezone)
            session_id = known.session_id if (known := transcript_name(transcript.name)) is not None else "unknown"
            text = _render(spoken[-MESSAGES:], session, session_id, now)
            result = self._append(f"memory/{now:%Y-%m-%d-%H%M}.md", text)
        except (OSError, OpenClawMemoryError) as error:
            logger.warning("No summary of session %s was written: %s", session.key, error)
            return None
        self._written[transcript] = (stat.st_size, stat.st_mtime_ns)
        return result

    def _may_be_remembered(self, session: Session) -> bool:
        key = parse_session_key(session.key)
        entry = self._store.entry(session.key)
        known = stored_sessions({session.key: entry or {}}, key.agent_id or "")[0]
        return not session.incognito and known.remembered and key.kind not in _NOBODY_TALKS

    def _transcript(self, session: Session) -> Path | None:
        """The session's transcript, or where a reset has already put it."""
        path = transcript_path(
            self._folder,
            session.key,
            session_id=session.session_id,
            entry=self._store.entry(session.key),
            store_dir=self._store.path.parent,
        )
        if path is None or path.is_file():
            return path
        archives = [
            file
            for file in path.parent.glob(f"{path.name}.reset.*")
            if (name := transcript_name(file.name)) is not None and name.archived
        ]
        return max(archives, key=lambda file: file.name, default=None)


def _render(spoken: list[Utterance], session: Session, session_id: str, now: dt.datetime) -> str:
    lines = [
        f"## Session: {now:%Y-%m-%d %H:%M} {now.tzname() or ''}".rstrip(),
        "",
        f"- **Session Key**: {session.key}",
        f"- **Session ID**: {session_id}",
        "",
        "### Conversation Summary",
        "",
    ]
    return "\n".join([*lines, *(f"- {one.role}: {_short(one.text)}" for one in spoken)])


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= MAX_TEXT_CHARS else line[: MAX_TEXT_CHARS - 1].rstrip() + "…"
