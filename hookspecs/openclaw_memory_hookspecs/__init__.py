"""The contract between an agent runtime (the host) and the plugin in its memory slot.

A plugin author needs this package only::

    from openclaw_memory_hookspecs import hookimpl, SessionContext


    class MyMemory:
        @hookimpl
        def openclaw_memory_session_start(self, session):
            return SessionContext()

and an entry point in the group :data:`ENTRY_POINT_GROUP` whose name is the plugin id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_memory_hookspecs._names import ENTRY_POINT_GROUP, PROJECT_NAME
from openclaw_memory_hookspecs._session import ChatType, Runtime, Session, WorkspaceAccess

if TYPE_CHECKING:
    from openclaw_memory_hookspecs import _specs as specifications
    from openclaw_memory_hookspecs._markers import hookimpl, hookspec
    from openclaw_memory_hookspecs._types import (
        ContextFile,
        FlushOutcome,
        FlushRequest,
        RecallBlock,
        RecalledEntry,
        SessionContext,
        TokenUsage,
        ToolHandler,
        ToolSpec,
    )

__all__ = [
    "ENTRY_POINT_GROUP",
    "PROJECT_NAME",
    "ChatType",
    "ContextFile",
    "FlushOutcome",
    "FlushRequest",
    "RecallBlock",
    "RecalledEntry",
    "Runtime",
    "Session",
    "SessionContext",
    "TokenUsage",
    "ToolHandler",
    "ToolSpec",
    "WorkspaceAccess",
    "hookimpl",
    "hookspec",
    "specifications",
]


def __getattr__(name: str) -> Any:
    """What takes time to import, pluggy above all, is imported when it is first asked for."""
    from importlib import import_module

    if name == "specifications":
        return import_module("openclaw_memory_hookspecs._specs")
    if name in __all__:
        module = "_markers" if name in ("hookimpl", "hookspec") else "_types"
        found = globals()[name] = getattr(import_module(f"openclaw_memory_hookspecs.{module}"), name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
