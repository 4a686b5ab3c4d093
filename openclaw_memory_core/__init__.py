"""Markdown memory for AI agents, as a plugin for the ``plugins.slots.memory`` slot of an agent runtime.

Runtime authors use :func:`load_memory_slot`; everything else is reached through the slot it returns.
Names are loaded on first use, so that importing this package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openclaw_memory_core.core import MemoryCore
    from openclaw_memory_core.errors import OpenClawMemoryError
    from openclaw_memory_core.slot import MemorySlot, load_memory_slot

__all__ = ["MemoryCore", "MemorySlot", "OpenClawMemoryError", "__version__", "load_memory_slot"]

__version__ = "0.1.0"

_HOMES = {
    "MemoryCore": "openclaw_memory_core.core",
    "MemorySlot": "openclaw_memory_core.slot",
    "OpenClawMemoryError": "openclaw_memory_core.errors",
    "load_memory_slot": "openclaw_memory_core.slot",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
