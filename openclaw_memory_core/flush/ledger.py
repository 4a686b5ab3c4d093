"""The marks of flushes: written to ``sessions.json``, or kept in memory as long as that cannot be written."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.errors import SessionStoreError
from openclaw_memory_core.session_keys import canonical_main_key, is_main
from openclaw_memory_core.sessions.store import Entry, SessionStore

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import SessionsConfig
    from openclaw_memory_hookspecs import Session

logger = logging.getLogger(__name__)

Marks = Callable[[Entry], dict[str, Any] | None]
"""From the present entry to the fields to set; None: nothing to set."""


class Ledger:
    """Entries of one agent's sessions."""

    def __init__(self, store: SessionStore, agent_id: str, sessions: SessionsConfig) -> None:
        self._store = store
        self._agent_id = agent_id
        self._sessions = sessions
        self._lock = threading.Lock()
        self._unsaved: dict[str, dict[str, Any]] = {}

    def key(self, session: Session) -> str:
        """The key that the session has in the store: aliases of the main session are one session."""
        scope, main = self._sessions.scope, self._sessions.main_key
        if is_main(session.key, self._agent_id, main_key=main, scope=scope):
            return canonical_main_key(self._agent_id, main_key=main, scope=scope)
        return session.key.strip().lower()

    def entry(self, session: Session) -> Entry:
        """The session's entry with what could not be written yet; empty for an unknown session."""
        key = self.key(session)
        stored = self._store.entry(self._stored_key(session)) or {}
        with self._lock:
            return {**stored, **self._unsaved.get(key, {})}

    def entries(self) -> Mapping[str, Mapping[str, Any]]:
        """Every entry of the store; not to be changed."""
        return self._store.view()

    def write(self, session: Session, marks: Marks) -> None:
        """Set fields.  A store that cannot be written is logged; its marks then hold until the process ends."""
        key = self.key(session)
        with self._lock:
            unsaved = dict(self._unsaved.get(key, {}))

        def patch(entry: Entry) -> dict[str, Any] | None:
            fields = marks({**entry, **unsaved})
            if fields is None and not unsaved:
                return None
            return {**unsaved, **(fields or {}), **_identity(session, entry)}

        try:
            self._store.update(self._stored_key(session), patch)
            unsaved = {}
        except SessionStoreError as error:
            logger.warning("%s The memory flush remembers its marks until the process ends.", error.message)
            unsaved.update(marks({**(self._store.entry(self._stored_key(session)) or {}), **unsaved}) or {})
        with self._lock:
            self._unsaved[key] = unsaved

    def _stored_key(self, session: Session) -> str:
        """The canonical key, unless only the alias that the host used has an entry."""
        key = self.key(session)
        alias_only = self._store.entry(key) is None and self._store.entry(session.key) is not None
        return session.key if alias_only else key


def session_id_of(session: Session, entry: Entry) -> str | None:
    """Id of the present transcript: the host's, else the stored one."""
    known = entry.get("sessionId")
    return session.session_id or (known if isinstance(known, str) else None)


def _identity(session: Session, entry: Entry) -> dict[str, Any]:
    """What a host that keeps no entries would have written into this one."""
    if "sessionId" in entry or session.session_id is None:
        return {}
    return {"sessionId": session.session_id}
