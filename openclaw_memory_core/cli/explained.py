"""The numbers of a search, for people: one line a result, one for the question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def hit_line(numbers: Mapping[str, Any]) -> str:
    """``debug`` of one result."""
    legs = [
        _leg("words", numbers["keyword"], "textScore"),
        _leg("meaning", numbers["vector"], "cosine"),
        f"file name {numbers['path']}" if numbers.get("path") else None,
    ]
    parts = [f"#{numbers['place']} by {numbers['reason']}", *legs, f"relevance {numbers['relevance']:.2f}"]
    if numbers.get("ageDays") is not None:
        parts.append(f"{numbers['ageDays']:.0f} days old × {numbers['decay']:.2f}")
    if numbers.get("importance") != 1:
        parts.append(f"importance × {numbers['importance']:.2f}")
    return " · ".join(part for part in parts if part)


def question_line(numbers: Mapping[str, Any]) -> str:
    """``debug`` of the whole answer."""
    weights, found = numbers["weights"], numbers["candidates"]
    parts = [f"terms: {', '.join(numbers['terms']) or 'none'}"]
    if numbers["dates"]:
        parts.append(f"dates: {', '.join(numbers['dates'])}")
    if numbers["corrected"]:
        parts.append(f"corrected: {', '.join(map(str, numbers['corrected']))}")
    parts += [
        f"weights: meaning {weights['vector']:.2f}, words {weights['text']:.2f}",
        f"decay {numbers['decay']}",
        f"candidates: {found['keyword']} by words, {found['vector']} by meaning, {found['path']} by file name",
    ]
    return " · ".join(parts)


def _leg(name: str, numbers: Mapping[str, Any], score: str) -> str | None:
    if numbers.get(score) is None:
        return None
    place = f" (place {numbers['place']})" if numbers.get("place") else ""
    return f"{name} {numbers[score]:.2f}{place}"
