"""What of a question stands where in a text: found in one look at the folded text, as a look at each line finds it."""

from __future__ import annotations

import datetime as dt
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import markdown_texts

from openclaw_memory_core.search.passages import find_all
from openclaw_memory_core.search.query import Needle, parse
from openclaw_memory_core.search.words import WORD, fold, token_set, word_pattern

TODAY = dt.date(2026, 5, 5)
PIECES = ("kiln", "kilns", "planning", "planned", "plan's", "plan’s", "planet", "2024", "v2.1", "Straße", "été", "账单")
TEXTS = st.lists(st.sampled_from([*PIECES, " ", "\n", "_", "-", "'", "s", "ing", "か", "\u3099"]), max_size=30).map(
    "".join
)
QUESTIONS = st.lists(st.sampled_from([*PIECES, '"kiln planning"', "bought", "go"]), min_size=1, max_size=4).map(
    " ".join
)


@given(text=TEXTS | markdown_texts(), question=QUESTIONS)
@settings(deadline=None)
def test_a_look_at_each_line_finds_the_same(text: str, question: str) -> None:
    needles = parse(question, TODAY).needles
    (found,) = find_all([text], needles)

    expected = {}
    for number, line in enumerate(text.split("\n")):
        bits = sum(1 << bit for bit, needle in enumerate(needles) if needle.found(fold(line)))
        if bits:
            expected[number] = bits
    assert found.by_line() == expected
    assert found.held == sum(1 << bit for bit, needle in enumerate(needles) if needle.found(fold(text)))
    assert found.inside(text) == found.held


@given(
    texts=st.lists(TEXTS | st.sampled_from(["", "\0", "kiln\0", "\0kiln"]), max_size=6),
    question=QUESTIONS | st.just("a\0b"),
)
@settings(deadline=None)
def test_texts_that_are_looked_through_together_hold_what_each_holds_by_itself(texts: list[str], question: str) -> None:
    needles = [*parse(question, TODAY).needles, Needle("\0", None)]

    together = find_all(texts, needles)

    assert [(found.held, found.by_line()) for found in together] == [
        (found.held, found.by_line()) for text in texts for found in find_all([text], needles)
    ]


def test_a_phrase_that_goes_on_in_the_next_line_is_held_by_the_text_and_by_no_line() -> None:
    (found,) = find_all(["the kiln\nplanning"], parse('"kiln planning"', TODAY).needles[:1])

    assert found.held == 1
    assert found.by_line() == {}


@given(word=st.sampled_from(PIECES).map(fold), text=TEXTS.map(fold))
@settings(deadline=None)
def test_words_with_a_stem_are_those_that_one_regular_expression_finds(word: str, text: str) -> None:
    root, pattern = word_pattern(word)
    whole = re.compile(pattern.pattern)

    assert (pattern.search(text) is None) == (whole.search(text) is None)
    for at in (match.start() for match in re.finditer(re.escape(root), text)):
        assert (pattern.match(text, at) is None) == (whole.match(text, at) is None)
    start = text.find(root)
    assert pattern.place(text, start) == next((match.start() for match in whole.finditer(text)), -1)


@pytest.mark.parametrize("word", ["plan", "kiln", "2024"])
def test_the_middle_of_a_word_is_not_found(word: str) -> None:
    _, pattern = word_pattern(word)

    assert pattern.search(f"x{word}") is None
    assert pattern.search(f"{word}x") is None
    assert pattern.search(f"x{word} _{word}") is not None


@given(text=st.text(st.characters(max_codepoint=127)))
def test_words_of_ascii_text_are_those_of_any_text(text: str) -> None:
    assert token_set(text) == frozenset(WORD.findall(fold(text)))
