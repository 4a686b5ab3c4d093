"""Makes provider settings, configurations and embedders for tests in one line."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from support.fake_embeddings import words_vector

from openclaw_memory_core.config.model import (
    AgentConfig,
    LocalConfig,
    MemoryConfig,
    ProviderEntry,
    RemoteConfig,
    SearchConfig,
    Secret,
    StoreConfig,
)
from openclaw_memory_core.embeddings.base import InputKind, ProviderInfo, ProviderLimits
from openclaw_memory_core.embeddings.embedder import Embedder
from openclaw_memory_core.embeddings.registry import PROVIDERS
from openclaw_memory_core.embeddings.resolve import Resolution, resolve_provider
from openclaw_memory_core.embeddings.settings import ProviderSettings

NOWHERE = Path("/nonexistent-openclaw-test")


def unpack(vector: bytes) -> list[float]:
    """The numbers of a stored vector."""
    return list(struct.unpack(f"<{len(vector) // 4}f", vector))


def provider_settings(name: str, *, url: str | None = None, key: str | None = None, **changes: Any) -> ProviderSettings:
    """Settings of a provider whose address and key are given under ``remote``."""
    headers = changes.pop("headers", {})
    values: dict[str, Any] = {
        "spec": PROVIDERS[name],
        "name": name,
        "env": {},
        "agent_dir": NOWHERE,
        "state_dir": NOWHERE,
        "home": NOWHERE,
        "remote": RemoteConfig(base_url=url, api_key=Secret(key) if key else None, headers=headers),
    }
    return ProviderSettings(**(values | changes))


def resolve(
    provider: str = "auto",
    *,
    fallback: str = "none",
    env: Mapping[str, str] | None = None,
    model: str | None = None,
    remote: RemoteConfig | None = None,
    local: LocalConfig | None = None,
    entries: Sequence[ProviderEntry] = (),
    root: Path = NOWHERE,
    **search: Any,
) -> Resolution:
    """Choose a provider from a configuration with these settings."""
    chosen = SearchConfig(
        store=StoreConfig(root / "index.sqlite"),
        provider=provider,
        fallback=fallback,
        model=model,
        remote=remote or RemoteConfig(),
        local=local or LocalConfig(),
        **search,
    )
    agent = AgentConfig("main", root / "workspace", root / "agent", root / "sessions", chosen)
    config = MemoryConfig(
        path=None,
        state_dir=root,
        home=root,
        agents={"main": agent},
        default_agent="main",
        providers={entry.id: entry for entry in entries},
    )
    return resolve_provider(chosen, config, agent=agent, env=env or {})


class ScriptedProvider:
    """A provider in this process whose behaviour is a function; keeps the texts of each call."""

    def __init__(
        self,
        behaviour: Callable[[Sequence[str], InputKind], Sequence[Sequence[float]] | None] | None = None,
        *,
        dimensions: int | None = None,
        limits: ProviderLimits | None = None,
    ) -> None:
        self._behaviour = behaviour
        self._lock = threading.Lock()
        self.calls: list[list[str]] = []
        self.timeouts: list[float] = []
        self.info = ProviderInfo("scripted", "m", {"provider": "scripted"}, limits or ProviderLimits(), dimensions)

    def embed(self, texts: Sequence[str], kind: InputKind, *, timeout: float) -> list[Sequence[float]]:
        with self._lock:
            self.calls.append(list(texts))
            self.timeouts.append(timeout)
        answer = self._behaviour(texts, kind) if self._behaviour else None
        return list(answer) if answer is not None else [words_vector(text) for text in texts]

    def close(self) -> None:
        pass


class FakeTime:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self._lock = threading.Lock()

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.slept.append(seconds)
            self.now += seconds


def embedder(provider: Any, time: FakeTime | None = None) -> Embedder:
    """An embedder that neither waits nor jitters."""
    time = time or FakeTime()
    return Embedder(provider, sleep=time.sleep, clock=time.clock, rng=lambda: 0.0)


def numbered(count: int, text: str = "text number {}") -> dict[str, str]:
    """So many different texts by hash."""
    return {f"h{i}": text.format(i) for i in range(count)}
