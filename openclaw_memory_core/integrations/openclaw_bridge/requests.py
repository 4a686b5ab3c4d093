"""What the plugin says about a call: which agent, which session, and for whom the answer is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from openclaw_memory_core.config.model import AgentConfig, MemoryConfig
from openclaw_memory_core.errors import UsageError
from openclaw_memory_core.session_keys import is_main
from openclaw_memory_hookspecs import Session

UNKNOWN: Final = "openclaw-bridge:unknown"
"""Rest of the key of a caller that is not named: never private."""


def text(params: Mapping[str, Any], name: str) -> str | None:
    """A string, or None if it is absent or empty.

    :raises UsageError: it is something else.
    """
    value = params.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise UsageError(f"{name} must be a string")
    return value


def required(params: Mapping[str, Any], name: str) -> str:
    """A string that must be there.

    :raises UsageError: it is not.
    """
    value = text(params, name)
    if value is None:
        raise UsageError(f"{name} is required")
    return value


def number(params: Mapping[str, Any], name: str) -> float | None:
    """A number, or None.

    :raises UsageError: it is something else.
    """
    value = params.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{name} must be a number")
    return value


def integer(params: Mapping[str, Any], name: str) -> int | None:
    """A whole number, or None.

    :raises UsageError: it is something else.
    """
    value = number(params, name)
    return None if value is None else int(value)


def workspace_of(params: Mapping[str, Any]) -> Path | None:
    """The agent's workspace as OpenClaw resolved it."""
    value = text(params, "workspace")
    return None if value is None else Path(value)


def session_of(params: Mapping[str, Any], agent: AgentConfig, config: MemoryConfig) -> Session:
    """The session that a call is about.

    A caller without a key is nobody in particular and sees what a group would.  A sandbox is assumed where the
    configuration puts the session into one, whatever the call says.
    """
    key = text(params, "sessionKey") or f"agent:{agent.id}:{UNKNOWN}"
    sandboxed = params.get("sandboxed") is True or _is_sandboxed(key, agent, config)
    return Session(
        key=key,
        agent_id=agent.id,
        session_id=text(params, "sessionId"),
        trigger=text(params, "trigger") or "user",
        sender_is_owner=params.get("senderIsOwner") is True,
        workspace_access=(agent.sandbox_workspace_access or "rw") if sandboxed else "rw",
        sandboxed=sandboxed,
    )


def _is_sandboxed(key: str, agent: AgentConfig, config: MemoryConfig) -> bool:
    if agent.sandbox_mode != "non-main":
        return agent.sandbox_mode == "all"
    return not is_main(key, agent.id, main_key=config.sessions.main_key, scope=config.sessions.scope)
