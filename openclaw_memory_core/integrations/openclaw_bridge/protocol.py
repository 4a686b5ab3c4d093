"""What both sides of the bridge must agree on: JSON-RPC 2.0, one message a line, UTF-8."""

from __future__ import annotations

from typing import Any, Final

PROTOCOL: Final = 1
"""Number of the protocol; raised when an older plugin folder would misunderstand the answers."""

PLUGIN_ID: Final = "openclaw-memory"
"""Id of the plugin in OpenClaw, value of ``plugins.slots.memory`` and key under ``plugins.entries``."""

LONGEST_LINE: Final = 33_554_432
"""Bytes of one message; a longer one is refused and passed over."""

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INTERNAL_ERROR: Final = -32603
CANCELLED: Final = -32800
REFUSED: Final = -32000
"""One of our own errors; ``data`` holds its code and hint."""
WRONG_PROTOCOL: Final = -32001


def answer(identifier: Any, result: Any) -> dict[str, Any]:
    """A response."""
    return {"jsonrpc": "2.0", "id": identifier, "result": result}


def failure(identifier: Any, code: int, message: str, data: Any = None) -> dict[str, Any]:
    """An error response."""
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": identifier, "error": error}
