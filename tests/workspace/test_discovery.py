"""Which files are notes."""

from __future__ import annotations

import datetime as dt
import os
import socket
import time
from pathlib import Path

import pytest
from support.notes import found, skipped, with_extra, write

from openclaw_memory_core.workspace import discovery
from openclaw_memory_core.workspace.workspace import Workspace

posix_only = pytest.mark.skipif(os.name == "nt", reason="needs POSIX files")


def test_curated_files_and_everything_below_memory_are_notes(workspace: Path) -> None:
    for path in ("MEMORY.md", "USER.md", "AGENTS.md", "memory/b.md", "memory/deep/er/a.md", "memory/notes.txt"):
        write(workspace, path)

    assert found(Workspace(workspace)) == ["MEMORY.md", "USER.md", "memory/b.md", "memory/deep/er/a.md"]


def test_the_lower_case_root_file_counts_only_where_there_is_no_other(workspace: Path) -> None:
    write(workspace, "memory.md", "old name\n")
    assert found(Workspace(workspace)) == ["memory.md"]
    assert Workspace(workspace).scan().documents[0].curated

    write(workspace, "MEMORY.md", "new name\n")
    assert found(Workspace(workspace)) == ["MEMORY.md"]
    assert skipped(Workspace(workspace)) == {"memory.md": "shadowed"}


def test_the_shadowed_root_file_does_not_come_back_through_an_extra_path(workspace: Path) -> None:
    write(workspace, "MEMORY.md", "a\n")
    write(workspace, "memory.md", "b\n")

    assert found(with_extra(workspace, workspace)) == ["MEMORY.md"]


def test_curated_is_a_matter_of_the_file_not_of_its_name(workspace: Path) -> None:
    write(workspace, "MEMORY.md")
    os.link(workspace / "MEMORY.md", workspace / "memory" / "2026-05-05.md")
    write(workspace, "memory/plain.md")

    refs = {ref.path: ref.curated for ref in Workspace(workspace).scan().documents}

    assert refs == {"MEMORY.md": True, "memory/plain.md": False}
    assert skipped(Workspace(workspace)) == {"memory/2026-05-05.md": "duplicate"}


@posix_only
def test_the_target_of_a_curated_link_is_private_although_the_link_is_not_followed(workspace: Path) -> None:
    write(workspace, "memory/long-term.md")
    (workspace / "MEMORY.md").symlink_to("memory/long-term.md")

    scan = Workspace(workspace).scan()

    assert [(ref.path, ref.curated) for ref in scan.documents] == [("memory/long-term.md", True)]
    assert [(one.path, one.code) for one in scan.skipped] == [("MEMORY.md", "symlink")]


@posix_only
def test_links_are_named_and_never_followed_wherever_they_are(workspace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside, "a.md")
    write(workspace, "memory/own.md")
    (workspace / "memory" / "folder").symlink_to(outside)
    (workspace / "memory" / "file.md").symlink_to(outside / "a.md")
    (workspace / "memory" / "dangling.md").symlink_to(tmp_path / "nowhere")
    (workspace / "vault").symlink_to(outside)

    notes = with_extra(workspace, workspace / "vault")

    assert found(notes) == ["memory/own.md"]
    assert skipped(notes) == {
        "memory/dangling.md": "symlink",
        "memory/file.md": "symlink",
        "memory/folder": "symlink",
        "vault": "symlink",
    }


@posix_only
def test_a_memory_folder_that_is_a_link_is_not_entered(workspace: Path, tmp_path: Path) -> None:
    (workspace / "memory").rmdir()
    write(tmp_path, "elsewhere/a.md")
    (workspace / "memory").symlink_to(tmp_path / "elsewhere")

    assert found(Workspace(workspace)) == []
    assert skipped(Workspace(workspace)) == {"memory": "symlink"}


def test_a_workspace_that_is_reached_through_a_link_is_used_as_it_is(workspace: Path, tmp_path: Path) -> None:
    write(workspace, "memory/a.md", "hello\n")
    (tmp_path / "link").symlink_to(workspace)
    notes = Workspace(tmp_path / "link")

    assert found(notes) == ["memory/a.md"]
    assert notes.read("memory/a.md").text == "hello"


