"""Passages of a hit: neighbouring lines and what they are worth together."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory_core.index.model import StoredChunk
from openclaw_memory_core.search.passages import (
    NEAR_CHARS,
    VALUE_SHARE,
    Lines,
    NeedleWeights,
    find_all,
    line_values,
    lines_of,
    nearness,
    union,
    windows,
)
from openclaw_memory_core.search.query import parse
from openclaw_memory_core.search.snippets import LIMIT

NEEDLES = parse("kiln door hinge", dt.date(2026, 5, 5)).needles
LINES = st.lists(
    st.sampled_from(["", "  ", "kiln", "the door?", "hinge", "a" * 60, "b" * 170, "kiln " * 40]), max_size=9
)
ROOM = 180


def stored(text: str) -> StoredChunk:
    return StoredChunk(1, "memory/x.md", "memory", 1, text.count("\n") + 1, text, (), False, None, 0, None, None)


def weighed(texts: list[str]) -> tuple[Lines, NeedleWeights]:
    found = find_all(["\n".join(texts)], NEEDLES)[0]
    return lines_of(stored("\n".join(texts)), found, LIMIT), NeedleWeights(NEEDLES, [found.held, 1, 2, 0])


@given(texts=LINES)
@settings(deadline=None)
def test_a_passage_counts_each_of_its_lines_once(texts: list[str]) -> None:
    lines, weights = weighed(texts)
    values = line_values(lines, weights)

    for score, first, last in windows(lines, values, weights, ROOM):
        inside = range(first, last + 1)
        covered = sum({bit for p in inside for bit in (1, 2, 4) if lines.found[p] & bit})
        assert score == pytest.approx(VALUE_SHARE * sum(values[p] for p in inside) + weights.share(covered))
        assert texts[first].strip()
        assert texts[last].strip()
        assert first == last or len("\n".join(texts[first : last + 1])) <= ROOM


@given(texts=LINES)
@settings(deadline=None)
def test_words_are_near_each_other_in_lines_that_are_short_together(texts: list[str]) -> None:
    lines, weights = weighed(texts)

    runs = [(first, last + 1) for last in range(len(texts)) for first in range(last + 1)]
    near = [run for run in runs if run[1] - run[0] == 1 or sum(lines.sizes[slice(*run)]) <= NEAR_CHARS]
    expected = max(weights.share(union(lines.found[slice(*run)])) for run in near) if near else 0.0
    assert nearness(lines, weights) == expected
