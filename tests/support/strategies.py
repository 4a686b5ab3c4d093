"""Shared hypothesis strategies."""

from __future__ import annotations

from hypothesis import strategies as st

_WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
_PROSE = st.lists(_WORDS, min_size=1, max_size=30).map(" ".join)
_SENTENCES = st.lists(_PROSE, min_size=1, max_size=6).map(". ".join)
_HUGE = st.tuples(st.sampled_from(["x", "é", "账", "\U0001f600", "e\u0301", "ab c", "A. "]), st.integers(50, 900)).map(
    lambda pair: pair[0] * pair[1]
)
_HEADINGS = st.tuples(st.integers(1, 7), _PROSE).map(lambda pair: "#" * pair[0] + " " + pair[1])
_ITEMS = st.tuples(st.sampled_from(["- ", "* ", "+ ", "1. ", "  - ", "\t- ", "-"]), _SENTENCES).map("".join)
_MARKS = st.sampled_from(
    [
        "```",
        "```py",
        "~~~",
        "````",
        "  ```",
        "---",
        "===",
        "...",
        "",
        "",
        " ",
        "\t",
        "#",
        "#tag",
        "| a | b |",
        "> quote",
    ]
)


def markdown_lines() -> st.SearchStrategy[str]:
    """One line of a note: prose, headings, items, fences, rules, huge runs, blanks."""
    return st.one_of(_MARKS, _PROSE, _SENTENCES, _HEADINGS, _ITEMS, _HUGE)


def markdown_texts() -> st.SearchStrategy[str]:
    """A note of up to 60 lines, with Unix, Windows or mixed line ends, with or without one at the end."""
    line = st.tuples(markdown_lines(), st.sampled_from(["\n", "\n", "\n", "\r\n"])).map("".join)
    return st.tuples(st.lists(line, max_size=60).map("".join), st.sampled_from(["", "\n", "last"])).map("".join)
