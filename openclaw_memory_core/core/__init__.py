"""One agent's memory: what the plugin, the command line and every integration call."""

from __future__ import annotations

from openclaw_memory_core.core.memory import MemoryCore

__all__ = ["MemoryCore"]
