"""The entries in memory follow the files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.notes import write

from openclaw_memory_core.recall import Recaller
from openclaw_memory_core.workspace.workspace import Workspace


def texts(recaller: Recaller, message: str) -> list[str]:
    block = recaller.recall(message)
    return [entry.text for entry in block.entries] if block else []


def test_only_the_curated_files_are_asked(workspace: Path) -> None:
    write(workspace, "MEMORY.md", "- memory <!-- trigger: ferry -->\n")
    write(workspace, "USER.md", "- user <!-- trigger: ferry --> <!-- project: not read here -->\n")
    write(workspace, "memory/2026-05-05.md", "- daily <!-- trigger: ferry -->\n")

    assert texts(Recaller(Workspace(workspace)), "ferry") == ["memory", "user"]


def test_a_change_is_seen_at_the_next_message(workspace: Path) -> None:
    recaller = Recaller(Workspace(workspace))
    assert texts(recaller, "ferry") == []

    write(workspace, "MEMORY.md", "- one <!-- trigger: ferry -->\n")
    assert texts(recaller, "ferry") == ["one"]

    write(workspace, "MEMORY.md", "- two <!-- trigger: ferry -->\n")
    assert texts(recaller, "ferry") == ["two"]

    (workspace / "MEMORY.md").unlink()
    assert texts(recaller, "ferry") == []


def test_unchanged_files_are_not_read_again(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(workspace, "MEMORY.md", "- one <!-- trigger: ferry -->\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    recaller = Recaller(Workspace(workspace))
    assert texts(recaller, "ferry") == ["one"]
    reads: list[int] = []
    monkeypatch.setattr(os, "read", lambda descriptor, size: reads.append(1) or b"")

    assert texts(recaller, "ferry") == ["one"]
    assert reads == []


def test_a_link_is_not_trusted_and_neither_is_its_target(workspace: Path) -> None:
    write(workspace, "memory/notes.md", "- x <!-- trigger: ferry -->\n")
    (workspace / "MEMORY.md").symlink_to("memory/notes.md")

    assert texts(Recaller(Workspace(workspace)), "ferry") == []


def test_a_file_that_cannot_be_read_recalls_nothing_and_the_other_goes_on(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = write(workspace, "MEMORY.md", "- one <!-- trigger: ferry -->\n").stat().st_ino
    write(workspace, "USER.md", "- two <!-- trigger: ferry -->\n")
    real = os.read

    def read(descriptor: int, size: int) -> bytes:
        if os.fstat(descriptor).st_ino == bad:
            raise OSError(5, "Input/output error")
        return real(descriptor, size)

    monkeypatch.setattr(os, "read", read)

    assert texts(Recaller(Workspace(workspace)), "ferry") == ["two"]
