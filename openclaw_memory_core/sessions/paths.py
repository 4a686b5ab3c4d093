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
    sessions_dir: Path,
    key: str,
    *,
    session_id: str | None = None,
    entry: Mapping[str, Any] | None = None,
    store_dir: Path | None = None,
) -> Path | None:
    """Transcript of a session; None if it cannot be told or would lie outside the agents' folders.

    :param session_id: id as the host says it; None for the one in *entry*.
    :param entry: the session's entry in ``sessions.json``.
    :param store_dir: folder of ``sessions.json``, where some hosts keep transcripts if it is not *sessions_dir*.
    """
    known = (entry or {}).get("sessionId")
    current = session_id or (known if isinstance(known, str) else None)
    named = (entry or {}).get("sessionFile")
    if isinstance(named, str) and named and current in {None, known}:
        return _contained(sessions_dir, store_dir or sessions_dir, named)
    if current is None or not SESSION_ID.fullmatch(current):
        return None
    names = [f"{current}.jsonl"]
    thread = _THREAD.search(key)
    if thread is not None:
        names.insert(0, f"{current}-topic-{quote(thread.group(1), safe='')}.jsonl")
    places = [folder / name for folder in dict.fromkeys((sessions_dir, store_dir or sessions_dir)) for name in names]
    return next((path for path in places if path.is_file()), sessions_dir / names[-1])


def _contained(sessions_dir: Path, store_dir: Path, named: str) -> Path | None:
    """*named* if it is a ``.jsonl`` file beside the store, in this agent's sessions folder or in a sibling agent's."""
    path = Path(os.path.normpath(sessions_dir / named))
    agents = sessions_dir.parent.parent
    sibling = path.parent.name == sessions_dir.name and path.parent.parent.parent == agents
    if path.suffix != ".jsonl" or not (path.parent in {sessions_dir, store_dir} or sibling):
        return None
    real = Path(os.path.realpath(path.parent))
    roots = (Path(os.path.realpath(agents)), Path(os.path.realpath(store_dir)))
    return path if any(real.is_relative_to(root) for root in roots) else None
