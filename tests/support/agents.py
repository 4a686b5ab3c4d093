"""A whole agent for tests: workspace, state folder, keyword-only memory, a clock that stands still."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from openclaw_memory_core.config import load_config
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_hookspecs import Runtime

NOW = dt.datetime(2026, 5, 5, 9, 0, tzinfo=dt.UTC)
"""10:00 in Lisbon."""


@contextmanager
def keyword_agent(
    workspace: Path,
    *,
    now: dt.datetime = NOW,
    timezone: str = "Europe/Lisbon",
    search: Mapping[str, Any] | None = None,
    sync: bool = True,
) -> Iterator[MemoryCore]:
    """The agent ``main`` of *workspace*, indexed once, without any thread or network."""
    config = load_config(
        {
            "agents": {"defaults": {"workspace": str(workspace), "userTimezone": timezone}},
            "memory": {"search": {"provider": "none", **(search or {})}},
        },
        state_dir=workspace.parent / "state",
    )
    core = MemoryCore(config, runtime=Runtime(clock=lambda: now), background=False)
    try:
        if sync:
            core.sync()
        yield core
    finally:
        core.close()


def hit_paths(answer: Mapping[str, Any]) -> list[str]:
    """Paths of the results of a search."""
    return [result["path"] for result in answer["results"]]
