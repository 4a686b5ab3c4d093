"""Recognising and removing the silent token ``NO_REPLY``, in whole replies and in streams.

A model asked to answer with the token seldom answers with the token alone: it adds punctuation, repeats it, wraps it in
JSON or a code fence, thinks aloud before it, or writes text before or after it.  None of that is meant for the user.
"""

from __future__ import annotations

import json
import re
from typing import Any

SILENT_TOKEN = "NO_REPLY"  # noqa: S105 - a marker in text, not a credential
HEARTBEAT_TOKEN = "HEARTBEAT_OK"  # noqa: S105 - same

_MARKS = "\u200b\u200c\u200d\ufeff*_~`\"'“”‘’«»()\\[\\]<>#|.,:;!?…。、！？：；—–\\-"
_EDGE = rf"\s{_MARKS}"
# Markdown writers escape the underscore.  Boundaries are ASCII: no blank stands between CJK text and the token.
_WORD = r"NO\\?_REPLY"
_TOKEN = re.compile(rf"(?<![A-Za-z0-9_]){_WORD}(?![A-Za-z0-9_])", re.IGNORECASE)
_LEADING = re.compile(rf"[{_EDGE}]*{_WORD}(?![_0-9])", re.IGNORECASE)
_TRAILING = re.compile(rf"(?<![A-Za-z0-9_]){_WORD}[{_EDGE}]*\Z", re.IGNORECASE)
# No line feed before the token: from every line of a long blank text one would otherwise look as far as its end.
_ALONE = re.compile(rf"^(?:[^\S\n]|[{_MARKS}])*?{_WORD}[^\S\n]*$", re.IGNORECASE | re.MULTILINE)
_PARTIAL = re.compile(r"(?:\A|(?<=[^A-Za-z0-9_]))(?:N(?:O(?:\\?_?(?:R(?:E(?:P(?:LY?)?)?)?)?)?)?)\Z", re.IGNORECASE)
_EDGES_ONLY = re.compile(rf"[{_EDGE}]*\Z")
_LEADING_EDGES = re.compile(rf"[{_EDGE}]*")
_EDGE_CHAR = re.compile(rf"[{_EDGE}]")
_TAG = "think|thinking|thought|reasoning|antthinking"
_REASONING = re.compile(rf"\s*<({_TAG})\b[^>]*>.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_FENCE_LINE = re.compile(r"```[A-Za-z0-9]*\s*")
_HEARTBEAT_REST = 300


def is_silent(text: str) -> bool:
    """True if *text* is a reply that must not reach the user.

    That is: the token leads or ends the text or stands alone on a line, in any case, with any punctuation around it;
    or the text is JSON with the token as a value.  Reasoning blocks in front are not looked at.
    """
    body = without_reasoning(text)
    if _LEADING.match(body) or _TRAILING.search(body) or _ALONE.search(body):
        return True
    return _is_silent_json(body)


def mentions_silent(text: str) -> bool:
    """True if the token stands anywhere in the visible part of *text*."""
    return is_silent(text) or bool(_TOKEN.search(without_reasoning(text)))


def is_heartbeat_ok(text: str) -> bool:
    """True for the acknowledgement of a heartbeat: the token at an edge and at most a remark beside it."""
    body = without_reasoning(text)
    bare = _without_edges(body)
    at_edge = bare.startswith(HEARTBEAT_TOKEN) or bare.endswith(HEARTBEAT_TOKEN)
    return at_edge and len(bare) - len(HEARTBEAT_TOKEN) <= _HEARTBEAT_REST


def strip_silent(text: str) -> str:
    """*text* as it may be delivered: empty for a silent reply, else without any token in it."""
    return "" if is_silent(text) else _TOKEN.sub("", text)


class SilentStream:
    """Filters a reply that arrives in pieces.

    A flush turn's reply may turn out to be silent with its last word, so by default nothing is released before
    :meth:`finish`.  With *live* the text is released as soon as it cannot be part of the token any more: for ordinary
    turns, where a leading token silences the reply and a later one is cut out.

    :param live: release text early.
    """

    def __init__(self, *, live: bool = False) -> None:
        self._live = live
        self._held = ""
        self._last = ""
        self._line_empty = True
        self._open = False
        self._silenced = False

    def feed(self, piece: str) -> str:
        """Take the next piece; returns what may be shown now."""
        if self._silenced:
            return ""
        self._held += piece
        if not self._live or (not self._open and _undecided(self._held)):
            return ""
        return self._release(final=False)

    def finish(self) -> str:
        """The reply is complete; returns what may still be shown."""
        if self._silenced:
            return ""
        if self._live:
            return self._release(final=True)
        text, self._held = self._held, ""
        return strip_silent(text)

    def _release(self, *, final: bool) -> str:
        if not self._open and is_silent(self._held) and (final or _LEADING.match(without_reasoning(self._held))):
            self._silenced, self._held = True, ""
            return ""
        self._open = True
        tail = None if final else _PARTIAL.search(self._held)
        cut = tail.start() if tail else len(self._held)
        ready, self._held = self._held[:cut], self._held[cut:]
        return self._cut_tokens(ready)

    def _cut_tokens(self, ready: str) -> str:
        """*ready* without tokens; one that begins a line ends the stream."""
        context = self._last + ready
        kept, position = [], len(self._last)
        for match in _TOKEN.finditer(context, position):
            kept.append(context[position : match.start()])
            self._follow(kept[-1])
            if self._line_empty:
                self._silenced = True
                return "".join(kept)
            position = match.end()
        kept.append(context[position:])
        self._follow(kept[-1])
        self._last = context[-1:]
        return "".join(kept)

    def _follow(self, shown: str) -> None:
        """Keep account of whether the present line holds anything yet."""
        _, newline, rest = shown.rpartition("\n")
        self._line_empty = (self._line_empty or bool(newline)) and _EDGES_ONLY.match(rest) is not None


def without_reasoning(text: str) -> str:
    """*text* without the reasoning blocks in front of it."""
    start = 0
    while match := _REASONING.match(text, start):
        start = match.end()
    return text[start:]


def _is_silent_json(text: str) -> bool:
    body = _without_fence(text.strip())
    if not body.startswith(("{", "[")) or SILENT_TOKEN not in body.upper():
        return False
    try:
        data: Any = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return _holds_token(data)


def _without_fence(body: str) -> str:
    """What stands inside the code fence that *body* is; *body* itself if it is none."""
    first, newline, rest = body.partition("\n")
    if newline and body.endswith("```") and _FENCE_LINE.fullmatch(first):
        return rest[:-3].strip()
    return body


def _without_edges(text: str) -> str:
    edges = _LEADING_EDGES.match(text)
    first = edges.end() if edges else 0
    last = len(text)
    while last > first and _EDGE_CHAR.match(text, last - 1):
        last -= 1
    return text[first:last]


def _holds_token(data: Any) -> bool:
    if isinstance(data, str):
        return data.strip().upper() == SILENT_TOKEN
    values = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return any(_holds_token(value) for value in values)


def _undecided(text: str) -> bool:
    """True while *text*, the beginning of a reply, may still turn out to be silent."""
    start = without_reasoning(text).lstrip()
    if start.startswith("<") and (">" not in start or re.match(rf"<({_TAG})\b", start, re.IGNORECASE)):
        return True
    if start.startswith("```"):
        _, newline, start = start.partition("\n")
        if not newline:
            return True
    edges = _LEADING_EDGES.match(start)
    rest = start[edges.end() :] if edges else start
    return rest.startswith("{") or SILENT_TOKEN.startswith(rest.replace("\\", "").upper())
