"""Hits by name: a question that is, or holds, the name of a file wants that file first."""

from __future__ import annotations

from openclaw_memory_core.index.model import PathHit
from openclaw_memory_core.search.words import fold

FULL, BASE, STEM = 3, 2, 1


def exact(hits: list[PathHit], query: str) -> dict[int, PathHit]:
    """Hits that the question really names, by chunk.

    A full path or a base name counts wherever it stands in the question.  A name without its extension is too often
    an ordinary word (``plan.md``, ``what is the plan?``): it counts only if it is the whole question.
    """
    whole = fold(query).strip(" \"'`.?!")
    found = {}
    for hit in hits:
        stem = fold(hit.path).rsplit("/", 1)[-1].rsplit(".", 1)[0]
        if hit.specificity >= BASE or (hit.specificity == STEM and stem == whole):
            found[hit.chunk_id] = hit
    return found


def exact_score(content: float) -> float:
    """The documented score of a named file: (1 + content) / 2, content clamped to 0 … 1."""
    return (1.0 + min(1.0, max(0.0, content))) / 2.0
