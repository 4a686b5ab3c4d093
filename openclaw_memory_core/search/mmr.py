"""Maximal marginal relevance (Carbonell and Goldstein, 1998): λ × relevance − (1 − λ) × likeness to what is chosen."""

from __future__ import annotations

from collections.abc import Sequence


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Share of common words; two texts without words are not alike."""
    if not left or not right:
        return 0.0
    common = len(left & right)
    return common / (len(left) + len(right) - common)


def normalised(values: Sequence[float]) -> list[float]:
    """Values moved to 0 … 1; all 1 if they are equal."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    return [(value - low) / (high - low) if high > low else 1.0 for value in values]


def marginal(relevance: float, likeness: float, lambda_: float) -> float:
    """What a candidate adds to what is already chosen."""
    return lambda_ * relevance - (1.0 - lambda_) * likeness
