"""Decay, importance, diversity: the documented numbers."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.config.model import DecayConfig
from openclaw_memory_core.index.model import StoredChunk
from openclaw_memory_core.search import decay, importance, mmr

TODAY = dt.date(2026, 5, 5)
NOW = dt.datetime(2026, 5, 5, 10, tzinfo=dt.UTC)


def stored(date: dt.date | None = None, *, source: str = "memory", mtime: float = 0.0) -> StoredChunk:
    return StoredChunk(1, "memory/x.md", source, 1, 1, "x", (), False, date, mtime, None, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 1.0), (7, 0.85067), (30, 0.5), (60, 0.25), (90, 0.125), (365, 0.000217)]
)
def test_a_score_halves_every_thirty_days(days: int, expected: float) -> None:
    age = decay.age_days(stored(TODAY - dt.timedelta(days=days)), TODAY, NOW)

    assert decay.factor(age, DecayConfig()) == pytest.approx(expected, abs=5e-6)


def test_tomorrows_note_is_of_today() -> None:
    assert decay.factor(decay.age_days(stored(TODAY + dt.timedelta(days=1)), TODAY, NOW), DecayConfig()) == 1.0


def test_undated_notes_are_evergreen_and_transcripts_age_by_their_last_change() -> None:
    week = NOW.timestamp() - 7 * 86_400

    assert decay.age_days(stored(mtime=week), TODAY, NOW) is None
    assert decay.age_days(stored(source="sessions", mtime=week), TODAY, NOW) == pytest.approx(7)


def test_decay_can_be_switched_off() -> None:
    assert decay.factor(100.0, DecayConfig(enabled=False)) == 1.0
    assert decay.factor(100.0, DecayConfig(half_life_days=0)) == 1.0


@pytest.mark.parametrize(("given_", "expected"), [(None, 1.0), (1, 0.8), (5, 1.0), (9, 1.2), (10, 1.25), (99, 1.25)])
def test_importance_factor(given_: int | None, expected: float) -> None:
    assert importance.factor(given_) == pytest.approx(expected)


def test_texts_without_words_are_not_alike() -> None:
    assert mmr.jaccard(frozenset(), frozenset()) == 0.0
    assert mmr.jaccard(frozenset("ab"), frozenset()) == 0.0


@given(st.frozensets(st.text(max_size=3)), st.frozensets(st.text(max_size=3)))
def test_likeness_is_symmetric_and_between_0_and_1(left: frozenset[str], right: frozenset[str]) -> None:
    assert 0.0 <= mmr.jaccard(left, right) <= 1.0
    assert mmr.jaccard(left, right) == mmr.jaccard(right, left)


def test_equal_values_are_all_fully_relevant() -> None:
    assert mmr.normalised([0.3, 0.3]) == [1.0, 1.0]
    assert mmr.normalised([]) == []
