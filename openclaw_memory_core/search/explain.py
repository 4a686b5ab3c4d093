"""Every number of a hit, for ``--explain`` and the tool's ``debug``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openclaw_memory_core.search.fusion import Weights, text_score
from openclaw_memory_core.search.legs import Pool
from openclaw_memory_core.search.query import ParsedQuery
from openclaw_memory_core.search.selection import Choice

_DIGITS = 4


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def explain_hit(choice: Choice, pool: Pool, place: int) -> Mapping[str, Any]:
    """Why one hit is where it is.

    ``documented`` = ``relevance`` × ``decay`` × ``importance``; ``relevance`` joins the chunk's and its passage's own.
    ``score`` orders the answer.
    """
    candidate = choice.candidate
    chunk, signal = candidate.chunk, candidate.signal
    return {
        "place": place,
        "reason": choice.reason,
        "keyword": {
            "place": pool.keyword_places.get(chunk.id),
            "bm25": _round(-signal.rank) if signal.rank > 0 else None,
            "textScore": _round(text_score(signal.rank)),
            "nearness": _round(signal.nearness),
            "normalised": _round(candidate.fused.text),
        },
        "vector": {
            "place": pool.vector_places.get(chunk.id),
            "cosine": _round(signal.cosine),
            "normalised": _round(candidate.fused.vector),
        },
        "path": candidate.specificity or None,
        "chunkRelevance": _round(candidate.relevance),
        "passage": choice.part + 1,
        "relevance": _round(choice.relevance),
        "ageDays": _round(candidate.age),
        "decay": _round(candidate.decay),
        "importance": _round(candidate.importance),
        "documented": _round(choice.documented),
        "within": None if candidate.within is None else candidate.within > 0,
        "likeness": _round(choice.likeness),
        "score": _round(choice.score),
    }


def explain_search(query: ParsedQuery, pool: Pool, balance: Weights, decay: str) -> Mapping[str, Any]:
    """How the question was understood and what the legs brought."""
    return {
        "terms": [term.text for term in query.terms],
        "dates": [f"{date.first.isoformat()}/{date.last.isoformat()}" for date in query.dates],
        "corrected": list(pool.corrected),
        "weights": {"vector": _round(balance.vector), "text": _round(balance.text)},
        "decay": decay,
        "candidates": {
            "keyword": len(pool.keyword_places),
            "vector": len(pool.vector_places),
            "path": len(pool.named),
            "union": len(pool.chunks),
        },
        "background": {
            "middle": _round(pool.background.middle if pool.background else None),
            "chance": _round(pool.background.chance if pool.background else None),
        },
    }
