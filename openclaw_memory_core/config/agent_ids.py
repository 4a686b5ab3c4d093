"""Agent ids: one spelling for every way to write one."""

from __future__ import annotations

import re

DEFAULT_AGENT = "main"
_VALID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_OUTSIDE = re.compile(r"[^a-z0-9_-]+")


def normalize_agent_id(agent_id: str) -> str:
    """*agent_id* in the form that names folders and index files: lower case, ``[a-z0-9_-]``, at most 64 characters.

    Nothing usable gives ``main``.
    """
    lowered = agent_id.strip().lower()
    if _VALID.fullmatch(lowered):
        return lowered
    return _OUTSIDE.sub("-", lowered).strip("-")[:64] or DEFAULT_AGENT
