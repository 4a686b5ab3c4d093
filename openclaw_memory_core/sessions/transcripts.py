"""What of a transcript is conversation, and which files are transcripts.

Rule for archives: ``<id>.jsonl`` and what a reset put aside (``<id>.jsonl.reset.<time>``) count, because the person
only began anew.  What was deleted, backups, checkpoints, trajectories, lock and temporary files never count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from openclaw_memory_core.flush.silent import is_heartbeat_ok, is_silent
from openclaw_memory_core.sessions.cleaning import clean_assistant_text, clean_user_text, starts_unattended_turn
from openclaw_memory_core.sessions.content import text_of, tool_calls
from openclaw_memory_core.sessions.jsonl import Event
from openclaw_memory_core.sessions.redact import redact

Role = Literal["user", "assistant"]

_NAME = re.compile(
    r"(?P<id>[a-z0-9][a-z0-9._-]{0,127}?)(?P<topic>-topic-[^/\\]+?)?\.jsonl(?P<reset>\.reset\.[0-9TZ.:_-]+(?:\.[0-9a-f]{32})?)?",
    re.IGNORECASE,
)
_NEVER = re.compile(r"\.(?:checkpoint|trajectory|deleted|bak|lock|tmp)(?:\.|$)", re.IGNORECASE)
_RECALLING = frozenset({"memory_search", "memory_get", "sessions_search", "sessions_history"})
_NOT_A_PERSON = frozenset({"inter_session", "internal_system"})


@dataclass(frozen=True, slots=True)
class TranscriptName:
    """A file name that counts as a transcript.

    :param session_id: lower case.
    :param archived: the session was reset since.
    """

    name: str
    session_id: str
    archived: bool


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something a person or the assistant said.

    :param line: 1-based line of the transcript.
    :param text: cleaned and redacted, lines as written.
    :param timestamp: milliseconds since the epoch, None if the transcript does not say.
    """

    line: int
    role: Role
    text: str
    timestamp: int | None = None
    message_id: str | None = None


def transcript_name(name: str) -> TranscriptName | None:
    """Read a file name; None for everything that is not a transcript or may not be used."""
    match = _NAME.fullmatch(name)
    if match is None or _NEVER.search(name.lower().replace(".jsonl", "")):
        return None
    return TranscriptName(name, match["id"].lower(), archived=match["reset"] is not None)


def utterances(events: Iterable[Event]) -> Iterator[Utterance]:
    """The conversation in *events*.

    Left out: turns of timers, heartbeats and flushes; messages of other sessions and of the system; silent replies;
    and, so that recall never feeds itself, what the assistant says after it has looked into memory, up to the next
    message of the person.
    """
    unattended = recalled = False
    for event in events:
        message = event.message
        if message is None:
            continue
        raw = text_of(message)
        if message.get("role") == "user":
            unattended, recalled = starts_unattended_turn(raw), False
            text = "" if unattended or _is_not_a_person(message.get("provenance")) else clean_user_text(raw)
            role: Role = "user"
        elif message.get("role") == "assistant":
            recalled = recalled or not _RECALLING.isdisjoint(tool_calls(message))
            quiet = unattended or recalled or is_silent(raw) or is_heartbeat_ok(raw)
            text = "" if quiet else clean_assistant_text(raw)
            role = "assistant"
        else:
            continue
        if text:
            identifier = event.data.get("id")
            yield Utterance(
                event.line,
                role,
                redact(text),
                timestamp_of(event.data.get("timestamp"), message.get("timestamp")),
                identifier if isinstance(identifier, str) else None,
            )


def timestamp_of(*values: Any) -> int | None:
    """The first of *values* that is a time, in milliseconds: a number, or ISO 8601 text."""
    for value in values:
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e15:
            return int(value)
        if isinstance(value, str):
            try:
                moment = datetime.fromisoformat(value)
            except ValueError:
                continue
            return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    return None


def _is_not_a_person(provenance: object) -> bool:
    return isinstance(provenance, dict) and provenance.get("kind") in _NOT_A_PERSON
