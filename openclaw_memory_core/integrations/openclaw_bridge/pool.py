"""One core for each agent and workspace, made anew when the configuration changes."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from openclaw_memory_core.config import load_config
from openclaw_memory_core.config.model import MemoryConfig
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.errors import ConfigError, PathNotAllowedError
from openclaw_memory_core.workspace.folders import FolderNames
from openclaw_memory_hookspecs import Runtime

_log = logging.getLogger(__name__)

_Key = tuple[str, Path]
_Signature = tuple[int, int, int] | None


@dataclass(slots=True)
class _Held:
    """A core, how many calls use it at present, and whether it is to be closed after the last of them."""

    core: MemoryCore
    users: int = 0
    retired: bool = False


class CorePool:
    """Cores on demand.  Thread-safe.

    OpenClaw writes its configuration while it runs; a file that changed is read again at the next call.  What cannot be
    read is named in the log, and the configuration of before stays in force.

    :param config_path: None for the usual place.
    :raises ConfigError: the configuration cannot be read the first time.
    """

    def __init__(
        self, *, config_path: Path | None = None, state_dir: Path | None = None, runtime: Runtime | None = None
    ) -> None:
        given = runtime or Runtime()
        self._runtime = replace(
            given, config_path=config_path or given.config_path, state_dir=state_dir or given.state_dir
        )
        self._lock = threading.Lock()
        self._held: dict[_Key, _Held] = {}
        self._folders = FolderNames()
        self._config = self._load()
        self._signature = self._sign()

    @property
    def config(self) -> MemoryConfig:
        """The configuration as it is now."""
        with self._lock:
            retired = self._refresh()
            config = self._config
        for core in retired:
            core.close()
        return config

    @contextmanager
    def core(self, agent_id: str | None, workspace: Path | None = None) -> Iterator[MemoryCore]:
        """The core of an agent, which stays open until the block is left.

        :raises ConfigError: there is no such agent.
        :raises PathNotAllowedError: *workspace* is not absolute.
        """
        if workspace is not None and not workspace.is_absolute():
            raise PathNotAllowedError("the workspace of a request must be an absolute path")
        with self._lock:
            retired = self._refresh()
            held = self._find(agent_id, workspace)
            held.users += 1
        for core in retired:
            core.close()
        try:
            yield held.core
        finally:
            with self._lock:
                held.users -= 1
                last = held.retired and held.users == 0
            if last:
                held.core.close()

    def close(self) -> None:
        """Close every core; no call may be running."""
        with self._lock:
            cores = self._retire()
        for core in cores:
            core.close()

    def _find(self, agent_id: str | None, workspace: Path | None) -> _Held:
        agent = self._config.agent(agent_id)
        folder = self._folders.path(workspace or agent.workspace, agent.workspace)
        held = self._held.get((agent.id, folder))
        if held is None:
            held = _Held(MemoryCore(self._config, agent.id, runtime=self._runtime, workspace=folder))
            self._held[agent.id, folder] = held
        return held

    def _refresh(self) -> list[MemoryCore]:
        """Read the configuration again if its file changed; the cores that can be closed at once."""
        signature = self._sign()
        if signature == self._signature:
            return []
        self._signature = signature
        try:
            config = self._load()
        except ConfigError as error:
            _log.warning("the changed configuration is not used: %s", error.message)
            return []
        if config == self._config:
            return []
        self._config = config
        return self._retire()

    def _retire(self) -> list[MemoryCore]:
        held, self._held = list(self._held.values()), {}
        for one in held:
            one.retired = True
        return [one.core for one in held if one.users == 0]

    def _load(self) -> MemoryConfig:
        given = self._runtime
        return load_config(given.config, path=given.config_path, state_dir=given.state_dir, env=given.env)

    def _sign(self) -> _Signature:
        if self._runtime.config is not None or self._config.path is None:
            return None
        try:
            st = os.stat(self._config.path)  # noqa: PTH116 - once a call, and a Path costs more than the look
        except OSError:
            return (0, 0, 0)
        return (st.st_mtime_ns, st.st_size, st.st_ino)
