"""Value types that cross the border between a host and a memory plugin: frozen, plain, standard library only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

ChatType = Literal["direct", "group", "channel"]
WorkspaceAccess = Literal["rw", "ro", "none"]

ToolHandler = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Takes the tool's arguments as decoded JSON, returns a JSON-serialisable mapping; never raises for bad input."""


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


@dataclass(frozen=True, slots=True)
class ContextFile:
    """A file to put into the context at session start.

    :param path: path relative to the workspace, ``/`` separators.
    :param text: the text to show, already cut to its budget.
    :param truncated: True if *text* is not the whole file.
    :param notice: what a reader must know, for example how much was cut; None if nothing.
    """

    path: str
    text: str
    truncated: bool = False
    notice: str | None = None


@dataclass(frozen=True, slots=True)
class SessionContext:
    """What a session starts with.

    :param files: in the order in which the model should read them.
    :param withheld: one sentence for each thing that exists but may not be shown to this session.
    :param warnings: problems the user should know of (an unreadable note, a disabled index …).
    """

    files: tuple[ContextFile, ...] = ()
    withheld: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecalledEntry:
    """An entry of a curated file whose trigger phrase matched the message.

    :param line: 1-based line where the entry begins.
    :param score: 0 to 1; at least the recall threshold.
    :param trigger: the phrase that matched.
    """

    path: str
    line: int
    text: str
    score: float
    trigger: str


@dataclass(frozen=True, slots=True)
class RecallBlock:
    """At most three recalled entries and the text to put before the turn as hidden context."""

    entries: tuple[RecalledEntry, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage:
    """Size of the session's prompt after a model call, in tokens.

    :param total: tokens the next prompt will hold at least (prompt of the last call, cached parts included).
    :param fresh: False if the host knows the number to be stale; the plugin then counts the transcript.
    :param transcript_bytes: size of the transcript, when the host knows it.
    """

    total: int
    input: int | None = None
    output: int | None = None
    fresh: bool = True
    transcript_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool for the model.  *input_schema* and *output_schema* are JSON Schemas."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    handler: ToolHandler = field(repr=False)


@dataclass(frozen=True, slots=True)
class FlushRequest:
    """Asks the host for one silent agent turn that saves what must outlive the context.

    :param target_path: the note that this turn may append to, relative to the workspace.
    :param system_prompt: to add to the turn's system prompt.
    :param prompt: the turn's user message.
    :param tools: the only tools the turn may have.
    :param reason: ``threshold``, ``transcript-size`` or ``session-end``.
    :param request_id: names this request when its outcome is reported.
    :param model: model to use for the turn, when configured.
    """

    target_path: str
    system_prompt: str
    prompt: str
    tools: tuple[ToolSpec, ...] = ()
    reason: str = "threshold"
    request_id: str = ""
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlushOutcome:
    """How the silent turn ended.

    :param reply: the turn's final text, as the model wrote it.
    :param ok: False if the turn failed.
    :param error: what went wrong, for people.
    """

    reply: str = ""
    ok: bool = True
    error: str | None = None
