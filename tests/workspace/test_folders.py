"""Which paths name one folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from openclaw_memory_core.workspace.folders import FolderNames, same_folder


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    return folder


def link(at: Path, to: Path) -> Path:
    at.symlink_to(to, target_is_directory=True)
    return at


def test_links_and_detours_lead_to_the_same_folder(tmp_path: Path, notes: Path) -> None:
    (tmp_path / "other").mkdir()

    assert same_folder(notes, notes)
    assert same_folder(notes / "memory" / "..", notes)
    assert same_folder(link(tmp_path / "link", notes), notes)
    assert same_folder(link(tmp_path / "up", tmp_path) / "notes", tmp_path / "link")
    assert not same_folder(notes, tmp_path / "other")
    assert not same_folder(notes, notes / "memory")


def test_a_relative_path_is_that_of_the_present_folder(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(notes)

    assert same_folder(Path("memory"), notes / "memory")
    assert not same_folder(Path("memory"), notes)


def test_spelling_does_not_matter_where_the_file_system_knows_no_case(tmp_path: Path, notes: Path) -> None:
    shouted = tmp_path / "NOTES"
    if not shouted.exists():
        shouted.mkdir()
        assert not same_folder(shouted, notes), "here case matters"
    else:
        assert same_folder(shouted, notes)
        assert FolderNames().path(shouted, notes) == notes


def test_missing_folders_are_compared_by_where_their_paths_lead(tmp_path: Path, notes: Path) -> None:
    link(tmp_path / "link", notes)

    assert same_folder(tmp_path / "link" / "new", notes / "new")
    assert same_folder(notes / "new" / ".." / "new", notes / "new")
    assert not same_folder(notes / "new", notes / "newer")
    assert not same_folder(notes / "new", notes)


def test_a_link_that_leads_in_a_circle_is_no_other_folder_and_no_crash(tmp_path: Path, notes: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")

    assert not same_folder(tmp_path / "a", notes)
    FolderNames().path(tmp_path / "a", notes)


class Walks:
    """Counts the walks along a path."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, path: Path) -> str:
        self.count += 1
        return os.path.realpath(path)


def test_every_name_of_a_folder_gives_the_same_path(tmp_path: Path, notes: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    names = FolderNames()

    assert names.path(own, own) == own
    assert names.path(link(tmp_path / "mine", own), own) == own
    assert names.path(notes / "memory" / "..", own) == notes
    assert names.path(link(tmp_path / "link", notes), own) == notes
    assert names.path(notes, own) == notes


def test_a_name_is_looked_up_once(tmp_path: Path, notes: Path) -> None:
    walks = Walks()
    names = FolderNames(real=walks)
    for _ in range(5):
        assert names.path(notes, tmp_path / "own") == notes

    assert walks.count == 1


def test_a_link_that_was_changed_leads_to_the_other_folder_and_back(tmp_path: Path, notes: Path) -> None:
    own, other, names = tmp_path / "own", tmp_path / "other", FolderNames()
    own.mkdir()
    other.mkdir()
    current = tmp_path / "current"
    for target in (notes, other, own, notes):
        current.unlink(missing_ok=True)
        link(current, target)
        assert names.path(current, own) == target


def test_a_folder_that_was_replaced_or_removed_keeps_its_path(tmp_path: Path, notes: Path) -> None:
    names = FolderNames()
    assert names.path(notes, tmp_path / "own") == notes
    notes.rename(tmp_path / "before")
    assert names.path(notes, tmp_path / "own") == notes
    notes.mkdir()
    assert names.path(notes, tmp_path / "own") == notes


def test_a_folder_that_moved_behind_a_link_is_found_where_it_is(tmp_path: Path, notes: Path) -> None:
    names, current = FolderNames(), link(tmp_path / "current", notes)
    assert names.path(current, tmp_path / "own") == notes
    notes.rename(tmp_path / "moved")
    current.unlink()
    link(current, tmp_path / "moved")
    assert names.path(current, tmp_path / "own") == tmp_path / "moved"


def test_only_so_many_names_are_remembered(tmp_path: Path) -> None:
    walks = Walks()
    names = FolderNames(limit=3, real=walks)
    folders = [tmp_path / str(number) for number in range(5)]
    for folder in folders:
        folder.mkdir()
        names.path(folder, tmp_path / "own")
    names.path(folders[4], tmp_path / "own")
    assert walks.count == 5
    assert names.path(folders[0], tmp_path / "own") == folders[0]
    assert walks.count == 6
