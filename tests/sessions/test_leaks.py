"""Every kind of caller against every kind of transcript, by every way to look into one, as docs/sessions.md says."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.sessions import Clock
from support.transcripts import Transcript

from openclaw_memory_core.config import load_config
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_hookspecs import Runtime, Session

PAGE = (Path(__file__).parents[2] / "docs" / "sessions.md").read_text(encoding="utf-8")
OWNERS = ("own", "child", "sibling", "archive", "work", "secret")
SECRET_KEY = "agent:main:telegram:direct:secret"


def rows() -> list[tuple[str, str, list[bool]]]:
    section = PAGE.split("## Who sees what\n", 1)[1].split("\n## ")[0]
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in section.split("\n") if line.startswith("|")]
    return [(name, key.strip("`"), [cell == "yes" for cell in seen]) for name, key, *seen in cells[2:]]


ROWS = rows()


class World:
    """Agents ``main`` and ``work``; each transcript says ``marker`` and the name of its owner."""

    def __init__(self, root: Path, key: str) -> None:
        self.key = key
        self.keys = {
            "own": key,
            "child": "agent:main:subagent:of-the-caller",
            "sibling": "agent:main:telegram:direct:sibling",
            "archive": "agent:main:telegram:direct:archived",
            "work": "agent:work:main",
            "secret": SECRET_KEY,
        }
        entries: dict[str, dict[str, dict[str, Any]]] = {"main": {}, "work": {}}
        for owner in OWNERS:
            agent = "work" if owner == "work" else "main"
            suffix = ".reset.2026-05-01T04-00-00Z" if owner == "archive" else ""
            folder = root / "state" / "agents" / agent / "sessions"
            Transcript(folder / f"id-{owner}.jsonl{suffix}").user(f"marker of {owner}")
            if owner != "archive":
                entries[agent][self.keys[owner]] = {"sessionId": f"id-{owner}"}
        entries["main"][self.keys["child"]]["spawnedBy"] = key
        entries["main"][SECRET_KEY]["incognito"] = True
        for agent, known in entries.items():
            path = root / "state" / "agents" / agent / "sessions" / "sessions.json"
            path.write_text(json.dumps(known), encoding="utf-8")
        config = load_config(
            {
                "agents": {
                    "defaults": {"workspace": str(root / "workspace")},
                    "list": [{"id": "main", "default": True}, {"id": "work"}],
                },
                "memory": {
                    "search": {
                        "provider": "none",
                        "experimental": {"sessionMemory": True},
                        "sources": ["memory", "sessions"],
                    }
                },
            },
            state_dir=root / "state",
            env={"HOME": str(root)},
        )
        runtime = Runtime(clock=Clock(dt.datetime(2026, 5, 5, 9, 0, tzinfo=dt.UTC)), timezone="Europe/Lisbon")
        self.core = MemoryCore(config, "main", runtime=runtime, background=False)
        self.core.index.sync(reason="cli")
        self.tools = {tool.name: tool for tool in self.core.tools(Session(key=key, session_id="id-own"))}

    def search(self) -> set[str]:
        answer = self.tools["memory_search"].handler({"query": "marker", "corpus": "sessions", "maxResults": 50})
        return {owner for owner in OWNERS if any(f"id-{owner}.jsonl" in hit["path"] for hit in answer["results"])}

    def sessions_search(self) -> set[str]:
        answer = self.tools["sessions_search"].handler({"query": "marker", "limit": 25})
        return {owner for owner in OWNERS if any(hit["sessionId"] == f"id-{owner}" for hit in answer["results"])}

    def history(self) -> set[str]:
        seen = set()
        for owner in OWNERS:
            wanted = {"sessionKey": self.keys[owner]}
            if owner == "archive":
                wanted = {"sessionKey": "current", "sessionId": "id-archive"}
            if f"marker of {owner}" in json.dumps(self.tools["sessions_history"].handler(wanted)):
                seen.add(owner)
        return seen

    def everything(self, names: list[str]) -> str:
        """What every tool says to every argument that names a hidden owner."""
        said = []
        for name in names:
            places = (
                {"sessionKey": self.keys[name]},
                {"sessionKey": "current", "sessionId": f"id-{name}"},
                {"sessionKey": self.key, "messageId": "e0001", "sessionId": f"id-{name}"},
            )
            said += [self.tools["sessions_history"].handler(arguments) for arguments in places]
            said.append(self.tools["sessions_search"].handler({"query": "marker", "sessionKey": self.keys[name]}))
            said.append(self.tools["sessions_search"].handler({"query": f'"marker of {name}"'}))
            said.append(self.tools["memory_search"].handler({"query": f"marker of {name}", "corpus": "all"}))
            said.append(self.tools["memory_get"].handler({"path": f"sessions/main/id-{name}.jsonl"}))
        return json.dumps(said)


@pytest.fixture(params=ROWS, ids=[name for name, _, _ in ROWS])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[World, set[str]]]:
    _, key, seen = request.param
    world = World(tmp_path, key)
    with world.core:
        yield world, {owner for owner, yes in zip(OWNERS, seen, strict=True) if yes}


def test_each_way_shows_what_the_page_says_and_nothing_else(case: tuple[World, set[str]]) -> None:
    world, expected = case
    assert {
        "memory_search": world.search(),
        "sessions_search": world.sessions_search(),
        "history": world.history(),
    } == {
        "memory_search": expected,
        "sessions_search": expected,
        "history": expected,
    }


def test_no_argument_brings_out_a_hidden_transcript(case: tuple[World, set[str]]) -> None:
    world, expected = case
    hidden = [owner for owner in OWNERS if owner not in expected]
    said = world.everything(hidden)
    assert not [owner for owner in hidden if f'"marker of {owner}' in said or f"User: marker of {owner}" in said]


def test_the_status_holds_no_word_of_a_transcript(tmp_path: Path) -> None:
    world = World(tmp_path, "agent:main:main")
    with world.core:
        assert "marker" not in json.dumps(world.core.status(deep=False), default=str)


def test_the_page_has_a_row_for_every_kind_of_caller() -> None:
    assert len(ROWS) == 10
