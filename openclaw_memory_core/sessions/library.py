"""The transcripts of one or more agents, as far as a caller may see them."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from openclaw_memory_core.config.model import SessionsConfig
from openclaw_memory_core.privacy import Audience, VisibleSessions, visible_session_keys
from openclaw_memory_core.session_keys import canonical_main_key, is_main
from openclaw_memory_core.sessions.known import StoredSession, owners_in, sessions_in
from openclaw_memory_core.sessions.store import SessionStore
from openclaw_memory_core.sessions.transcripts import transcript_name
from openclaw_memory_core.sessions.visibility import visible_paths

_RACY_NS = 2_000_000_000


class AgentSessions:
    """Where the sessions of one agent are.

    :param store: the agent's ``sessions.json``.
    """

    def __init__(self, agent_id: str, folder: Path, store: SessionStore) -> None:
        self.agent_id = agent_id
        self.folder = folder
        self.store = store
        self._listing: tuple[int, tuple[str, ...]] | None = None

    def names(self) -> tuple[str, ...]:
        """File names of the transcripts, sorted; the folder is listed anew only if it has changed."""
        try:
            changed = self.folder.stat().st_mtime_ns
            if self._listing is not None and self._listing[0] == changed:
                return self._listing[1]
            found = tuple(sorted(name for name in os.listdir(self.folder) if transcript_name(name)))  # noqa: PTH208 - names only
        except OSError:
            return ()
        # A folder that changed just now may change again within one tick of its clock.
        self._listing = (changed, found) if time.time_ns() - changed > _RACY_NS else None
        return found

    def path_of(self, name: str) -> str:
        """How a transcript is called in the index."""
        return f"sessions/{self.agent_id}/{name}"


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """A transcript that may be shown.

    :param path: its name in the index, ``sessions/<agent>/<file>``.
    :param session_key: None if no store knows whose it is.
    :param signature: size, modification time in nanoseconds, inode: equal means unchanged.
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
    """Finds transcripts; what may be seen is decided by :mod:`~openclaw_memory_core.privacy`.

    :param agents: every agent; those that are not the caller's matter only where the visibility is ``all``.
    """

    def __init__(self, agents: Sequence[AgentSessions], sessions: SessionsConfig) -> None:
        self._agents = {one.agent_id.lower(): one for one in agents}
        self._sessions = sessions

    def visible(self, who: Audience) -> VisibleSessions:
        """Which sessions *who* may look into."""

        def decide(_: object = None) -> VisibleSessions:
            return visible_session_keys(who, [one.known for one in self._stored(who)], self._sessions)

        own = self._agents.get(who.agent_id)
        return decide() if own is None or self._others(who) else own.store.derived(("visible", who), decide)

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
        if key != who.key and all(one.key != key for one in self._stored(who)):
            return {"status": "not_found", "error": "There is no session of this key."}
        return None

    def paths(self, who: Audience, *, own_id: str | None = None) -> frozenset[str]:
        """Names in the index of the transcripts of *who*'s own agent that *who* may see.

        :param own_id: id of the caller's own transcript.
        """
        own = self._agents.get(who.agent_id)
        if own is None:
            return frozenset()
        owners = owners_in(own.store, own.agent_id)
        return visible_paths(self.visible(who), map(own.path_of, own.names()), owners, own_id=own_id)

    def transcripts(self, who: Audience, *, own_id: str | None = None) -> list[TranscriptFile]:
        """Every transcript that *who* may see, last changed first.

        :param own_id: id of the caller's own transcript.
        """
        own = self._agents.get(who.agent_id)
        found: list[TranscriptFile] = []
        if own is not None:
            found += _files(own, self.paths(who, own_id=own_id), owners_in(own.store, own.agent_id))
        # A transcript that no store knows, or whose key names no agent, belongs to its own agent alone.
        visible = replace(self.visible(who), orphans=False)
        for agent in self._others(who):
            owners = {
                session_id: [one for one in sessions if _is_of(one, agent)]
                for session_id, sessions in owners_in(agent.store, agent.agent_id).items()
            }
            found += _files(agent, visible_paths(visible, map(agent.path_of, agent.names()), owners), owners)
        return sorted(found, key=lambda one: (-one.modified, one.path))

    def _others(self, who: Audience) -> list[AgentSessions]:
        if self._sessions.visibility != "all":
            return []
        return [agent for agent_id, agent in self._agents.items() if agent_id != who.agent_id]

    def _stored(self, who: Audience) -> list[StoredSession]:
        own = self._agents.get(who.agent_id)
        found = list(sessions_in(own.store, own.agent_id)) if own is not None else []
        for agent in self._others(who):
            found += [one for one in sessions_in(agent.store, agent.agent_id) if _is_of(one, agent)]
        return found


def _is_of(session: StoredSession, agent: AgentSessions) -> bool:
    return session.key.startswith(f"agent:{agent.agent_id.lower()}:")


def _files(
    agent: AgentSessions, allowed: frozenset[str], owners: Mapping[str, Sequence[StoredSession]]
) -> Iterator[TranscriptFile]:
    for path in allowed:
        file = agent.folder / path.rpartition("/")[2]
        name = transcript_name(file.name)
        try:
            st = file.lstat()
        except OSError:
            continue
        if name is None or not stat.S_ISREG(st.st_mode):
            continue
        sessions = owners.get(name.session_id, ())
        yield TranscriptFile(
            path,
            file,
            name.session_id,
            sessions[0].key if sessions else None,
            name.archived,
            (st.st_size, st.st_mtime_ns, st.st_ino),
        )
