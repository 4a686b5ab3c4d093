"""Reported cases that are a matter of the note's bytes: windows of lines, marks, appends."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.agents import keyword_agent
from support.notes import write

from openclaw_memory_hookspecs import Session

MAIN = Session(key="agent:main:main")


@pytest.fixture
def ten(workspace: Path) -> Path:
    write(workspace, "memory/ten.md", "\n".join(f"line {n}" for n in range(1, 11)))
    return workspace


def test_case_tools_01_a_range_ends_with_the_file(ten: Path) -> None:
    with keyword_agent(ten, sync=False) as core:
        answer = core.get("memory/ten.md", from_line=8, lines=5, session=MAIN)

    assert (answer["text"], answer["from"], answer["lines"]) == ("line 8\nline 9\nline 10", 8, 3)
    assert "truncated" not in answer


def test_case_tools_01_a_range_past_the_end_is_found_and_empty(ten: Path) -> None:
    with keyword_agent(ten, sync=False) as core:
        answer = core.get("memory/ten.md", from_line=11, session=MAIN)

    assert (answer["status"], answer["text"], answer["lines"], answer["totalLines"]) == ("ok", "", 0, 10)


@pytest.mark.parametrize("window", [{"from_line": 0}, {"from_line": -2}, {"lines": 0}])
def test_case_tools_01_lines_are_counted_from_one(ten: Path, window: dict[str, int]) -> None:
    with keyword_agent(ten, sync=False) as core:
        answer = core.get("memory/ten.md", **window, session=MAIN)

    assert (answer["status"], answer["text"], answer["code"]) == ("error", "", "usage")
    assert "line" not in answer["text"]


def test_case_chunking_02_byte_order_mark_before_the_first_heading(workspace: Path) -> None:
    text = "# Roof repair\n\nDeposit paid to Brandt & Sons\n"
    write(workspace, "memory/roof.md", b"\xef\xbb\xbf" + text.encode())
    write(workspace, "memory/plain.md", text)

    with keyword_agent(workspace) as core:
        results = core.search("roof repair deposit", session=MAIN)["results"]
        answer = core.get("memory/roof.md", session=MAIN)

    marked = next(result for result in results if result["path"] == "memory/roof.md")
    assert marked["startLine"] == 1
    assert not marked["snippet"].startswith("\ufeff")
    assert answer["text"] == text.rstrip("\n")


def test_case_flush_03_the_days_earlier_notes_stay(workspace: Path) -> None:
    note = write(workspace, "memory/2026-05-05.md", "one\ntwo\nthree\n")

    with keyword_agent(workspace, sync=False) as core:
        core.append("four\nfive", session=MAIN)

    assert note.read_text(encoding="utf-8") == "one\ntwo\nthree\n- four\n  five\n"
