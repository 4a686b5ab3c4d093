"""The doorbell: whatever was changed before it is asked, it knows; what it cannot know, it does not claim."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memory_core.index import doorbell
from openclaw_memory_core.index.doorbell import Doorbell

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has such a queue")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A workspace with a few notes."""
    for name in ("MEMORY.md", "memory/2026-05-05.md", "memory/projects/kiln.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("note\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def bell(notes: Path) -> Iterator[Doorbell]:
    ringing = Doorbell(lambda: [str(notes / name) for name in ("MEMORY.md", "USER.md", "memory")])
    yield ringing
    ringing.close()


def test_without_a_change_it_counts_nothing(bell: Doorbell) -> None:
    first = bell.changes()

    assert first is not None
    assert [bell.changes() for _ in range(3)] == [first] * 3


def write(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("changed\n", encoding="utf-8")


CHANGES = {
    "append": lambda root: (
        (root / "memory/2026-05-05.md").open("a", encoding="utf-8").close() or os.utime(root / "memory/2026-05-05.md")
    ),
    "write": lambda root: write(root / "memory/2026-05-05.md"),
    "write below": lambda root: write(root / "memory/projects/kiln.md"),
    "new": lambda root: write(root / "memory/2026-05-06.md"),
    "new folder": lambda root: write(root / "memory/new/deep/note.md"),
    "new curated": lambda root: write(root / "USER.md"),
    "curated": lambda root: write(root / "MEMORY.md"),
    "delete": lambda root: (root / "memory/2026-05-05.md").unlink(),
    "rename": lambda root: (root / "memory/2026-05-05.md").rename(root / "memory/other.md"),
    "rename away": lambda root: (root / "memory/2026-05-05.md").rename(root / "memory/other.txt"),
    "replace": lambda root: shutil.copy(root / "MEMORY.md", root / "memory/2026-05-05.md"),
    "permissions": lambda root: (root / "memory/2026-05-05.md").chmod(0),
    "folder gone": lambda root: shutil.rmtree(root / "memory/projects"),
    "folder moved": lambda root: (root / "memory/projects").rename(root / "projects"),
    "all gone": lambda root: shutil.rmtree(root / "memory"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_counts_at_once(bell: Doorbell, notes: Path, change: str) -> None:
    before = bell.changes()

    CHANGES[change](notes)

    assert bell.changes() != before


def test_a_folder_that_came_later_is_heard_as_well(bell: Doorbell, notes: Path) -> None:
    bell.changes()
    write(notes / "memory/new/deep/note.md")
    before = bell.changes()

    write(notes / "memory/new/deep/note.md")

    assert bell.changes() != before


def test_a_memory_folder_that_was_deleted_and_made_again_is_heard(bell: Doorbell, notes: Path) -> None:
    bell.changes()
    shutil.rmtree(notes / "memory")
    bell.changes()
    write(notes / "memory/again.md")
    before = bell.changes()

    write(notes / "memory/again.md")

    assert bell.changes() != before


def test_reading_and_files_that_are_no_notes_do_not_count(bell: Doorbell, notes: Path) -> None:
    before = bell.changes()

    (notes / "memory/2026-05-05.md").read_text(encoding="utf-8")
    write(notes / "program.py")
    write(notes / "memory/.2026-05-05.md.swp")

    assert bell.changes() == before


def test_a_workspace_that_does_not_exist_gives_no_answer(tmp_path: Path) -> None:
    ringing = Doorbell(lambda: [str(tmp_path / "nowhere" / "memory")])
    try:
        assert ringing.changes() is None
        write(tmp_path / "nowhere" / "memory" / "note.md")
        assert ringing.changes() is not None
    finally:
        ringing.close()


def test_more_events_than_the_queue_holds_count_as_a_change(bell: Doorbell, notes: Path) -> None:
    before = bell.changes()
    lost = doorbell._EVENT.pack(-1, doorbell._OVERFLOW, 0, 0)

    assert [mask for mask, _ in doorbell._events(lost)] == [doorbell._OVERFLOW]
    assert doorbell._OVERFLOW & doorbell._FOLDERS_CHANGED
    assert bell.changes() == before


def test_a_refused_watch_gives_no_answer_from_then_on(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorbell, "_library", object)
    ringing = Doorbell(lambda: [str(notes / "memory")])

    assert ringing.changes() is None
    monkeypatch.undo()
    assert ringing.changes() is None
    ringing.close()


def test_after_closing_there_is_no_answer(bell: Doorbell) -> None:
    bell.changes()
    bell.close()

    assert bell.changes() is None
