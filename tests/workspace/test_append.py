"""Adding entries to notes: nothing that was there is ever lost, nothing that was added is torn."""

from __future__ import annotations

import errno
import os
import re
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import appender
from support.notes import write
from support.strategies import markdown_texts

from openclaw_memory_core.errors import NoteWriteError, PathNotAllowedError, UsageError
from openclaw_memory_core.workspace import append as append_module
from openclaw_memory_core.workspace import locks
from openclaw_memory_core.workspace.annotations import parse_entries
from openclaw_memory_core.workspace.append import append_entry

NOTE = "memory/2026-05-05.md"
posix_only = pytest.mark.skipif(os.name == "nt", reason="needs POSIX")


def read(root: Path, path: str = NOTE) -> str:
    return (root / path).read_bytes().decode("utf-8")


class TestWhatIsWritten:
    def test_a_new_daily_note_begins_with_its_date(self, tmp_path: Path) -> None:
        result = append_entry(tmp_path / "new" / "workspace", NOTE, "rain all day")

        assert read(tmp_path / "new" / "workspace") == "# 2026-05-05\n\n- rain all day\n"
        assert (result.path, result.line, result.end_line, result.bytes) == (NOTE, 3, 3, 29)

    def test_another_new_note_begins_with_its_entry(self, workspace: Path) -> None:
        append_entry(workspace, "MEMORY.md", "likes tea")

        assert read(workspace, "MEMORY.md") == "- likes tea\n"

    def test_an_old_root_file_is_gone_on_with_and_not_put_in_the_shade(self, workspace: Path) -> None:
        write(workspace, "memory.md", "old name\n")

        result = append_entry(workspace, "MEMORY.md", "new fact")

        assert result.path == "memory.md"
        assert read(workspace, "memory.md") == "old name\n- new fact\n"
        assert sorted(path.name for path in workspace.iterdir()) == ["memory", "memory.md"]

    def test_the_entry_goes_to_the_end(self, workspace: Path) -> None:
        write(workspace, NOTE, "one\ntwo\nthree\n")

        result = append_entry(workspace, NOTE, "four\nand more")

        assert read(workspace) == "one\ntwo\nthree\n- four\n  and more\n"
        assert (result.line, result.end_line) == (4, 5)

    def test_a_missing_line_end_is_added_first(self, workspace: Path) -> None:
        write(workspace, NOTE, "one\ntwo")

        result = append_entry(workspace, NOTE, "three")

        assert read(workspace) == "one\ntwo\n- three\n"
        assert result.line == 3

    def test_windows_line_ends_are_kept_up(self, workspace: Path) -> None:
        write(workspace, NOTE, "one\r\n")

        append_entry(workspace, NOTE, "two\nthree")

        assert read(workspace) == "one\r\n- two\r\n  three\r\n"

    def test_annotations_come_from_the_parameters(self, workspace: Path) -> None:
        append_entry(
            workspace, "MEMORY.md", "Norlink 4411", trigger=["book the ferry", "norlink"], importance=8, project="app"
        )

        assert read(workspace, "MEMORY.md") == (
            "- Norlink 4411 <!-- trigger: book the ferry, norlink --> <!-- importance: 8 --> <!-- project: app -->\n"
        )

    @posix_only
    def test_what_is_made_is_for_the_owner_only(self, tmp_path: Path) -> None:
        append_entry(tmp_path, "memory/deep/a.md", "x")

        assert stat.S_IMODE((tmp_path / "memory" / "deep" / "a.md").stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "memory" / "deep").stat().st_mode) == 0o700

    @posix_only
    def test_the_mode_of_an_existing_note_stays(self, workspace: Path) -> None:
        write(workspace, NOTE).chmod(0o644)

        append_entry(workspace, NOTE, "x")

        assert stat.S_IMODE((workspace / NOTE).stat().st_mode) == 0o644

    def test_nothing_else_is_left_in_the_workspace(self, workspace: Path) -> None:
        append_entry(workspace, NOTE, "x")

        assert [path.relative_to(workspace).as_posix() for path in sorted(workspace.rglob("*"))] == ["memory", NOTE]


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        "path", ["AGENTS.md", "../a.md", "memory/a.txt", "memory/../../a.md", "/tmp/a.md", "", "memory/.git/a.md"]
    )
    def test_other_files(self, workspace: Path, path: str) -> None:
        with pytest.raises(PathNotAllowedError):
            append_entry(workspace, path, "x")

        assert sorted(workspace.rglob("*")) == [workspace / "memory"]

    @posix_only
    @pytest.mark.parametrize("path", ["memory/link.md", "memory/folder/a.md", "MEMORY.md"])
    def test_links(self, workspace: Path, tmp_path: Path, path: str) -> None:
        target = write(tmp_path, "outside/a.md", "mine\n")
        (workspace / "memory" / "link.md").symlink_to(target)
        (workspace / "memory" / "folder").symlink_to(target.parent)
        (workspace / "MEMORY.md").symlink_to(target)

        with pytest.raises(PathNotAllowedError, match="link"):
            append_entry(workspace, path, "x")

        assert target.read_text(encoding="utf-8") == "mine\n"

    @posix_only
    def test_a_link_to_nowhere_makes_no_file(self, workspace: Path, tmp_path: Path) -> None:
        (workspace / "memory" / "link.md").symlink_to(tmp_path / "made.md")

        with pytest.raises(PathNotAllowedError):
            append_entry(workspace, "memory/link.md", "x")

        assert not (tmp_path / "made.md").exists()

    def test_a_daily_note_that_is_another_name_of_a_curated_file(self, workspace: Path) -> None:
        write(workspace, "MEMORY.md", "mine\n")
        os.link(workspace / "MEMORY.md", workspace / NOTE)

        with pytest.raises(PathNotAllowedError, match="curated"):
            append_entry(workspace, NOTE, "x")

        assert read(workspace, "MEMORY.md") == "mine\n"

    @posix_only
    def test_a_pipe(self, workspace: Path) -> None:
        os.mkfifo(workspace / NOTE)

        with pytest.raises(NoteWriteError, match="not a regular file"):
            append_entry(workspace, NOTE, "x")

    def test_a_folder(self, workspace: Path) -> None:
        (workspace / NOTE).mkdir()

        with pytest.raises(NoteWriteError):
            append_entry(workspace, NOTE, "x")

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
    def test_a_note_in_another_encoding(self, workspace: Path, encoding: str) -> None:
        before = "one line of text\n".encode(encoding)
        write(workspace, NOTE, before)

        with pytest.raises(NoteWriteError, match="UTF-16"):
            append_entry(workspace, NOTE, "x")

        assert (workspace / NOTE).read_bytes() == before

    @pytest.mark.parametrize("text", ["", "  \n\t\n", "\0\x1b"])
    def test_an_empty_text(self, workspace: Path, text: str) -> None:
        with pytest.raises(UsageError, match="empty"):
            append_entry(workspace, NOTE, text)

        assert not (workspace / NOTE).exists()


