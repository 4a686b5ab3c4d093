"""The sessions of ``sessions.json`` as the rest needs them: keys, kinship, and which transcript is whose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from openclaw_memory_core.privacy import KnownSession
from openclaw_memory_core.session_keys import parse_session_key
from openclaw_memory_core.sessions.transcripts import transcript_name
from openclaw_memory_hookspecs import ChatType

_CHAT_TYPES: dict[str, ChatType] = {
    "direct": "direct",
    "dm": "direct",
    "group": "group",
    "channel": "channel",
    "room": "channel",
}


@dataclass(frozen=True, slots=True)
class StoredSession:
    """One entry.

    :param key: lower case.
    :param session_ids: ids, lower case, of its transcripts as far as the entry tells: by id and by file name.
    :param updated_at: milliseconds since the epoch.
    """

    known: KnownSession
    session_ids: frozenset[str]
    updated_at: int = 0
    label: str | None = None

    @property
    def key(self) -> str:
        """Its key, lower case."""
        return self.known.key

    @property
    def remembered(self) -> bool:
        """False for a session of which nothing may be remembered, and for timers, which nobody talks in."""
        parsed = parse_session_key(self.key)
        return not self.known.incognito and parsed.kind != "cron" and not parsed.rest.endswith(":heartbeat")


def stored_sessions(entries: Mapping[str, Mapping[str, Any]], agent_id: str) -> list[StoredSession]:
    """Read the entries of an agent's store.

    :param agent_id: agent of keys that name none.
    """
    return [_read(key, entry, agent_id) for key, entry in entries.items()]


def by_session_id(sessions: Iterable[StoredSession]) -> dict[str, list[StoredSession]]:
    """Sessions by transcript id, newest first; two keys may share one transcript."""
    found: dict[str, list[StoredSession]] = {}
    for one in sorted(sessions, key=lambda session: session.updated_at, reverse=True):
        for session_id in one.session_ids:
            found.setdefault(session_id, []).append(one)
    return found


def _read(key: str, entry: Mapping[str, Any], agent_id: str) -> StoredSession:
    parsed = parse_session_key(key)
    updated = entry.get("updatedAt")
    return StoredSession(
        KnownSession(
            key=parsed.normalized,
            agent_id=parsed.agent_id or agent_id,
            spawned_by=_text(entry.get("spawnedBy")),
            chat_type=_chat_type(entry),
            incognito=parsed.incognito or entry.get("incognito") is True,
            owner=_text(entry.get("ownerSessionKey")) or _text(entry.get("parentSessionKey")),
        ),
        frozenset(_ids(entry)),
        int(updated) if isinstance(updated, int | float) and not isinstance(updated, bool) else 0,
        _text(entry.get("displayName")) or _text(entry.get("label")),
    )


def _ids(entry: Mapping[str, Any]) -> Iterable[str]:
    session_id, file = _text(entry.get("sessionId")), _text(entry.get("sessionFile"))
    if session_id is not None:
        yield session_id.lower()
    name = transcript_name(PurePath(file.replace("\\", "/")).name) if file is not None else None
    if name is not None:
        yield name.session_id


def _chat_type(entry: Mapping[str, Any]) -> ChatType | None:
    origin = entry.get("origin")
    candidates = (entry.get("chatType"), origin.get("chatType") if isinstance(origin, dict) else None)
    return next((_CHAT_TYPES[c.lower()] for c in candidates if isinstance(c, str) and c.lower() in _CHAT_TYPES), None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
