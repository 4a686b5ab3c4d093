"""Decides when a silent turn is due, what it may do, and what became of it."""

from __future__ import annotations

import datetime as dt
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.flush.cycle import (
    Cycle,
    failure_marks,
    next_cycle_marks,
    number,
    overview,
    read_cycle,
    success_marks,
)
from openclaw_memory_core.flush.eligible import refusal
from openclaw_memory_core.flush.ledger import Ledger, session_id_of
from openclaw_memory_core.flush.probe import Reason, SizeProbe
from openclaw_memory_core.records import record
from openclaw_memory_core.workspace.daily import daily_path, in_zone

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import AgentConfig, SessionsConfig
    from openclaw_memory_core.flush.tokens import TokenCounter
    from openclaw_memory_core.sessions.store import Entry, SessionStore
    from openclaw_memory_hookspecs import FlushOutcome, FlushRequest, Session, TokenUsage, ToolSpec

logger = logging.getLogger(__name__)

REQUEST_LIFETIME = dt.timedelta(minutes=15)
"""How long a request may go without an outcome before it counts as failed."""

_KEEPS_CONTEXT = frozenset({"shutdown", "restart"})
_NOTHING_TO_SAVE = frozenset({"deleted", "compaction"})


@record
class _Asked:
    """A request that is out, or the trace of one that an earlier process made.

    :param stored_id: ``sessionId`` of the entry when the request was made.
    :param turns: turns that this process had seen by then.
    """

    request_id: str
    reason: str
    count: int
    session_id: str | None
    stored_id: object
    transcript_bytes: int
    turns: int
    at: dt.datetime


@dataclass(slots=True)
class _Memory:
    """What is known of a session beyond ``sessions.json``; lost at a restart.

    :param seen: compaction count when it was last looked at.
    :param turns: turns that this process has seen.
    :param saved: those of them that a flush has seen, too; None until there was a turn or a flush.
    """

    seen: int | None = None
    turns: int = 0
    saved: int | None = None
    asked: _Asked | None = None

    @property
    def waiting(self) -> bool:
        """A request is out that another one may not overtake; the last one of an ended session may be."""
        return self.asked is not None and self.asked.reason != "session-end"