@posix_only
def test_pipes_sockets_and_folders_with_a_markdown_name_are_not_opened(workspace: Path) -> None:
    write(workspace, "memory/archive.md/inner.md")
    os.mkfifo(workspace / "memory" / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listener:
        # A socket's path is short by law.
        here = Path.cwd()
        try:
            os.chdir(workspace / "memory")
            listener.bind("s.md")
        finally:
            os.chdir(here)

        assert found(Workspace(workspace)) == ["memory/archive.md/inner.md"]
        assert skipped(Workspace(workspace)) == {"memory/pipe.md": "not-regular", "memory/s.md": "not-regular"}


def test_a_file_where_the_memory_folder_should_be_is_named(workspace: Path) -> None:
    (workspace / "memory").rmdir()
    write(workspace, "memory", "not a folder")

    assert skipped(Workspace(workspace)) == {"memory": "not-regular"}


@pytest.mark.parametrize("name", [".git", "node_modules", ".pnpm-store", ".venv", "venv", ".tox", "__pycache__"])
def test_folders_of_tools_are_not_entered_and_named(workspace: Path, name: str) -> None:
    write(workspace, f"memory/{name}/lib/readme.md")

    assert found(Workspace(workspace)) == []
    assert skipped(Workspace(workspace)) == {f"memory/{name}": "ignored-folder"}


def test_hidden_folders_of_people_are_entered(workspace: Path) -> None:
    write(workspace, "memory/.archive/a.md")

    assert found(Workspace(workspace)) == ["memory/.archive/a.md"]


@posix_only
def test_a_name_that_is_not_text_is_named_and_left_out(workspace: Path) -> None:
    (Path(os.fsdecode(os.fsencode(workspace) + b"/memory/caf\xe9.md"))).write_text("x", encoding="utf-8")

    scan = Workspace(workspace).scan()

    assert scan.documents == ()
    assert [(one.path, one.code) for one in scan.skipped] == [("memory/caf\ufffd.md", "undecodable")]


def test_a_file_beyond_all_measure_is_named_and_left_out(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "MAX_NOTE_BYTES", 10)
    write(workspace, "memory/big.md", "x" * 11)
    write(workspace, "memory/small.md", "x" * 10)

    assert found(Workspace(workspace)) == ["memory/small.md"]
    assert skipped(Workspace(workspace)) == {"memory/big.md": "too-large"}


class TestExtraPaths:
    def test_a_folder_outside_is_known_relative_to_the_workspace(self, workspace: Path, tmp_path: Path) -> None:
        write(tmp_path, "docs/plan.md")
        write(tmp_path, "docs/deep/more.md")
        write(tmp_path, "docs/plan.MD")

        notes = with_extra(workspace, tmp_path / "docs")

        assert found(notes) == ["../docs/deep/more.md", "../docs/plan.md"]

    def test_a_single_file_needs_the_suffix(self, workspace: Path, tmp_path: Path) -> None:
        write(tmp_path, "one.md")
        write(tmp_path, "two.txt")

        notes = with_extra(workspace, tmp_path / "one.md", tmp_path / "two.txt")

        assert found(notes) == ["../one.md"]
        assert skipped(notes) == {"../two.txt": "not-markdown"}

    def test_one_that_is_missing_is_named(self, workspace: Path, tmp_path: Path) -> None:
        notes = with_extra(workspace, tmp_path / "gone")

        assert skipped(notes) == {"../gone": "missing"}
        assert notes.scan().unseen == ()

    def test_a_pattern_chooses_among_the_files(self, workspace: Path, tmp_path: Path) -> None:
        for path in ("docs/a.md", "docs/guide/b.md", "docs/guide/draft-c.md", "docs/guide/deep/d.md"):
            write(tmp_path, path)

        notes = with_extra(workspace, tmp_path / "docs", pattern="guide/**/[!d]*.md")

        assert found(notes) == ["../docs/guide/b.md"]

    def test_overlapping_paths_give_each_file_once(self, workspace: Path, tmp_path: Path) -> None:
        write(workspace, "memory/a.md")
        write(tmp_path, "docs/b.md")

        notes = with_extra(workspace, workspace / "memory", tmp_path / "docs", tmp_path / "docs" / "b.md")

        assert found(notes) == ["../docs/b.md", "memory/a.md"]
        assert skipped(notes) == {}

    def test_the_workspace_itself_adds_its_other_files_under_their_plain_names(self, workspace: Path) -> None:
        write(workspace, "AGENTS.md")
        write(workspace, "MEMORY.md")
        write(workspace, "memory/a.md")

        refs = with_extra(workspace, workspace).scan().documents

        assert [(ref.path, ref.curated) for ref in refs] == [
            ("AGENTS.md", False),
            ("MEMORY.md", True),
            ("memory/a.md", False),
        ]


class TestWhatCannotBeSeen:
    """A place that cannot be looked at must not be taken for empty."""

    def test_a_workspace_that_is_not_there_hides_everything(self, tmp_path: Path) -> None:
        scan = Workspace(tmp_path / "unmounted").scan()

        assert scan.documents == ()
        assert scan.unseen == ("",)
        assert [(one.path, one.code) for one in scan.skipped] == [(".", "missing")]

    def test_a_workspace_that_cannot_be_listed_hides_everything(
        self, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(workspace, "MEMORY.md")
        _fail(monkeypatch, "scandir", "workspace", OSError(5, "Input/output error"))

        scan = Workspace(workspace).scan()

        assert scan.unseen == ("",)
        assert [(one.path, one.reason) for one in scan.skipped] == [(".", "Input/output error")]

    def test_a_memory_folder_that_cannot_be_looked_at_is_a_prefix(
        self, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(workspace, "USER.md")
        _fail(monkeypatch, "lstat", "memory", OSError(5, "Input/output error"))

        scan = Workspace(workspace).scan()

        assert [ref.path for ref in scan.documents] == ["USER.md"]
        assert scan.unseen == ("memory/",)

    def test_a_missing_memory_folder_is_simply_empty(self, workspace: Path) -> None:
        (workspace / "memory").rmdir()

        assert Workspace(workspace).scan().unseen == ()

    def test_a_folder_that_cannot_be_listed_is_a_prefix(self, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(workspace, "memory/a.md")
        write(workspace, "memory/locked/b.md")
        _fail(monkeypatch, "scandir", "locked", PermissionError(13, "Permission denied"))

        scan = Workspace(workspace).scan()

        assert [ref.path for ref in scan.documents] == ["memory/a.md"]
        assert scan.unseen == ("memory/locked/",)
        assert [(one.path, one.code) for one in scan.skipped] == [("memory/locked", "unreadable")]

    def test_an_extra_path_on_a_broken_drive_is_a_prefix(
        self, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(tmp_path, "share/a.md")
        _fail(monkeypatch, "lstat", "share", OSError(5, "Input/output error"))

        scan = with_extra(workspace, tmp_path / "share").scan()

        assert scan.unseen == ("../share", "../share/")
        assert scan.skipped[0].reason == "Input/output error"

    def test_a_file_without_permission_is_named_and_kept(
        self, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(workspace, "memory/secret.md").chmod(0)
        # The superuser may read everything; the answer is the one that others get.
        monkeypatch.setattr(os, "access", lambda path, mode: False)

        scan = Workspace(workspace).scan()

        assert scan.documents == ()
        assert scan.unseen == ("memory/secret.md",)
        assert [(one.path, one.code) for one in scan.skipped] == [("memory/secret.md", "unreadable")]


def _fail(monkeypatch: pytest.MonkeyPatch, function: str, name: str, error: OSError) -> None:
    """Make an operating system call fail for one file name."""
    real = getattr(os, function)

    def call(path: str, *args: object, **kwargs: object) -> object:
        if Path(path).name == name:
            raise error
        return real(path, *args, **kwargs)

    monkeypatch.setattr(os, function, call)


def test_the_stamp_changes_with_the_file(workspace: Path) -> None:
    path = write(workspace, "memory/a.md", "one\n")
    before = Workspace(workspace).scan().documents[0].stat
    assert before[0] == 4

    path.write_text("three\n", encoding="utf-8")

    assert Workspace(workspace).scan().documents[0].stat != before


def test_dated_notes_know_their_day(workspace: Path) -> None:
    write(workspace, "memory/2026/2026-05-05-trip.md")

    assert Workspace(workspace).scan().documents[0].date == dt.date(2026, 5, 5)


def test_five_thousand_notes_are_found_quickly(workspace: Path) -> None:
    for number in range(5000):
        (workspace / "memory" / f"n{number}.md").touch()
    notes = Workspace(workspace)

    best = min(_seconds(notes) for _ in range(3))

    assert best < 0.2


def _seconds(notes: Workspace) -> float:
    begun = time.thread_time()
    assert len(notes.scan().documents) == 5000
    return time.thread_time() - begun


def test_the_watched_places_include_what_does_not_exist_yet(tmp_path: Path) -> None:
    notes = with_extra(tmp_path / "ws", tmp_path / "docs")

    assert set(notes.watch_roots()) == {
        *(str(tmp_path / "ws" / name) for name in ("MEMORY.md", "USER.md", "memory.md", "memory")),
        str(tmp_path / "docs"),
    }
