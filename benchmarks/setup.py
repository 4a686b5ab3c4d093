"""A memory to measure: configuration, fixed day, and a provider that costs nothing where vectors are wanted."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.corpus import LAST_DAY
from openclaw_memory_core.config import load_config
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.embeddings.base import InputKind, ProviderInfo, ProviderLimits
from openclaw_memory_core.embeddings.resolve import Resolution
from openclaw_memory_hookspecs import Runtime

NOW = dt.datetime.combine(LAST_DAY, dt.time(12), dt.UTC)


class RandomVectors:
    """A provider whose vectors are random directions, the same for the same text; it is faster than any model."""

    def __init__(self, dimensions: int) -> None:
        identity = {"provider": "random", "dimensions": str(dimensions)}
        limits = ProviderLimits(items=256, tokens=None, concurrency=1)
        self.info = ProviderInfo("random", f"random-{dimensions}", identity, limits, dimensions, local=True)

    def embed(self, texts: Sequence[str], kind: InputKind, *, timeout: float) -> list[Sequence[float]]:  # noqa: ARG002
        """One vector a text."""
        import numpy as np

        def one(text: str) -> list[float]:
            seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
            rng = np.random.Generator(np.random.SFC64(seed))
            numbers: list[float] = rng.standard_normal(self.info.dimensions or 0, np.float32).tolist()
            return numbers

        return [one(text) for text in texts]

    def close(self) -> None:
        """Nothing to close."""


def configuration(workspace: Path, provider: str = "none", **search: Any) -> dict[str, Any]:
    """The configuration as a file holds it."""
    return {
        "agents": {"defaults": {"workspace": str(workspace), "userTimezone": "UTC"}},
        "memory": {"search": {"provider": provider, **search}},
    }


def open_core(
    workspace: Path,
    state: Path,
    *,
    provider: str = "none",
    dimensions: int = 0,
    background: bool = False,
    **search: Any,
) -> MemoryCore:
    """The memory of one agent; with *dimensions* its vectors are those of :class:`RandomVectors`."""
    config = load_config(configuration(workspace, provider, **search), state_dir=state)
    core = MemoryCore(config, runtime=Runtime(clock=lambda: NOW, timezone="UTC"), background=background)
    if dimensions:
        # There is no configuration for a provider that exists for measuring only.
        core.index.provider._resolution = Resolution(RandomVectors(dimensions), "random", "random", "optional")
    return core
