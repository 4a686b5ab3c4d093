"""Reading notes: what is allowed, what comes back, what an error says."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.notes import found, with_extra, write

from openclaw_memory_core.errors import (
    NoteError,
    NoteNotFoundError,
    NoteReadError,
    PathNotAllowedError,
    UsageError,
)
from openclaw_memory_core.workspace import fs
from openclaw_memory_core.workspace import workspace as workspace_module
from openclaw_memory_core.workspace.workspace import Workspace


class TestLoad:
    def test_a_document_has_its_text_and_the_hash_of_its_text(self, workspace: Path) -> None:
        write(workspace, "memory/a.md", "Grüße\r\nzwei\n")
        notes = Workspace(workspace)

        document = notes.load(notes.scan().documents[0])

        assert document.text == "Grüße\r\nzwei\n"
        assert document.content_hash == hashlib.sha256("Grüße\r\nzwei\n".encode()).hexdigest()
        assert document.flaws == ()

    def test_the_hash_does_not_depend_on_the_byte_order_mark(self, workspace: Path) -> None:
        write(workspace, "memory/a.md", b"\xef\xbb\xbfsame\n")
        write(workspace, "memory/b.md", b"same\n")
        notes = Workspace(workspace)

        with_mark, without = (notes.load(ref) for ref in notes.scan().documents)

        assert with_mark.text == without.text == "same\n"
        assert with_mark.content_hash == without.content_hash

    def test_the_stamp_is_that_of_the_file_that_was_read(self, workspace: Path) -> None:
        path = write(workspace, "memory/a.md", "one\n")
        notes = Workspace(workspace)
        ref = notes.scan().documents[0]
        path.write_text("changed since\n", encoding="utf-8")

        document = notes.load(ref)

        assert document.ref.stat == notes.scan().documents[0].stat != ref.stat
        assert document.text == "changed since\n"

    def test_a_note_that_is_no_longer_configured_is_not_read(self, workspace: Path, tmp_path: Path) -> None:
        write(tmp_path, "docs/a.md")
        (ref,) = with_extra(workspace, tmp_path / "docs").scan().documents

        with pytest.raises(NoteReadError, match="not a note of this workspace any more"):
            Workspace(workspace).load(ref)

    def test_a_note_that_grew_beyond_all_measure_is_not_read(
        self, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(workspace, "memory/a.md", "x" * 11)
        monkeypatch.setattr(workspace_module, "MAX_NOTE_BYTES", 10)

        with pytest.raises(NoteReadError, match="too large"):
            Workspace(workspace).read("memory/a.md")

    def test_a_note_that_went_away_is_not_found(self, workspace: Path) -> None:
        path = write(workspace, "memory/a.md")
        notes = Workspace(workspace)
        ref = notes.scan().documents[0]
        path.unlink()

        with pytest.raises(NoteNotFoundError, match=r"memory/a\.md"):
            notes.load(ref)

    @pytest.mark.skipif(os.name == "nt", reason="needs links")
    def test_a_note_that_became_a_link_is_not_read(self, workspace: Path, tmp_path: Path) -> None:
        path = write(workspace, "memory/a.md")
        notes = Workspace(workspace)
        ref = notes.scan().documents[0]
        path.unlink()
        path.symlink_to(write(tmp_path, "secret.md", "secret"))

        with pytest.raises(PathNotAllowedError):
            notes.load(ref)

    @pytest.mark.skipif(os.name == "nt", reason="needs links")
    def test_a_folder_that_became_a_link_is_not_entered(self, workspace: Path, tmp_path: Path) -> None:
        write(workspace, "memory/sub/a.md")
        notes = Workspace(workspace)
        ref = notes.scan().documents[0]
        (workspace / "memory" / "sub").rename(tmp_path / "moved")
        (workspace / "memory" / "sub").symlink_to(tmp_path / "moved")

        with pytest.raises(PathNotAllowedError):
            notes.load(ref)

    def test_an_error_of_the_moment_is_tried_again(self, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(workspace, "memory/a.md", "here\n")
        notes = Workspace(workspace)
        ref = notes.scan().documents[0]
        failures = [OSError(errno.EAGAIN, "again"), OSError(errno.EDEADLK, "deadlock")]
        real = os.read

        def read(descriptor: int, size: int) -> bytes:
            if failures:
                raise failures.pop()
            return real(descriptor, size)

        monkeypatch.setattr(os, "read", read)

        assert notes.load(ref).text == "here\n"

    def test_an_error_that_lasts_is_reported_with_its_reason(
        self, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(workspace, "memory/a.md", "the text of the note")
        notes = Workspace(workspace)
        ref = notes.scan().documents[0]

        def read(descriptor: int, size: int) -> bytes:
            raise OSError(errno.EIO, "Input/output error")

        monkeypatch.setattr(os, "read", read)

        with pytest.raises(NoteReadError, match=r"memory/a\.md cannot be read: Input/output error"):
            notes.load(ref)

    def test_three_tries_and_two_pauses(self) -> None:
        tries: list[int] = []
        pauses: list[float] = []

        def action() -> None:
            tries.append(1)
            raise OSError(errno.EAGAIN, "again")

        with pytest.raises(OSError, match="again"):
            fs.retry_transient(action, pauses.append)

        assert len(tries) == 3
        assert pauses == [0.03, 0.03]


class TestWithoutOpenat:
    """The way that Windows takes, walked here."""

    @pytest.fixture(autouse=True)
    def _checked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fs, "_HAS_OPENAT", False)

    def test_a_note_is_read_and_written(self, workspace: Path) -> None:
        notes = Workspace(workspace)
        notes.append("memory/sub/a.md", "hello")

        assert notes.read("memory/sub/a.md").text == "- hello"

    @pytest.mark.skipif(os.name == "nt", reason="needs links")
    @pytest.mark.parametrize("path", ["memory/link/a.md", "memory/link.md"])
    def test_links_are_refused(self, workspace: Path, tmp_path: Path, path: str) -> None:
        write(tmp_path, "outside/a.md", "secret")
        (workspace / "memory" / "link").symlink_to(tmp_path / "outside")
        (workspace / "memory" / "link.md").symlink_to(tmp_path / "outside" / "a.md")
        notes = Workspace(workspace)

        with pytest.raises(PathNotAllowedError):
            notes.read(path)
        with pytest.raises(PathNotAllowedError):
            notes.append(path, "text")

    def test_a_missing_note_is_not_found(self, workspace: Path) -> None:
        with pytest.raises(NoteNotFoundError):
            Workspace(workspace).read("memory/none.md")


class TestPaths:
    @pytest.mark.parametrize(
        "path",
        [
            "memory/a.md",
            "./memory/a.md",
            "memory//a.md",
            "memory/../memory/a.md",
            "memory/sub/../a.md",
            " memory/a.md\n",
        ],
    )
    def test_every_spelling_of_a_note_gives_it_under_its_own_name(self, workspace: Path, path: str) -> None:
        write(workspace, "memory/a.md", "here\n")

        piece = Workspace(workspace).read(path)

        assert (piece.path, piece.text) == ("memory/a.md", "here")

    @pytest.mark.parametrize(
        ("citation", "text", "first"),
        [
            ("memory/ten.md#L8", "8", 8),
            ("memory/ten.md#L8-L9", "8\n9", 8),
            ("memory/ten.md#L8-9", "8\n9", 8),
            ("memory/ten.md#L9-L8", "9", 9),
            ("memory/ten.md#L0", "1", 1),
            ("memory/ten.md#L99", "", 99),
            ("memory/ten.md:8-9", "8\n9", 8),
            ("memory/ten.md:8", "8", 8),
            ("memory/ten.md:L8-L9", "8\n9", 8),
        ],
    )
    def test_a_citation_gives_its_lines(self, workspace: Path, citation: str, text: str, first: int) -> None:
        write(workspace, "memory/ten.md", "\n".join(map(str, range(1, 11))))

        piece = Workspace(workspace).read(citation)

        assert (piece.path, piece.text, piece.from_line) == ("memory/ten.md", text, first)

    def test_given_lines_win_over_those_of_a_citation(self, workspace: Path) -> None:
        write(workspace, "memory/ten.md", "\n".join(map(str, range(1, 11))))

        assert Workspace(workspace).read("memory/ten.md#L8-L9", 2, 1).text == "2"

    @pytest.mark.parametrize("lines", ["#L1", ":1-2"])
    def test_a_citation_opens_no_other_door(self, workspace: Path, tmp_path: Path, lines: str) -> None:
        write(tmp_path, "secret.md", "secret")

        with pytest.raises(PathNotAllowedError):
            Workspace(workspace).read(f"../secret.md{lines}")

    @pytest.mark.parametrize(
        ("path", "meant"),
        [
            ("MEMRY.md", "MEMORY.md"),
            ("memory.md:3", "MEMORY.md"),
            ("memory/lisbn.md", "memory/trips/lisbon.md"),
            ("lisbon", "memory/trips/lisbon.md"),
            ("2026-05-04.md", "memory/2026-05-04.md"),
            ("memory/2026-05-05.md", None),
            ("memory/nothing-like-it.md", None),
            ("AGENT.md", None),
            ("../lisbon.md" + "x" * 300, None),
        ],
    )
    def test_a_path_with_a_slip_is_answered_with_the_note_that_was_meant(
        self, workspace: Path, path: str, meant: str | None
    ) -> None:
        for name in ("MEMORY.md", "memory/trips/lisbon.md", "memory/2026-05-04.md", "AGENTS.md"):
            write(workspace, name, "text\n")

        with pytest.raises(NoteError) as refused:
            Workspace(workspace).read(path)

        hint = refused.value.hint or ""
        assert hint == f"Did you mean {meant}?" if meant else "Did you mean" not in hint

    def test_where_curated_files_are_closed_none_is_named(self, workspace: Path) -> None:
        write(workspace, "MEMORY.md", "text\n")
        os.link(workspace / "MEMORY.md", workspace / "memory" / "secrets.md")

        for path in ("MEMRY.md", "memory/secretz.md"):
            with pytest.raises(NoteError) as refused:
                Workspace(workspace).read(path, curated=False)
            assert "Did you mean" not in (refused.value.hint or "")
        with pytest.raises(PathNotAllowedError, match="private") as private:
            Workspace(workspace).read("MEMORY.md", curated=False)
        assert private.value.hint == "Ask in the private main session."

    def test_the_real_name_of_a_linked_workspace_is_the_same_place(self, workspace: Path, tmp_path: Path) -> None:
        write(workspace, "memory/a.md", "here\n")
        write(workspace, "MEMORY.md", "mine\n")
        (tmp_path / "link").symlink_to(workspace)
        notes = Workspace(tmp_path / "link")

        assert notes.read(str(workspace / "memory" / "a.md")).path == "memory/a.md"
        assert notes.read(str(workspace / "MEMORY.md")).path == "MEMORY.md"
        with pytest.raises(PathNotAllowedError):
            notes.read(str(workspace / "AGENTS.md"))

    def test_an_absolute_path_inside_is_allowed(self, workspace: Path) -> None:
        write(workspace, "memory/a.md", "here\n")

        assert Workspace(workspace).read(str(workspace / "memory" / "a.md")).path == "memory/a.md"

    @pytest.mark.parametrize(
        "path",
        [
            "../secret.md",
            "memory/../../secret.md",
            "AGENTS.md",
            ".memory/a.md",
            "memoryx/a.md",
            "memory",
            "memory/",
            "memory/a.txt",
            "memory/plan.MD",
            "memory/a.md\0.txt",
            "memory/.git/a.md",
            "memory/%2e%2e/secret.md",
            "memory/..%2fsecret.md",
            "%2e%2e/secret.md",
            "~/secret.md",
            "file:///etc/passwd.md",
            "//memory/a.md",
            "sessions/a.md",
            "/",
            "..",
        ],
    )
    @pytest.mark.parametrize("exists", [True, False])
    def test_what_is_outside_is_refused_alike_whether_it_exists_or_not(
        self, workspace: Path, tmp_path: Path, path: str, exists: bool
    ) -> None:
        if exists:
            for name in ("AGENTS.md", ".memory/a.md", "memoryx/a.md", "memory/.git/a.md", "memory/a.txt"):
                write(workspace, name, "secret")
            write(tmp_path, "secret.md", "secret")

        with pytest.raises(PathNotAllowedError) as refused:
            Workspace(workspace).read(path)

        assert refused.value.message == "this path is not a note that may be read"
        assert "secret" not in str(refused.value.to_dict())

    @pytest.mark.skipif(os.name == "nt", reason="needs links")
    @pytest.mark.parametrize("target", ["exists", "does-not"])
    def test_a_link_is_refused_alike_whatever_it_points_to(self, workspace: Path, tmp_path: Path, target: str) -> None:
        write(tmp_path, "exists", "secret")
        (workspace / "memory" / "a.md").symlink_to(tmp_path / target)

        with pytest.raises(PathNotAllowedError, match="not a note that may be read"):
            Workspace(workspace).read("memory/a.md")

    @pytest.mark.skipif(os.name == "nt", reason="needs pipes")
    def test_a_pipe_is_refused_at_once(self, workspace: Path) -> None:
        os.mkfifo(workspace / "memory" / "a.md")

        with pytest.raises(PathNotAllowedError):
            Workspace(workspace).read("memory/a.md")

    @pytest.mark.skipif(os.name == "nt", reason="not a name there")
    def test_a_name_may_hold_a_percent_sign_a_backslash_or_blanks(self, workspace: Path) -> None:
        for name in ("memory/100%2e.md", "memory/a\\b.md", "memory/ c.md"):
            write(workspace, name, name)
            assert Workspace(workspace).read(name).text == name

    def test_a_missing_note_is_named(self, workspace: Path) -> None:
        with pytest.raises(NoteNotFoundError, match=r"memory/none\.md does not exist"):
            Workspace(workspace).read("memory/none.md")

    @pytest.mark.parametrize("path", ["", "  ", "\n"])
    def test_no_path_is_wrong_usage(self, workspace: Path, path: str) -> None:
        with pytest.raises(UsageError):
            Workspace(workspace).read(path)

    def test_the_path_of_every_hit_can_be_given_back(self, workspace: Path, tmp_path: Path) -> None:
        write(workspace, "MEMORY.md", "MEMORY.md")
        write(workspace, "memory/x/a b.md", "memory/x/a b.md")
        write(tmp_path, "docs/deep/b.md", "../docs/deep/b.md")
        write(tmp_path, "one.md", "../one.md")
        notes = with_extra(workspace, tmp_path / "docs", tmp_path / "one.md")

        paths = found(notes)

        assert paths == ["../docs/deep/b.md", "../one.md", "MEMORY.md", "memory/x/a b.md"]
        assert [notes.read(path).text for path in paths] == paths
        assert [notes.read(str(workspace / path)).text for path in paths] == paths

    def test_beside_an_extra_path_nothing_is_allowed(self, workspace: Path, tmp_path: Path) -> None:
        write(tmp_path, "docs/a.md")
        write(tmp_path, "docs-private/a.md", "secret")
        write(tmp_path, "docs/draft.txt.md")
        notes = with_extra(workspace, tmp_path / "docs", pattern="a*.md")

        for path in ("../docs-private/a.md", "../docs/../docs-private/a.md", "../docs/draft.txt.md"):
            with pytest.raises(PathNotAllowedError):
                notes.read(path)

    @pytest.mark.skipif(os.name == "nt", reason="needs links")
    def test_an_extra_path_that_is_a_link_gives_nothing(self, workspace: Path, tmp_path: Path) -> None:
        write(tmp_path, "real/a.md", "secret")
        (tmp_path / "link").symlink_to(tmp_path / "real")

        with pytest.raises(PathNotAllowedError):
            with_extra(workspace, tmp_path / "link").read("../link/a.md")

    @settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(
        st.one_of(
            st.text(max_size=30),
            st.lists(
                st.sampled_from(["..", ".", "memory", "sub", "secret.md", "a.md", "", "link", "ws"]), max_size=8
            ).map("/".join),
        )
    )
    def test_no_path_ever_gives_text_from_outside(self, tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
        base = tmp_path_factory.getbasetemp() / "fuzz"
        if not base.exists():
            write(base, "ws/memory/sub/a.md", "inside")
            write(base, "ws/memory/a.md", "inside")
            write(base, "secret.md", "secret")
            write(base, "ws/secret.md", "secret")
            write(base, "out/secret.md", "secret")
            (base / "ws" / "memory" / "link").symlink_to(base / "out")

        try:
            piece = Workspace(base / "ws").read(path)
        except (NoteError, UsageError):
            return
        assert piece.text == "inside"


class TestWindowsFlavour:
    @pytest.mark.parametrize(
        "path", ["memory\\trips\\lisbon.md", "memory/trips\\lisbon.md", ".\\memory\\trips\\lisbon.md"]
    )
    def test_backslashes_separate(self, workspace: Path, path: str) -> None:
        write(workspace, "memory/trips/lisbon.md", "tram 28\n")

        piece = Workspace(workspace).read(path, flavour="windows")

        assert (piece.path, piece.text) == ("memory/trips/lisbon.md", "tram 28")

    @pytest.mark.skipif(os.name == "nt", reason="elsewhere")
    def test_elsewhere_a_backslash_is_part_of_a_name(self, workspace: Path) -> None:
        write(workspace, "memory/trips/lisbon.md")

        with pytest.raises(PathNotAllowedError):
            Workspace(workspace).read("memory\\trips\\lisbon.md", flavour="posix")
        with pytest.raises(NoteNotFoundError):
            Workspace(workspace).read("memory/trips\\lisbon.md", flavour="posix")

    @pytest.mark.parametrize(
        "path",
        [
            "memory\\..\\..\\secret.md",
            "memory/a.md:secret.md",
            "memory/con.md",
            "memory/NUL.md",
            "memory. /a.md",
            "C:a.md",
        ],
    )
    def test_names_that_windows_reads_as_another_are_refused(self, workspace: Path, path: str) -> None:
        with pytest.raises(PathNotAllowedError):
            Workspace(workspace).read(path, flavour="windows")


class TestCurated:
    def test_curated_files_are_marked(self, workspace: Path) -> None:
        write(workspace, "MEMORY.md", "door code\n")
        write(workspace, "memory/a.md")
        notes = Workspace(workspace)

        assert notes.read("memory/../MEMORY.md").curated
        assert notes.read("memory/../MEMORY.md").path == "MEMORY.md"
        assert not notes.read("memory/a.md").curated

    @pytest.mark.parametrize("path", ["MEMORY.md", "USER.md", "memory/2026-05-05.md", "memory/../USER.md"])
    def test_no_name_of_a_curated_file_is_read_where_they_are_not_shown(self, workspace: Path, path: str) -> None:
        write(workspace, "MEMORY.md", "door code 4417\n")
        write(workspace, "USER.md", "born in May\n")
        os.link(workspace / "MEMORY.md", workspace / "memory" / "2026-05-05.md")
        notes = Workspace(workspace)

        with pytest.raises(PathNotAllowedError, match="private"):
            notes.read(path, curated=False)
        assert notes.is_curated(path)

    def test_other_notes_are_read_there(self, workspace: Path) -> None:
        write(workspace, "MEMORY.md")
        write(workspace, "memory/a.md", "fine\n")

        assert Workspace(workspace).read("memory/a.md", curated=False).text == "fine"

    def test_a_hard_link_under_an_extra_path_is_the_same_file(self, workspace: Path, tmp_path: Path) -> None:
        write(workspace, "MEMORY.md", "door code\n")
        (tmp_path / "docs").mkdir()
        os.link(workspace / "MEMORY.md", tmp_path / "docs" / "copy.md")
        notes = with_extra(workspace, tmp_path / "docs")

        assert notes.read("../docs/copy.md").curated
        with pytest.raises(PathNotAllowedError):
            notes.read("../docs/copy.md", curated=False)

    def test_a_shadowed_root_file_is_not_a_note(self, workspace: Path) -> None:
        write(workspace, "MEMORY.md", "a\n")
        write(workspace, "memory.md", "b\n")

        with pytest.raises(PathNotAllowedError):
            Workspace(workspace).read("memory.md")

    def test_the_usual_name_finds_an_old_root_file(self, workspace: Path) -> None:
        write(workspace, "memory.md", "old name\n")

        assert Workspace(workspace).read("MEMORY.md").path == "memory.md"

    def test_on_a_disk_that_ignores_case_both_spellings_are_one_file(self, workspace: Path) -> None:
        write(workspace, "MEMORY.md", "a\n")
        os.link(workspace / "MEMORY.md", workspace / "memory.md")
        notes = Workspace(workspace)

        assert notes.read("memory.md").path == "MEMORY.md"
        assert [ref.path for ref in notes.curated_files()] == ["MEMORY.md"]
        assert found(notes) == ["MEMORY.md"]

    def test_nothing_is_curated_where_nothing_is(self, workspace: Path) -> None:
        notes = Workspace(workspace)

        assert notes.curated_files() == ()
        assert notes.curated_identities() == frozenset()
        assert not notes.is_curated("MEMORY.md")
        assert not notes.is_curated("../x")


class TestWindow:
    def test_the_whole_of_a_short_note_is_the_default(self, workspace: Path) -> None:
        write(workspace, "memory/a.md", "one\ntwo\n")

        piece = Workspace(workspace).read("memory/a.md")

        assert (piece.text, piece.from_line, piece.lines, piece.total_lines) == ("one\ntwo", 1, 2, 2)
        assert (piece.truncated, piece.next_from) == (False, None)

    def test_a_hundred_and_twenty_lines_are_the_default(self, workspace: Path) -> None:
        write(workspace, "memory/a.md", "".join(f"{n}\n" for n in range(1, 201)))
        notes = Workspace(workspace)

        first = notes.read("memory/a.md")
        second = notes.read("memory/a.md", from_line=first.next_from)

        assert (first.lines, first.truncated, first.next_from) == (120, True, 121)
        assert (second.text.split("\n")[0], second.lines, second.next_from) == ("121", 80, None)

    def test_whole_lines_are_kept_within_the_budget(self, workspace: Path) -> None:
        write(workspace, "memory/a.md", "aaaa\nbbbb\ncccc\n")

        piece = Workspace(workspace).read("memory/a.md", max_chars=9)

        assert (piece.text, piece.truncated, piece.next_from) == ("aaaa\nbbbb", True, 3)

    def test_only_a_first_line_that_is_too_long_is_cut(self, workspace: Path) -> None:
        write(workspace, "memory/a.md", "a" * 50 + "\nb\n")

        piece = Workspace(workspace).read("memory/a.md", max_chars=10)

        assert (piece.text, piece.line_cut, piece.truncated, piece.next_from) == ("a" * 10, True, True, 2)

    def test_an_empty_note_is_found_and_empty(self, workspace: Path) -> None:
        write(workspace, "memory/a.md", "")

        piece = Workspace(workspace).read("memory/a.md")

        assert (piece.text, piece.lines, piece.total_lines, piece.truncated) == ("", 0, 0, False)

    @pytest.mark.parametrize("window", [(0, None), (-2, None), (None, 0), (1, -1)])
    def test_a_window_counts_from_one(self, workspace: Path, window: tuple[int | None, int | None]) -> None:
        write(workspace, "memory/a.md")

        with pytest.raises(UsageError, match=r"is (0|-1|-2)"):
            Workspace(workspace).read("memory/a.md", *window)

    @given(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=200),
        st.integers(1, 30),
        st.integers(1, 20),
        st.integers(1, 50),
    )
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    def test_following_next_from_reads_every_line_once(
        self, tmp_path: Path, text: str, start: int, lines: int, max_chars: int
    ) -> None:
        write(tmp_path, "memory/a.md", text)
        notes = Workspace(tmp_path)
        expected = text.removesuffix("\n").split("\n") if text else []

        seen: list[str] = []
        at: int | None = start
        while at is not None:
            piece = notes.read("memory/a.md", at, lines, max_chars=max_chars)
            got = piece.text.split("\n") if piece.lines else []
            assert len(got) == piece.lines <= lines
            assert len(piece.text) <= max_chars
            assert piece.total_lines == len(expected)
            seen.extend(expected[at - 1 : at - 1 + len(got)] if piece.line_cut else got)
            at = piece.next_from

        assert seen == expected[start - 1 :]
