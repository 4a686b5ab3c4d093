"""POSIX glob patterns of extra paths, as regular expressions over ``/``-separated relative paths."""

from __future__ import annotations

import functools
import re


@functools.lru_cache(maxsize=64)
def compile_glob(pattern: str) -> re.Pattern[str]:
    """``*`` and ``?`` stay within a folder, ``**`` spans folders, ``[a-z]``, ``[!a]`` and ``{a,b}`` as in a shell.

    What is not complete (an open bracket or brace) is taken literally, so no pattern fails.
    """
    # "**/**/" says no more than "**/" but lets the matcher try every way to share the folders out, for hours.
    pattern = re.sub(r"\*{3,}", "**", re.sub(r"(?<![^/])(?:\*\*/){2,}", "**/", pattern.removeprefix("./")))
    return re.compile(_translate(pattern, braces=True) or _translate(pattern, braces=False), re.DOTALL)


def _translate(pattern: str, *, braces: bool) -> str:
    """The regular expression; empty if a brace that was taken for special is never closed."""
    out: list[str] = []
    depth = at = 0
    while at < len(pattern):
        char = pattern[at]
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            out.append("(?:[^/]+/)*")
            at += 3
            continue
        if pattern.startswith("**", at):
            out.append(".*")
            at += 2
            continue
        if char == "[" and (end := _class_end(pattern, at)) > 0:
            out.append(_char_class(pattern[at + 1 : end]))
            at = end + 1
            continue
        depth = _plain(char, out, depth, braces=braces)
        at += 1
    return "" if depth else "".join(out)


def _plain(char: str, out: list[str], depth: int, *, braces: bool) -> int:
    """Append one character; returns the depth of open braces."""
    if char == "*":
        out.append("[^/]*")
    elif char == "?":
        out.append("[^/]")
    elif char == "{" and braces and depth == 0:
        out.append("(?:")
        return 1
    elif char == "}" and depth:
        out.append(")")
        return 0
    elif char == "," and depth:
        out.append("|")
    else:
        out.append(re.escape(char))
    return depth


def _class_end(pattern: str, at: int) -> int:
    first = at + 2 if pattern[at + 1 : at + 2] in {"!", "^"} else at + 1
    return pattern.find("]", first + 1)


def _char_class(body: str) -> str:
    negated = body[0] in "!^"
    members = body[1:] if negated else body
    parts = []
    while members:
        first, last = members[0], members[2:3]
        if members[1:2] == "-" and first <= last:
            parts.append(f"{re.escape(first)}-{re.escape(last)}")
            members = members[3:]
        else:
            parts.append(re.escape(first))
            members = members[1:]
    listed = "".join(parts)
    return f"[^/{listed}]" if negated else f"(?!/)[{listed}]"
