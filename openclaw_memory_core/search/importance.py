"""Importance of curated entries, as documented: a factor of 0.75 + 0.05 × n for n from 1 to 10."""

from __future__ import annotations


def factor(importance: int | None) -> float:
    """0.80 for 1, 1.00 for 5, 1.25 for 10; 1 for entries that say nothing."""
    if importance is None:
        return 1.0
    return 0.75 + 0.05 * min(10, max(1, importance))
