"""Reported cases: what must not be said in a group, and what must not be read at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.agents import hit_paths, keyword_agent
from support.notes import write

from openclaw_memory_hookspecs import Session

MAIN = Session(key="agent:main:main")
GROUP = Session(key="agent:main:telegram:group:-1009")


def test_case_privacy_01_group_chat(workspace: Path) -> None:
    write(workspace, "MEMORY.md", "door code 4417\n")

    with keyword_agent(workspace, sync=False) as core:
        private, group = core.session_start(MAIN), core.session_start(GROUP)

    assert "door code 4417" in private.files[0].text
    assert "4417" not in repr(group)
    assert group.withheld


@pytest.mark.skipif(os.name == "nt", reason="needs links")
@pytest.mark.parametrize("link", ["symbolic", "hard"])
def test_case_privacy_02_the_same_file_by_another_name(workspace: Path, link: str) -> None:
    write(workspace, "MEMORY.md", "door code 4417\n")
    note = workspace / "memory" / "2026-05-05.md"
    if link == "symbolic":
        note.symlink_to("../MEMORY.md")
    else:
        note.hardlink_to(workspace / "MEMORY.md")

    with keyword_agent(workspace) as core:
        assert "4417" not in repr(core.session_start(GROUP))
        assert "4417" not in repr(core.search("door code", session=GROUP))
        assert "4417" not in repr(core.get("memory/2026-05-05.md", session=GROUP))


def test_case_privacy_03_asking_in_the_group(workspace: Path) -> None:
    write(workspace, "MEMORY.md", "door code 4417\n")
    write(workspace, "memory/2026-05-04.md", "the ferry was late\n")

    with keyword_agent(workspace) as core:
        code = core.search("door code", session=GROUP)
        ferry = core.search("ferry late", session=GROUP)
        nothing = core.search("door code", session=MAIN)

    assert code["results"] == []
    assert code["withheld"]
    assert hit_paths(ferry) == ["memory/2026-05-04.md"]
    assert "withheld" not in nothing


def test_case_privacy_04_paths_that_climb(workspace: Path) -> None:
    write(workspace, "MEMORY.md", "mine\n")
    secret = write(workspace.parent, "secret.md", "secret\n")
    climbing = ["../secret.md", "memory/../../secret.md", str(secret), "memory/%2e%2e/secret.md"]

    with keyword_agent(workspace, sync=False) as core:
        there = [core.get(path, session=MAIN) for path in climbing]
        secret.unlink()
        gone = [core.get(path, session=MAIN) for path in climbing]
        own = core.get("memory/../MEMORY.md", session=MAIN)

    assert there == gone
    assert {answer["status"] for answer in there} == {"error"}
    assert {answer["text"] for answer in there} == {""}
    assert (own["status"], own["path"], own["text"]) == ("ok", "MEMORY.md", "mine")
