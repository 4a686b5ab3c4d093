"""The one place that says what a session may see.

**Private** is the canonical main session of the agent, or a direct session whose host says that the sender is the
owner.  Everything else, and everything unknown, is not private; a ``chat_type`` given by the host wins over the look
of the key.  The rules for transcripts are those of ``tools.sessions.visibility``.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from openclaw_memory_core.records import record
from openclaw_memory_core.session_keys import SessionKind, canonical_main_key, is_main, parse_session_key

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import SessionsConfig, Source, VisibilityLevel
    from openclaw_memory_hookspecs import ChatType, Session

_AUTONOMOUS: frozenset[str] = frozenset({"subagent", "cron", "hook", "node", "acp"})
"""Kinds of session that nobody sits at: never private, whatever else is said."""

_AUTONOMOUS_TRIGGERS = frozenset({"subagent", "hook", "node", "acp"})
"""Triggers of a turn that make it so, too.  A timer or a heartbeat may well run in the main session."""


@record
class Visible:
    """What a search may see, applied by the index before any limit.

    :param sources: sources to look in.
    :param curated: False hides every chunk of a curated file.
    :param hidden_paths: further documents to hide, whatever the index says about them.
    :param transcripts: transcript paths that may be seen; None means all of this index.
    """

    sources: tuple[Source, ...] = ("memory",)
    curated: bool = True
    hidden_paths: frozenset[str] = frozenset()
    transcripts: frozenset[str] | None = None


@record
class Audience:
    """Who hears what is said in a session.

    :param key: the session's key; the canonical one for the main session.
    :param kind: what the key looks like.
    :param chat_type: as the host says, else as the key tells; None if unknown.
    :param private: curated files may be shown.
    :param main: it is the agent's main session.
    :param reason: why it is private or not, as the end of a sentence.
    """

    key: str
    agent_id: str
    kind: SessionKind
    chat_type: ChatType | None
    private: bool
    main: bool
    incognito: bool
    sandboxed: bool
    reason: str


@record
class KnownSession:
    """A session as the session store knows it.

    :param spawned_by: key of the session that spawned it.
    :param owner: key of the session that controls it, where the store says so.
    """

    key: str
    agent_id: str
    spawned_by: str | None = None
    chat_type: ChatType | None = None
    incognito: bool = False
    owner: str | None = None


@record
class VisibleSessions:
    """Which sessions a caller may look into.

    :param agent_id: agent of the caller.
    :param allowed: keys, lower case; None means every session of that agent and no other.
    :param orphans: transcripts of this agent whose session is not known any more are visible, too.
    :param level: the level that took effect, after the cap for sandboxes.
    :param denied_reason: what to tell a caller who asks for another session.
    """

    agent_id: str
    allowed: frozenset[str] | None
    orphans: bool
    level: VisibilityLevel
    denied_reason: str

    def allows(self, key: str | None) -> bool:
        """Whether a session may be looked into; None stands for an unknown key."""
        if key is None:
            return self.orphans
        if self.allowed is None:
            return parse_session_key(key).agent_id in {None, self.agent_id}
        return key.strip().lower() in self.allowed


def audience(session: Session, sessions: SessionsConfig, *, default_agent: str) -> Audience:
    """Who hears what is said in *session*.

    :param default_agent: agent of a key that names none.
    """
    parsed = parse_session_key(session.key, main_key=sessions.main_key)
    agent_id = (session.agent_id or parsed.agent_id or default_agent).strip().lower()
    main = is_main(session.key, agent_id, main_key=sessions.main_key, scope=sessions.scope)
    private, reason = _privacy(session, parsed.kind, main=main)
    key = canonical_main_key(agent_id, main_key=sessions.main_key, scope=sessions.scope) if main else parsed.normalized
    return Audience(
        key=key,
        agent_id=agent_id,
        kind="main" if main else parsed.kind,
        chat_type=session.chat_type or parsed.chat_type,
        private=private,
        main=main,
        incognito=session.incognito or parsed.incognito,
        sandboxed=session.sandboxed,
        reason=reason,
    )


def _privacy(session: Session, kind: SessionKind, *, main: bool) -> tuple[bool, str]:
    """Whether a session is private, and why.  Anything not listed is not."""
    if kind in _AUTONOMOUS:
        return False, f"this is a {kind} session"
    if session.spawned_by is not None:
        return False, "this session was spawned by another one"
    if session.trigger.strip().lower() in _AUTONOMOUS_TRIGGERS:
        return False, f"this turn was started by a {session.trigger.strip().lower()}"
    chat_type = session.chat_type or (None if main else kind)
    if chat_type in {"group", "channel"}:
        return False, f"this is a {chat_type} chat"
    if main:
        return True, "this is the main session"
    if chat_type == "direct":
        if session.sender_is_owner:
            return True, "the owner is the only one here"
        return False, "the host has not confirmed that the owner is speaking"
    return False, "it is not known who can read this session"


def visible_memory(
    who: Audience,
    sources: Iterable[Source],
    *,
    transcripts: frozenset[str] | None = None,
    hidden_paths: Iterable[str] = (),
) -> Visible:
    """What a search for *who* may see.

    :param transcripts: transcript paths that are visible; None for all of this index.
    :param hidden_paths: further documents to hide.
    """
    return Visible(
        sources=tuple(sources),
        curated=who.private,
        hidden_paths=frozenset(hidden_paths),
        transcripts=transcripts,
    )


def visible_session_keys(who: Audience, known: Sequence[KnownSession], sessions: SessionsConfig) -> VisibleSessions:
    """Which sessions *who* may search and read.

    ``self``: its own.  ``tree``: also those it spawned, and theirs; for the main session every session of its agent.
    ``agent``: every session of its agent.  ``all``: every agent's, as far as ``tools.agentToAgent`` allows.
    A sandboxed caller is held to what it spawned, an incognito session is never visible.
    """
    capped = who.sandboxed and sessions.sandbox_visibility == "spawned"
    level: VisibilityLevel = "tree" if capped and sessions.visibility in {"agent", "all"} else sessions.visibility
    whole_agent = level in {"agent", "all"} or (level == "tree" and who.main and who.private and not capped)
    visible = {who.key}
    if level != "self":
        visible |= _descendants(who.key, known)
    for one in known:
        agent_id = one.agent_id.lower()
        if agent_id == who.agent_id:
            if whole_agent:
                visible.add(one.key.lower())
        elif level == "all" and _agents_may_talk(who.agent_id, agent_id, sessions):
            visible.add(one.key.lower())
    hidden = {one.key.lower() for one in known if one.incognito or parse_session_key(one.key).incognito}
    if who.incognito:
        hidden.add(who.key)
    everything = whole_agent and not hidden
    return VisibleSessions(
        agent_id=who.agent_id,
        allowed=None if everything and level != "all" else frozenset(visible - hidden),
        orphans=whole_agent,
        level=level,
        denied_reason=_denial(level, capped=capped),
    )


def _descendants(key: str, known: Sequence[KnownSession]) -> set[str]:
    """Sessions that *key* spawned or controls, and those that they did."""
    children: dict[str, set[str]] = {}
    agents = {one.key.lower(): one.agent_id.lower() for one in known}
    for one in known:
        for parent in (one.spawned_by, one.owner):
            if parent is not None:
                children.setdefault(parent.strip().lower(), set()).add(one.key.lower())
    found: set[str] = set()
    pending = [key]
    while pending:
        for child in children.get(pending.pop(), ()):
            if child not in found:
                found.add(child)
                pending.append(child)
    own = parse_session_key(key).agent_id
    return {one for one in found if own is None or agents[one] == own}


def _agents_may_talk(one: str, other: str, sessions: SessionsConfig) -> bool:
    if not sessions.agent_to_agent_enabled:
        return False
    patterns = [pattern.strip().lower() for pattern in sessions.agent_to_agent_allow]
    return not patterns or all(any(_matches(agent_id, pattern) for pattern in patterns) for agent_id in (one, other))


def _matches(agent_id: str, pattern: str) -> bool:
    # Only "*" is a wildcard here.
    return fnmatch.fnmatchcase(agent_id, pattern.replace("[", "[[]").replace("?", "[?]"))


def _denial(level: VisibilityLevel, *, capped: bool) -> str:
    if capped:
        return "a sandboxed session sees only itself and the sessions it spawned"
    scope = {
        "self": "only the session itself",
        "tree": "the session itself and those it spawned; the main session sees all of its agent",
        "agent": "the sessions of the same agent",
        "all": "other agents only where tools.agentToAgent allows it",
    }[level]
    return f"tools.sessions.visibility is {level}: {scope}"
