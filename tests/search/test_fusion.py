"""Joining two legs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.search.fusion import Signal, Weights, fuse, text_score, weights

CONFIGURED = Weights(0.7, 0.3)
KINDS = ["relative", "zscore", "rrf", "documented"]

signals = st.builds(
    Signal,
    cosine=st.none() | st.floats(-1, 1),
    rank=st.floats(0, 50),
    nearness=st.floats(0, 1),
)


def test_the_documented_form_is_the_literal_sum() -> None:
    (one,) = fuse("documented", [Signal(cosine=0.5, rank=3.0)], CONFIGURED)

    assert one.score == pytest.approx(0.7 * 0.5 + 0.3 * 0.75)


def test_text_score_is_r_over_one_plus_r() -> None:
    assert text_score(3.64) == pytest.approx(3.64 / 4.64)
    assert text_score(0.0) == 0.0


@pytest.mark.parametrize("factor", [0.1, 1.0])
def test_relative_scores_do_not_depend_on_the_providers_scale(factor: float) -> None:
    plain = [Signal(cosine=c, rank=r) for c, r in ((0.9, 1.0), (0.5, 4.0), (0.3, 0.0))]
    scaled = [Signal(cosine=(s.cosine or 0) * factor, rank=s.rank * 3) for s in plain]

    before = [one.score for one in fuse("relative", plain, CONFIGURED)]
    after = [one.score for one in fuse("relative", scaled, CONFIGURED)]

    assert after == pytest.approx(before)


def test_a_leg_that_says_nothing_has_no_weight() -> None:
    assert weights(CONFIGURED, [Signal(cosine=0.5)], adapt=True) == Weights(1.0, 0.0)
    assert weights(CONFIGURED, [Signal(rank=1.0)], adapt=True) == Weights(0.0, 1.0)


def test_words_of_the_question_in_one_passage_move_weight_to_the_text() -> None:
    scattered = weights(CONFIGURED, [Signal(0.5, 1.0, 0.0)], adapt=True)
    together = weights(CONFIGURED, [Signal(0.5, 1.0, 1.0)], adapt=True)

    assert scattered == CONFIGURED
    assert together.text > scattered.text
    assert together.vector + together.text == pytest.approx(1.0)
    assert weights(CONFIGURED, [Signal(0.5, 1.0, 1.0)], adapt=False) == CONFIGURED


@pytest.mark.parametrize("kind", ["relative", "zscore", "rrf"])
@given(pool=st.lists(signals, min_size=1, max_size=30))
def test_scores_lie_between_0_and_the_best_which_is_1(kind: str, pool: list[Signal]) -> None:
    balance = weights(CONFIGURED, pool, adapt=True)
    scores = [one.score for one in fuse(kind, pool, balance)]  # type: ignore[arg-type]

    assert len(scores) == len(pool)
    assert all(0 <= score <= 1 + 1e-9 for score in scores)
    assert max(scores) == pytest.approx(1.0) or max(scores) == 0.0


@pytest.mark.parametrize("kind", KINDS)
@given(pool=st.lists(signals, min_size=1, max_size=12))
def test_a_candidate_that_is_better_in_both_legs_is_never_behind(kind: str, pool: list[Signal]) -> None:
    better = Signal(cosine=1.0, rank=60.0, nearness=1.0)
    found = fuse(kind, [*pool, better], weights(CONFIGURED, [*pool, better], adapt=True))  # type: ignore[arg-type]

    assert found[-1].score == max(one.score for one in found)


def test_equal_candidates_have_equal_ranks() -> None:
    pool = [Signal(cosine=0.5, rank=1.0), Signal(cosine=0.5), Signal(cosine=0.5), Signal(cosine=0.4)]

    first, second, third, last = (one.vector for one in fuse("rrf", pool, CONFIGURED))

    assert first == second == third > last


def test_nothing_gives_nothing() -> None:
    assert fuse("relative", [], CONFIGURED) == []
