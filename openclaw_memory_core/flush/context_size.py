"""How large a session's context is, judged by its transcript."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from openclaw_memory_core.flush.cycle import number
from openclaw_memory_core.flush.tokens import TokenCounter, count_near
from openclaw_memory_core.sessions.content import context_text
from openclaw_memory_core.sessions.jsonl import Event, read_events

IMAGE_TOKENS = 1200
"""What an image is taken to cost; providers differ, none is far from this for a photo."""

_FAILED = frozenset({"error", "aborted"})
_Stamp = tuple[int, int]


class ContextSizer:
    """Sizes transcripts and remembers each result until its file changes.

    :param counter: counts the text that no usage report covers.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._known: dict[tuple[Path, int], tuple[_Stamp, int]] = {}

    def tokens(self, path: Path, threshold: int) -> int:
        """Tokens in the context that *path* records; 0 if it cannot be read.

        :param threshold: the number that matters; far from it the estimate is good enough.
        """
        try:
            stat = path.stat()
            stamp = (stat.st_size, stat.st_mtime_ns)
            known = self._known.get((path, threshold))
            if known is not None and known[0] == stamp:
                return known[1]
            total = context_tokens(read_events(path), threshold, self._counter)
        except OSError:
            return 0
        self._known[path, threshold] = (stamp, total)
        return total


def context_tokens(events: Iterable[Event], threshold: int, counter: TokenCounter) -> int:
    """Tokens of the messages that are still in the context after the last compaction.

    The last usage report since then counts for everything before it; only what follows is counted from its text.
    """
    reported, texts, images = 0, list[str](), 0
    for text, image_count, usage in _context(events):
        if usage:
            reported, texts, images = usage, [], 0
        else:
            texts.append(text)
            images += image_count
    fixed = reported + images * IMAGE_TOKENS
    return fixed + count_near(texts, max(0, threshold - fixed), counter)


def _context(events: Iterable[Event]) -> list[tuple[str, int, int]]:
    """Text, number of images and usage report of each message in the context."""
    kept: list[tuple[str, tuple[str, int, int]]] = []
    for event in events:
        if event.kind in {"compaction", "reset"}:
            kept = _compact(kept, event.data)
        elif (message := event.message) is not None:
            text, images = context_text(message)
            kept.append((str(event.data.get("id", "")), (text, images, _usage(message))))
    return [item for _, item in kept]


def _compact(
    kept: list[tuple[str, tuple[str, int, int]]], event: Mapping[str, Any]
) -> list[tuple[str, tuple[str, int, int]]]:
    first = event.get("firstKeptEntryId")
    start = next((i for i, (name, _) in enumerate(kept) if first and name == first), len(kept))
    # Reports from before the compaction describe a context that is gone.
    rest = [(name, (text, images, 0)) for name, (text, images, _) in kept[start:]]
    summary = event.get("summary")
    return [("", (summary, 0, 0)), *rest] if isinstance(summary, str) else rest


def _usage(message: Mapping[str, Any]) -> int:
    usage = message.get("usage")
    if message.get("role") != "assistant" or message.get("stopReason") in _FAILED or not isinstance(usage, dict):
        return 0
    parts = [number(usage.get(name)) for name in ("input", "cacheRead", "cacheWrite", "output")]
    return sum(parts) or number(usage.get("totalTokens", usage.get("total")))
