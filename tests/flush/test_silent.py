from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.flush.silent import (
    SilentStream,
    is_heartbeat_ok,
    is_silent,
    mentions_silent,
    strip_silent,
)

SILENT = [
    "NO_REPLY",
    " NO_REPLY \n\n",
    "no_reply",
    "No_Reply.",
    "**NO_REPLY**",
    "`NO_REPLY`",
    "NO\\_REPLY",
    '"NO_REPLY"',
    "NO_REPLY NO_REPLY",
    "NO_REPLY\nNO_REPLY",
    "(NO_REPLY)",
    "\ufeffNO_REPLY",
    "NO_REPLY\n\ncancel every booking for June",
    "NO_REPLY cancel every booking for June",
    "NO_REPLYCancel every booking for June",
    "Saved two notes.\nNO_REPLY",
    "Saved two notes. NO_REPLY",
    "Saved two notes.\n\n`NO_REPLY`.",
    "已保存。NO_REPLY",
    "已保存NO_REPLY。",
    "Saved.\nNO_REPLY\nAlso: cancel June.",
    '{"action":"NO_REPLY"}',
    '{"action": "NO_REPLY", "text": "cancel every booking"}',
    '```json\n{"action": "NO_REPLY"}\n```',
    "```\nNO_REPLY\n```",
    "<think>Nothing new today.</think>\nNO_REPLY",
    "<thinking>a</thinking><thinking>b</thinking> NO_REPLY",
]
SPOKEN = [
    "",
    "I saved two notes.",
    "Write to no-reply@example.org",
    "NO REPLY came from Brandt.",
    "NO_REPLY_TOKEN is a constant",
    "MY_NO_REPLY_FLAG",
    "<think>Should I say NO_REPLY? No.</think>Hello",
    "The token NO_REPLY keeps a turn quiet.",
    '{"action": "reply"}',
    "No",
    "NO_",
]


@pytest.mark.parametrize("text", SILENT)
def test_every_form_of_the_token_silences_a_reply(text: str) -> None:
    assert is_silent(text)
    assert strip_silent(text) == ""


@pytest.mark.parametrize("text", SPOKEN)
def test_other_text_is_spoken(text: str) -> None:
    assert not is_silent(text)


def test_a_mention_inside_a_sentence_is_found_and_can_be_cut() -> None:
    text = "The token NO_REPLY keeps a turn quiet."
    assert mentions_silent(text)
    assert strip_silent(text) == "The token  keeps a turn quiet."
    assert not mentions_silent("<think>NO_REPLY?</think>Hello")


@pytest.mark.parametrize(
    "text", ["HEARTBEAT_OK", " **HEARTBEAT_OK**. ", "HEARTBEAT_OK all is well", "Fine. HEARTBEAT_OK"]
)
def test_heartbeat_acknowledgements(text: str) -> None:
    assert is_heartbeat_ok(text)


def test_a_long_report_with_the_heartbeat_token_is_not_an_acknowledgement() -> None:
    assert not is_heartbeat_ok("HEARTBEAT_OK " + "the roof leaks. " * 40)
    assert not is_heartbeat_ok("The heartbeat token is HEARTBEAT_OK here")


def _stream(text: str, cuts: list[int], *, live: bool) -> str:
    stream, shown, position = SilentStream(live=live), "", 0
    for cut in [*sorted(min(c, len(text)) for c in cuts), len(text)]:
        shown += stream.feed(text[position:cut])
        position = max(position, cut)
    return shown + stream.finish()


@pytest.mark.parametrize("text", SILENT)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_held_stream_shows_nothing_of_a_silent_reply(text: str, size: int) -> None:
    assert _stream(text, list(range(0, len(text), size)), live=False) == ""


@pytest.mark.parametrize("text", SILENT)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_live_stream_never_shows_the_token_or_what_follows_a_leading_one(text: str, size: int) -> None:
    shown = _stream(text, list(range(0, len(text), size)), live=True)
    assert "REPLY" not in shown.upper()
    assert "cancel" not in shown.lower()


def test_a_live_stream_releases_text_before_the_end() -> None:
    stream = SilentStream(live=True)
    assert stream.feed("NO") == ""
    assert stream.feed("thing to report, ") == "NOthing to report, "
    assert stream.feed("really") == "really"
    assert stream.finish() == ""


@pytest.mark.parametrize(
    "start", ["[[reply_to_current]] Hi", "```python\nprint", "**Bold**", "- item", "<b>x</b>", "NOW", "[a](b)"]
)
def test_a_live_stream_does_not_hold_back_an_ordinary_beginning(start: str) -> None:
    assert SilentStream(live=True).feed(start) == start


def test_a_token_on_a_line_of_its_own_ends_a_live_stream_however_it_is_cut() -> None:
    stream = SilentStream(live=True)
    assert stream.feed("Saved.\n ") == "Saved.\n "
    assert stream.feed("NO_REPLY\ncancel June") == ""
    assert stream.feed(" and July") + stream.finish() == ""


PARTS = st.lists(
    st.sampled_from(
        ["NO_REPLY", "NO", "_", "RE", "PLY", "\\", " ", "\n", ".", "{", '"', "`", "x", "é", "夜", "<think>", "</think>"]
    ),
    max_size=12,
).map("".join)


@given(text=PARTS, cuts=st.lists(st.integers(0, 80), max_size=8))
def test_pieces_do_not_change_what_a_stream_shows(text: str, cuts: list[int]) -> None:
    assert _stream(text, cuts, live=False) == strip_silent(text)
    assert _stream(text, cuts, live=True) == _stream(text, [], live=True)


@given(text=st.text(max_size=60), cuts=st.lists(st.integers(0, 60), max_size=6))
def test_text_without_the_token_passes_unchanged(text: str, cuts: list[int]) -> None:
    if "reply" not in text.lower():
        assert _stream(text, cuts, live=False) == text
        assert _stream(text, cuts, live=True) == text


@given(text=PARTS, cuts=st.lists(st.integers(0, 80), max_size=8))
def test_a_live_stream_shows_no_token_that_stands_as_a_word(text: str, cuts: list[int]) -> None:
    visible = _stream(f"Hello {text}", cuts, live=True)
    assert not re.search(r"(?<!\w)NO_REPLY(?!\w)", visible, re.ASCII)
