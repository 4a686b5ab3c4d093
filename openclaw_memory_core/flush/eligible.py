"""Which sessions may be asked for a flush at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.session_keys import parse_session_key

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import AgentConfig
    from openclaw_memory_hookspecs import Session

SILENT_TRIGGERS = frozenset({"heartbeat", "cron", "memory", "cli"})
"""Turns that nobody talks in, and the flush turn itself."""


def refusal(session: Session, entry: Mapping[str, Any], agent: AgentConfig) -> str | None:
    """Why this session is not flushed, for status; None if it may be.

    Subagents are flushed like any other session: they work for the owner and their context is compacted, too.
    """
    key = parse_session_key(session.key)
    if not agent.flush.enabled:
        return "the flush is switched off"
    if session.trigger in SILENT_TRIGGERS:
        return f"a {session.trigger} turn is not flushed"
    if not _writable(session, agent):
        return "the workspace cannot be written"
    if session.incognito or key.incognito or entry.get("incognito") is True:
        return "nothing of an incognito session is remembered"
    if key.kind == "cron":
        return "a cron session is not flushed"
    provider = entry.get("providerOverride") or entry.get("modelProvider")
    if isinstance(provider, str) and provider.endswith("-cli"):
        return "a CLI backend keeps its own context"
    return None


def _writable(session: Session, agent: AgentConfig) -> bool:
    boxed = session.sandboxed and agent.sandbox_workspace_access not in {None, "rw"}
    return session.workspace_access == "rw" and not boxed
