"""Entries of curated files and the annotations on them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cost import cpu_cost
from support.strategies import markdown_texts

from openclaw_memory_core.workspace.annotations import INVALID_PROJECT, Entry, parse_entries, strip_annotations
from openclaw_memory_core.workspace.entry_text import format_entry


def test_items_and_sections_are_entries() -> None:
    text = "# Memory\nAbout us.\n\n- Gateway is 10.0.0.1\n- Alice\n  likes tea\n\n## Trips\n* Lisbon\n"

    assert parse_entries(text) == [
        Entry(1, 2, "# Memory\nAbout us."),
        Entry(4, 4, "- Gateway is 10.0.0.1"),
        Entry(5, 6, "- Alice\n  likes tea"),
        Entry(8, 8, "## Trips"),
        Entry(9, 9, "* Lisbon"),
    ]


def test_a_nested_item_belongs_to_the_one_above_it() -> None:
    assert parse_entries("- a\n  - b\n\n    c\n- d") == [Entry(1, 4, "- a\n  - b\n\n    c"), Entry(5, 5, "- d")]


@pytest.mark.parametrize("line", ["---", "-", "-no blank", "#hashtag", "    - code", "1. one"])
def test_what_only_looks_like_an_item_begins_no_entry(line: str) -> None:
    assert [entry.start_line for entry in parse_entries(f"- a\n{line}")] == [1]


def test_annotations_are_read_from_the_lines_of_the_entry() -> None:
    text = (
        "- Norlink ferry 4411 <!-- trigger: book the ferry, Ferry; norlink --> <!-- importance: 8 -->\n"
        "  more <!-- TRIGGER: book the ferry, boat --> <!--importance:9-->\n"
        "- plain\n"
    )

    first, second = parse_entries(text)

    assert first.triggers == ("book the ferry", "Ferry", "norlink", "boat")
    assert first.importance == 9
    assert first.text == "- Norlink ferry 4411\n  more"
    assert (second.triggers, second.importance) == ((), None)


def test_triggers_are_separated_as_people_write_lists() -> None:
    (entry,) = parse_entries("- x <!-- trigger: a; b | c，予約、船；d,, -->")

    assert entry.triggers == ("a", "b", "c", "予約", "船", "d")


@pytest.mark.parametrize(
    ("value", "importance"),
    [("1", 1), ("10", 10), ("0", None), ("11", None), ("7.5", None), ("high", None), ("٣", None), ("-3", None)],
)
def test_importance_is_a_whole_number_from_one_to_ten(value: str, importance: int | None) -> None:
    (entry,) = parse_entries(f"- x <!-- importance: {value} -->")

    assert entry.importance == importance


def test_an_annotation_counts_only_at_the_end_of_its_line() -> None:
    (entry,) = parse_entries("- x <!-- trigger: a --> and more")

    assert entry.triggers == ()
    assert entry.text == "- x  and more"


def test_project_keys_are_read_where_projects_count() -> None:
    text = "- x <!-- project: GitHub.com/Me/App; path:/srv/App -->"

    assert parse_entries(text)[0].projects == ("github.com/Me/App", "path:/srv/App")
    assert parse_entries(text, projects=False)[0].projects == ()


@pytest.mark.parametrize("value", ["", "a;", "<x>"])
def test_a_project_that_cannot_be_read_is_no_active_one(value: str) -> None:
    (entry,) = parse_entries(f"- x <!-- project: {value} -->")

    assert INVALID_PROJECT in entry.projects


@pytest.mark.parametrize(
    "text",
    [
        "```\n- x <!-- trigger: a -->\n```",
        "~~~md\n- x <!-- trigger: a -->\n~~~",
        "````\n```\n- x <!-- trigger: a -->\n````",
        "```\n- x <!-- trigger: a -->",
        "- item\n  ```\n  y <!-- trigger: a -->\n  ```",
        "- item `<!-- trigger: a -->`",
        "- item ``x ` <!-- trigger: a -->``",
    ],
)
def test_code_is_neither_an_annotation_nor_an_entry(text: str) -> None:
    entries = parse_entries(text)

    assert len(entries) == 1
    assert entries[0].triggers == ()
    assert strip_annotations(text) == text


def test_after_the_code_annotations_count_again() -> None:
    entries = parse_entries("```\ncode\n```\n- x <!-- trigger: a -->")

    assert entries[1].triggers == ("a",)


def test_code_that_is_left_open_in_an_item_ends_with_the_item() -> None:
    entries = parse_entries("- x\n  ```\n  open\n- y <!-- trigger: a -->")

    assert [entry.triggers for entry in entries] == [(), ("a",)]


def test_backticks_within_a_line_open_no_code_block() -> None:
    entries = parse_entries("```not a fence```\n- x <!-- trigger: a -->")

    assert entries[1].triggers == ("a",)


def test_other_comments_stay() -> None:
    text = "- x <!-- note to self -->\n<!--\ntrigger: a\n-->"

    assert strip_annotations(text) == text


def test_stripping_keeps_line_numbers_and_line_ends() -> None:
    text = "- a <!-- trigger: x -->\r\n<!-- importance: 3 -->\r\n- b <!-- project: p --> tail\r\n"

    assert strip_annotations(text) == "- a\r\n\r\n- b  tail\r\n"


@given(markdown_texts())
def test_every_line_with_text_belongs_to_exactly_one_entry(text: str) -> None:
    lines = text.split("\n")
    entries = parse_entries(text)
    covered = [number for entry in entries for number in range(entry.start_line, entry.end_line + 1)]

    assert covered == sorted(set(covered))
    assert {number for number, line in enumerate(lines, 1) if line.strip()} <= set(covered)
    for entry in entries:
        assert entry.text.count("\n") == entry.end_line - entry.start_line


_ANNOTATED = st.lists(
    st.sampled_from(
        ["- a", " <!-- trigger: x -->", "<!-- importance: 3 -->", "\n", "```", "`", "text", "<!--", "-->", " ", "\r\n"]
    ),
    max_size=30,
).map("".join)


@given(_ANNOTATED)
def test_stripping_keeps_the_number_of_lines_and_is_done_after_one_pass_of_entries(text: str) -> None:
    stripped = strip_annotations(text)

    assert stripped.count("\n") == text.count("\n")
    lines = stripped.split("\n")
    for entry in parse_entries(text):
        assert entry.text == "\n".join(lines[entry.start_line - 1 : entry.end_line])


@pytest.mark.parametrize(
    "piece",
    [
        "<!-- trigger:",
        "<!--",
        "`",
        "` `` ",
        "<!-- trigger: a -->",
        "[- ",
        "~~~",
        "- ```",
        "\t",
        "-->",
        "<!-- trigger: ` -->",
    ],
)
def test_no_line_costs_more_than_its_length(piece: str) -> None:
    text = f"- x {piece * (300_000 // len(piece))} <!-- trigger: a -->"

    with cpu_cost() as cost:
        parse_entries(text)
        strip_annotations(text)
        format_entry(text)
        strip_annotations("".join("`" * n + " " for n in range(800)) + "<!-- trigger: a -->")
    assert cost.seconds < 2
