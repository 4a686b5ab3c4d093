"""``sessions_history``: a piece of one transcript, bounded, masked and without what nobody should hear again.

A caller that is not private gets only what was said, and not what was said from memory: curated text in tool results
and recalled notes would otherwise reach it by this way.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openclaw_memory_core.flush.prompts import is_flush_prompt
from openclaw_memory_core.flush.silent import is_silent
from openclaw_memory_core.privacy import Audience
from openclaw_memory_core.sessions.cleaning import clean_user_text
from openclaw_memory_core.sessions.content import TOOL_ROLES, blocks, text_of, tool_calls
from openclaw_memory_core.sessions.jsonl import Event, read_events
from openclaw_memory_core.sessions.library import TranscriptFile, TranscriptLibrary
from openclaw_memory_core.sessions.redact import redact
from openclaw_memory_core.sessions.transcripts import timestamp_of, utterances

DEFAULT_LIMIT = 50
MAX_LIMIT = 1000
MAX_ANSWER_BYTES = 81_920
MAX_TEXT_CHARS = 4000
_CUT = "\n…(truncated)…"
_TOO_LARGE = "[sessions_history omitted: message too large]"
_MEMORY_TOOLS = frozenset({"memory_search", "memory_get", "memory_append", "sessions_search", "sessions_history"})
_WITHHELD = "[result of a memory tool omitted]"


@dataclass(slots=True)
class _Notes:
    """What had to be changed."""

    truncated: bool = False
    redacted: bool = False


def read_history(
    library: TranscriptLibrary,
    who: Audience,
    session_key: str,
    *,
    limit: int = DEFAULT_LIMIT,
    offset: int = 0,
    include_tools: bool = False,
    message_id: str | None = None,
    session_id: str | None = None,
    own_id: str | None = None,
) -> dict[str, Any]:
    """The answer of ``sessions_history``.

    :param offset: how many of the newest messages to pass over.
    :param message_id: show the messages around this one instead.
    :param session_id: an earlier transcript of the session, as ``sessions_search`` named it.
    :param own_id: id of the caller's own transcript.
    """
    denial = library.denial(who, session_key)
    if denial is not None:
        return denial
    key = library.resolve(who, session_key)
    transcript = _choose(library.transcripts(who, own_id=own_id), key, session_id, own_id if key == who.key else None)
    if transcript is None:
        return {"status": "not_found", "error": "There is no transcript of this session."}
    notes = _Notes()
    try:
        messages = _messages(transcript, notes, tools=include_tools, private=who.private)
    except OSError as error:
        return {"status": "error", "error": f"{transcript.path} cannot be read: {error.strerror or 'unknown error'}."}
    window = _window(messages, limit, offset, message_id)
    if window is None:
        return {"status": "not_found", "error": "There is no message of this id that may be shown."}
    start, end = window
    shown = [
        message if _size([message]) <= MAX_ANSWER_BYTES else _placeholder(message) for message in messages[start:end]
    ]
    first, last = _fitting([_size([message]) for message in shown], _position(shown, message_id))
    dropped = len(shown) - (last - first)
    shown, start, newer = shown[first:last], start + first, len(messages) - (start + last)
    answer: dict[str, Any] = {
        "sessionKey": key,
        "sessionId": transcript.session_id,
        "messages": shown,
        "totalMessages": len(messages),
        "offset": newer,
        "hasMore": start > 0,
        "truncated": dropped > 0,
        "droppedMessages": dropped,
        "contentTruncated": notes.truncated,
        "contentRedacted": notes.redacted,
        "bytes": _size(shown),
    }
    return {**answer, "nextOffset": len(messages) - start} if start > 0 else answer


def _choose(
    files: Sequence[TranscriptFile], key: str, session_id: str | None, own_id: str | None
) -> TranscriptFile | None:
    """The transcript of *key*: the one of *session_id*, else the live one that changed last."""
    wanted = session_id.strip().lower() if session_id is not None else None
    own = own_id.lower() if own_id is not None else None
    for one in sorted(files, key=lambda one: (one.archived, -one.modified)):
        if wanted is not None:
            # An archive belongs to no key any more; it is among the visible ones, and that is enough.
            if one.session_id == wanted and one.session_key in {key, None}:
                return one
        elif one.session_key == key or (one.session_key is None and one.session_id == own):
            return one
    return None


def _messages(transcript: TranscriptFile, notes: _Notes, *, tools: bool, private: bool) -> list[dict[str, Any]]:
    if not private:
        spoken = utterances(read_events(transcript.file))
        return [_message(one.role, [_text_block(one.text, notes)], one.timestamp, one.message_id) for one in spoken]
    shown = (_shown(event, notes, tools=tools) for event in _without_silent_turns(read_events(transcript.file)))
    return [message for message in shown if message is not None]


def _without_silent_turns(events: Iterable[Event]) -> Iterable[Event]:
    """Leave out flush turns and silent replies: they were not part of the talk and must not come back into one."""
    in_flush = False
    for event in events:
        message = event.message
        if message is None:
            continue
        text = text_of(message)
        if message.get("role") == "user":
            in_flush = is_flush_prompt(text)
        if not in_flush and not (message.get("role") == "assistant" and is_silent(text)):
            yield event


def _shown(event: Event, notes: _Notes, *, tools: bool) -> dict[str, Any] | None:
    message = event.message or {}
    role = message.get("role")
    if not isinstance(role, str) or (role in TOOL_ROLES and not tools):
        return None
    if role == "user":
        text = clean_user_text(text_of(message))
        content = [_text_block(text, notes)] if text else []
        content += [block for block in map(_image_block, blocks(message)) if block is not None]
    elif role in TOOL_ROLES and message.get("toolName") in _MEMORY_TOOLS:
        content = [{"type": "text", "text": _WITHHELD}]
    else:
        content = [block for raw in blocks(message) if (block := _block(raw, notes, tools=tools)) is not None]
    if not content:
        return None
    identifier = event.data.get("id")
    shown = _message(
        role,
        content,
        timestamp_of(event.data.get("timestamp"), message.get("timestamp")),
        identifier if isinstance(identifier, str) else None,
    )
    return {**shown, "toolName": message["toolName"]} if isinstance(message.get("toolName"), str) else shown


def _block(block: Mapping[str, Any], notes: _Notes, *, tools: bool) -> dict[str, Any] | None:
    if isinstance(block.get("text"), str):
        return _text_block(block["text"], notes)
    if block.get("name") and tool_calls({"content": [block]}):
        return _call_block(block, notes) if tools else None
    return _image_block(block)


def _call_block(block: Mapping[str, Any], notes: _Notes) -> dict[str, Any]:
    name = str(block["name"])
    if name in _MEMORY_TOOLS:
        return {"type": "toolCall", "name": name}
    arguments = json.dumps(block.get("arguments", block.get("input")), ensure_ascii=False)
    return {"type": "toolCall", "name": name, "arguments": _clean(arguments, notes)}


def _image_block(block: Mapping[str, Any]) -> dict[str, Any] | None:
    if block.get("type") not in {"image", "image_url"}:
        return None
    data = block.get("data")
    size = len(data) * 3 // 4 if isinstance(data, str) else 0
    return {"type": "image", "omitted": True, "bytes": size}


def _text_block(text: str, notes: _Notes) -> dict[str, Any]:
    return {"type": "text", "text": _clean(text, notes)}


def _clean(text: str, notes: _Notes) -> str:
    masked = redact(text)
    notes.redacted = notes.redacted or masked != text
    if len(masked) <= MAX_TEXT_CHARS:
        return masked
    notes.truncated = True
    return masked[:MAX_TEXT_CHARS] + _CUT


def _message(role: str, content: list[dict[str, Any]], timestamp: int | None, identifier: str | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": role, "content": content}
    if timestamp is not None:
        message["timestamp"] = timestamp
    return message if identifier is None else {**message, "messageId": identifier}


def _window(
    messages: Sequence[Mapping[str, Any]], limit: int, offset: int, message_id: str | None
) -> tuple[int, int] | None:
    """First and last (exclusive) of the messages to show; None if the anchor is not among them."""
    if message_id is None:
        end = max(0, len(messages) - offset)
        return max(0, end - limit), end
    at = _position(messages, message_id)
    if at is None:
        return None
    start = max(0, min(at - limit // 2, len(messages) - limit))
    return start, min(len(messages), start + limit)


def _position(messages: Sequence[Mapping[str, Any]], message_id: str | None) -> int | None:
    found = (i for i, message in enumerate(messages) if message.get("messageId") == message_id)
    return next(found, None) if message_id is not None else None


def _fitting(sizes: Sequence[int], anchor: int | None) -> tuple[int, int]:
    """First and last (exclusive) of what fits: the oldest go first, with an anchor those farthest from it."""
    first, last, total = 0, len(sizes), sum(sizes)
    keep = last - 1 if anchor is None else anchor
    while total > MAX_ANSWER_BYTES and last - first > 1:
        if keep - first >= last - 1 - keep:
            total -= sizes[first]
            first += 1
        else:
            last -= 1
            total -= sizes[last]
    return first, last


def _placeholder(message: Mapping[str, Any]) -> dict[str, Any]:
    return {**message, "content": [{"type": "text", "text": _TOO_LARGE}]}


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
