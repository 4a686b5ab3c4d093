"""Reported cases: which files are notes."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest
from support.agents import hit_paths, keyword_agent
from support.notes import write

from openclaw_memory_hookspecs import Session

MAIN = Session(key="agent:main:main")


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_case_discovery_01_a_linked_vault_folder(workspace: Path, tmp_path: Path) -> None:
    write(workspace, "memory/own.md", "ordinary words\n")
    write(tmp_path, "srv/x/vault/a.md", "ordinary words behind a link\n")
    (workspace / "memory" / "vault").symlink_to(tmp_path / "srv" / "x" / "vault")
    (workspace / "vault2").symlink_to(tmp_path / "srv" / "x")

    with keyword_agent(workspace, search={"extraPaths": ["vault2"]}) as core:
        assert hit_paths(core.search("ordinary words", session=MAIN)) == ["memory/own.md"]
        skipped = {one["path"]: one["code"] for one in core.status()["skipped"]}

    assert skipped == {"memory/vault": "symlink", "vault2": "symlink"}


def test_case_discovery_02_memory_md_and_its_lower_case_twin(workspace: Path) -> None:
    write(workspace, "MEMORY.md", "dentist: Tuesday\n")
    if (workspace / "memory.md").exists():
        pytest.skip("this disk ignores case")
    write(workspace, "memory.md", "dentist: Friday\n")

    with keyword_agent(workspace) as core:
        start = core.session_start(MAIN)
        answer = core.search("dentist", session=MAIN)

    assert [file.text for file in start.files] == ["dentist: Tuesday"]
    assert repr(start).count("Tuesday") == 1
    assert "Friday" not in repr(start) + repr(answer)
    assert hit_paths(answer) == ["MEMORY.md"]


def test_case_discovery_03_a_folder_full_of_things_that_are_not_notes(workspace: Path, tmp_path: Path) -> None:
    for path in ("plan.md", "notes.txt", "archive.md/inner.md", ".venv/lib/readme.md"):
        write(tmp_path, f"docs/{path}", "harbour budget\n")
    write(tmp_path, "docs/report.md", "harbour budget report\n".encode("utf-16"))

    with keyword_agent(workspace, search={"extraPaths": ["../docs"]}) as core:
        found = set(hit_paths(core.search("harbour budget", session=MAIN)))
        skipped = {one["path"]: one["code"] for one in core.status()["skipped"]}

    assert found == {"../docs/plan.md", "../docs/archive.md/inner.md", "../docs/report.md"}
    assert skipped == {"../docs/.venv": "ignored-folder"}


def test_case_discovery_03_the_suffix_is_lower_case(workspace: Path, tmp_path: Path) -> None:
    write(tmp_path, "docs/plan.MD", "harbour budget\n")

    with keyword_agent(workspace, search={"extraPaths": ["../docs"]}) as core:
        assert hit_paths(core.search("harbour budget", session=MAIN)) == []


@pytest.mark.skipif(os.name == "nt", reason="needs pipes")
def test_case_sync_05_things_that_are_not_regular_files(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(workspace, "memory/a.md", "first note\n")
    write(workspace, "memory/b.md", "second note\n")
    os.mkfifo(workspace / "memory" / "pipe.md")
    monkeypatch.chdir(workspace / "memory")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.md")
        begun = time.monotonic()
        with keyword_agent(workspace) as core:
            assert time.monotonic() - begun < 2
            assert sorted(hit_paths(core.search("note", session=MAIN))) == ["memory/a.md", "memory/b.md"]
            skipped = {one["path"]: one["code"] for one in core.status()["skipped"]}

    assert skipped == {"memory/pipe.md": "not-regular", "memory/s.md": "not-regular"}