class TestFailures:
    def test_a_write_that_fails_at_once_says_why(self, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(workspace, NOTE, "old\n")

        def full(descriptor: int, data: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "write", full)

        with pytest.raises(NoteWriteError, match="No space left on device"):
            append_entry(workspace, NOTE, "new")

        assert read(workspace) == "old\n"

    def test_short_writes_are_carried_on(self, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real = os.write
        monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:3]))

        append_entry(workspace, NOTE, "a longer entry")

        assert read(workspace) == "# 2026-05-05\n\n- a longer entry\n"

    def test_a_disk_that_cannot_keep_what_it_took_is_an_error(
        self, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(descriptor: int) -> None:
            raise OSError(errno.EIO, "Input/output error")

        monkeypatch.setattr(os, "fsync", broken)

        with pytest.raises(NoteWriteError, match="Input/output error"):
            append_entry(workspace, NOTE, "new")

    def test_a_file_system_without_fsync_is_used_all_the_same(
        self, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unable(descriptor: int) -> None:
            raise OSError(errno.EINVAL, "Invalid argument")

        monkeypatch.setattr(os, "fsync", unable)

        append_entry(workspace, NOTE, "new")

        assert read(workspace).endswith("- new\n")

    def test_a_file_system_without_locks_is_used_all_the_same(
        self, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unable(descriptor: int) -> None:
            raise OSError(errno.ENOLCK, "No locks available")

        monkeypatch.setattr(locks, "_try_lock", unable)

        append_entry(workspace, NOTE, "new")

        assert read(workspace).endswith("- new\n")

    def test_a_lock_that_is_never_given_up_is_an_error(self, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(workspace, NOTE, "old\n")
        monkeypatch.setattr(append_module, "LOCK_SECONDS", 0.05)
        descriptor = os.open(workspace / NOTE, os.O_RDWR)
        try:
            with locks.locked(descriptor, timeout=1), pytest.raises(NoteWriteError, match="held by another process"):
                append_entry(workspace, NOTE, "new")
        finally:
            os.close(descriptor)

        assert read(workspace) == "old\n"

    @posix_only
    def test_a_note_that_an_editor_replaces_meanwhile_gets_the_entry(
        self, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(workspace, NOTE, "old\n")
        real = locks._try_lock
        replaced: list[bool] = []

        def replace_then_lock(descriptor: int) -> None:
            if not replaced:
                replaced.append(True)
                write(workspace, "memory/tmp", "edited\n").replace(workspace / NOTE)
            real(descriptor)

        monkeypatch.setattr(locks, "_try_lock", replace_then_lock)

        append_entry(workspace, NOTE, "new")

        assert read(workspace) == "edited\n- new\n"

    @posix_only
    def test_a_full_disk_in_the_middle_keeps_every_old_byte(self, workspace: Path) -> None:
        old = "an old line\n" * 40
        write(workspace, NOTE, old)

        with _start(workspace, "late", 100, len(old) + 50) as process:
            output, _ = process.communicate("go\n", timeout=30)

        text = read(workspace)
        assert process.returncode == 3
        assert re.search(r"only \d+ of \d+ bytes could be added|cannot be written", output)
        assert text.startswith(old)
        assert len(text) == len(old) + 50

        append_entry(workspace, NOTE, "after")
        assert read(workspace).startswith(text)
        assert read(workspace).endswith("\n- after\n")


def _start(root: Path, name: str, count: int, *limit: int) -> subprocess.Popen[str]:
    command = [sys.executable, appender.__file__, str(root), NOTE, name, str(count), *map(str, limit)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


class TestTogether:
    def test_entries_of_several_processes_are_whole_and_none_is_lost(self, workspace: Path) -> None:
        names = ["ann", "bo", "cy"]
        processes = [_start(workspace, name, 40) for name in names]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        told = []
        for process in processes:
            output, _ = process.communicate(timeout=60)
            assert process.returncode == 0
            told += [int(line) for line in output.split()]

        text = read(workspace)
        entries = parse_entries(text)[1:]
        expected = {f"- {name} {n} begins\n  and ends {name} {n}" for name in names for n in range(40)}
        assert text.startswith("# 2026-05-05\n\n- ")
        assert text.count("# 2026-05-05") == 1
        assert {entry.text for entry in entries} == expected
        assert len(entries) == len(expected)
        assert sorted(told) == [entry.start_line for entry in entries]

    @pytest.mark.parametrize("seen", [1, 7, 30])
    def test_a_process_that_is_killed_leaves_whole_entries(self, workspace: Path, seen: int) -> None:
        write(workspace, NOTE, "old\n")
        with _start(workspace, "ann", 100_000) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("go\n")
            process.stdin.flush()
            for _ in range(seen):
                process.stdout.readline()
            process.kill()

        entries = parse_entries(read(workspace))[1:]
        assert read(workspace).startswith("old\n- ann 0 begins\n")
        assert len(entries) >= seen
        assert [entry.text for entry in entries] == [
            f"- ann {n} begins\n  and ends ann {n}" for n in range(len(entries))
        ]
        append_entry(workspace, NOTE, "next")
        assert parse_entries(read(workspace))[-1].text == "- next"

    def test_threads_of_one_process_wait_for_each_other(self, workspace: Path) -> None:
        def work(name: str) -> None:
            for number in range(10):
                append_entry(workspace, NOTE, f"{name} {number}")

        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)

        assert sorted(read(workspace).split("\n")[2:-1]) == sorted(
            f"- {name} {n}" for name in "abcd" for n in range(10)
        )


_HOSTILE = st.one_of(
    st.text(st.characters(), max_size=80),
    markdown_texts(),
    st.lists(
        st.sampled_from(
            [
                "<!-- trigger: evil -->",
                "<!--trigger:evil-->",
                "<!-- IMPORTANCE: 10 -->",
                "<!--\t project: x -->",
                "<!-- trigger: evil,",
                "<!--",
                "-->",
                "```",
                "~~~",
                "`",
                "- ",
                "# ",
                "> ",
                "\n",
                "\r",
                "  ",
                "word",
                "\ud800",
                "\u2028",
                "\0",
            ]
        ),
        max_size=12,
    ).map("".join),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(_HOSTILE, st.booleans())
def test_no_text_can_forge_an_annotation_or_touch_its_neighbours(
    tmp_path_factory: pytest.TempPathFactory, text: str, annotated: bool
) -> None:
    root = tmp_path_factory.getbasetemp() / "hostile"
    before = "# Memory\n- first <!-- trigger: alpha -->\n"
    write(root, "MEMORY.md", before)
    mine = {"trigger": "good", "importance": 3} if annotated else {}
    try:
        result = append_entry(root, "MEMORY.md", text, **mine)  # type: ignore[arg-type]
    except UsageError:
        assert read(root, "MEMORY.md") == before
        return
    append_entry(root, "MEMORY.md", "last", trigger="omega")

    after = read(root, "MEMORY.md")
    entries = parse_entries(after)
    inner = [entry for entry in entries if result.line <= entry.start_line <= result.end_line]
    assert after.startswith(before)
    assert entries[1].triggers == ("alpha",)
    assert (entries[-1].text, entries[-1].triggers) == ("- last", ("omega",))
    assert {trigger for entry in inner for trigger in entry.triggers} == ({"good"} if annotated else set())
    assert {entry.importance for entry in inner} <= ({3} if annotated else {None})
    assert all(entry.projects == () for entry in inner)
    assert inner[0].start_line == result.line
    assert inner[-1].end_line <= result.end_line
    if annotated:
        assert len(inner) == 1
