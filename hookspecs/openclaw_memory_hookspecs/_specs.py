"""The hooks, in the order in which a host calls them.

All arguments are keywords.  All hooks are synchronous and may be called from a worker thread.  Only the plugin in the
slot is registered, so every hook has at most one implementation; where a host registers observers beside it, the first
answer that is not None counts.  An implementation may accept fewer arguments than the specification has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from openclaw_memory_hookspecs._markers import hookspec

if TYPE_CHECKING:
    from openclaw_memory_hookspecs._session import Runtime, Session
    from openclaw_memory_hookspecs._types import (
        FlushOutcome,
        FlushRequest,
        RecallBlock,
        SessionContext,
        TokenUsage,
        ToolSpec,
    )

# --- the host's life -------------------------------------------------------------------------------------------------


@hookspec
def openclaw_memory_startup(runtime: Runtime) -> None:
    """The host has started.

    Called once, before every other hook, by the slot itself when it is loaded.

    :param runtime: configuration, state directory, clock and time zone; everything else the plugin finds from these.

    Expected to be cheap: no network, no index is opened, no thread is started before the first session needs it.
    """


# --- a session begins ------------------------------------------------------------------------------------------------


@hookspec(firstresult=True)
def openclaw_memory_session_start(session: Session) -> SessionContext | None:
    """A session begins, or begins again after a reset.

    Called once a session, before its first turn.  Stops at the first result that is not None.

    :param session: the session; decides what may be loaded.
    :returns: the files to put into the context, in order, and what was withheld.

    The default implementation gives today's and yesterday's daily notes in the user's time zone, and ``MEMORY.md`` and
    ``USER.md`` in private sessions only; it also asks for a background update of the index.  It never waits for it.
    """


@hookspec(firstresult=True)
def openclaw_memory_prompt_section(session: Session) -> str | None:
    """The system prompt is being built.

    Called as often as the host builds a prompt.  Stops at the first result that is not None.

    :param session: the session; decides which tools the text speaks of.
    :returns: a short text on how to use the memory; the same for the whole session, so that prompt caches hold.

    The default implementation says when to search, where to write what, and what this session may not see.
    """


@hookspec(firstresult=True)
def openclaw_memory_tools(session: Session) -> list[ToolSpec] | None:
    """Tools are offered to the model.

    Called as often as the host assembles tools.  Stops at the first result that is not None.

    :param session: the session; handlers are bound to it and see what it may see.
    :returns: tools with JSON Schemas and handlers; handlers are safe in a worker thread and never raise for bad input.

    The default implementation offers ``memory_search``, ``memory_get``, ``sessions_search``, ``sessions_history`` and,
    in writable workspaces, ``memory_append``; the same ones for the whole session.
    """


# --- a turn ----------------------------------------------------------------------------------------------------------


@hookspec(firstresult=True)
def openclaw_memory_before_turn(session: Session, message: str) -> RecallBlock | None:
    """An inbound message has arrived and the model has not seen it yet.

    Called once a turn.  Stops at the first result that is not None.

    :param session: the session.
    :param message: the user's text, without anything that the host adds to it.
    :returns: at most three entries and the text to insert as hidden context, or None.

    The default implementation matches the trigger phrases of trusted entries (root ``MEMORY.md`` and ``USER.md``), in
    private sessions and for turns of a user only.  It takes a few milliseconds: no model, no network.
    """


@hookspec(firstresult=True)
def openclaw_memory_tokens_counted(session: Session, usage: TokenUsage) -> FlushRequest | None:
    """A model call has ended and the size of the session is known.

    Called after each model call, or once a turn.  Stops at the first result that is not None.

    :param session: the session, with the model's context window if the host knows it.
    :param usage: tokens; only ``total`` is required.
    :returns: a request for one silent turn, or None.

    The default implementation asks when ``total`` reaches window − reserve − soft threshold, at most once between two
    compactions, and never where the workspace cannot be written.
    """


@hookspec(firstresult=True)
def openclaw_memory_flush_finished(session: Session, request: FlushRequest, outcome: FlushOutcome) -> str | None:
    """The silent turn has ended, well or not.

    Called once for every :class:`FlushRequest` that the host ran.  Stops at the first result that is not None.

    :param session: the session.
    :param request: the request as it was given.
    :param outcome: what the turn answered, or how it failed.
    :returns: text to deliver to the user; None, as nearly always, for nothing.

    The default implementation records the flush of this cycle in ``sessions.json``, or counts the failure.
    """


@hookspec
def openclaw_memory_compacted(session: Session) -> None:
    """The host has compacted the session's context: the next cycle begins.

    :param session: the session.

    The default implementation raises ``compactionCount`` in ``sessions.json`` if the host has not done so itself.
    """


# --- a session ends --------------------------------------------------------------------------------------------------


@hookspec(firstresult=True)
def openclaw_memory_session_end(session: Session, reason: str) -> FlushRequest | None:
    """A session is about to lose its context.

    Called before the transcript is put away.  Stops at the first result that is not None.

    :param session: the session.
    :param reason: ``new``, ``reset``, ``idle``, ``daily``, ``deleted``, ``shutdown`` or another word of the host.
    :returns: a last request for a silent turn, or None.

    The default implementation asks for a flush if this cycle had none and there is something to save, and on ``new``
    and ``reset`` writes a summary note of the session.
    """


# --- at any time -----------------------------------------------------------------------------------------------------


@hookspec(firstresult=True)
def openclaw_memory_status(agent_id: str | None, deep: bool) -> Mapping[str, Any] | None:  # noqa: FBT001 - pluggy sees positional names only
    """Somebody asks how the memory is.

    Stops at the first result that is not None.

    :param agent_id: the agent; None for the default agent.
    :param deep: also try the embedding provider with a real request.
    :returns: a JSON-serialisable mapping, the same as ``openclaw-memory status --json``.
    """


@hookspec
def openclaw_memory_shutdown() -> None:
    """The host stops.  Called once; no other hook is called afterwards.

    The default implementation stops its threads, waits for them, and closes its stores.
    """
