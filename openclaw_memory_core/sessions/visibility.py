"""Which transcripts a session may see: keys are decided by :mod:`~openclaw_memory_core.privacy`, files follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from openclaw_memory_core.config.model import SessionsConfig
from openclaw_memory_core.privacy import Audience, VisibleSessions, visible_session_keys
from openclaw_memory_core.sessions.known import StoredSession, by_session_id
from openclaw_memory_core.sessions.transcripts import transcript_name


def visible_sessions(who: Audience, stored: Sequence[StoredSession], sessions: SessionsConfig) -> VisibleSessions:
    """Which of the stored sessions *who* may look into."""
    return visible_session_keys(who, [one.known for one in stored], sessions)


def visible_paths(
    visible: VisibleSessions, paths: Iterable[str], stored: Sequence[StoredSession], *, own_id: str | None = None
) -> frozenset[str]:
    """Those of the transcript *paths* (``sessions/<agent>/<file>``) that are visible.

    A transcript is visible if any of the sessions it belongs to is; one that belongs to an incognito session never is.

    :param own_id: id of the caller's own transcript, which is the caller's even where no store knows it.
    """
    owners = by_session_id(stored)
    own = own_id.lower() if own_id is not None else None
    return frozenset(path for path in paths if _is_visible(path, visible, owners, own))


def _is_visible(
    path: str, visible: VisibleSessions, owners: Mapping[str, Sequence[StoredSession]], own_id: str | None
) -> bool:
    name = transcript_name(path.rpartition("/")[2])
    if name is None:
        return False
    sessions = owners.get(name.session_id, ())
    if any(session.known.incognito for session in sessions):
        return False
    if not sessions:
        return visible.allows(None) or name.session_id == own_id
    return any(visible.allows(session.key) for session in sessions)
