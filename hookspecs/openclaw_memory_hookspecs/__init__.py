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

from openclaw_memory_hookspecs import _specs as specifications
from openclaw_memory_hookspecs._markers import ENTRY_POINT_GROUP, PROJECT_NAME, hookimpl, hookspec
from openclaw_memory_hookspecs._types import (
    ChatType,
    ContextFile,
    FlushOutcome,
    FlushRequest,
    RecallBlock,
    RecalledEntry,
    Runtime,
    Session,
    SessionContext,
    TokenUsage,
    ToolHandler,
    ToolSpec,
    WorkspaceAccess,
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
