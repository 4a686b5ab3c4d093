"""Matched words on a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.search.marking import mark


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("We decided on the kiln.", "what did we decide about the kiln?", "We [decided] on the [kiln]."),
        ("undecided", "decide", "undecided"),
        ("ticket QX-4471 closed", "QX-4471", "ticket [QX-4471] closed"),
        ("周五把账单系统迁到新机房", "账单系统", "周五把[账单系统]迁到新机房"),
        ("Die Straße zum Kündigen", "Straße", "Die [Straße] zum Kündigen"),
        ("nothing here", "?", "nothing here"),
    ],
)
def test_matched_words_are_marked(text: str, question: str, expected: str) -> None:
    assert mark(text, question, lambda part: f"[{part}]") == expected


@given(st.text(max_size=60), st.text(max_size=30))
def test_marking_only_adds_marks(text: str, question: str) -> None:
    assert mark(text, question, lambda part: part) == text
