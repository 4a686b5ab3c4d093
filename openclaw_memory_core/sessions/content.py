"""The parts of a message: text to read, and everything else only as far as it takes room in a context."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

TOOL_ROLES = frozenset({"toolResult", "tool", "toolresult", "tool_result", "function", "bashExecution"})


def blocks(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The blocks of a message; string content counts as one text block."""
    content = message.get("content")
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from (block for block in content if isinstance(block, dict))


def text_of(message: Mapping[str, Any]) -> str:
    """The text blocks of a message, joined by blank lines; empty if there is no text."""
    texts = (
        block.get("text") for block in blocks(message) if block.get("type") in {"text", "input_text", "output_text"}
    )
    return "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())


def tool_calls(message: Mapping[str, Any]) -> list[str]:
    """Names of the tools that a message calls."""
    kinds = {"toolCall", "toolcall", "tool_use", "tool_call", "toolUse"}
    return [str(block.get("name")) for block in blocks(message) if block.get("type") in kinds and block.get("name")]


def context_text(message: Mapping[str, Any]) -> tuple[str, int]:
    """Everything of a message that a model reads as text, and the number of images in it."""
    parts: list[str] = []
    images = 0
    for block in blocks(message):
        kind = block.get("type")
        if kind == "image" or kind == "image_url":
            images += 1
            continue
        parts.extend(value for name in ("text", "thinking", "name") if isinstance(value := block.get(name), str))
        arguments = block.get("arguments", block.get("input"))
        if arguments is not None:
            parts.append(arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False))
        nested = block.get("content")
        if isinstance(nested, str | list):
            text, inner = context_text({"content": nested})
            parts.append(text)
            images += inner
    return "\n".join(parts), images
