"""``import``: notes of Claude Code, Codex and Hermes, previewed, added, never overwritten."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support.doors import Home
from support.notes import write

from openclaw_memory_core.cli import main
from openclaw_memory_schemas import load

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of a user of all three agents."""
    folder = tmp_path / "user"
    claude = ".claude/projects/-home-me-boat/memory"
    write(folder, f"{claude}/MEMORY.md", "# Boat\n\n- [Engine](engine.md)\n")
    write(folder, f"{claude}/engine.md", "The fuse sits behind the panel.\n")
    write(folder, ".claude/projects/-home-me-boat/notes.md", "not a memory\n")
    write(folder, ".codex/memories/MEMORY.md", "Use pnpm.\n")
    write(folder, ".codex/memories/raw_memories.md", "the same once more\n")
    write(folder, ".codex/memories/rollout_summaries/a.md", "Fixed the build.\n")
    write(folder, ".codex/memories/.git/description.md", "not a note\n")
    write(folder, ".hermes/memories/USER.md", "Likes short answers\n§\nLives in Lyon\nwith a § in it")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    return folder


@pytest.fixture
def run(home: Home, user: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str, code: int = 0) -> dict[str, Any]:
        assert main(["import", *arguments, "--json", *home.options]) == code
        document: dict[str, Any] = json.loads(capsys.readouterr().out)
        alternatives = load("cli.import")["anyOf"]
        jsonschema.validate(document, alternatives[0] if document["ok"] else load("cli.error"))
        return document

    return call


def states(document: dict[str, Any]) -> dict[str, str]:
    return {note["path"].removeprefix("memory/imports/"): note["state"] for note in document["notes"]}


def imported(home: Home) -> dict[str, str]:
    root = home.workspace / "memory" / "imports"
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in root.rglob("*.md")}


def test_without_yes_it_only_shows_what_it_would_do(run: Run, home: Home) -> None:
    document = run("claude-code")

    assert document["written"] is False
    assert states(document) == {
        "claude-code/-home-me-boat/MEMORY.md": "new",
        "claude-code/-home-me-boat/engine.md": "new",
    }
    assert not (home.workspace / "memory" / "imports").exists()


@pytest.mark.parametrize(
    ("source", "notes"),
    [
        (
            "claude-code",
            {
                "claude-code/-home-me-boat/MEMORY.md": "# Boat\n\n- [Engine](engine.md)\n",
                "claude-code/-home-me-boat/engine.md": "The fuse sits behind the panel.\n",
            },
        ),
        ("codex", {"codex/MEMORY.md": "Use pnpm.\n", "codex/rollout_summaries/a.md": "Fixed the build.\n"}),
        ("hermes", {"hermes/USER.md": "- Likes short answers\n- Lives in Lyon\n  with a § in it\n"}),
    ],
)
def test_with_yes_the_notes_of_each_agent_are_written(run: Run, home: Home, source: str, notes: dict[str, str]) -> None:
    assert run(source, "--yes")["written"] is True

    assert imported(home) == notes


def test_a_second_import_changes_nothing(run: Run, home: Home) -> None:
    run("codex", "--yes")
    before = imported(home)

    document = run("codex", "--yes")

    assert set(states(document).values()) == {"unchanged"}
    assert document["written"] is False
    assert imported(home) == before


def test_a_note_that_has_grown_gets_its_new_end(run: Run, home: Home, user: Path) -> None:
    run("hermes", "--yes")
    source = user / ".hermes/memories/USER.md"
    source.write_text(source.read_text(encoding="utf-8") + "\n§\nHas a boat", encoding="utf-8")

    document = run("hermes", "--yes")

    assert states(document) == {"hermes/USER.md": "grown"}
    assert document["notes"][0]["bytes"] == len("- Has a boat\n")
    assert imported(home)["hermes/USER.md"].endswith("with a § in it\n- Has a boat\n")


def test_a_note_that_was_rewritten_is_named_and_left_alone(run: Run, home: Home, user: Path) -> None:
    run("codex", "--yes")
    write(user, ".codex/memories/MEMORY.md", "Use bun.\n")

    document = run("codex", "--yes")

    assert states(document)["codex/MEMORY.md"] == "conflict"
    assert imported(home)["codex/MEMORY.md"] == "Use pnpm.\n"


def test_keep_both_puts_the_other_version_beside_it_once(run: Run, home: Home, user: Path) -> None:
    run("codex", "--yes")
    write(user, ".codex/memories/MEMORY.md", "Use bun.\n")

    run("codex", "--keep-both", "--yes")
    again = run("codex", "--keep-both", "--yes")

    notes = imported(home)
    assert notes["codex/MEMORY.md"] == "Use pnpm.\n"
    beside = [text for path, text in notes.items() if path.startswith("codex/MEMORY.") and path != "codex/MEMORY.md"]
    assert beside == ["Use bun.\n"]
    assert again["written"] is False


def test_an_own_edit_of_an_imported_note_is_never_lost(run: Run, home: Home, user: Path) -> None:
    run("codex", "--yes")
    mine = write(home.workspace, "memory/imports/codex/MEMORY.md", "Use pnpm.\nAnd my own line.\n")
    write(user, ".codex/memories/MEMORY.md", "Use pnpm.\nAnd a new one.\n")

    run("codex", "--yes")

    assert mine.read_text(encoding="utf-8") == "Use pnpm.\nAnd my own line.\n"


def test_what_is_no_note_is_named_and_left_out(run: Run, user: Path) -> None:
    folder = user / "folder"
    write(folder, "latin.md", b"caf\xe9\n")
    write(folder, "binary.md", b"a\0b")
    write(folder, "empty.md", " \n")
    write(folder, "large.md", "x" * 1_000_001)
    write(folder, "good.md", "\ufeffwith a mark\n")

    document = run("claude-code", "--from", str(folder))

    reasons = {note["path"].rpartition("/")[2]: note.get("reason") for note in document["notes"]}
    assert reasons == {
        "binary.md": "it is not text",
        "empty.md": "it is empty",
        "good.md": None,
        "large.md": "it is larger than 1,000,000 bytes",
        "latin.md": "it is not UTF-8",
    }


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_are_neither_read_nor_written_through(run: Run, home: Home, user: Path) -> None:
    folder = user / "folder"
    write(folder, "good.md", "text\n")
    secret = write(user, "secret.txt", "secret\n")
    (folder / "link.md").symlink_to(secret)
    (home.workspace / "memory" / "imports").mkdir()
    (home.workspace / "memory" / "imports" / "claude-code").symlink_to(user)

    document = run("claude-code", "--from", str(folder), "--yes")

    assert set(states(document).values()) == {"skipped"}
    assert not (user / "good.md").exists()


def test_the_agents_own_variable_moves_its_folder(run: Run, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(user / "elsewhere", "memories/MEMORY.md", "moved\n")
    monkeypatch.setenv("CODEX_HOME", str(user / "elsewhere"))

    assert states(run("codex")) == {"codex/MEMORY.md": "new"}


def test_a_folder_that_is_not_there_is_wrong_usage(run: Run, tmp_path: Path) -> None:
    assert run("codex", "--from", str(tmp_path / "none"), code=2)["error"]["code"] == "usage"


def test_for_people_it_lists_and_says_that_nothing_was_written(
    home: Home, user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "codex", *home.options]) == 0
    shown = capsys.readouterr()

    assert "new       memory/imports/codex/MEMORY.md (+10 bytes)" in shown.out
    assert "Nothing was written" in shown.err

    assert main(["import", "codex", "--yes", *home.options]) == 0
    assert "found from group sessions" in capsys.readouterr().err
