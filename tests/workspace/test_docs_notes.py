"""docs/notes.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from openclaw_memory_core.recall.block import MAX_BLOCK_CHARS, MAX_ENTRY_CHARS
from openclaw_memory_core.recall.entries import MAX_ENTRIES, THRESHOLD
from openclaw_memory_core.recall.words import MAX_MESSAGE_CHARS
from openclaw_memory_core.workspace import discovery
from openclaw_memory_core.workspace.annotations import parse_entries
from openclaw_memory_core.workspace.places import IGNORED_FOLDERS
from openclaw_memory_core.workspace.workspace import DAILY_VARIANTS

PAGE = (Path(__file__).parents[2] / "docs" / "notes.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    return PAGE.split(f"## {heading}\n", 1)[1].split("\n## ")[0]


def test_every_code_of_what_is_left_out_is_on_the_page() -> None:
    listed = set(re.findall(r"^\| `([a-z-]+)` \|", section("What is left out"), re.MULTILINE))

    assert listed == {*discovery._REASONS, "duplicate"}
    assert f"{discovery.MAX_NOTE_BYTES // 2**20} MB" in section("What is left out")


def test_every_folder_that_is_not_entered_is_on_the_page() -> None:
    (row,) = [line for line in PAGE.split("\n") if line.startswith("| `ignored-folder`")]

    assert set(re.findall(r"`([^`]+)`", row)) - {"ignored-folder"} == IGNORED_FOLDERS


def test_the_numbers_of_recall_are_on_the_page() -> None:
    text = section("Recall")

    for number in (THRESHOLD, MAX_ENTRY_CHARS, f"{MAX_BLOCK_CHARS:,}", f"{MAX_MESSAGE_CHARS:,}"):
        assert str(number) in text
    assert MAX_ENTRIES == 3
    assert "at most\nthree" in text
    assert DAILY_VARIANTS == 4


def test_the_example_is_an_entry() -> None:
    example = section("Entries and annotations").split("```markdown\n")[1].split("```")[0]
    (entry,) = parse_entries(example)

    assert (entry.text, entry.triggers, entry.importance) == (
        "- Norlink ferry, account 4411",
        ("book the ferry", "norlink"),
        8,
    )
