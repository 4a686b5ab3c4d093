"""Days and the notes of days."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.notes import write

from openclaw_memory_core.workspace.daily import daily_path, note_date, session_days, today
from openclaw_memory_core.workspace.workspace import Workspace

DAY = dt.date(2026, 5, 5)


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("memory/2026-05-05.md", DAY),
        ("memory/2026-05-05-lisbon-trip.md", DAY),
        ("memory/logs/2026/2026-05-05.md", DAY),
        ("memory/2024-02-29.md", dt.date(2024, 2, 29)),
        ("memory/2026-02-29.md", None),
        ("memory/2026-13-01.md", None),
        ("memory/0000-01-01.md", None),
        ("memory/2026-5-5.md", None),
        ("memory/2026-05-05x.md", None),
        ("memory/2026-05-05-.md", None),
        ("memory/x2026-05-05.md", None),
        ("memory/2026-05-05.MD", None),
        ("memory/2026-05-05/notes.md", None),
        ("memory/２０２６-05-05.md", None),
        ("2026-05-05.md", None),
        ("../docs/2026-05-05.md", None),
        ("MEMORY.md", None),
    ],
)
def test_only_dated_names_below_memory_have_a_day(path: str, day: dt.date | None) -> None:
    assert note_date(path) == day


@given(st.dates())
def test_the_note_of_a_day_has_that_day(day: dt.date) -> None:
    assert note_date(daily_path(day)) == day


@given(st.text())
def test_no_name_fails(name: str) -> None:
    note_date(f"memory/{name}")


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("America/Los_Angeles", dt.date(2026, 7, 31)),
        ("Europe/Lisbon", dt.date(2026, 8, 1)),
        ("UTC", dt.date(2026, 8, 1)),
    ],
)
def test_today_is_a_day_of_the_users_zone(zone: str, day: dt.date) -> None:
    moment = dt.datetime(2026, 8, 1, 1, 45, tzinfo=dt.UTC)

    assert today(lambda: moment, zone) == day


@pytest.mark.parametrize("zone", [None, "", "Mars/Olympus", "../../etc/passwd", "\0"])
def test_an_unknown_zone_means_the_hosts(zone: str | None) -> None:
    moment = dt.datetime(2026, 8, 1, 12, 0, tzinfo=dt.UTC)

    assert today(lambda: moment, zone) == moment.astimezone().date()


def test_days_go_back_by_the_calendar() -> None:
    assert session_days(dt.date(2026, 3, 1), 3) == (dt.date(2026, 3, 1), dt.date(2026, 2, 28), dt.date(2026, 2, 27))
    assert session_days(DAY) == (DAY, dt.date(2026, 5, 4))
    assert session_days(DAY, 0) == ()
    assert session_days(dt.date(1, 1, 1), 2) == (dt.date(1, 1, 1),)


class TestNotesOfADay:
    def test_the_plain_note_comes_before_its_newest_variants(self, workspace: Path) -> None:
        for age, slug in enumerate(["a", "b", "c", "d", "e", "f"]):
            path = write(workspace, f"memory/2026-05-05-{slug}.md")
            os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
        write(workspace, "memory/2026-05-05.md")
        write(workspace, "memory/2026-05-04.md")

        paths = [ref.path for ref in Workspace(workspace).daily_notes(DAY)]

        assert paths == ["memory/2026-05-05.md", *(f"memory/2026-05-05-{slug}.md" for slug in "dcba")]

    def test_other_names_of_curated_files_and_links_are_left_out(self, workspace: Path) -> None:
        write(workspace, "MEMORY.md")
        os.link(workspace / "MEMORY.md", workspace / "memory" / "2026-05-05.md")
        (workspace / "memory" / "2026-05-05-x.md").symlink_to("../MEMORY.md")

        assert Workspace(workspace).daily_notes(DAY) == ()

    def test_no_folder_has_no_notes(self, tmp_path: Path) -> None:
        assert Workspace(tmp_path / "none").daily_notes(DAY) == ()
