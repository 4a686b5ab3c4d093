"""From bytes to text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.workspace.decode import decode


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8"])
def test_a_report_is_read_in_any_unicode_encoding(encoding: str) -> None:
    text = "# Quarterly report\r\nAll well, señor.\n"

    decoded = decode(text.encode(encoding))

    assert decoded.text == text
    assert decoded.flaws == ()


def test_bytes_that_are_no_text_are_replaced_and_named() -> None:
    decoded = decode(b"caf\xe9\n")

    assert decoded.text == "caf\ufffd\n"
    assert decoded.flaws == ("some bytes are not UTF-8 and are shown as U+FFFD",)


def test_nul_characters_are_replaced_and_named() -> None:
    decoded = decode(b"one\0two and three\n")

    assert decoded.text == "one\ufffdtwo and three\n"
    assert decoded.flaws == ("NUL characters are shown as U+FFFD",)


def test_a_cut_utf_16_file_is_flagged_not_refused() -> None:
    decoded = decode("report".encode("utf-16") + b"x")

    assert decoded.text == "report\ufffd"
    assert len(decoded.flaws) == 1


@given(st.binary(max_size=300))
def test_any_bytes_become_text_that_can_be_stored(data: bytes) -> None:
    text = decode(data).text

    text.encode("utf-8")
    assert "\0" not in text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")))
def test_utf_8_is_kept_as_it_is(text: str) -> None:
    assert decode(text.encode("utf-8")).text == text
