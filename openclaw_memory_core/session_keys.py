"""Session keys: what a key says about agent, audience and kind.  Pure string work, no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SessionKind = Literal[
    "main", "direct", "group", "channel", "cron", "subagent", "hook", "acp", "node", "global", "unknown"
]


@dataclass(frozen=True, slots=True)
class SessionKey:
    """A parsed key.

    :param agent_id: from ``agent:<id>:…``, None in a legacy key.
    :param rest: what follows the agent part, lower case.
    :param kind: what the key looks like; ``unknown`` is never private.
    :param incognito: nothing of this session may be remembered.
    """

    raw: str
    agent_id: str | None
    rest: str
    kind: SessionKind
    incognito: bool = False
