"""From a text to one entry."""

from __future__ import annotations

import pytest

from openclaw_memory_core.errors import UsageError
from openclaw_memory_core.workspace.entry_text import format_entry


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("rain", "- rain"),
        ("  rain  \n\n", "- rain"),
        ("Trip:\n- Lisbon\n- Porto", "- Trip:\n  - Lisbon\n  - Porto"),
        ("one\n\ntwo", "- one\n\n  two"),
        ("one\r\ntwo\rthree", "- one\n  two\n  three"),
        ("- one\n- two", "- one\n- two"),
        ("# Heading\ntext", "# Heading\ntext"),
        ("> quote", "- > quote"),
        ("| a | b |\n|---|---|", "- | a | b |\n  |---|---|"),
        ("1. first", "- 1. first"),
        ("-", "- -"),
        ("  - one\n  - two", "- one\n- two"),
        ("```\ncode\n```", "- ```\n  code\n  ```"),
        ("```\ncode", "- ```\n  code\n  ```"),
        ("- x\n````py\n```\ncode", "- x\n````py\n```\ncode\n````"),
        ("see:\n~~~\ncode", "- see:\n  ~~~\n  code\n  ~~~"),
        ("bell\x07 and \x1b[31mred", "- bell and [31mred"),
        ("x <!-- trigger: evil -->", "- x &lt;!-- trigger: evil -->"),
        ("x <!-- a remark -->", "- x <!-- a remark -->"),
    ],
)
def test_a_text_becomes_one_entry_unless_it_is_markdown_already(text: str, entry: str) -> None:
    assert format_entry(text) == entry


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("rain", "- rain <!-- trigger: a b --> <!-- importance: 7 -->"),
        ("- rain\n  more", "- rain <!-- trigger: a b --> <!-- importance: 7 -->\n  more"),
        ("- one\n- two", "- - one <!-- trigger: a b --> <!-- importance: 7 -->\n  - two"),
        ("# Heading", "- # Heading <!-- trigger: a b --> <!-- importance: 7 -->"),
        ("```\ncode\n```", "- ```\n  code\n  ```\n  <!-- trigger: a b --> <!-- importance: 7 -->"),
        ("run `make`", "- run `make`\n  <!-- trigger: a b --> <!-- importance: 7 -->"),
    ],
)
def test_an_annotated_text_is_always_one_item(text: str, entry: str) -> None:
    assert format_entry(text, triggers=["a b"], importance=7) == entry


@pytest.mark.parametrize("value", ["", " ", "a\nb", "a --> b", "<!-- b", "a -- b", "a > b", "`a`", "\x1b"])
def test_a_trigger_that_cannot_be_written_is_refused(value: str) -> None:
    with pytest.raises(UsageError, match="trigger"):
        format_entry("x", triggers=[value])
    with pytest.raises(UsageError, match="project"):
        format_entry("x", projects=[value])


@pytest.mark.parametrize("value", [0, 11, -1, True])
def test_an_importance_out_of_range_is_refused(value: int) -> None:
    with pytest.raises(UsageError, match="importance"):
        format_entry("x", importance=value)
