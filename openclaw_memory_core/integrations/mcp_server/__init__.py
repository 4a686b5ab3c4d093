"""The MCP server: the memory tools, notes as resources, and the session start as a prompt.

Built on the official SDK, version 2, which is imported when a server is made.
"""

from __future__ import annotations

from openclaw_memory_core.integrations.mcp_server.run import serve_http, serve_stdio
from openclaw_memory_core.integrations.mcp_server.server import build_server

__all__ = ["build_server", "serve_http", "serve_stdio"]
