"""Who is talking, and what the host tells once: all that most programs need of the contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

ChatType = Literal["direct", "group", "channel"]
WorkspaceAccess = Literal["rw", "ro", "none"]


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """What the host tells the plugin once, at start.

    :param config: the parsed ``openclaw.json``; None means: read *config_path* or the default place.
    :param config_path: where the configuration came from or is to be read.
    :param state_dir: the host's state directory (``~/.openclaw`` when None).
    :param clock: returns the current time as an aware datetime; injected so that tests own the calendar.
    :param timezone: IANA name of the user's zone; None means: from the configuration, then the host's zone.
    :param env: environment variables to use instead of the process's own.
    """

    config: Mapping[str, Any] | None = None
    config_path: Path | None = None
    state_dir: Path | None = None
    clock: Callable[[], datetime] = _utc_now
    timezone: str | None = None
    env: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation, as the host knows it.  What is None is derived from *key* by the plugin.

    :param key: session key, for example ``agent:main:main`` or ``agent:main:telegram:group:-1009``.
    :param agent_id: agent that owns the session; None: from the key, else the default agent.
    :param session_id: id of the present transcript.
    :param chat_type: what the host knows about the audience; wins over the look of the key.
    :param trigger: what started the turn: ``user``, ``heartbeat``, ``cron``, ``subagent``, ``memory`` …
    :param sender_is_owner: True only if the host has authenticated the sender as the owner of this memory.
    :param workspace: folder with the notes; None: from the configuration.
    :param workspace_access: what a sandboxed session may do there.
    :param context_window: the model's window in tokens; None: from the configuration, else 200,000.
    :param spawned_by: key of the session that spawned this one.
    :param incognito: nothing of this session may be remembered.
    :param sandboxed: the session's tools run in a sandbox.
    """

    key: str
    agent_id: str | None = None
    session_id: str | None = None
    chat_type: ChatType | None = None
    trigger: str = "user"
    sender_is_owner: bool = False
    workspace: Path | None = None
    workspace_access: WorkspaceAccess = "rw"
    context_window: int | None = None
    spawned_by: str | None = None
    incognito: bool = False
    sandboxed: bool = False
