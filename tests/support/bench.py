"""The bench of the case tests: a fresh home, workspace and state folder, a fixed clock, and the public surface."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

from openclaw_memory_core import MemorySlot, load_memory_slot
from openclaw_memory_core.config import load_config
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.index.report import SyncReport
from openclaw_memory_hookspecs import Runtime, Session

NOON = dt.datetime(2026, 5, 5, 9, 0, tzinfo=dt.UTC)
"""2026-05-05 10:00 in Lisbon."""

MAIN = Session(key="agent:main:main", session_id="s-main")
GROUP = Session(key="agent:main:telegram:group:-1009", session_id="s-group")


class Bench:
    """One machine for one case.

    :param search: keys of ``memory.search``; keyword-only unless a provider is given.
    :param zone: the user's time zone.
    """

    def __init__(
        self, root: Path, *, search: dict[str, Any] | None = None, zone: str = "Europe/Lisbon", **config: Any
    ) -> None:
        self.root = root
        self.home = root / "home"
        self.workspace = root / "workspace"
        self.state = root / "state"
        self.now = NOON
        self.env: dict[str, str] = {"HOME": str(self.home)}
        for folder in (self.home, self.workspace, self.state):
            folder.mkdir(parents=True, exist_ok=True)
        self.search_settings: dict[str, Any] = {"provider": "none", **(search or {})}
        self.zone = zone
        self.extra = config

    @property
    def config(self) -> dict[str, Any]:
        """The configuration as a file would hold it."""
        defaults = {"workspace": str(self.workspace), "userTimezone": self.zone}
        agents = {**self.extra.get("agents", {})}
        agents["defaults"] = {**defaults, **agents.get("defaults", {})}
        rest = {name: value for name, value in self.extra.items() if name != "agents"}
        return {"agents": agents, "memory": {"search": self.search_settings}, **rest}

    @property
    def runtime(self) -> Runtime:
        return Runtime(config=self.config, state_dir=self.state, clock=lambda: self.now, env=self.env)

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a note of the workspace."""
        full = self.workspace / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text if isinstance(text, bytes) else text.encode())
        return full

    def core(self, agent_id: str | None = None, *, background: bool = False) -> MemoryCore:
        """A core as a one-shot command has it (or one with a background worker); close it."""
        config = load_config(self.config, state_dir=self.state, env=self.env, home=self.home)
        return MemoryCore(config, agent_id, runtime=self.runtime, background=background)

    def slot(self, **plugins: object) -> MemorySlot:
        """The slot as a host has it; close it."""
        return load_memory_slot(runtime=self.runtime, strict=True, plugins=plugins or None)

    def index(self, *, force: bool = False) -> SyncReport:
        """Bring the index up to date."""
        with self.core() as core:
            return core.sync(force=force)

    def answer(self, query: str, *, session: Session | None = None, **options: Any) -> dict[str, Any]:
        """The answer of ``memory_search``."""
        with self.core() as core:
            return core.search(query, session=session, **options)

    def paths(self, query: str, **options: Any) -> list[str]:
        """Paths of the results, best first."""
        return [hit["path"] for hit in self.answer(query, **options)["results"]]

    def get(self, path: str, *, session: Session | None = None, **window: Any) -> dict[str, Any]:
        """The answer of ``memory_get``."""
        with self.core() as core:
            return core.get(path, session=session, **window)

    def status(self, *, deep: bool = False) -> dict[str, Any]:
        """The answer of ``status --json``."""
        with self.core() as core:
            return core.status(deep=deep)

    def config_file(self) -> Path:
        """Write the configuration as ``openclaw.json`` of the state folder, for the command line."""
        path = self.state / "openclaw.json"
        path.write_text(json.dumps(self.config), encoding="utf-8")
        return path


def remote(url: str, **more: Any) -> dict[str, Any]:
    """Settings of ``memory.search`` for the fake embedding server."""
    return {"provider": "openai-compatible", "model": "ash", "remote": {"baseUrl": url, **more}}
