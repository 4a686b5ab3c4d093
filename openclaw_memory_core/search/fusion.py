"""Joining the keyword and the vector leg into one relevance.

All candidates are scored by both legs: the exact cosine is known for each of them, and the text score is 0 where no
word matches.  Four ways of joining are offered:

``relative``
    Weighted sum of each leg's score divided by the best of the pool.  The default.
``zscore``
    Weighted sum of standard scores over the pool, moved so that the worst is 0.
``rrf``
    Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009), weighted, k = 60.
``documented``
    The literal sum: cosine × weight + r/(1 + r) × weight, with r = −bm25.

All but the last are returned relative to the best candidate, so that a threshold means the same with every provider.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from openclaw_memory_core.config.model import Fusion
from openclaw_memory_core.records import record

RRF_K = 60
NEARNESS = 0.4
"""Share of the text score for the question's words standing close together, the rest is bm25."""

ADAPTATION = 0.5
"""How much weight moves from the vector to the text leg when one passage holds all of the question's words."""


class Signal(NamedTuple):
    """What the legs say about one candidate.

    :param cosine: None without a vector.
    :param rank: −bm25, 0 if no word matched.
    :param nearness: share (0 to 1, by rarity) of the question's words that stand within a few lines.
    """

    cosine: float | None = None
    rank: float = 0.0
    nearness: float = 0.0


@record
class Weights:
    """Weights of the two legs for one question; their sum is 1."""

    vector: float
    text: float


class Fused(NamedTuple):
    """Both legs' scores on the common scale and their sum."""

    score: float
    vector: float
    text: float


def text_score(rank: float) -> float:
    """The documented scale of a text score: r/(1 + r), 0 to 1, r = −bm25."""
    return rank / (1.0 + rank) if rank > 0 else 0.0


def weights(configured: Weights, signals: Sequence[Signal], *, adapt: bool) -> Weights:
    """The weights for this question.

    A leg with nothing to say gets no weight.  Otherwise the configured balance moves towards the text the more of the
    question's words one passage holds: then the words are those of the note.  If they are nowhere together, it stays.
    """
    has_text = any(signal.rank > 0 for signal in signals)
    has_vectors = any(signal.cosine is not None for signal in signals)
    if not (has_text and has_vectors):
        return Weights(1.0, 0.0) if has_vectors else Weights(0.0, 1.0)
    moved = ADAPTATION * max((signal.nearness for signal in signals), default=0.0) if adapt else 0.0
    text = configured.text + moved * configured.vector / (configured.vector + configured.text or 1.0)
    return Weights(1.0 - text, text)


def fuse(kind: Fusion, signals: Sequence[Signal], balance: Weights) -> list[Fused]:
    """One score for each candidate, in order."""
    if not signals:
        return []
    if kind == "documented":
        return [_sum(signal.cosine or 0.0, text_score(signal.rank), balance) for signal in signals]
    cosines = [cosine if cosine and cosine > 0 else 0.0 for cosine, _, _ in signals]
    texts = _texts(signals)
    scale = _SCALES[kind]
    legs = list(zip(scale(cosines), scale(texts), strict=True))
    scores = [balance.vector * vector + balance.text * text for vector, text in legs]
    best = max(scores)
    if best <= 0:
        best = 1.0
    return [Fused(score / best, vector, text) for score, (vector, text) in zip(scores, legs, strict=True)]


def _texts(signals: Sequence[Signal]) -> list[float]:
    ranks = relative([rank if rank > 0 else 0.0 for _, rank, _ in signals])
    return [
        (1 - NEARNESS) * rank + NEARNESS * near if rank > 0 else 0.0
        for rank, (_, _, near) in zip(ranks, signals, strict=True)
    ]


def _sum(vector: float, text: float, balance: Weights) -> Fused:
    return Fused(balance.vector * vector + balance.text * text, vector, text)


def relative(values: Sequence[float]) -> list[float]:
    """Each value as a share of the largest; zeros if none is above 0."""
    best = max(values, default=0.0)
    return [value / best for value in values] if best > 0 else [0.0] * len(values)


def standard(values: Sequence[float]) -> list[float]:
    """Standard scores, moved so that the smallest is 0; zeros if all are equal."""
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    lowest = min(values)
    return [(value - lowest) / spread for value in values] if spread > 1e-12 else [0.0] * len(values)


def reciprocal_ranks(values: Sequence[float]) -> list[float]:
    """1/(k + rank) for values above 0, best first; equal values share a rank, so that none is behind its equal."""
    ranks: dict[float, int] = {}
    for rank, value in enumerate(sorted((value for value in values if value > 0), reverse=True), 1):
        ranks.setdefault(value, rank)
    return [1.0 / (RRF_K + ranks[value]) if value > 0 else 0.0 for value in values]


_SCALES: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "relative": relative,
    "zscore": standard,
    "rrf": reciprocal_ranks,
}
