"""The transcripts of one or more agents, as far as a caller may see them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from openclaw_memory_core.config.model import SessionsConfig
from openclaw_memory_core.privacy import Audience, VisibleSessions
from openclaw_memory_core.session_keys import canonical_main_key, is_main
from openclaw_memory_core.sessions.known import StoredSession, by_session_id, stored_sessions
from openclaw_memory_core.sessions.store import SessionStore
from openclaw_memory_core.sessions.transcripts import transcript_name
from openclaw_memory_core.sessions.visibility import visible_paths, visible_sessions


@dataclass(frozen=True, slots=True)
class AgentSessions:
    """Where the sessions of one agent are."""

    agent_id: str
    folder: Path
    store: SessionStore


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """A transcript that may be shown.

    :param path: its name for the index, ``sessions/<agent>/<file>``.
    :param session_key: None if no store knows whose it is.
    :param signature: equal means unchanged.
    """

    path: str
    file: Path
    session_id: str
    session_key: str | None
    archived: bool
    signature: tuple[int, int, int]

    @property
    def modified(self) -> int:
        """Modification time in nanoseconds."""
        return self.signature[1]


class TranscriptLibrary:
    """Finds transcripts; decides nothing itself.

    :param agents: the caller's own agent first; others matter only where the visibility is ``all``.
    """

    def __init__(self, agents: Sequence[AgentSessions], sessions: SessionsConfig) -> None:
        self._agents = tuple(agents)
        self._sessions = sessions

    def visible(self, who: Audience) -> VisibleSessions:
        """Which sessions *who* may look into."""
        return visible_sessions(who, self._stored(), self._sessions)

    def resolve(self, who: Audience, session_key: str) -> str:
        """*session_key* as the stores have it: ``current`` is the caller's own, ``main`` its agent's main session."""
        key = session_key.strip().lower()
        if key == "current":
            return who.key
        scope, main_key = self._sessions.scope, self._sessions.main_key
        if is_main(key, who.agent_id, main_key=main_key, scope=scope):
            return canonical_main_key(who.agent_id, main_key=main_key, scope=scope)
        return key

    def denial(self, who: Audience, session_key: str) -> dict[str, Any] | None:
        """The refusal if *who* may not look into a session, the same whether it exists or not; None if it may."""
        key = self.resolve(who, session_key)
        visible = self.visible(who)
        if not visible.allows(key):
            return {"status": "forbidden", "error": f"This session may not be looked into: {visible.denied_reason}."}
        if key != who.key and all(one.key != key for one in self._stored()):
            return {"status": "not_found", "error": "There is no session of this key."}
        return None

    def transcripts(self, who: Audience, *, own_id: str | None = None) -> list[TranscriptFile]:
        """Every transcript that *who* may see, last changed first.

        :param own_id: id of the caller's own transcript.
        """
        visible = self.visible(who)
        found: list[TranscriptFile] = []
        for agent in self._agents:
            if agent.agent_id.lower() == who.agent_id:
                found += _seen(agent, visible, own_id)
            elif visible.level == "all":
                # A transcript that no store knows belongs to its agent alone.
                found += _seen(agent, replace(visible, orphans=False), None)
        return sorted(found, key=lambda one: (-one.modified, one.path))

    def _stored(self) -> list[StoredSession]:
        return [one for agent in self._agents for one in _sessions_of(agent, own=agent is self._agents[0])]


def _sessions_of(agent: AgentSessions, *, own: bool) -> list[StoredSession]:
    """An agent's sessions; of another agent only those whose key says whose they are."""
    stored = stored_sessions(agent.store.view(), agent.agent_id)
    return [one for one in stored if own or one.key.startswith(f"agent:{agent.agent_id.lower()}:")]


def _seen(agent: AgentSessions, visible: VisibleSessions, own_id: str | None) -> list[TranscriptFile]:
    stored = _sessions_of(agent, own=agent.agent_id.lower() == visible.agent_id)
    files = list(_files(agent, stored))
    allowed = visible_paths(visible, (one.path for one in files), stored, own_id=own_id)
    return [one for one in files if one.path in allowed]


def _files(agent: AgentSessions, stored: Sequence[StoredSession]) -> Iterator[TranscriptFile]:
    owners = by_session_id(stored)
    try:
        with os.scandir(agent.folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        name = transcript_name(entry.name)
        if name is None:
            continue
        try:
            st = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        sessions = owners.get(name.session_id, [])
        if stat.S_ISREG(st.st_mode) and all(session.remembered for session in sessions):
            yield TranscriptFile(
                f"sessions/{agent.agent_id}/{entry.name}",
                agent.folder / entry.name,
                name.session_id,
                sessions[0].key if sessions else None,
                name.archived,
                (st.st_size, st.st_mtime_ns, st.st_ino),
            )