class FlushController:
    """The flush of one agent.  Thread-safe; its methods do not raise for what they find on disk.

    :param store_for: the session store of an agent id.
    :param clock: current time, aware.
    :param timezone: IANA name of the user's zone, None for the host's.
    :param token_counter: counts text that no usage report covers.
    :param append_tool: makes the turn's only tool; gets the notes it may append to, the planned one first.
    """

    def __init__(
        self,
        agent: AgentConfig,
        sessions: SessionsConfig,
        store_for: Callable[[str], SessionStore],
        *,
        clock: Callable[[], dt.datetime],
        timezone: str | None,
        token_counter: TokenCounter,
        append_tool: Callable[[Sequence[str]], ToolSpec],
    ) -> None:
        self._agent = agent
        store = store_for(agent.id)
        self._ledger = Ledger(store, agent.id, sessions)
        self._probe = SizeProbe(agent, token_counter, store.path.parent)
        self._clock = clock
        self._timezone = timezone
        self._append_tool = append_tool
        self._lock = threading.Lock()
        self._memory: dict[str, _Memory] = {}

    def on_tokens(self, session: Session, usage: TokenUsage | None = None) -> FlushRequest | None:
        """After a model call: a request if the context is about to be compacted and this cycle has had no flush.

        :param usage: what the host counted; None: what ``sessions.json`` says; stale or 0: the transcript is counted.
        """
        entry = self._ledger.entry(session)
        if refusal(session, entry, self._agent) is not None:
            return None
        if self._expire(session):
            entry = self._ledger.entry(session)
        cycle = read_cycle(entry, session_id_of(session, entry))
        with self._lock:
            memory = self._of(session)
            memory.seen, memory.turns, memory.saved = cycle.count, memory.turns + 1, memory.saved or 0
            waiting = memory.waiting
        if waiting or not cycle.open:
            return None
        reason = self._probe.due(session, usage, entry, cycle)
        return self._ask(session, entry, cycle, reason, usage) if reason is not None else None

    def on_finished(self, session: Session, request: FlushRequest, outcome: FlushOutcome) -> str | None:
        """The silent turn ended; returns what the user should get, which is nothing for a silent reply."""
        from openclaw_memory_core.flush.silent import mentions_silent, strip_silent

        asked = self._take(session, request)
        if not outcome.ok:
            self._failed(session, asked, outcome.error or "the turn failed")
            return None
        with self._lock:
            self._of(session).saved = asked.turns
        self._succeeded(session, asked)
        if mentions_silent(outcome.reply):
            return None
        return strip_silent(outcome.reply).strip() or None

    def on_compacted(self, session: Session) -> None:
        """The context was compacted: the next cycle begins."""
        with self._lock:
            memory = self._of(session)
            seen, memory.seen = memory.seen, None
        size = self._probe.transcript_bytes(session, None, self._ledger.entry(session))
        if next_cycle_marks(self._ledger.entry(session), seen, size) is not None:
            self._ledger.write(session, lambda entry: next_cycle_marks(entry, seen, size))

    def on_session_end(self, session: Session, reason: str) -> FlushRequest | None:
        """A request if something was said that no flush has seen: "once per cycle" does not count for the last chance.

        :param reason: ``new``, ``reset``, ``idle``, ``daily``, ``shutdown`` … as the host names it.
        """
        entry = self._ledger.entry(session)
        if refusal(session, entry, self._agent) is not None:
            return None
        if self._expire(session):
            entry = self._ledger.entry(session)
        request = None
        if reason not in _NOTHING_TO_SAVE and self._has_unsaved(session, entry):
            cycle = read_cycle(entry, session_id_of(session, entry))
            request = self._ask(session, entry, cycle, "session-end", None)
        if reason not in _KEEPS_CONTEXT:
            self.on_compacted(session)
        return request

    def describe(self, session: Session) -> dict[str, Any]:
        """Facts for ``status``: whether and when this session is flushed, and what went wrong."""
        entry = self._ledger.entry(session)
        cycle = read_cycle(entry, session_id_of(session, entry))
        threshold = self._probe.threshold(session, entry)
        return {
            "skipped": refusal(session, entry, self._agent),
            "thresholdTokens": threshold.tokens,
            "windowTokens": threshold.window,
            "windowAdjusted": threshold.adjusted,
            "compactionCount": cycle.count,
            "flushed": cycle.flushed,
            "failures": cycle.failures,
            "gaveUp": not cycle.flushed and not cycle.open,
            "lastFlushAt": entry.get("memoryFlushAt"),
            "lastError": entry.get("memoryFlushError") if cycle.failures else None,
        }

    def overview(self) -> dict[str, Any]:
        """Facts for ``status`` about all sessions: the last flush, and those whose present cycle has failed flushes."""
        return overview(self._ledger.entries())

    def _has_unsaved(self, session: Session, entry: Entry) -> bool:
        with self._lock:
            memory = self._of(session)
            if memory.asked is not None:
                return False
            if memory.saved is not None:
                return memory.turns > memory.saved
        # This process has not seen the session talk: the transcript shows whether it went on after the last flush.
        return self._probe.changed_since(session, entry, number(entry.get("memoryFlushAt")))

    def _ask(
        self, session: Session, entry: Entry, cycle: Cycle, reason: Reason, usage: TokenUsage | None
    ) -> FlushRequest | None:
        from openclaw_memory_core.flush.prompts import system_prompt, user_prompt
        from openclaw_memory_hookspecs import FlushRequest

        now = self._clock()
        local = in_zone(now, self._timezone)
        # Planned before midnight, written after it: both days' notes will do.
        notes = [daily_path(local.date() + dt.timedelta(days=days)) for days in (0, 1)]
        session_id = session_id_of(session, entry)
        size = self._probe.transcript_bytes(session, usage, entry)
        request_id = f"{reason}:{session_id or '-'}:{cycle.count}:{_millis(now)}"
        with self._lock:
            memory = self._of(session)
            if memory.waiting:
                return None
            memory.asked = _Asked(
                request_id, reason, cycle.count, session_id, entry.get("sessionId"), size, memory.turns, now
            )
        return FlushRequest(
            target_path=notes[0],
            system_prompt=system_prompt(self._agent.flush, local),
            prompt=user_prompt(self._agent.flush, local),
            tools=(self._append_tool(notes),),
            reason=reason,
            request_id=request_id,
            model=self._agent.flush.model,
        )

    def _take(self, session: Session, request: FlushRequest) -> _Asked:
        """The request that *request* is; read from its id if this process did not make it."""
        with self._lock:
            memory = self._of(session)
            asked = memory.asked
            if asked is not None and asked.request_id == request.request_id:
                memory.asked = None
                return asked
            turns = memory.turns
        entry = self._ledger.entry(session)
        current = session_id_of(session, entry)
        _, session_id, count, *_ = [*request.request_id.split(":"), "", "", ""]
        return _Asked(
            request.request_id,
            request.reason,
            int(count) if count.isdecimal() else read_cycle(entry, current).count,
            session_id if session_id not in {"", "-"} else current,
            entry.get("sessionId"),
            self._probe.transcript_bytes(session, None, entry),
            turns,
            self._clock(),
        )

    def _expire(self, session: Session) -> bool:
        """Count a request without an outcome as failed once its time is over; True if there was one."""
        now = self._clock()
        with self._lock:
            memory = self._of(session)
            asked = memory.asked
            if asked is None or now - asked.at < REQUEST_LIFETIME:
                return False
            memory.asked = None
        self._failed(session, asked, "the host reported no outcome")
        return True

    def _succeeded(self, session: Session, asked: _Asked) -> None:
        now = _millis(self._clock())

        def marks(entry: Entry) -> dict[str, Any] | None:
            if not _belongs(entry, asked):
                return None
            if asked.reason == "session-end":
                return {"memoryFlushAt": now}
            return success_marks(asked.count, asked.session_id, now, asked.transcript_bytes)

        self._ledger.write(session, marks)

    def _failed(self, session: Session, asked: _Asked, error: str) -> None:
        from openclaw_memory_core.sessions.redact import redact

        text = redact(error)
        logger.warning("A memory flush of session %s failed: %s", session.key, text)
        now = _millis(self._clock())

        def marks(entry: Entry) -> dict[str, Any] | None:
            cycle = read_cycle(entry, asked.session_id)
            if not _belongs(entry, asked) or cycle.count != asked.count or asked.reason == "session-end":
                return None
            return failure_marks(cycle, asked.session_id, now, text)

        self._ledger.write(session, marks)

    def _of(self, session: Session) -> _Memory:
        return self._memory.setdefault(self._ledger.key(session), _Memory())


def _millis(moment: dt.datetime) -> int:
    return int(moment.timestamp() * 1000)


def _belongs(entry: Entry, asked: _Asked) -> bool:
    """False if the host has begun another transcript since: marks of the old one must not reach it."""
    return entry.get("sessionId") == asked.stored_id or entry.get("sessionId") == asked.session_id
