"""Cases trigger-*: what calls an entry up."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.bench import MAIN, Bench

from openclaw_memory_hookspecs import RecallBlock


def _recall(bench: Bench, message: str) -> RecallBlock | None:
    with bench.slot() as slot:
        return slot.before_turn(MAIN, message)


def test_case_trigger_01_only_trusted_places(tmp_path: Path) -> None:
    bench = Bench(tmp_path, search={"query": {"maxResults": 10}})
    mark = "<!-- trigger: book the ferry -->"
    bench.write("MEMORY.md", f"- Upper deck, please. {mark}\n")
    bench.write("memory/2026-05-04.md", f"- A daily line: book the ferry early. {mark}\n")
    bench.write("memory/chat.md", f"- Somebody said: book the ferry. {mark}\n")
    bench.index()

    block = _recall(bench, "can you book the ferry for Friday?")

    assert block is not None
    assert [(entry.path, entry.text) for entry in block.entries] == [("MEMORY.md", "Upper deck, please.")]
    assert {"memory/2026-05-04.md", "memory/chat.md"} <= set(bench.paths("book the ferry"))


@pytest.mark.parametrize(
    ("message", "fires"), [("please start the car", False), ("the art class moved", True), ("ART?", True)]
)
def test_case_trigger_02_words_within_words(tmp_path: Path, message: str, fires: bool) -> None:
    bench = Bench(tmp_path)
    bench.write("MEMORY.md", "- The class meets at the old mill. <!-- trigger: art -->\n")

    assert (_recall(bench, message) is not None) is fires
