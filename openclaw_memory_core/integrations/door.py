"""What every door to the memory has in common: an open slot, one session, and what that session starts with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from openclaw_memory_core.config import load_config
from openclaw_memory_core.config.model import MemoryConfig
from openclaw_memory_core.errors import UsageError
from openclaw_memory_core.privacy import Audience, audience
from openclaw_memory_core.session_keys import canonical_main_key
from openclaw_memory_core.slot import MemorySlot, load_memory_slot
from openclaw_memory_hookspecs import Runtime, Session, ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorOptions:
    """How a program of another kind comes in.

    :param name: what it is called in the session key that it gets if none is given: ``mcp``, ``llm`` …
    :param config_path: configuration file; None for the usual place.
    :param state_dir: state folder; None for the usual place.
    :param agent: id of the agent; None for the default one.
    :param session_key: key of the session; None: the main session if private, else a session of its own.
    :param private: only the owner reads what is said there; curated files may be shown.
    :param read_only: nothing may be written.
    :param context_window: the model's window in tokens; None: from the configuration, else 200,000.
    """

    name: str
    config_path: Path | None = None
    state_dir: Path | None = None
    agent: str | None = None
    session_key: str | None = None
    private: bool = False
    read_only: bool = False
    context_window: int | None = None


class Door:
    """An open slot and the one session that is served through it.  A context manager; closing it stops the plugin.

    :raises OpenClawMemoryError: configuration, plugin or options are wrong.
    """

    def __init__(self, options: DoorOptions, *, runtime: Runtime | None = None) -> None:
        given = runtime or Runtime()
        path = options.config_path or given.config_path
        state_dir = options.state_dir or given.state_dir
        self.config: MemoryConfig = load_config(given.config, path=path, state_dir=state_dir, env=given.env)
        self.session = door_session(self.config, options)
        self.slot: MemorySlot = load_memory_slot(config_path=path, state_dir=state_dir, runtime=runtime)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def audience(self) -> Audience:
        """Who hears what is said in the session."""
        return audience(self.session, self.config.sessions, default_agent=self.config.default_agent)

    def tool(self, name: str) -> ToolSpec | None:
        """The tool called *name*, if the session has it."""
        return next((tool for tool in self.slot.tools(self.session) if tool.name == name), None)

    def close(self) -> None:
        """Stop the plugin.  May be called more than once."""
        self.slot.shutdown()


def door_session(config: MemoryConfig, options: DoorOptions) -> Session:
    """The session that *options* describe.

    :raises ConfigError: there is no such agent.
    :raises UsageError: the key says the opposite of ``private``.
    """
    agent_id = config.agent(options.agent).id
    sessions = config.sessions
    key = options.session_key
    if key is None:
        main = canonical_main_key(agent_id, main_key=sessions.main_key, scope=sessions.scope)
        key = main if options.private else f"agent:{agent_id}:{options.name}"
    session = Session(
        key=key,
        agent_id=None if options.session_key else agent_id,
        sender_is_owner=options.private,
        workspace_access="ro" if options.read_only else "rw",
        context_window=options.context_window,
    )
    who = audience(session, sessions, default_agent=agent_id)
    config.agent(who.agent_id)
    if who.private and not options.private:
        raise UsageError(
            f"the session {key} is private: {who.reason}",
            hint="say so with --private if only the owner reads the answers, or name another session",
        )
    if options.private and not who.private:
        raise UsageError(f"the session {key} cannot be private: {who.reason}", hint="leave --private out")
    return session


def session_text(slot: MemorySlot, session: Session) -> str:
    """What a session starts with, as one text for a system prompt; empty if there is nothing."""
    context = slot.session_start(session)
    parts = [slot.prompt_section(session)]
    if context.withheld:
        parts.append("Not available in this session:\n" + "\n".join(f"- {one}" for one in context.withheld))
    if context.warnings:
        parts.append("Problems of the memory:\n" + "\n".join(f"- {one}" for one in context.warnings))
    parts += [f"### {file.path}\n{file.text}" for file in context.files]
    return "\n\n".join(part for part in parts if part)


def failed(answer: dict[str, Any]) -> bool:
    """Whether a tool's answer says that the call itself went wrong; "not found" and "switched off" are answers."""
    return "error" in answer and answer.get("status") != "not_found" and not answer.get("disabled")
