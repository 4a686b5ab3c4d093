"""Where a key of a JSON or JSON5 text stands twice.  The parsers say which key, and not where."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{}\[\]:,]|[^\s{}\[\]:,"'/]+|/""", re.DOTALL
)


def duplicate_lines(text: str, key: str) -> tuple[int, int] | None:
    """1-based lines of the first and the second *key* of one object; None if they cannot be told."""
    objects: list[dict[str, int] | None] = []
    before, line = "", 0
    for piece, number in _tokens(text):
        if piece in "{[":
            objects.append({} if piece == "{" else None)
        elif piece in "}]":
            if objects:
                objects.pop()
        elif piece == ":" and objects and (seen := objects[-1]) is not None:
            name = _name(before)
            if name in seen and name == key:
                return seen[name], line
            seen[name] = line
        before, line = piece, number
    return None


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Tokens with their lines, comments left out."""
    line, at = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        if not match[0].startswith(("//", "/*")):
            yield match[0], line


def _name(piece: str) -> str:
    if piece[:1] == '"':
        try:
            return str(json.loads(piece))
        except ValueError:
            return piece[1:-1]
    return piece[1:-1] if piece[:1] == "'" else piece
