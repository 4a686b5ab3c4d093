"""What a session starts with."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cost import cpu_cost
from support.notes import write

from openclaw_memory_core.config.model import StartupConfig
from openclaw_memory_core.workspace.startup import fit, session_context
from openclaw_memory_core.workspace.workspace import Workspace
from openclaw_memory_hookspecs import SessionContext

TODAY = dt.date(2026, 5, 5)


def start(root: Path, *, private: bool = True, **startup: int | bool) -> SessionContext:
    return session_context(
        Workspace(root), today=TODAY, private=private, startup=StartupConfig(**startup), reason="this is a group chat"
    )


def paths(context: SessionContext) -> list[str]:
    return [file.path for file in context.files]


def test_the_order_is_curated_files_then_notes_from_old_to_new(workspace: Path) -> None:
    for path in ("USER.md", "MEMORY.md", "memory/2026-05-05.md", "memory/2026-05-05-b.md", "memory/2026-05-04.md"):
        write(workspace, path, path)
    write(workspace, "memory/2026-05-03.md")
    write(workspace, "memory/other.md")

    context = start(workspace)

    assert paths(context) == [
        "MEMORY.md",
        "USER.md",
        "memory/2026-05-04.md",
        "memory/2026-05-05.md",
        "memory/2026-05-05-b.md",
    ]
    assert [file.text for file in context.files] == paths(context)
    assert (context.withheld, context.warnings) == ((), ())


def test_an_empty_workspace_starts_with_nothing_and_says_nothing(tmp_path: Path) -> None:
    assert start(tmp_path / "none") == SessionContext()


def test_blank_notes_are_not_shown(workspace: Path) -> None:
    write(workspace, "memory/2026-05-05.md", "\n\n")

    assert start(workspace) == SessionContext()


def test_annotations_are_not_shown(workspace: Path) -> None:
    write(workspace, "MEMORY.md", "- a <!-- trigger: x -->\n- b\n")

    assert start(workspace).files[0].text == "- a\n- b"


def test_a_session_that_is_not_private_is_told_what_it_does_not_see(workspace: Path) -> None:
    write(workspace, "MEMORY.md", "door code 4417\n")
    write(workspace, "memory/2026-05-05.md", "rain\n")

    context = start(workspace, private=False)

    assert paths(context) == ["memory/2026-05-05.md"]
    assert context.withheld == ("MEMORY.md exists and is not shown here: this is a group chat.",)
    assert "4417" not in repr(context)


def test_the_daily_notes_can_be_switched_off(workspace: Path) -> None:
    write(workspace, "MEMORY.md")
    write(workspace, "memory/2026-05-05.md")

    assert paths(start(workspace, enabled=False)) == ["MEMORY.md"]


def test_a_note_that_is_too_long_is_cut_with_a_notice(workspace: Path) -> None:
    text = "".join(f"line {n:04}\n" for n in range(3000))
    write(workspace, "MEMORY.md", text)

    (file,) = start(workspace).files

    assert file.truncated
    assert file.notice is not None
    assert file.notice in file.text
    assert "MEMORY.md" in file.notice
    assert "30000" in file.notice
    assert len(file.text) <= 20_000
    assert file.text.startswith("line 0000\n")
    assert file.text.endswith("line 2999")
    shown = int(file.notice.split(": ")[1].split(" of ")[0])
    assert shown == len(file.text) - len(file.notice) - 4
    assert (workspace / "MEMORY.md").read_text(encoding="utf-8") == text


def test_when_room_is_short_today_comes_first(workspace: Path) -> None:
    write(workspace, "memory/2026-05-05.md", "t" * 900)
    write(workspace, "memory/2026-05-04.md", "y" * 900)

    context = start(workspace, daily_max_total_chars=950)

    assert paths(context) == ["memory/2026-05-05.md"]
    assert context.warnings == ("Not shown for lack of room, read with memory_get: memory/2026-05-04.md.",)


def test_the_total_bounds_everything_together(workspace: Path) -> None:
    write(workspace, "MEMORY.md", "m" * 900)
    write(workspace, "USER.md", "u" * 900)
    write(workspace, "memory/2026-05-05.md", "t" * 900)

    context = start(workspace, max_total_chars=2000)

    assert paths(context) == ["MEMORY.md", "USER.md", "memory/2026-05-05.md"]
    assert sum(len(file.text) for file in context.files) <= 2000
    assert [file.truncated for file in context.files] == [False, False, True]


def test_one_note_that_cannot_be_read_is_a_warning(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(workspace, "MEMORY.md", "m\n")
    bad = write(workspace, "memory/2026-05-05.md", "t\n").stat().st_ino
    real = os.read

    def read(descriptor: int, size: int) -> bytes:
        if os.fstat(descriptor).st_ino == bad:
            raise OSError(5, "Input/output error")
        return real(descriptor, size)

    monkeypatch.setattr(os, "read", read)

    context = start(workspace)

    assert paths(context) == ["MEMORY.md"]
    assert context.warnings == ("memory/2026-05-05.md cannot be read: Input/output error",)


@pytest.mark.parametrize("private", [True, False])
def test_a_daily_note_that_is_the_curated_file_is_never_shown_as_one(workspace: Path, private: bool) -> None:
    write(workspace, "MEMORY.md", "door code 4417\n")
    os.link(workspace / "MEMORY.md", workspace / "memory" / "2026-05-05.md")
    (workspace / "memory" / "2026-05-04.md").symlink_to("../MEMORY.md")

    context = start(workspace, private=private)

    assert paths(context) == (["MEMORY.md"] if private else [])


def test_a_start_is_quick_in_a_large_workspace(workspace: Path) -> None:
    write(workspace, "MEMORY.md", "- fact <!-- trigger: x -->\n" * 700)
    for day in range(2000):
        write(workspace, f"memory/{TODAY - dt.timedelta(days=day)}.md", "a line\n" * 20)

    with cpu_cost() as cost:
        start(workspace)
    assert cost.seconds < 0.05


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=2000), st.integers(0, 1500))
def test_a_cut_keeps_its_limit_and_never_goes_unsaid(text: str, limit: int) -> None:
    shown = fit("memory/a.md", text, limit)

    assert len(shown.text) <= limit
    assert shown.truncated == (shown.notice is not None)
    if not shown.truncated:
        assert shown.text == text.rstrip()
