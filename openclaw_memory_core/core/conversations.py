"""Sessions of one agent: session store, flush, transcripts, session tools, summaries."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from functools import cached_property

from openclaw_memory_core.config.model import AgentConfig, MemoryConfig
from openclaw_memory_core.flush.controller import FlushController
from openclaw_memory_core.flush.tokens import default_counter
from openclaw_memory_core.privacy import Audience
from openclaw_memory_core.sessions.delta import DeltaThresholds
from openclaw_memory_core.sessions.known import stored_sessions
from openclaw_memory_core.sessions.paths import store_path
from openclaw_memory_core.sessions.source import TranscriptSource
from openclaw_memory_core.sessions.store import SessionStore
from openclaw_memory_core.sessions.visibility import visible_paths, visible_sessions
from openclaw_memory_core.workspace.documents import DocumentSource
from openclaw_memory_core.workspace.workspace import Workspace
from openclaw_memory_hookspecs import Session, ToolSpec


class Conversations:
    """Everything that is about sessions rather than notes.

    :param append_tool: makes the silent turn's only tool from the notes that it may append to.
    """

    def __init__(
        self,
        config: MemoryConfig,
        agent: AgentConfig,
        *,
        clock: Callable[[], dt.datetime],
        timezone: str | None,
        append_tool: Callable[[Sequence[str]], ToolSpec],
    ) -> None:
        self._config = config
        self._agent = agent
        self._clock = clock
        self._timezone = timezone
        self._append_tool = append_tool

    @cached_property
    def store(self) -> SessionStore:
        """The agent's ``sessions.json``."""
        path = store_path(self._agent.sessions_dir, self._config.sessions.store, self._agent.id, self._config.home)
        return SessionStore(path, clock=self._clock)

    @cached_property
    def flush(self) -> FlushController:
        """Decides when the silent turn is due."""
        return FlushController(
            self._agent,
            self._config.sessions,
            lambda _: self.store,
            clock=self._clock,
            timezone=self._timezone,
            token_counter=default_counter(self._config.env),
            append_tool=self._append_tool,
        )

    @cached_property
    def transcripts(self) -> TranscriptSource:
        """The agent's transcripts as documents."""
        sync = self._agent.search.sync
        thresholds = DeltaThresholds(sync.sessions_delta_bytes, sync.sessions_delta_messages)
        return TranscriptSource(self._agent.id, self._agent.sessions_dir, self.store, thresholds)

    def sources(self) -> list[DocumentSource]:
        """Transcripts to index, where session memory is on."""
        return [self.transcripts] if "sessions" in self._agent.search.indexed_sources else []

    def has_tools(self) -> bool:
        """Whether there are conversations to search."""
        return False

    def tools(self, session: Session, who: Audience) -> list[ToolSpec]:
        """``sessions_search`` and ``sessions_history``, bound to *session*."""
        return []

    def visible_transcripts(self, who: Audience) -> frozenset[str] | None:
        """Transcript paths that *who* may see; None for all of this agent."""
        stored = stored_sessions(self.store.read(), self._agent.id)
        visible = visible_sessions(who, stored, self._config.sessions)
        if visible.allowed is None and visible.orphans:
            return None
        paths = [ref.path for ref in self.transcripts.scan().documents]
        return visible_paths(visible, paths, stored)

    def write_summary(self, session: Session, reason: str, workspace: Workspace) -> bool:
        """Write a summary note of a session that ends; False if there is nothing to write."""
        return False
