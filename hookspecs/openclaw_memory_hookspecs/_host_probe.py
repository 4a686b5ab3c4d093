"""A plugin that watches its host, for the host's own tests."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from openclaw_memory_hookspecs._markers import hookimpl
from openclaw_memory_hookspecs._plugin_checks import ConformanceError
from openclaw_memory_hookspecs._session import Runtime, Session
from openclaw_memory_hookspecs._types import (
    ContextFile,
    FlushOutcome,
    FlushRequest,
    RecallBlock,
    RecalledEntry,
    SessionContext,
    TokenUsage,
    ToolSpec,
)

CONTEXT_TEXT: Final = "conformance-context-5f0c"
SECTION_TEXT: Final = "conformance-section-71be"
RECALL_TEXT: Final = "conformance-recall-c3d2"
FLUSH_PROMPT: Final = "conformance-flush-prompt-90a4"
FLUSH_SYSTEM: Final = "conformance-flush-system-2e67"
FLUSH_TARGET: Final = "memory/conformance.md"
TOOL_NAME: Final = "conformance_tool"
SAVE_NAME: Final = "conformance_save"

_SCHEMA: Final[Mapping[str, Any]] = {"type": "object", "properties": {"text": {"type": "string"}}}
_TURN_HOOKS: Final = frozenset({"before_turn", "tokens_counted", "flush_finished", "compacted", "session_end"})


@dataclass(frozen=True, slots=True)
class HookCall:
    """One call of a hook.  *value* is its message, usage, outcome or reason, where it has one."""

    hook: str
    session: Session | None = None
    value: Any = None


class HostProbe:
    """Answers every hook with texts that a test can look for in what the host sends to its model.

    Put it into the slot as the host does with any plugin, run a scenario (a turn; a call of the tool; a context that
    is over *flush_at*; a compaction; the end), then :meth:`check`.

    :param flush_at: from so many tokens on, a flush is asked for, once between two compactions.
    """

    def __init__(self, *, flush_at: int = 1000) -> None:
        self.calls: list[HookCall] = []
        self.tool_calls: list[Mapping[str, Any]] = []
        self.saves: list[Mapping[str, Any]] = []
        self.requests: list[FlushRequest] = []
        self.finished: list[tuple[FlushRequest, FlushOutcome]] = []
        self._flush_at = flush_at
        self._asked: set[str] = set()
        self._lock = threading.Lock()

    def hooks(self) -> list[str]:
        """Names of the hooks in the order of their calls."""
        return [call.hook for call in self.calls]

    def check(self) -> None:
        """Check the order of all calls so far; call it when the host has stopped.

        :raises ConformanceError: with all problems.
        """
        problems = [*self._order(), *self._sessions(), *self._flushes()]
        if problems:
            raise ConformanceError(problems)

    # --- hooks -------------------------------------------------------------------------------------------------------

    @hookimpl
    def openclaw_memory_startup(self, runtime: Runtime) -> None:
        """Note the call."""
        self._note("startup", value=runtime)

    @hookimpl
    def openclaw_memory_session_start(self, session: Session) -> SessionContext:
        """One file."""
        self._note("session_start", session)
        return SessionContext(files=(ContextFile("conformance.md", CONTEXT_TEXT),))

    @hookimpl
    def openclaw_memory_prompt_section(self, session: Session) -> str:
        """One line."""
        self._note("prompt_section", session)
        return SECTION_TEXT

    @hookimpl
    def openclaw_memory_tools(self, session: Session) -> list[ToolSpec]:
        """One tool."""
        self._note("tools", session)
        return [self._tool(TOOL_NAME, self.tool_calls)]

    @hookimpl
    def openclaw_memory_before_turn(self, session: Session, message: str) -> RecallBlock:
        """One entry."""
        self._note("before_turn", session, message)
        entry = RecalledEntry("conformance.md", 1, RECALL_TEXT, 1.0, "any")
        return RecallBlock((entry,), RECALL_TEXT)

    @hookimpl
    def openclaw_memory_tokens_counted(self, session: Session, usage: TokenUsage) -> FlushRequest | None:
        """A request when there are enough tokens."""
        self._note("tokens_counted", session, usage)
        with self._lock:
            if usage.total < self._flush_at or session.key in self._asked:
                return None
            self._asked.add(session.key)
        return self._request("threshold")

    @hookimpl
    def openclaw_memory_flush_finished(self, session: Session, request: FlushRequest, outcome: FlushOutcome) -> None:
        """Note the call."""
        self._note("flush_finished", session, outcome)
        with self._lock:
            self.finished.append((request, outcome))

    @hookimpl
    def openclaw_memory_compacted(self, session: Session) -> None:
        """The next cycle."""
        self._note("compacted", session)
        with self._lock:
            self._asked.discard(session.key)

    @hookimpl
    def openclaw_memory_session_end(self, session: Session, reason: str) -> None:
        """Note the call."""
        self._note("session_end", session, reason)

    @hookimpl
    def openclaw_memory_status(self, agent_id: str | None) -> Mapping[str, Any]:
        """Note the call."""
        self._note("status", value=agent_id)
        return {"plugin": "conformance"}

    @hookimpl
    def openclaw_memory_shutdown(self) -> None:
        """Note the call."""
        self._note("shutdown")

    # --- inside ------------------------------------------------------------------------------------------------------

    def _note(self, hook: str, session: Session | None = None, value: Any = None) -> None:
        with self._lock:
            self.calls.append(HookCall(hook, session, value))

    def _tool(self, name: str, calls: list[Mapping[str, Any]]) -> ToolSpec:
        def handle(arguments: Mapping[str, Any]) -> dict[str, Any]:
            calls.append(arguments)
            return {"status": "ok"}

        return ToolSpec(name, "For tests of conformance.", _SCHEMA, {"type": "object"}, handle)

    def _request(self, reason: str) -> FlushRequest:
        request = FlushRequest(
            target_path=FLUSH_TARGET,
            system_prompt=FLUSH_SYSTEM,
            prompt=FLUSH_PROMPT,
            tools=(self._tool(SAVE_NAME, self.saves),),
            reason=reason,
            request_id=f"conformance-{len(self.requests)}",
        )
        self.requests.append(request)
        return request

    def _order(self) -> list[str]:
        hooks = self.hooks()
        problems = []
        if hooks[:1] != ["startup"]:
            problems.append("startup is not the first call")
        if hooks.count("startup") != 1:
            problems.append(f"startup was called {hooks.count('startup')} times")
        if hooks[-1:] != ["shutdown"]:
            problems.append("shutdown is not the last call")
        return problems

    def _sessions(self) -> list[str]:
        problems = []
        started: set[tuple[str, str | None]] = set()
        for call in self.calls:
            if call.session is None:
                continue
            name = (call.session.key, call.session.session_id)
            if call.hook == "session_start":
                started.add(name)
            elif call.hook in _TURN_HOOKS and name not in started:
                problems.append(f"{call.hook} before session_start in the session {call.session.key}")
            if call.hook == "before_turn" and CONTEXT_TEXT in call.value:
                problems.append("before_turn got text that the host had added to the user's message")
        return problems

    def _flushes(self) -> list[str]:
        problems = []
        ended = [request.request_id for request, _ in self.finished]
        for request in self.requests:
            count = ended.count(request.request_id)
            if count != 1:
                problems.append(f"the end of the flush {request.request_id} was reported {count} times")
        if any(call.hook == "before_turn" and call.value == FLUSH_PROMPT for call in self.calls):
            problems.append("before_turn was called for the silent turn")
        return problems
