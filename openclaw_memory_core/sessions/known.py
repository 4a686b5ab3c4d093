"""The sessions of ``sessions.json`` as the rest needs them: keys, kinship, and which transcript is whose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from openclaw_memory_core.privacy import KnownSession
from openclaw_memory_core.session_keys import parse_session_key
from openclaw_memory_core.sessions.store import SessionStore
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
    :param remembered: False for an incognito session, and for timers and heartbeats, which nobody talks in.
    """

    known: KnownSession
    session_ids: frozenset[str]
    updated_at: int = 0
    remembered: bool = True

    @property
    def key(self) -> str:
        """Its key, lower case."""
        return self.known.key


def stored_sessions(entries: Mapping[str, Mapping[str, Any]], agent_id: str) -> list[StoredSession]:
    """Read the entries of an agent's store.

    :param agent_id: agent of keys that name none.
    """
    return [_read(key, entry, agent_id) for key, entry in entries.items()]


def sessions_in(store: SessionStore, agent_id: str) -> Sequence[StoredSession]:
    """The sessions of an agent's store as it is now."""
    return store.derived(("sessions", agent_id), lambda entries: stored_sessions(entries, agent_id))


def owners_in(store: SessionStore, agent_id: str) -> Mapping[str, Sequence[StoredSession]]:
    """The same by transcript id, see :func:`by_session_id`."""
    return store.derived(("owners", agent_id), lambda _: by_session_id(sessions_in(store, agent_id)))


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
    incognito = parsed.incognito or entry.get("incognito") is True
    unattended = parsed.kind == "cron" or parsed.rest.endswith(":heartbeat")
    return StoredSession(
        KnownSession(
            key=parsed.normalized,
            agent_id=parsed.agent_id or agent_id,
            spawned_by=_text(entry.get("spawnedBy")),
            chat_type=_chat_type(entry),
            incognito=incognito,
            owner=_text(entry.get("ownerSessionKey")) or _text(entry.get("parentSessionKey")),
        ),
        frozenset(_ids(entry)),
        int(updated) if isinstance(updated, int | float) and not isinstance(updated, bool) else 0,
        remembered=not incognito and not unattended,
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
