"""Our plugin for the memory slot: each hook delegates to the agent's :class:`~openclaw_memory_core.core.MemoryCore`."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openclaw_memory_core.config import load_config
from openclaw_memory_core.config.model import MemoryConfig
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.errors import PluginError
from openclaw_memory_core.workspace.folders import FolderNames
from openclaw_memory_hookspecs import (
    FlushOutcome,
    FlushRequest,
    RecallBlock,
    Runtime,
    Session,
    SessionContext,
    TokenUsage,
    ToolSpec,
    hookimpl,
)


class MemoryCorePlugin:
    """One instance serves one host; it keeps one core for each agent and workspace that the host names."""

    def __init__(self) -> None:
        self._runtime: Runtime | None = None
        self._config: MemoryConfig | None = None
        self._cores: dict[tuple[str, Path], MemoryCore] = {}
        self._folders = FolderNames()
        self._lock = threading.Lock()

    @hookimpl
    def openclaw_memory_startup(self, runtime: Runtime) -> None:
        """Keep what the host says; open nothing yet."""
        config = load_config(runtime.config, path=runtime.config_path, state_dir=runtime.state_dir, env=runtime.env)
        self._runtime, self._config = runtime, config

    @hookimpl
    def openclaw_memory_session_start(self, session: Session) -> SessionContext:
        """See the specification."""
        return self._core(session).session_start(session)

    @hookimpl
    def openclaw_memory_prompt_section(self, session: Session) -> str | None:
        """See the specification."""
        return self._core(session).prompt_section(session) or None

    @hookimpl
    def openclaw_memory_tools(self, session: Session) -> list[ToolSpec]:
        """See the specification."""
        return self._core(session).tools(session)

    @hookimpl
    def openclaw_memory_before_turn(self, session: Session, message: str) -> RecallBlock | None:
        """See the specification."""
        return self._core(session).before_turn(session, message)

    @hookimpl
    def openclaw_memory_tokens_counted(self, session: Session, usage: TokenUsage) -> FlushRequest | None:
        """See the specification."""
        return self._core(session).tokens_counted(session, usage)

    @hookimpl
    def openclaw_memory_flush_finished(
        self, session: Session, request: FlushRequest, outcome: FlushOutcome
    ) -> str | None:
        """See the specification."""
        return self._core(session).flush_finished(session, request, outcome)

    @hookimpl
    def openclaw_memory_compacted(self, session: Session) -> None:
        """See the specification."""
        self._core(session).compacted(session)

    @hookimpl
    def openclaw_memory_session_end(self, session: Session, reason: str) -> FlushRequest | None:
        """See the specification."""
        return self._core(session).session_end(session, reason)

    @hookimpl
    def openclaw_memory_status(self, agent_id: str | None, deep: bool) -> Mapping[str, Any]:  # noqa: FBT001 - see hook
        """See the specification."""
        return self._core_for(agent_id, None).status(deep=deep)

    @hookimpl
    def openclaw_memory_shutdown(self) -> None:
        """Close every core."""
        with self._lock:
            cores, self._cores = list(self._cores.values()), {}
        for core in cores:
            core.close()

    def _core(self, session: Session) -> MemoryCore:
        return self._core_for(MemoryCore.agent_of(session, self._settings()), session.workspace)

    def _core_for(self, agent_id: str | None, workspace: Path | None) -> MemoryCore:
        config = self._settings()
        agent = config.agent(agent_id)
        folder = self._folders.path(workspace or agent.workspace, agent.workspace)
        with self._lock:
            core = self._cores.get((agent.id, folder))
            if core is None:
                core = MemoryCore(config, agent.id, runtime=self._runtime or Runtime(), workspace=folder)
                self._cores[agent.id, folder] = core
            return core

    def _settings(self) -> MemoryConfig:
        if self._config is None:
            raise PluginError("the memory plugin was used before openclaw_memory_startup")
        return self._config
