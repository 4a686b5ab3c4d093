"""Doors for other programs: MCP, llm, agent SDKs, OpenClaw itself."""

from __future__ import annotations
