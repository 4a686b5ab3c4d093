"""What a person said, freed from what the host wrapped around it.

Hosts put metadata, time stamps, system events and recalled notes into the text of user messages.  Each form below was
seen in transcripts of 2026.2 to 2026.9.

Anybody in a chat can write anything of any length, so every look at a text costs no more than its length.
"""

from __future__ import annotations

import re

from openclaw_memory_core.flush.prompts import is_flush_prompt
from openclaw_memory_core.flush.silent import HEARTBEAT_TOKEN, without_reasoning
from openclaw_memory_core.recall.block import strip_recall_blocks

_INTERNAL = re.compile(
    r"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?(?:<<<END_OPENCLAW_INTERNAL_CONTEXT>>>|\Z)\s*", re.DOTALL
)
_METADATA = re.compile(r"^[^\n]{1,80}\(untrusted(?: metadata|, for context|)\):\s*\n```[a-z]*\n", re.MULTILINE)
_METADATA_END = re.compile(r"\n```[ \t]*(?:\n|\Z)\s*")
_TRAILING_CONTEXT = re.compile(r"^Untrusted context \(metadata,.*\Z", re.DOTALL | re.MULTILINE)
_ENVELOPE = re.compile(r"\A\s*\[[^\]\n]{0,200}\b\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}[^\]\n]{0,40}\]\s*")
_MESSAGE_ID = re.compile(r"^[^\S\n]*\[message_id:[^\]\n]*\]\s*$\n?", re.MULTILINE | re.IGNORECASE)
_MEDIA = re.compile(r"^\[media attached[^\n]*\]\s*$\n?", re.MULTILINE)
_SYSTEM_LINE = re.compile(r"\s*System(?: \(untrusted\))?: \[[^\n]*(?:\n|\Z)")
_DATA_URL = re.compile(r"data:[a-z]+/[a-z0-9.+-]+;base64,[A-Za-z0-9+/=\s]{16,}", re.IGNORECASE)
_DIRECTIVE = re.compile(r"\[\[(?:reply_to[^\]\n]{0,200}|audio_as_voice)\]\]\s*")
_QUOTED_NOTES = re.compile(r"BEGIN_QUOTED_NOTES.*?(?:END_QUOTED_NOTES|\Z)\s*", re.DOTALL)
_HEARTBEAT = re.compile(
    rf"\ARead HEARTBEAT\.md|\b(?:reply|respond|answer)\b[^\n]{{0,60}}\b{HEARTBEAT_TOKEN}\b", re.IGNORECASE
)
_CRON = re.compile(r"\A\s*\[cron:[^\]\n]*\]")
_NOTICES = (
    "An async command you ran earlier has completed",
    "A new session was started via /new or /reset",
    "[Inter-session message]",
)


def starts_unattended_turn(text: str) -> bool:
    """True for a prompt of a timer, a heartbeat or a flush: the whole turn is no conversation."""
    bare = _without_host_text(text)
    return is_flush_prompt(bare) or _CRON.match(bare) is not None or _HEARTBEAT.search(bare) is not None


def clean_user_text(text: str) -> str:
    """What the person wrote; empty if there is nothing of it."""
    bare = _without_host_text(text)
    if bare.startswith(_NOTICES):
        return ""
    return _DATA_URL.sub("[data]", bare).strip()


def clean_assistant_text(text: str) -> str:
    """What the assistant said, without reasoning and delivery directives."""
    return _DATA_URL.sub("[data]", _DIRECTIVE.sub("", without_reasoning(text))).strip()


def one_line(text: str) -> str:
    """*text* with every run of white space as one blank."""
    return " ".join(text.split())


def _without_host_text(text: str) -> str:
    text = strip_recall_blocks(_INTERNAL.sub("", text.replace("\r\n", "\n")))
    text = _without_metadata(text)
    for pattern in (_TRAILING_CONTEXT, _QUOTED_NOTES, _MESSAGE_ID, _MEDIA):
        text = pattern.sub("", text)
    start = 0
    while match := _SYSTEM_LINE.match(text, start):
        start = match.end()
    return _ENVELOPE.sub("", text[start:]).strip()


def _without_metadata(text: str) -> str:
    kept, start = [], 0
    while begin := _METADATA.search(text, start):
        end = _METADATA_END.search(text, begin.end())
        if end is None:
            # Nor is there one for the beginnings that follow; looking for each would cost the square of the length.
            break
        kept.append(text[start : begin.start()])
        start = end.end()
    return "".join([*kept, text[start:]])
