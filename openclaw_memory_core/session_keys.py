"""Session keys: what a key says about agent, audience and kind.  Pure string work, no I/O.

A key is ``agent:<agentId>:<rest>``, or a legacy key that is only a rest.  Case does not matter.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from openclaw_memory_core.records import record

SessionKind = Literal[
    "main", "direct", "group", "channel", "cron", "subagent", "hook", "acp", "node", "global", "unknown"
]

_DISCORD_CHANNEL = re.compile(r"^discord:(?:[^:]+:)?guild-[^:]+:channel-[^:]+")
_THREAD = re.compile(r"^(?P<parent>.+):(?:thread|topic):(?P<thread>.+)$")
_INCOGNITO = ("dashboard:incognito-", "subagent:incognito-", "internal-session-effects:incognito-")
_FIRST_TOKEN: dict[str, SessionKind] = {"cron": "cron", "acp": "acp", "hook": "hook", "subagent": "subagent"}
_AUDIENCE: tuple[tuple[str, SessionKind], ...] = (
    ("group", "group"),
    ("channel", "channel"),
    ("room", "channel"),
    ("direct", "direct"),
    ("dm", "direct"),
)


@record
class SessionKey:
    """A parsed key.

    :param raw: the key as it was given.
    :param agent_id: from ``agent:<id>:…``, None in a legacy key.
    :param rest: what follows the agent part, lower case.
    :param kind: what the key looks like; ``unknown`` is never private.
    :param incognito: nothing of this session may be remembered.
    :param parent: normalised key of which this is a thread or topic.
    :param thread: id of the thread or topic.
    :param depth: how deep a subagent is nested, 0 for any other key.
    """

    raw: str
    agent_id: str | None
    rest: str
    kind: SessionKind
    incognito: bool = False
    parent: str | None = None
    thread: str | None = None
    depth: int = 0

    @property
    def normalized(self) -> str:
        """The key in lower case: two keys of one session have the same."""
        return self.rest if self.agent_id is None else f"agent:{self.agent_id}:{self.rest}"

    @property
    def chat_type(self) -> Literal["direct", "group", "channel"] | None:
        """The audience as the key tells it; None if it tells none."""
        return self.kind if self.kind in {"direct", "group", "channel"} else None


@lru_cache(maxsize=8192)
def parse_session_key(key: str, *, main_key: str = "main") -> SessionKey:
    """Read a key; never fails.  What cannot be understood has the kind ``unknown``.

    :param main_key: name of the main session (``session.mainKey``).
    """
    agent_id, rest = _split_agent(key.strip().lower())
    match = _THREAD.match(rest)
    parent = match["parent"] if match else None
    if parent is not None and agent_id is not None:
        parent = f"agent:{agent_id}:{parent}"
    kind = _kind(rest, main_key.strip().lower(), threaded=match is not None)
    return SessionKey(
        raw=key,
        agent_id=agent_id,
        rest=rest,
        kind=kind,
        incognito=any(f":{mark}" in f":{rest}" for mark in _INCOGNITO),
        parent=parent,
        thread=match["thread"] if match else None,
        depth=f":{rest}".count(":subagent:") if kind == "subagent" else 0,
    )


def canonical_main_key(
    agent_id: str, *, main_key: str = "main", scope: Literal["per-sender", "global"] = "per-sender"
) -> str:
    """The one key of an agent's main session: ``agent:<id>:<mainKey>``, or ``global`` where all share one session."""
    if scope == "global":
        return "global"
    return f"agent:{agent_id.strip().lower()}:{main_key.strip().lower() or 'main'}"


def is_main(
    key: str,
    agent_id: str,
    *,
    main_key: str = "main",
    scope: Literal["per-sender", "global"] = "per-sender",
) -> bool:
    """Whether *key* is the main session of *agent_id*, by its canonical name or an alias.

    Aliases are ``main``, the main key alone, ``agent:<id>:main`` and ``agent:<id>:<mainKey>``.
    """
    normalized = key.strip().lower()
    agent, main = agent_id.strip().lower(), main_key.strip().lower() or "main"
    names = {"main", main, f"agent:{agent}:main", f"agent:{agent}:{main}"}
    return normalized in names or (scope == "global" and normalized == "global")


def _split_agent(key: str) -> tuple[str | None, str]:
    """Agent id and rest; a key that begins with ``agent:`` and lacks a part is no agent key."""
    head, _, tail = key.partition(":")
    agent_id, _, rest = tail.partition(":")
    if head == "agent" and agent_id and rest.strip(":"):
        return agent_id, rest
    return None, key


def _kind(rest: str, main_key: str, *, threaded: bool) -> SessionKind:
    tokens = rest.split(":")
    if rest in {"main", main_key}:
        return "main"
    if rest == "global":
        return "global"
    # What runs by itself is told by the first word, whatever stands behind it; a subagent may hang below any key.
    if tokens[0] in _FIRST_TOKEN and len(tokens) > 1:
        return "subagent" if "subagent" in tokens else _FIRST_TOKEN[tokens[0]]
    if "subagent" in tokens[:-1]:
        return "subagent"
    if tokens[0].startswith("node-"):
        return "node"
    return _audience(rest, tokens, threaded=threaded)


def _audience(rest: str, tokens: list[str], *, threaded: bool) -> SessionKind:
    # A thread's id is free text of a channel: it says nothing about the audience.
    if threaded and (match := _THREAD.match(rest)):
        tokens = match["parent"].split(":")
    if _DISCORD_CHANNEL.match(rest):
        return "channel"
    if "@g.us" in rest:
        return "group"
    for token, kind in _AUDIENCE:
        if token in tokens:
            return kind
    return "unknown"
