"""No piece of a key and no text of a note gets into a message."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.embeddings.redact import MASK, redact

KEY_CHARS = string.ascii_letters + string.digits + "-_"
keys = st.text(KEY_CHARS, min_size=8, max_size=60)
plain = st.text("abcdefgh :,.", max_size=40)


@given(key=keys, before=plain, after=plain, cut=st.tuples(st.integers(0, 60), st.integers(0, 60)))
def test_no_six_characters_of_a_key_survive(key: str, before: str, after: str, cut: tuple[int, int]) -> None:
    start, end = sorted(cut)
    said = redact(f"{before}{key[start:end]}{after}", [key])

    assert not any(key[i : i + 6] in said for i in range(len(key) - 5))


@given(plain)
def test_a_text_without_secrets_is_left_alone(text: str) -> None:
    assert redact(text, ["QQQQQQQQQQ"]) == text


@pytest.mark.parametrize(
    "said",
    [
        "Incorrect API key provided: sk-proj-abc123def456",
        "got Authorization: Bearer abcdefghijkl",
        "key AIzaSyA1234567890 is not valid",
        "token ghp_0123456789abcdef expired",
        "you sent sk-12********************xyz9",
        "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx",
        "AKIAIOSFODNN7EXAMPLE was refused",
    ],
)
def test_what_looks_like_a_key_is_masked_even_if_it_is_not_ours(said: str) -> None:
    cleaned = redact(said)

    assert MASK in cleaned
    for piece in ("abc123", "abcdef", "AIza", "0123456789", "xyz9", "eyJ", "AKIA"):
        assert piece not in cleaned


def test_text_of_a_note_is_masked() -> None:
    note = "Dr. Lindqvist said the biopsy result is due on Friday"

    said = redact(f"invalid input: '{note[5:]}' is too long", notes=[note])

    assert said == "invalid input: '[text]' is too long"


def test_a_very_short_secret_masks_itself_only() -> None:
    assert redact("the code is 1234 ok", ["1234"]) == f"the code is {MASK} ok"
    assert redact("a is fine", ["a"]) == "a is fine"
