"""docs/flush.md says what the code does."""

from __future__ import annotations

from pathlib import Path

from openclaw_memory_core.config.model import FlushConfig
from openclaw_memory_core.flush import context_size, controller, cycle
from openclaw_memory_core.flush.threshold import DEFAULT_WINDOW, flush_threshold
from openclaw_memory_schemas import load

PAGE = (Path(__file__).parents[2] / "docs" / "flush.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ")[0]
    rows = [line for line in section.split("\n") if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def test_the_table_of_windows_is_right() -> None:
    rows = table("When it is due")
    assert len(rows) == 6
    for window, due in rows:
        assert flush_threshold(int(window.replace(",", "")), FlushConfig()).tokens == int(due.replace(",", ""))


def test_every_mark_is_in_the_schema_and_every_mark_of_the_schema_on_the_page() -> None:
    fields = {row[0].strip("`") for row in table("Marks in sessions.json")}
    known = {name for name in load("sessions-entry")["properties"] if name.startswith("memoryFlush")}
    assert fields == known - {"memoryFlush"}


def test_the_marks_that_the_code_writes_are_on_the_page() -> None:
    written = {
        *cycle.success_marks(1, "s", 2, 3),
        *cycle.failure_marks(cycle.Cycle(0, flushed=False, failures=0, start_bytes=0), "s", 1, "x"),
    }
    assert written == {row[0].strip("`") for row in table("Marks in sessions.json")}


def test_the_numbers_of_the_page_are_those_of_the_code() -> None:
    config = FlushConfig()
    assert f"{DEFAULT_WINDOW:,} − {config.reserve_tokens_floor:,} − {config.soft_threshold_tokens:,}" in PAGE
    assert config.force_flush_transcript_bytes == 2 * 1024 * 1024
    assert f"{context_size.IMAGE_TOKENS:,} tokens" in PAGE
    assert cycle.MAX_FAILURES == 3
    assert controller.REQUEST_LIFETIME.total_seconds() == 15 * 60
