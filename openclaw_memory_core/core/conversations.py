"""Sessions of one agent: session store, flush, transcripts, session tools, summaries."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import AgentConfig, MemoryConfig
    from openclaw_memory_core.flush.controller import FlushController
    from openclaw_memory_core.privacy import Audience
    from openclaw_memory_core.sessions.library import AgentSessions, TranscriptLibrary
    from openclaw_memory_core.sessions.openclaw import OpenClawTranscripts
    from openclaw_memory_core.sessions.source import TranscriptSource
    from openclaw_memory_core.sessions.store import SessionStore
    from openclaw_memory_core.sessions.summary import SummaryWriter
    from openclaw_memory_core.sessions.tools import SessionTools
    from openclaw_memory_core.workspace.append import AppendResult
    from openclaw_memory_core.workspace.documents import DocumentSource
    from openclaw_memory_hookspecs import Session, ToolSpec


class Conversations:
    """Everything that is about sessions rather than notes; each part is imported when it is first needed.

    :param append: the workspace's append.
    :param append_tool: makes the silent turn's only tool from the notes that it may append to.
    """

    def __init__(
        self,
        config: MemoryConfig,
        agent: AgentConfig,
        *,
        clock: Callable[[], dt.datetime],
        timezone: str | None,
        append: Callable[[str, str], AppendResult],
        append_tool: Callable[[Sequence[str]], ToolSpec],
    ) -> None:
        self._config = config
        self._agent = agent
        self._clock = clock
        self._timezone = timezone
        self._append = append
        self._append_tool = append_tool

    @cached_property
    def store(self) -> SessionStore:
        """The agent's ``sessions.json``."""
        from openclaw_memory_core.sessions.store import SessionStore

        return SessionStore(self._store_path(self._agent), clock=self._clock)

    @cached_property
    def flush(self) -> FlushController:
        """Decides when the silent turn is due."""
        from openclaw_memory_core.flush.controller import FlushController
        from openclaw_memory_core.flush.tokens import DeferredCounter

        return FlushController(
            self._agent,
            self._config.sessions,
            lambda _: self.store,
            clock=self._clock,
            timezone=self._timezone,
            token_counter=DeferredCounter(self._config.env),
            append_tool=self._append_tool,
        )

    @cached_property
    def transcripts(self) -> TranscriptSource:
        """The agent's transcripts as documents."""
        from openclaw_memory_core.sessions.delta import DeltaThresholds
        from openclaw_memory_core.sessions.source import TranscriptSource

        sync = self._agent.search.sync
        thresholds = DeltaThresholds(sync.sessions_delta_bytes, sync.sessions_delta_messages)
        return TranscriptSource(self._agent.id, self._agent.sessions_dir, self.store, thresholds)

    @cached_property
    def host_transcripts(self) -> OpenClawTranscripts:
        """The same, with those that OpenClaw keeps in its own database."""
        from openclaw_memory_core.index.store.openclaw_sessions import FILE_NAME, OpenClawSessions
        from openclaw_memory_core.sessions.openclaw import OpenClawTranscripts

        database = OpenClawSessions(self._agent.agent_dir / FILE_NAME)
        return OpenClawTranscripts(self._agent.id, database, self.transcripts)

    @cached_property
    def library(self) -> TranscriptLibrary:
        """The transcripts of this agent and, where the visibility reaches so far, of the others."""
        from openclaw_memory_core.sessions.library import TranscriptLibrary

        others = [agent for agent in self._config.agents.values() if agent.id != self._agent.id]
        return TranscriptLibrary([self._sessions_of(one) for one in (self._agent, *others)], self._config.sessions)

    @cached_property
    def _session_tools(self) -> SessionTools:
        from openclaw_memory_core.sessions.tools import SessionTools

        return SessionTools(self.library)

    def _sessions_of(self, agent: AgentConfig) -> AgentSessions:
        from openclaw_memory_core.sessions.library import AgentSessions
        from openclaw_memory_core.sessions.store import SessionStore

        if agent.id == self._agent.id:
            return AgentSessions(agent.id, agent.sessions_dir, self.store)
        return AgentSessions(agent.id, agent.sessions_dir, SessionStore(self._store_path(agent), clock=self._clock))

    def _store_path(self, agent: AgentConfig) -> Path:
        from openclaw_memory_core.sessions.paths import store_path

        return store_path(agent.sessions_dir, self._config.sessions.store, agent.id, self._config.home)

    def sources(self) -> list[DocumentSource]:
        """Transcripts to index, where session memory is on."""
        return [self.host_transcripts] if "sessions" in self._agent.search.indexed_sources else []

    def tools(self, session: Session, who: Audience) -> list[ToolSpec]:
        """``sessions_search`` and ``sessions_history``, bound to *session*."""
        return self._session_tools.specs(who, session_id=session.session_id)

    def visible_transcripts(self, who: Audience, session: Session) -> frozenset[str]:
        """Paths of the transcripts that *who* may see."""
        own_id = session.session_id
        in_files = self.library.paths(who, own_id=own_id)
        return self.host_transcripts.visible(who, self._config.sessions, in_files, own_id=own_id)

    def changed(self, session: Session) -> None:
        """A session was compacted or ends: its transcript counts as changed, however little it has grown."""
        self.transcripts.settle(session.session_id)

    def write_summary(self, session: Session, reason: str) -> bool:
        """Write a summary note of a session that ends with ``new`` or ``reset``; False if there is nothing to tell."""
        return self._summaries.write(session, reason) is not None

    @cached_property
    def _summaries(self) -> SummaryWriter:
        from openclaw_memory_core.sessions.summary import SummaryWriter

        return SummaryWriter(
            self._agent.sessions_dir, self.store, self._append, clock=self._clock, timezone=self._timezone
        )
