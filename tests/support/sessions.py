"""A world for tests of sessions: a movable clock, an agent on disk, a flush controller over real files."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openclaw_memory_core.config.model import AgentConfig, FlushConfig, SearchConfig, SessionsConfig, StoreConfig
from openclaw_memory_core.flush.controller import FlushController
from openclaw_memory_core.flush.tokens import EstimateCounter, TokenCounter
from openclaw_memory_core.sessions.store import SessionStore
from openclaw_memory_hookspecs import FlushOutcome, FlushRequest, Session, TokenUsage, ToolSpec

KEY = "agent:main:main"
SILENT = FlushOutcome(reply="NO_REPLY")


class Clock:
    """A clock that stands still until it is told to move."""

    def __init__(self, now: dt.datetime) -> None:
        self.now = now

    def __call__(self) -> dt.datetime:
        return self.now

    def advance(self, **delta: float) -> None:
        self.now += dt.timedelta(**delta)


def make_agent(root: Path, agent_id: str = "main", **changes: Any) -> AgentConfig:
    """An agent whose folders are below *root*; nothing is created."""
    home = root / "state" / "agents" / agent_id
    return AgentConfig(
        id=agent_id,
        workspace=changes.pop("workspace", root / "workspace"),
        agent_dir=home / "agent",
        sessions_dir=home / "sessions",
        search=changes.pop(
            "search", SearchConfig(store=StoreConfig(path=root / "state" / "memory" / f"{agent_id}.sqlite"))
        ),
        **changes,
    )


def make_append_tool(targets: Sequence[str]) -> ToolSpec:
    """A stand-in for the flush turn's tool that only tells its targets."""
    return ToolSpec("memory_append", "append", {}, {}, lambda arguments: {"targets": list(targets)})


@dataclass
class FlushWorld:
    """One agent with sessions on disk and the controller that a running host would have."""

    root: Path
    flush: FlushConfig = field(default_factory=FlushConfig)
    timezone: str = "Europe/Lisbon"
    counter: TokenCounter = field(default_factory=EstimateCounter)
    sessions: SessionsConfig = field(default_factory=SessionsConfig)
    agent_changes: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clock = Clock(dt.datetime(2026, 5, 5, 9, 0, tzinfo=dt.UTC))
        self.agent = make_agent(self.root, flush=self.flush, **self.agent_changes)
        self.store_path = self.agent.sessions_dir / "sessions.json"
        self.restart()

    def restart(self) -> None:
        """A new process: nothing is left but the files."""
        self.store = SessionStore(self.store_path, clock=self.clock, sleep=lambda _: None)
        self.controller = FlushController(
            self.agent,
            self.sessions,
            lambda _: self.store,
            clock=self.clock,
            timezone=self.timezone,
            token_counter=self.counter,
            append_tool=make_append_tool,
        )

    def session(self, key: str = KEY, **changes: Any) -> Session:
        return Session(key=key, **{"session_id": "s1", "context_window": 200_000, **changes})

    def tokens(self, total: int, session: Session | None = None, **usage: Any) -> FlushRequest | None:
        return self.controller.on_tokens(session or self.session(), TokenUsage(total=total, **usage))

    def flushed(
        self, request: FlushRequest, outcome: FlushOutcome = SILENT, session: Session | None = None
    ) -> str | None:
        return self.controller.on_finished(session or self.session(), request, outcome)

    def entry(self, key: str = KEY) -> dict[str, Any]:
        if not self.store_path.exists():
            return {}
        data: dict[str, dict[str, Any]] = json.loads(self.store_path.read_text(encoding="utf-8"))
        return data.get(key, {})

    def write_store(self, data: dict[str, Any]) -> None:
        self.store_path.parent.mkdir(parents=True, exist_ok=True)
        self.store_path.write_text(json.dumps(data, indent=2), encoding="utf-8")
