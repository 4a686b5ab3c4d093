"""What ``append`` takes for text, and what it says about an entry that is there already."""

from __future__ import annotations

import pytest
from support.cli import Cli, check_schema


def last(cli: Cli) -> str:
    """The last line of MEMORY.md."""
    return (cli.workspace / "MEMORY.md").read_text(encoding="utf-8").splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "entry"),
    [
        (["buy", "two", "tickets"], "- buy two tickets"),
        (["- a list item"], "- a list item"),
        (["-", "x"], "- x"),
        (["-5 degrees", "at noon"], "- -5 degrees at noon"),
        (["--target is an option", "--importance", "7"], "- --target is an option <!-- importance: 7 -->"),
        (["--", "-x"], "- -x"),
        (["x", "--trigger=the ferry"], "- x <!-- trigger: the ferry -->"),
        (["--", "--trigger=the ferry"], "- --trigger=the ferry"),
    ],
)
def test_words_and_dashes(arguments: list[str], entry: str, notes: Cli):
    run = notes("append", "--target", "curated", *arguments)
    assert (run.code, run.err) == (0, "")
    assert last(notes) == entry


@pytest.mark.parametrize("word", ["-x", "--triger=a b", "--what"])
def test_a_word_that_looks_like_an_option_is_none_and_no_text(word: str, notes: Cli):
    run = notes("append", "text", word)
    assert (run.code, run.out) == (2, "")
    assert "No such option" in run.err
    assert "needs -- before it" in run.err
    assert list(notes.workspace.rglob("*.md")) == [
        notes.workspace / "MEMORY.md",
        notes.workspace / "memory/2026-05-04.md",
    ]


def test_an_entry_that_is_there_already_is_added_and_said(notes: Cli):
    first = notes("append", "drank a glass of water", "--json")
    assert "duplicate" not in first.json("cli.append")
    again = notes("append", "drank a glass of water")
    assert again.err == "The same entry stands right before it.\n"
    document = notes("append", "- drank a glass of water", "--json").json("cli.append")
    check_schema(document, "tool.memory_append.output")
    assert document["duplicate"] is True
    text = (notes.workspace / document["path"]).read_text(encoding="utf-8")
    assert text.count("- drank a glass of water\n") == 3
    assert notes("append", "a glass of water").err == ""


@pytest.mark.parametrize(
    ("before", "alike"),
    [
        ("- x\n  y\n", True),
        ("- x\r\n  y\r\n", True),
        ("# Title\n\n- x\n  y", True),
        ("- x\n  y\n\n\n", True),
        ("a- x\n  y\n", False),
        ("- x\n  y\n- z\n", False),
        ("  y\n", False),
        ("", False),
    ],
)
def test_only_a_whole_entry_at_the_end_is_the_same(before: str, alike: bool, notes: Cli):
    (notes.workspace / "MEMORY.md").write_bytes(before.encode())
    document = notes("append", "x\ny", "--target", "curated", "--json").json("cli.append")
    assert document.get("duplicate", False) is alike
    assert (notes.workspace / "MEMORY.md").read_bytes().startswith(before.encode())
