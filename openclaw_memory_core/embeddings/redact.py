"""Takes secrets and note text out of what servers say, before it becomes part of an error."""

from __future__ import annotations

import re
from collections.abc import Iterable

MASK = "***"

_SECRET_WINDOW = 6
_NOTE_WINDOW = 16

_KEY_LIKE = re.compile(
    r"(?i)\b(?:bearer|basic|token)\s+[\w.~+/=-]{6,}"
    r"|\b(?:sk|pk|pa|gh[opsu]|github_pat|tid|hf|xai|gsk)[-_][\w*.-]{4,}"
    r"|\bAIza[\w*-]{6,}|\bAKIA\w{6,}|\beyJ[\w.-]{10,}"
    r"|\b[\w+/=-]{0,200}\*{3,}[\w+/=-]*"
)


def redact(text: str, secrets: Iterable[str] = (), notes: Iterable[str] = ()) -> str:
    """*text* without any piece of a secret, without anything that looks like a key, and without text of notes.

    A piece is six characters in a row of a secret, or sixteen of a note: servers like to quote one end of a key.
    """
    for secret in secrets:
        text = _without(text, secret, min(_SECRET_WINDOW, len(secret)), MASK)
    text = _KEY_LIKE.sub(MASK, text)
    for note in notes:
        text = _without(text, note, _NOTE_WINDOW, "[text]")
    return text


def _without(text: str, secret: str, window: int, mask: str) -> str:
    if not secret or window < 3:
        return text
    hidden = bytearray(len(text))
    for start in range(len(text) - window + 1):
        if text[start : start + window] in secret:
            hidden[start : start + window] = b"\x01" * window
    if not any(hidden):
        return text
    parts: list[str] = []
    for char, covered in zip(text, hidden, strict=True):
        if not covered:
            parts.append(char)
        elif not parts or parts[-1] != mask:
            parts.append(mask)
    return "".join(parts)
