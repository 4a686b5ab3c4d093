"""The token estimate: right by class of character, additive, zero only for nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.workspace.tokens import estimate_tokens, quarter_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("word" * 10, 10),
        ("é" * 10, 5),
        ("Привет", 3),
        ("账单系统", 4),
        ("한국어", 3),
        ("ไทย", 3),
        ("\U0001f600" * 5, 5),
        ("\ud800", 1),
        ("abcd账é", 3),
    ],
)
def test_estimate(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(), st.text())
def test_parts_add_up(one: str, two: str) -> None:
    assert quarter_tokens(one + two) == quarter_tokens(one) + quarter_tokens(two)


@given(st.text())
def test_weight_of_each_character_is_1_2_or_4(text: str) -> None:
    expected = sum(1 if ord(c) < 0x80 else 2 if ord(c) < 0x800 else 4 for c in text)
    assert quarter_tokens(text) == expected
