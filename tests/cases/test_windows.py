"""Reported cases: Windows paths and disks that ignore case."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.agents import hit_paths, keyword_agent
from support.notes import write

from openclaw_memory_core.errors import NoteNotFoundError
from openclaw_memory_core.workspace.workspace import Workspace
from openclaw_memory_hookspecs import Session

MAIN = Session(key="agent:main:main")


def test_case_windows_01_slashes_in_results_and_requests(workspace: Path) -> None:
    write(workspace, "memory/trips/lisbon.md", "tram 28 to the castle\n")

    with keyword_agent(workspace) as core:
        (path,) = hit_paths(core.search("tram castle", session=MAIN))
        answer = core.get(path, session=MAIN)
    windows = Workspace(workspace).read("memory\\trips\\lisbon.md", flavour="windows")

    assert path == "memory/trips/lisbon.md"
    assert (answer["status"], answer["text"]) == ("ok", "tram 28 to the castle")
    assert (windows.path, windows.text) == ("memory/trips/lisbon.md", "tram 28 to the castle")


@pytest.mark.skipif(os.name == "nt", reason="elsewhere")
def test_case_windows_01_elsewhere_a_backslash_is_part_of_a_name(workspace: Path) -> None:
    write(workspace, "memory/trips/lisbon.md")

    with pytest.raises(NoteNotFoundError):
        Workspace(workspace).read("memory/trips\\lisbon.md", flavour="posix")


def test_case_windows_02_one_file_two_spellings(workspace: Path) -> None:
    write(workspace, "MEMORY.md", "dentist: Tuesday\n")
    (workspace / "memory.md").hardlink_to(workspace / "MEMORY.md")

    with keyword_agent(workspace) as core:
        start = core.session_start(MAIN)
        found = core.search("dentist", session=MAIN)
        counts = core.status()

    assert [file.path for file in start.files] == ["MEMORY.md"]
    assert hit_paths(found) == ["MEMORY.md"]
    assert counts["files"] == 1
