"""Which transcripts a session may see: keys are decided by :mod:`~openclaw_memory_core.privacy`, files follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from openclaw_memory_core.privacy import VisibleSessions
from openclaw_memory_core.sessions.known import StoredSession
from openclaw_memory_core.sessions.transcripts import transcript_name


def visible_paths(
    visible: VisibleSessions,
    paths: Iterable[str],
    owners: Mapping[str, Sequence[StoredSession]],
    *,
    own_id: str | None = None,
) -> frozenset[str]:
    """Those of the transcript *paths* (``sessions/<agent>/<file>``) that are visible.

    A transcript is visible if any of the sessions it belongs to is; one of a session that is not remembered never is.

    :param owners: the sessions that each transcript id belongs to.
    :param own_id: id of the caller's own transcript, which is the caller's even where no store knows it.
    """
    own = own_id.lower() if own_id is not None else None
    return frozenset(path for path in paths if _is_visible(path, visible, owners, own))


def _is_visible(
    path: str, visible: VisibleSessions, owners: Mapping[str, Sequence[StoredSession]], own_id: str | None
) -> bool:
    name = transcript_name(path.rpartition("/")[2])
    if name is None:
        return False
    sessions = owners.get(name.session_id, ())
    if not all(session.remembered for session in sessions):
        return False
    if not sessions:
        return visible.allows(None) or name.session_id == own_id
    return any(visible.allows(session.key) for session in sessions)
