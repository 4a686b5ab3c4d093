"""What crosses the border between a host and a memory plugin: frozen, plain, standard library only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

ToolHandler = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Takes the tool's arguments as decoded JSON, returns a JSON-serialisable mapping; never raises for bad input."""


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
