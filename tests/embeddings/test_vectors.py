"""Packing vectors, and putting replies in order."""

from __future__ import annotations

import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.providers import unpack

from openclaw_memory_core.embeddings.vectors import dimensions, normalised, ordered, pack
from openclaw_memory_core.errors import ProviderReplyError

floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(st.lists(floats, max_size=50))
def test_packing_is_little_endian_float32_and_unpacking_gives_it_back(values: list[float]) -> None:
    packed = pack(values)

    assert packed == struct.pack(f"<{len(values)}f", *values)
    assert unpack(packed) == values
    assert dimensions(packed) == len(values)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), 1e300, None, "1", [1.0], 10**400])
def test_what_is_not_a_finite_number_is_refused(bad: object) -> None:
    with pytest.raises(ProviderReplyError):
        pack([1.0, bad])  # type: ignore[list-item]


def test_normalising_gives_length_one_and_leaves_zero_alone() -> None:
    assert normalised([3.0, 4.0]) == pytest.approx([0.6, 0.8])
    assert normalised([0.0, 0.0]) == [0.0, 0.0]


@given(st.integers(0, 30), st.randoms())
def test_any_order_of_the_reply_gives_the_order_of_the_inputs(count: int, source: random.Random) -> None:
    items = [{"index": i, "embedding": [float(i)]} for i in range(count)]
    source.shuffle(items)

    assert ordered(items, count) == [[float(i)] for i in range(count)]


def test_without_indexes_the_order_of_the_list_counts() -> None:
    assert ordered([{"embedding": [1.0]}, {"embedding": [2.0]}], 2) == [[1.0], [2.0]]


@pytest.mark.parametrize(
    "items",
    [
        [],
        [{"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 2, "embedding": [2.0]}],
        [{"index": -1, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}],
        [{"index": "0", "embedding": [1.0]}, {"index": 1, "embedding": [2.0]}],
        [{"index": True, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}],
        [{"embedding": None}, {"embedding": [2.0]}],
        [{"embedding": "AAAA"}, {"embedding": [2.0]}],
        [None, {"embedding": [2.0]}],
    ],
)
def test_a_list_that_does_not_pair_with_the_inputs_is_refused(items: list[object]) -> None:
    with pytest.raises(ProviderReplyError):
        ordered(items, 2)
