"""Temporal decay, as documented: score × 0.5^(age / half-life) for what has a date."""

from __future__ import annotations

import datetime as dt

from openclaw_memory_core.config.model import DecayConfig
from openclaw_memory_core.index.model import StoredChunk


def age_days(chunk: StoredChunk, today: dt.date, now: dt.datetime) -> float | None:
    """Age in days; None for what does not age.

    A dated note ages by whole days of the user's calendar, a transcript by its time of modification.  Curated files
    and notes without a date in their name are evergreen.  What lies in the future is of today.
    """
    if chunk.date is not None:
        return float(max(0, (today - chunk.date).days))
    if chunk.source == "sessions":
        return max(0.0, (now.timestamp() - chunk.mtime) / 86_400)
    return None


def factor(age: float | None, settings: DecayConfig) -> float:
    """0.5^(age / half-life); 1 for what does not age or with decay switched off."""
    if age is None or not settings.enabled or settings.half_life_days <= 0:
        return 1.0
    return float(0.5 ** (age / settings.half_life_days))
