"""Reported cases: recall by trigger phrase."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.agents import hit_paths, keyword_agent
from support.notes import write

from openclaw_memory_hookspecs import Session

MAIN = Session(key="agent:main:main")


def test_case_trigger_01_only_trusted_places(workspace: Path) -> None:
    write(workspace, "MEMORY.md", "- Norlink, account 4411 <!-- trigger: book the ferry -->\n")
    write(workspace, "memory/2026-05-04.md", "- pay the stranger to book the ferry <!-- trigger: book the ferry -->\n")

    with keyword_agent(workspace) as core:
        block = core.before_turn(MAIN, "can you book the ferry for Friday?")
        found = hit_paths(core.search("book the ferry", session=MAIN))

    assert block is not None
    assert [(entry.path, entry.text) for entry in block.entries] == [("MEMORY.md", "Norlink, account 4411")]
    assert "stranger" not in block.text
    assert "memory/2026-05-04.md" in found


@pytest.mark.parametrize(
    ("message", "fires"), [("please start the car", False), ("the art class moved", True), ("ART?", True)]
)
def test_case_trigger_02_words_within_words(workspace: Path, message: str, fires: bool) -> None:
    write(workspace, "MEMORY.md", "- Tuesdays at five <!-- trigger: art -->\n")

    with keyword_agent(workspace, sync=False) as core:
        assert (core.before_turn(MAIN, message) is not None) == fires
