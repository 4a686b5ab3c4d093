"""Transcripts in the format of OpenClaw 2026.2 to 2026.7, written line by line as the host writes them."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

START = dt.datetime(2026, 5, 5, 8, 0, tzinfo=dt.UTC)
METADATA = 'Conversation info (untrusted metadata):\n```json\n{\n  "message_id": "733",\n  "sender": "Kofi"\n}\n```\n\n'
SENDER = 'Sender (untrusted metadata):\n```json\n{\n  "label": "cli"\n}\n```\n\n'
ENVELOPE = "[Tue 2026-05-05 09:00 GMT+1] "
HEARTBEAT_PROMPT = (
    "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. "
    "If nothing needs attention, reply HEARTBEAT_OK."
)
FLUSH_PROMPT = (
    "Pre-compaction memory flush. Store durable memories now (use memory/2026-05-05.md; create memory/ if needed). "
    "If nothing to store, reply with NO_REPLY."
)


class Transcript:
    """Builds one transcript file.

    :param version: ``2026.2`` writes content as blocks and times in both places; ``2026.7`` adds provenance.
    """

    def __init__(self, path: Path, *, version: str = "2026.2") -> None:
        self.path = path
        self._version = version
        self._count = 0
        self._parent: str | None = None
        path.parent.mkdir(parents=True, exist_ok=True)
        session_id = path.name.split(".jsonl")[0]
        self.raw({"type": "session", "version": 3, "id": session_id, "timestamp": iso(0), "cwd": "/srv/w"})

    def raw(self, event: Mapping[str, Any]) -> Self:
        """Append one line."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(event, ensure_ascii=False) + "\n")
        return self

    def event(self, kind: str, **fields: Any) -> Self:
        self._count += 1
        name = f"e{self._count:04d}"
        event = {"type": kind, "id": name, "parentId": self._parent, "timestamp": iso(self._count), **fields}
        self._parent = name
        return self.raw(event)

    def message(self, role: str, content: Any, **fields: Any) -> Self:
        return self.event(
            "message", message={"role": role, "content": content, "timestamp": millis(self._count + 1), **fields}
        )

    def user(self, text: str, **fields: Any) -> Self:
        if self._version >= "2026.7":
            fields = {"provenance": {"kind": "external_user", "sourceChannel": "telegram"}, **fields}
        content: Any = text if self._count % 2 else [{"type": "text", "text": text}]
        return self.message("user", content, **fields)

    def assistant(self, text: str, *, calls: tuple[str, ...] = (), thinking: str | None = None, **fields: Any) -> Self:
        blocks: list[dict[str, Any]] = []
        if thinking is not None:
            blocks.append({"type": "thinking", "thinking": thinking, "thinkingSignature": "c2lnbmF0dXJl"})
        if text:
            blocks.append({"type": "text", "text": text})
        blocks += [
            {"type": "toolCall", "id": f"call_{i}", "name": name, "arguments": {"q": "x"}}
            for i, name in enumerate(calls)
        ]
        meta = {"api": "openai-responses", "provider": "openai", "model": "gpt-5", "stopReason": "stop"}
        return self.message("assistant", blocks, **{**meta, **fields})

    def tool_result(self, text: str, name: str = "exec") -> Self:
        return self.message(
            "toolResult", [{"type": "text", "text": text}], toolCallId="call_0", toolName=name, details={"exit": 0}
        )

    def compaction(self, summary: str, first_kept: str) -> Self:
        return self.event("compaction", summary=summary, firstKeptEntryId=first_kept, tokensBefore=180_000)

    def half_line(self, text: str = '{"type":"message","id":"zz","message":{"role":"user","content":"unfin') -> Self:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(text)
        return self


def usage(total: int) -> dict[str, Any]:
    """A usage report of an assistant message whose context had *total* tokens."""
    parts = {"input": total // 2, "output": total // 10, "cacheRead": total - total // 2 - total // 10, "cacheWrite": 0}
    return {**parts, "totalTokens": total, "cost": {"total": 0.01}}


def iso(minutes: int) -> str:
    return (START + dt.timedelta(minutes=minutes)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def millis(minutes: int) -> int:
    return int((START + dt.timedelta(minutes=minutes)).timestamp() * 1000)
