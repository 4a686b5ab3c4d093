"""docs/sessions.md says what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from openclaw_memory_core.sessions import history, lockfile, search, summary
from openclaw_memory_core.sessions.delta import DeltaThresholds
from openclaw_memory_core.sessions.transcripts import transcript_name
from openclaw_memory_schemas import load

PAGE = (Path(__file__).parents[2] / "docs" / "sessions.md").read_text(encoding="utf-8")
FILLED = {"<id>": "0f1e", "<topic>": "42", "<time>": "2026-05-01T04-00-00.000Z", "<uuid>": "9a-1"}


def section(heading: str) -> str:
    return PAGE.split(f"## {heading}\n", 1)[1].split("\n## ")[0]


def test_the_table_of_files_is_right() -> None:
    rows = [line.strip("|").split("|") for line in section("Which files are transcripts").split("\n") if "`" in line]
    assert len(rows) >= 10
    for cell, verdict, *_ in [row for row in rows if len(row) > 1]:
        name = cell.strip().strip("`")
        for mark, value in FILLED.items():
            name = name.replace(mark, value)
        assert (transcript_name(name) is not None) == verdict.strip().startswith("yes"), name


@pytest.mark.parametrize(
    ("heading", "numbers"),
    [
        (
            "sessions.json",
            [f"after {lockfile.STALE_SECONDS:.0f} seconds", f"{lockfile.WAIT_SECONDS:.0f} seconds at most"],
        ),
        ("What of a transcript is text", [f"{DeltaThresholds().quiet_seconds / 60:.0f} minutes"]),
        (
            "sessions_search",
            [
                f"{search.MAX_QUERY_CHARS:,} characters",
                f"{search.DEFAULT_LIMIT}, at most {search.MAX_LIMIT}",
                f"{search.MAX_ANSWER_BYTES:,} bytes",
                f"{search.READ_BUDGET // 2**20} MiB",
            ],
        ),
        (
            "sessions_history",
            [
                f"{history.DEFAULT_LIMIT}, at most {history.MAX_LIMIT:,}",
                f"{history.MAX_TEXT_CHARS:,} characters",
                f"{history.MAX_ANSWER_BYTES:,} bytes",
            ],
        ),
        ("Summaries", [f"last {summary.MESSAGES} messages"]),
    ],
)
def test_the_numbers_of_the_page_are_those_of_the_code(heading: str, numbers: list[str]) -> None:
    for number in numbers:
        assert number in section(heading)


@pytest.mark.parametrize(
    "name", ["sessions-entry", *(f"tool.sessions_{n}.{d}" for n in ("search", "history") for d in ("input", "output"))]
)
def test_the_schemas_are_valid(name: str) -> None:
    Draft202012Validator.check_schema(load(name))
