"""Where a session's transcript is: names inside the sessions folder, never outside the agents' folders."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

SESSION_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}", re.IGNORECASE)
_THREAD = re.compile(r":(?:thread|topic):(.+)$")


def store_path(sessions_dir: Path, configured: str | None, agent_id: str, home: Path) -> Path:
    """Path of ``sessions.json``: ``session.store`` with ``{agentId}`` and ``~`` filled in, else the default place."""
    if not configured:
        return sessions_dir / "sessions.json"
    text = configured.replace("{agentId}", agent_id)
    if text == "~" or text.startswith(("~/", "~\\")):
        return home / text[2:]
    return home / text


def transcript_path(
    sessions_dir: Path, key: str, *, session_id: str | None = None, entry: Mapping[str, Any] | None = None
) -> Path | None:
    """Transcript of a session; None if it cannot be told or would lie outside the agents' folders.

    :param session_id: id as the host says it; None for the one in *entry*.
    :param entry: the session's entry in ``sessions.json``.
    """
    known = (entry or {}).get("sessionId")
    current = session_id or (known if isinstance(known, str) else None)
    named = (entry or {}).get("sessionFile")
    if isinstance(named, str) and named and current in {None, known}:
        return _contained(sessions_dir, named)
    if current is None or not SESSION_ID.fullmatch(current):
        return None
    thread = _THREAD.search(key)
    if thread is not None:
        of_topic = sessions_dir / f"{current}-topic-{quote(thread.group(1), safe='')}.jsonl"
        if of_topic.is_file():
            return of_topic
    return sessions_dir / f"{current}.jsonl"


def _contained(sessions_dir: Path, named: str) -> Path | None:
    """*named* if it is a ``.jsonl`` file of this agent's sessions folder or of a sibling agent's."""
    path = Path(os.path.normpath(sessions_dir / named))
    agents = sessions_dir.parent.parent
    sibling = path.parent.name == sessions_dir.name and path.parent.parent.parent == agents
    if path.suffix != ".jsonl" or not (path.parent == sessions_dir or sibling):
        return None
    real_agents = os.path.realpath(agents)
    inside = os.path.commonpath([real_agents, os.path.realpath(path.parent)]) == real_agents
    return path if inside else None
