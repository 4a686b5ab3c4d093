"""Agents whose workspaces overlap, and one agent that works in several folders."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.bench import GROUP, MAIN, Bench, remote
from support.fake_embeddings import FakeEmbeddings

SECRET = "- harbour account 4411 of the zebrafish\n"


@pytest.fixture(params=["the workspace", "the file", "the folder above"])
def neighbours(tmp_path: Path, request: pytest.FixtureRequest) -> Bench:
    """Agent main reads, as an extra path, what is of agent work."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "MEMORY.md").write_text(SECRET, encoding="utf-8")
    (folder / "harbour.md").write_text("the harbour opens at nine\n", encoding="utf-8")
    reach = {"the workspace": folder, "the file": folder / "MEMORY.md", "the folder above": tmp_path}[request.param]
    agents = [
        {"id": "main", "default": True, "memorySearch": {"extraPaths": [str(reach)]}},
        {"id": "work", "workspace": str(folder)},
    ]
    bench = Bench(tmp_path, agents={"list": agents})
    bench.index()
    return bench


def test_curated_file_of_another_agent_is_private_under_an_extra_path(neighbours: Bench) -> None:
    answers = [
        neighbours.answer("harbour account", session=GROUP, explain=True),
        neighbours.answer("accuont zebrafsh", session=GROUP, explain=True),
        neighbours.get("../work/MEMORY.md", session=GROUP),
        neighbours.get(str(neighbours.root / "work" / "MEMORY.md"), session=GROUP),
    ]

    assert "4411" not in json.dumps(answers)
    assert "zebrafish" not in json.dumps(answers)
    assert neighbours.get("../work/MEMORY.md", session=MAIN)["text"].strip() == SECRET.strip()


def test_curated_file_of_another_agent_stays_private_while_it_is_saved(neighbours: Bench) -> None:
    fresh = neighbours.root / "work" / "new"
    fresh.write_text(SECRET, encoding="utf-8")
    fresh.replace(neighbours.root / "work" / "MEMORY.md")

    assert "4411" not in json.dumps(neighbours.answer("harbour account", session=GROUP))
    neighbours.index()
    assert "4411" not in json.dumps(neighbours.answer("harbour account", session=GROUP))


def test_a_session_in_another_folder_finds_its_own_notes_and_no_others(tmp_path: Path) -> None:
    bench = Bench(tmp_path, search={"sync": {"watch": False}})
    bench.write("memory/2026-05-04.md", "the harbour opens at nine\n")
    other = tmp_path / "box"
    (other / "memory").mkdir(parents=True)
    (other / "memory" / "2026-05-04.md").write_text("the harbour is closed\n", encoding="utf-8")
    boxed = replace(GROUP, workspace=other)

    with bench.slot() as slot:
        for _ in range(3):
            for session, text in ((GROUP, "the harbour opens at nine"), (boxed, "the harbour is closed")):
                slot.session_start(session)
                (search,) = [tool for tool in slot.tools(session) if tool.name == "memory_search"]
                answer = search.handler({"query": "harbour"})
                assert [hit["snippet"] for hit in answer["results"]] == [text]


@pytest.mark.parametrize("spelling", ["plain", "dots", "link"])
def test_a_session_that_spells_the_workspace_otherwise_pays_for_nothing(tmp_path: Path, spelling: str) -> None:
    with FakeEmbeddings() as service:
        bench = Bench(tmp_path, search={**remote(service.url), "sync": {"watch": False}})
        bench.write("memory/2026-05-04.md", "the harbour opens at nine\n")
        bench.index()
        sent = list(service.embedded)
        (tmp_path / "link").symlink_to(bench.workspace)
        named = {
            "plain": bench.workspace,
            "dots": bench.workspace / "memory" / "..",
            "link": tmp_path / "link",
        }[spelling]

        with bench.slot() as slot:
            (search,) = [tool for tool in slot.tools(replace(MAIN, workspace=named)) if tool.name == "memory_search"]
            assert search.handler({"query": "nine"})["results"]

        assert service.embedded[len(sent) :] == ["nine"]


def test_a_link_that_the_host_names_shows_the_notes_it_leads_to_now(tmp_path: Path) -> None:
    bench = Bench(tmp_path, search={"sync": {"watch": False}})
    folders = {"own": bench.workspace, "red": tmp_path / "red", "blue": tmp_path / "blue"}
    for name, folder in folders.items():
        folder.mkdir(exist_ok=True)
        (folder / "MEMORY.md").write_text(f"notes of {name}", encoding="utf-8")
    link = tmp_path / "link"

    with bench.slot() as slot:
        for name in ("red", "blue", "own", "red"):
            link.unlink(missing_ok=True)
            link.symlink_to(folders[name])
            (get,) = [tool for tool in slot.tools(replace(MAIN, workspace=link)) if tool.name == "memory_get"]
            assert get.handler({"path": "MEMORY.md"})["text"] == f"notes of {name}"
