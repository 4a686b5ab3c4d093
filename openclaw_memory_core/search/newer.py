"""Of two hits that answer with the same words, the newer stands first: facts change, and the last word counts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from openclaw_memory_core.search.selection import Choice

SAME_WORDS = 0.9
"""Share of the older hit's words of the question that the newer must hold as well."""

SOME_WORDS = 0.5
SAME_MEANING = 0.75
"""With fewer common words, both must be about as near to the question by meaning (``plays``, ``switched to``)."""

MOST_WORDS = 0.5
"""Share of the question that the older hit must hold: with less the two need not be about the same thing."""

JUMP = 1
"""Places that a hit may move up: two that say nearly the same stand next to each other already."""

CLOSE = 0.65
"""Relevance that the newer hit must have, as a share of the older's."""


def newer_first(choices: Sequence[Choice], worth: Callable[[int], float], years: Collection[int] = ()) -> list[Choice]:
    """Move each dated note before the older hits that it may have overtaken; all else keeps its order.

    :param worth: what a set of the question's words is worth, by rarity.
    :param years: numbers of the question that may be a year; a note of another year does not overtake one of it.
    """
    ordered: list[Choice] = []
    for choice in choices:
        place = len(ordered)
        for position in range(max(0, place - JUMP), place):
            if _overtakes(choice, ordered[position], worth, years):
                place = position
                break
        # The better score comes with the better place.
        best = max([choice.score, *(other.score for other in ordered[place : place + 1])])
        ordered.insert(place, replace(choice, score=best) if best > choice.score else choice)
    return ordered


def _overtakes(newer: Choice, older: Choice, worth: Callable[[int], float], years: Collection[int]) -> bool:
    date = newer.candidate.chunk.date
    if date is None or older.reason == "path" or date <= _as_of(older):
        return False
    if _as_of(older).year in years and date.year not in years:
        return False
    if newer.relevance < CLOSE * older.relevance:
        return False
    said = worth(older.snippet.found)
    if said < MOST_WORDS:
        return False
    common = worth(older.snippet.found & newer.snippet.found)
    return common >= SAME_WORDS * said or (common >= SOME_WORDS * said and _as_near(newer, older))


def _as_near(newer: Choice, older: Choice) -> bool:
    new, old = newer.candidate.signal.cosine, older.candidate.signal.cosine
    return new is not None and old is not None and new >= SAME_MEANING * old


def _as_of(choice: Choice) -> dt.date:
    """The day of a dated note; for others the day of the last change, for what they say was true then."""
    chunk = choice.candidate.chunk
    if chunk.date is not None:
        return chunk.date
    try:
        return dt.datetime.fromtimestamp(chunk.mtime, dt.UTC).date()
    except (OverflowError, OSError, ValueError):
        return dt.date.max
