"""Reported cases: what a session starts with."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from zoneinfo import ZoneInfo

from support.agents import hit_paths, keyword_agent
from support.notes import write

from openclaw_memory_hookspecs import Session

MAIN = Session(key="agent:main:main")


def test_case_session_start_01_the_short_day(workspace: Path) -> None:
    for day in ("2026-03-09", "2026-03-08", "2026-03-07"):
        write(workspace, f"memory/{day}.md", day)
    night = dt.datetime(2026, 3, 9, 0, 30, tzinfo=ZoneInfo("America/New_York"))

    with keyword_agent(workspace, now=night, timezone="America/New_York", sync=False) as core:
        start = core.session_start(MAIN)

    assert [file.path for file in start.files] == ["memory/2026-03-08.md", "memory/2026-03-09.md"]


def test_case_session_start_02_whose_midnight(workspace: Path) -> None:
    write(workspace, "memory/2026-07-31.md", "today")
    write(workspace, "memory/2026-07-30.md", "yesterday")
    evening = dt.datetime(2026, 8, 1, 1, 45, tzinfo=dt.UTC)

    with keyword_agent(workspace, now=evening, timezone="America/Los_Angeles", sync=False) as core:
        start = core.session_start(MAIN)

    assert [file.path for file in start.files] == ["memory/2026-07-30.md", "memory/2026-07-31.md"]
    assert (start.withheld, start.warnings) == ((), ())


def test_case_session_start_03_memory_md_longer_than_the_limit(workspace: Path) -> None:
    fact = "spare fuse in tin"
    lines = "".join(f"- fact number {n:05}\n" for n in range(2000))
    text = lines[: 30_000 - len(fact) - 1].rstrip() + "\n"
    text += "x" * (30_000 - len(fact) - len(text) - 1) + "\n" + fact
    assert len(text) == 30_000
    path = write(workspace, "MEMORY.md", text)

    with keyword_agent(workspace) as core:
        starts = [core.session_start(MAIN) for _ in range(2)]
        found = core.search("spare fuse tin", session=MAIN)

    for start in starts:
        (file,) = start.files
        assert len(file.text) <= 20_000
        assert file.notice is not None
        assert file.notice in file.text
        assert "MEMORY.md" in file.notice
        assert "30000" in file.notice
    assert hit_paths(found)[0] == "MEMORY.md"
    assert fact in found["results"][0]["snippet"]
    assert path.read_text(encoding="utf-8") == text
