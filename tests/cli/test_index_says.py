"""``index``, ``search`` and ``status`` say what does not work, who works in its place, and what to do about it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.cli import Cli
from support.fake_embeddings import FakeEmbeddings
from support.powers import bound

NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI", "VOYAGE", "GEMINI", "GOOGLE", "MISTRAL"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)


def _use(cli: Cli, provider: str, **search: Any) -> None:
    cli.configure({"memory": {"search": {"provider": provider, **search}}})


def _remote(url: str, key: str = "sk-not-the-right-one") -> dict[str, Any]:
    return {"model": "ash", "remote": {"baseUrl": url, "apiKey": key}}


class TestAProviderThatDoesNotWork:
    def test_a_required_one_without_a_key_fails_the_command(self, notes: Cli):
        _use(notes, "voyage")
        run = notes("index")
        assert (run.code, run.out) == (1, "")
        assert 'No API key found for provider "voyage" [missing-key]' in run.err
        assert "Hint: Set VOYAGE_API_KEY" in run.err
        assert notes("index", "--json").json("cli.index")["error"]["code"] == "missing-key"

    def test_an_optional_one_is_a_note(self, notes: Cli):
        _use(notes, "local", local={"modelPath": "/nowhere/model.gguf"})
        run = notes("index")
        assert run.code == 0
        assert "2 files indexed" in run.out
        assert "Without vectors" in run.err
        assert "/nowhere/model.gguf does not exist" in run.err

    def test_a_search_with_an_optional_one_says_so_once_and_shows_no_json(self, notes: Cli):
        _use(notes, "local", local={"modelPath": "/nowhere/model.gguf"})
        run = notes("search", "ferry")
        assert "memory/2026-05-04.md" in run.out
        assert "embeddingBootstrap" not in run.out + run.err
        assert run.err.count("/nowhere/model.gguf does not exist") == 1

    def test_over_an_index_of_another_provider_its_error_and_hint_are_named(self, notes: Cli):
        _use(notes, "embedded")
        notes("index")
        with FakeEmbeddings(key="sk-the-right-one") as service:
            _use(notes, "openai-compatible", **_remote(service.url))
            search, index = notes("search", "ferry"), notes("index")
        for run in (search, index):
            assert run.code == 1
            assert "answered 401" in run.err
            assert "Hint: Check the API key of openai-compatible." in run.err
            assert "rebuilt" not in run.err

    def test_the_last_update_that_failed_is_an_issue_of_the_plain_status(self, notes: Cli):
        _use(notes, "openai-compatible", **_remote(NOWHERE))
        notes("index")
        assert "embeddings, at the last update: openai-compatible cannot be reached" in notes("status").out

    def test_an_index_for_other_settings_is_not_called_up_to_date(self, notes: Cli):
        _use(notes, "embedded")
        notes("index")
        _use(notes, "openai-compatible", **_remote(NOWHERE))
        out = notes("status").out
        assert "Dirty: yes" in out
        assert "made for other settings" in out


class TestAFallback:
    @pytest.fixture
    def fallen(self, notes: Cli) -> Cli:
        _use(notes, "openai-compatible", fallback="embedded", **_remote(NOWHERE))
        return notes

    def test_index_says_that_it_took_over_and_why(self, fallen: Cli):
        run = fallen("index")
        assert run.code == 0
        assert "The fallback embedded works in the place of openai-compatible: " in run.err
        assert "cannot be reached" in run.err
        document = fallen("index", "--force", "--json").json("cli.index")
        assert document["agents"][0]["fallback"]["from"] == "openai-compatible"

    def test_a_later_search_says_who_answered_and_why(self, fallen: Cli):
        fallen("index")
        run = fallen("search", "ferry")
        assert "embedded answered in the place of openai-compatible: " in run.err
        assert "cannot be reached" in run.err

    def test_status_shows_who_answers(self, fallen: Cli):
        fallen("index")
        out = fallen("status").out
        assert "Provider: embedded (requested: openai-compatible)" in out
        assert "Fallback: from openai-compatible: openai-compatible cannot be reached" in out
        assert "Dirty: no" in out


class TestNotesThatCannotBeRead:
    @pytest.mark.skipif(os.name != "posix", reason="modes")
    def test_one_note_is_named_with_the_cure(self, notes: Cli):
        notes("index")
        note = notes.workspace / "memory" / "2026-05-04.md"
        note.chmod(0o000)
        try:
            run, index = bound(lambda: notes("search", "door")), bound(lambda: notes("index"))
        finally:
            note.chmod(0o600)
        assert "memory/2026-05-04.md cannot be read (no permission to read it)." in run.err
        assert "readable" in run.err
        assert "folder" not in run.err
        assert "openclaw-memory index" not in run.err
        assert index.code == 0
        assert "memory/2026-05-04.md: left out: no permission" in index.err

    @pytest.mark.skipif(os.name != "posix", reason="modes")
    def test_a_folder_of_notes_that_nobody_sees_fails_the_index(self, notes: Cli):
        notes("index")
        folder = notes.workspace / "memory"
        folder.chmod(0o000)
        try:
            index, status = bound(lambda: notes("index")), bound(lambda: notes("status"))
        finally:
            folder.chmod(0o700)
        assert index.code == 1
        assert "the notes in memory cannot be looked at" in index.err
        assert "[note-unreadable]" in index.err
        assert "Indexed: 2/2 files" in status.out

    def test_a_missing_workspace_is_named_by_its_path(self, notes: Cli):
        notes("index")
        notes.workspace.rename(notes.workspace.with_name("elsewhere"))
        out, err = notes("status").out, notes("index").err
        assert f"{notes.workspace}: the workspace folder does not exist" in out
        assert "Indexed: 2/2 files" in out
        assert "cannot be looked at now" not in out
        assert f"{notes.workspace}: left out: the workspace folder does not exist" in err


class TestTheIndexFile:
    def _path(self, cli: Cli) -> Path:
        return cli.state / "memory" / "main.sqlite"

    def _damage(self, cli: Cli) -> bytes:
        cli("index")
        junk = b"\xff\x00" * 8192
        self._path(cli).write_bytes(junk)
        return junk

    def test_nothing_new_is_called_up_to_date(self, notes: Cli):
        assert "Memory index updated (main): 2 files indexed." in notes("index").out
        assert notes("index").out.startswith("Memory index is up to date (main): 2 files.\nno changes;")

    def test_status_and_doctor_name_the_damage_and_move_nothing(self, notes: Cli):
        junk = self._damage(notes)
        assert "the index cannot be used" in notes("status").out
        doctor = notes("doctor")
        assert doctor.code == 1
        assert "[store-corrupt]" in doctor.out
        assert self._path(notes).read_bytes() == junk

    def test_doctor_moves_it_away_on_request_and_names_what_lies_there(self, notes: Cli):
        self._damage(notes)
        assert "the damaged index was moved to" in notes("doctor", "--fix").out
        notes("index")
        run = notes("doctor")
        left = next(self._path(notes).parent.glob("*.corrupt-*"))
        assert run.code == 0
        assert f"a damaged index was moved to {left}" in run.out

    @pytest.mark.parametrize("command", [("index",), ("search", "ferry")])
    def test_the_damage_is_told_once(self, notes: Cli, command: tuple[str, ...]):
        self._damage(notes)
        assert notes(*command).err.count("The index was damaged") == 1

    def test_another_programs_file_is_left_alone_by_doctor_too(self, notes: Cli):
        path = self._path(notes)
        path.parent.mkdir()
        path.write_text("a shopping list\n", encoding="utf-8")
        path.chmod(0o644)
        run = notes("doctor", "--fix")
        assert run.code == 1
        assert "[store-foreign]" in run.out
        assert "memory.search.store.path" in run.out
        assert "move that one away" in run.out
        assert "permissions: " not in run.out.replace("permissions: index and configuration are private", "")
        assert path.stat().st_mode & 0o777 == 0o644

    def test_a_folder_in_its_place_is_called_a_folder(self, notes: Cli):
        self._path(notes).mkdir(parents=True)
        run = notes("index")
        assert run.code == 1
        assert "there is a folder [store-foreign]" in run.err
        assert "memory.search.store.path" in run.err
        assert "move that folder away" in run.err

    @pytest.mark.skipif(os.name != "posix", reason="modes")
    @pytest.mark.parametrize(("name", "mode", "usual"), [("", 0o500, 0o700), ("main.sqlite", 0o400, 0o600)])
    def test_doctor_finds_that_it_cannot_be_written(self, notes: Cli, name: str, mode: int, usual: int):
        notes("index")
        place = self._path(notes).parent / name
        place.chmod(mode)
        try:
            run, status = bound(lambda: notes("doctor")), bound(lambda: notes("status", "--json"))
        finally:
            place.chmod(usual)
        assert run.code == 1
        assert f"{self._path(notes)} cannot be written" in run.out
        assert f"chmod u+rw{'' if name else 'x'} {place}" in run.out
        assert status.json("cli.status")["writeError"]["code"] == "store-read-only"

    @pytest.mark.skipif(os.name != "posix", reason="modes")
    @pytest.mark.parametrize("command", ["doctor", "status", "index"])
    def test_a_closed_folder_is_no_surprise(self, notes: Cli, command: str):
        notes("index")
        folder = self._path(notes).parent
        folder.chmod(0o000)
        try:
            run = bound(lambda: notes(command))
        finally:
            folder.chmod(0o700)
        assert run.code == (0 if command == "status" else 1)
        assert "unexpected" not in run.err
        assert f"chmod u+rwx {folder}" in run.out + run.err

    def test_a_second_index_at_the_same_time_names_the_first_and_what_to_do(self, notes: Cli):
        notes("index")
        note = {"owner": "sync (cli)", "pid": os.getpid(), "host": "another-host", "since": 0.0}
        lock = self._path(notes).with_name("main.sqlite.lock")
        lock.write_text(json.dumps(note), encoding="utf-8")
        fcntl = pytest.importorskip("fcntl")
        with lock.open(encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            run = notes("index")
        assert run.code == 1
        assert f"being written (sync (cli), pid {os.getpid()})" in run.err
        assert "Hint: Run openclaw-memory index again when that is done" in run.err


def test_doctor_warns_of_a_second_name_of_a_private_note(notes: Cli):
    os.link(notes.workspace / "MEMORY.md", notes.workspace / "memory" / "hl.md")
    run = notes("doctor")
    assert run.code == 0
    assert "MEMORY.md has 2 names (hard links)" in run.out
    assert "memory/hl.md" in run.out


def test_a_missing_variable_is_named_in_error_and_hint(notes: Cli):
    _use(notes, "openai", remote={"apiKey": "${MY_MISSING_KEY}"})
    run = notes("search", "ferry")
    assert run.code == 1
    assert "the variable MY_MISSING_KEY is not set" in run.err
    assert "Hint: Set MY_MISSING_KEY" in run.err
    assert "OPENAI_API_KEY" not in run.err
