"""MemoryCore: one agent's memory, behind the hooks, the command line and every integration."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from openclaw_memory_core.core.conversations import Conversations
from openclaw_memory_core.core.indexing import IndexService
from openclaw_memory_core.errors import NoteNotFoundError, OpenClawMemoryError, PathNotAllowedError
from openclaw_memory_core.workspace import daily
from openclaw_memory_core.workspace.folders import same_folder
from openclaw_memory_core.workspace.workspace import Workspace
from openclaw_memory_hookspecs import Runtime, Session

if TYPE_CHECKING:
    from openclaw_memory_core.cancel import CancelToken
    from openclaw_memory_core.config.model import AgentConfig, MemoryConfig
    from openclaw_memory_core.core.query import QueryService
    from openclaw_memory_core.index.report import OnProgress, SyncReport
    from openclaw_memory_core.privacy import Audience
    from openclaw_memory_core.recall import Recaller
    from openclaw_memory_hookspecs import FlushOutcome, FlushRequest, RecallBlock, SessionContext, TokenUsage, ToolSpec

NO_ACCESS = "Notes: this session has no access to the workspace."


class MemoryCore:
    """The memory of one agent.  Thread-safe.

    A call without a session acts for the owner at the terminal and sees everything.

    :param agent_id: None for the default agent.
    :param runtime: clock, time zone and environment of the host.
    :param workspace: folder with the notes, when the host names another than the configuration.
    :param background: keep the index fresh in a thread of its own and watch the files; a one-shot command says False.
    :raises ConfigError: there is no such agent.
    """

    def __init__(
        self,
        config: MemoryConfig,
        agent_id: str | None = None,
        *,
        runtime: Runtime | None = None,
        workspace: Path | None = None,
        background: bool = True,
    ) -> None:
        agent = config.agent(agent_id)
        self.config = config
        self.agent = agent if workspace is None else _in_other_folder(agent, workspace)
        self.runtime = runtime or Runtime()
        self.timezone = self.runtime.timezone or agent.timezone
        self.workspace = Workspace.of_agent(self.agent, config)
        self.conversations = Conversations(
            config,
            self.agent,
            clock=self.runtime.clock,
            timezone=self.timezone,
            append=self.workspace.append,
            append_tool=self._flush_tool,
        )
        self.index = IndexService(
            config, self.agent, [self.workspace, *self.conversations.sources()], background=background
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What a command does not use, it does not import: status, get and append load no search and no recall.

    @cached_property
    def _query(self) -> QueryService:
        from openclaw_memory_core.core.query import QueryService

        return QueryService(
            self.config, self.agent, self.workspace, self.index, self.conversations, today=self.today, now=self.now
        )

    @cached_property
    def _recaller(self) -> Recaller:
        from openclaw_memory_core.recall import Recaller

        return Recaller(self.workspace)

    @staticmethod
    def agent_of(session: Session, config: MemoryConfig) -> str | None:
        """Id of the agent that owns *session*; None for the default agent."""
        from openclaw_memory_core.session_keys import parse_session_key

        return session.agent_id or parse_session_key(session.key, main_key=config.sessions.main_key).agent_id

    @cached_property
    def owner(self) -> Session:
        """The session of the owner at the terminal: the agent's main session."""
        from openclaw_memory_core.session_keys import canonical_main_key

        sessions = self.config.sessions
        key = canonical_main_key(self.agent.id, main_key=sessions.main_key, scope=sessions.scope)
        return Session(key=key, agent_id=self.agent.id, sender_is_owner=True, workspace_access="rw")

    def now(self) -> dt.datetime:
        """The present moment in the user's time zone."""
        return daily.in_zone(self.runtime.clock(), self.timezone)

    def today(self) -> dt.date:
        """The present day in the user's time zone."""
        return daily.today(self.runtime.clock, self.timezone)

    def audience(self, session: Session) -> Audience:
        """Who hears what is said in *session*."""
        from openclaw_memory_core.privacy import audience

        return audience(session, self.config.sessions, default_agent=self.agent.id)

    # --- hooks -------------------------------------------------------------------------------------------------------

    def session_start(self, session: Session) -> SessionContext:
        """Files for the context; asks for an index update in the background and does not wait for it."""
        from openclaw_memory_core.workspace.startup import session_context

        who = self.audience(session)
        if session.workspace_access == "none":
            from openclaw_memory_hookspecs import SessionContext

            return SessionContext(withheld=(NO_ACCESS,))
        context = session_context(
            self.workspace,
            today=self.today(),
            private=who.private,
            startup=self.agent.startup,
            reason=who.reason,
        )
        if who.private:
            # The first turn need not wait for the curated files to be parsed.
            self._recaller.recall("")
        if self.agent.search.enabled and self.agent.search.sync.on_session_start:
            self.index.start()
            self.index.request("session-start")
        return context

    def prompt_section(self, session: Session) -> str:
        """Text for the system prompt; empty where the session has no memory tools."""
        from openclaw_memory_core.core.prompt import prompt_section

        return prompt_section(
            search=self._may_search(session),
            writable=self._may_write(session),
            private=self.audience(session).private,
        )

    def tools(self, session: Session) -> list[ToolSpec]:
        """The memory tools of *session*, bound to it."""
        from openclaw_memory_core.core.access import SessionAccess
        from openclaw_memory_core.tools.memory import memory_tools

        tools = memory_tools(
            SessionAccess(self, session), search=self._may_search(session), writable=self._may_write(session)
        )
        if self._may_search(session):
            tools += self.conversations.tools(session, self.audience(session))
        return tools

    def before_turn(self, session: Session, message: str) -> RecallBlock | None:
        """Entries of curated files whose trigger stands in *message*: in private sessions, for a user's turn."""
        if session.trigger != "user" or session.workspace_access == "none" or not self.agent.search.enabled:
            return None
        return self._recaller.recall(message) if self.audience(session).private else None

    def tokens_counted(self, session: Session, usage: TokenUsage) -> FlushRequest | None:
        """A request for the silent turn when the context is nearly full, once a cycle."""
        return self.conversations.flush.on_tokens(session, usage)

    def flush_finished(self, session: Session, request: FlushRequest, outcome: FlushOutcome) -> str | None:
        """Record how the silent turn ended."""
        text = self.conversations.flush.on_finished(session, request, outcome)
        if self.agent.search.enabled:
            self.index.request("flush")
        return text

    def compacted(self, session: Session) -> None:
        """The next cycle begins."""
        self.conversations.flush.on_compacted(session)
        self.conversations.changed(session)
        if self.agent.search.enabled and self.agent.search.sync.sessions_post_compaction_force:
            self.index.request("post-compaction")

    def session_end(self, session: Session, reason: str) -> FlushRequest | None:
        """A last flush if there is something to save; on ``new`` and ``reset`` also a summary note."""
        request = self.conversations.flush.on_session_end(session, reason)
        if self._may_write(session):
            self.conversations.write_summary(session, reason)
        self.conversations.changed(session)
        if self.agent.search.enabled:
            self.index.request("session-end")
        return request

    # --- tools and commands ------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        session: Session | None = None,
        max_results: int | None = None,
        min_score: float | None = None,
        corpus: str | None = None,
        explain: bool = False,
        wait: float = 0.0,
    ) -> dict[str, Any]:
        """Answer of ``memory_search``; never raises for a broken index or provider, but says it.

        :param wait: seconds to wait for an index that is behind; hooks and tools never wait.
        """
        who = self.audience(session or self.owner)
        return self._query.search(
            query,
            who,
            session or self.owner,
            max_results=max_results,
            min_score=min_score,
            corpus=corpus,
            explain=explain,
            wait=wait,
        )

    def get(
        self, path: str, *, session: Session | None = None, from_line: int | None = None, lines: int | None = None
    ) -> dict[str, Any]:
        """Answer of ``memory_get``."""
        from openclaw_memory_core.tools.memory import error_fields

        private = self.audience(session or self.owner).private
        try:
            part = self.workspace.read(
                path, from_line, lines, max_chars=self.agent.memory_get_max_chars, curated=private
            )
        except NoteNotFoundError as error:
            return {"status": "not_found", "path": path, "text": "", **error_fields(error)}
        except OpenClawMemoryError as error:
            return {"status": "error", "path": path, "text": "", **error_fields(error)}
        answer: dict[str, Any] = {
            "status": "ok",
            "path": part.path,
            "text": part.text,
            "from": part.from_line,
            "lines": part.lines,
            "totalLines": part.total_lines,
        }
        if part.truncated:
            answer["truncated"] = True
        if part.next_from is not None:
            answer["nextFrom"] = part.next_from
        return answer

    def append(
        self,
        text: str,
        *,
        session: Session | None = None,
        target: str = "today",
        trigger: str | None = None,
        importance: int | None = None,
    ) -> dict[str, Any]:
        """Answer of ``memory_append``: one entry at the end of today's note or of ``MEMORY.md``.

        :raises OpenClawMemoryError: nothing was written.
        """
        session = session or self.owner
        if not self._may_write(session):
            raise PathNotAllowedError("this session may not write to the workspace")
        if target == "curated":
            if not self.audience(session).private:
                raise PathNotAllowedError(
                    "MEMORY.md can be changed from a private session only", hint="Use target today."
                )
            path = "MEMORY.md"
        else:
            path = daily.daily_path(self.today())
        return self._append(path, text, trigger=trigger, importance=importance)

    def sync(
        self, *, force: bool = False, progress: OnProgress | None = None, cancel: CancelToken | None = None
    ) -> SyncReport:
        """Bring the index up to date now, in this thread.

        :raises StoreError: the index cannot be read or written.
        """
        return self.index.sync(reason="cli", force=force, progress=progress, cancel=cancel)

    def status(self, *, deep: bool = False) -> dict[str, Any]:
        """How the memory is: files, index, provider, failures.  Never raises for what it finds."""
        from openclaw_memory_core.core.status import status_report

        return status_report(self, deep=deep)

    def reset(self) -> None:
        """Delete the index; the notes stay."""
        self.index.reset()

    def close(self) -> None:
        """Stop threads, wait for them, close everything."""
        self.index.close()

    # --- inside ------------------------------------------------------------------------------------------------------

    def _may_search(self, session: Session) -> bool:
        return self.agent.search.enabled and session.workspace_access != "none"

    def _may_write(self, session: Session) -> bool:
        boxed = session.sandboxed and self.agent.sandbox_workspace_access not in (None, "rw")
        incognito = self.audience(session).incognito
        return session.workspace_access == "rw" and not boxed and not incognito

    def _append(
        self, path: str, text: str, *, trigger: str | None = None, importance: int | None = None
    ) -> dict[str, Any]:
        result = self.workspace.append(path, text, trigger=trigger, importance=importance)
        if self.agent.search.enabled:
            self.index.request("append", [result.path])
        answer = {
            "status": "ok",
            "path": result.path,
            "startLine": result.line,
            "endLine": result.end_line,
            "bytes": result.bytes,
        }
        return {**answer, "duplicate": True} if result.duplicate else answer

    def _flush_tool(self, targets: Sequence[str]) -> ToolSpec:
        from openclaw_memory_core.tools.memory import flush_append_tool

        append: Callable[[str], dict[str, Any]] = lambda text: self._append(targets[0], text)  # noqa: E731
        return flush_append_tool(append)


def _in_other_folder(agent: AgentConfig, workspace: Path) -> AgentConfig:
    """*agent* with its notes in another folder, and with an index for it.

    One index for two folders would hold the notes of whichever was looked at last, and show them in the other.
    """
    if same_folder(workspace, agent.workspace):
        return agent
    store = agent.search.store
    import hashlib

    mark = hashlib.sha256(os.fsencode(os.path.realpath(workspace))).hexdigest()[:12]
    path = store.path.with_name(f"{store.path.stem}.{mark}{store.path.suffix}")
    search = replace(agent.search, store=replace(store, path=path, former_path=None))
    return replace(agent, workspace=workspace, search=search)
