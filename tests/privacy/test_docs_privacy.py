"""docs/privacy.md says what the code does, and the code does it on every surface."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.agents import keyword_agent
from support.notes import write

from openclaw_memory_core.config.model import SessionsConfig
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.privacy import KnownSession, audience, visible_session_keys
from openclaw_memory_hookspecs import Session

PAGE = Path(__file__).parents[2] / "docs" / "privacy.md"
SECRET = "4417"


def table(heading: str) -> list[list[str]]:
    """Cells of the first table below a heading, without its head."""
    section = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n", 1)[1]
    rows = [line for line in section.split("\n## ")[0].split("\n") if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


@dataclass(frozen=True)
class Case:
    name: str
    session: Session
    private: bool


def cases() -> list[Case]:
    found = []
    for name, key, chat_type, owner, trigger, private in table("Which sessions are private"):
        given: Any = None if chat_type == "–" else chat_type
        session = Session(key=key.strip("`"), chat_type=given, sender_is_owner=owner == "yes", trigger=trigger)
        found.append(Case(name, session, private == "yes"))
    return found


CASES = cases()
each = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@contextmanager
def agent(root: Path) -> Iterator[MemoryCore]:
    write(root, "workspace/MEMORY.md", f"- door code {SECRET} <!-- trigger: door code -->\n")
    write(root, "workspace/USER.md", f"- alarm code {SECRET} <!-- trigger: alarm code -->\n")
    note = write(root, "workspace/memory/2026-05-05.md", "The door was painted green.\n")
    note.with_name("hard.md").hardlink_to(root / "workspace" / "MEMORY.md")
    note.with_name("2026-05-04.md").hardlink_to(root / "workspace" / "USER.md")
    with keyword_agent(root / "workspace") as core:
        yield core


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryCore]:
    """One agent for all tests that only look."""
    with agent(tmp_path_factory.mktemp("agent")) as core:
        yield core


def test_the_table_has_private_and_other_sessions() -> None:
    assert {case.private for case in CASES} == {True, False}
    assert len(CASES) > 25


@each
def test_the_audience_is_as_documented(case: Case) -> None:
    assert audience(here(case), SessionsConfig(), default_agent="main").private == case.private


@each
def test_a_session_start_shows_curated_files_to_private_sessions_only(core: MemoryCore, case: Case) -> None:
    context = core.session_start(here(case))

    assert (SECRET in repr(context)) == case.private
    assert bool(context.withheld) != case.private
    assert [file.path for file in context.files if file.path.startswith("memory/")] == ["memory/2026-05-05.md"]


@each
def test_a_search_shows_curated_entries_to_private_sessions_only(core: MemoryCore, case: Case) -> None:
    answer = core.search("door code alarm", session=here(case))

    assert (SECRET in repr(answer)) == case.private
    assert bool(answer.get("withheld")) != case.private
    ordinary = core.search("door painted green", session=here(case))
    assert ordinary["results"][0]["path"] == "memory/2026-05-05.md"


@each
@pytest.mark.parametrize("path", ["MEMORY.md", "memory/../USER.md", "memory/hard.md", "memory/2026-05-04.md"])
def test_a_get_shows_curated_files_to_private_sessions_only(core: MemoryCore, case: Case, path: str) -> None:
    answer = core.get(path, session=here(case))

    assert (SECRET in repr(answer)) == case.private
    assert answer["status"] == ("ok" if case.private else "error")


@each
def test_recall_happens_on_a_users_turn_in_a_private_session_only(core: MemoryCore, case: Case) -> None:
    block = core.before_turn(here(case), "what was the door code?")

    assert (block is not None) == (case.private and case.session.trigger == "user")


@each
def test_only_a_private_session_appends_to_a_curated_file(tmp_path: Path, case: Case) -> None:
    with agent(tmp_path) as core:
        before = (core.workspace.root / "MEMORY.md").read_bytes()
        append = next(tool for tool in core.tools(here(case)) if tool.name == "memory_append")
        curated = append.handler({"text": "a new fact", "target": "curated"})
        today = append.handler({"text": "rain", "target": "today"})

    after = (core.workspace.root / "MEMORY.md").read_bytes()
    assert after.startswith(before)
    assert (after != before) == case.private
    assert (curated["status"] == "ok") == case.private
    assert today["status"] == "ok"


def here(case: Case) -> Session:
    """The session as it comes to the memory of the agent ``main``: another agent's has no business there."""
    agent = None if case.session.key.startswith("agent:main") else "main"
    return Session(
        key=case.session.key,
        agent_id=agent,
        chat_type=case.session.chat_type,
        sender_is_owner=case.session.sender_is_owner,
        trigger=case.session.trigger,
    )


MAIN, GROUP, CHILD = "agent:main:main", "agent:main:telegram:group:1", "agent:main:subagent:1"
ANOTHER, FOREIGN = "agent:main:telegram:group:2", "agent:work:main"
KNOWN = (
    KnownSession(MAIN, "main"),
    KnownSession(GROUP, "main"),
    KnownSession(CHILD, "main", spawned_by=GROUP),
    KnownSession(ANOTHER, "main"),
    KnownSession(FOREIGN, "work"),
)
OWN_AGENT = {MAIN, GROUP, CHILD, ANOTHER}


@pytest.mark.parametrize("row", table("Transcripts"), ids=lambda row: row[0])
def test_transcripts_are_as_documented(row: list[str]) -> None:
    level: Any = row[0].strip("`")
    callers = [(MAIN, False), (GROUP, False), (GROUP, True)]
    for (key, sandboxed), cell in zip(callers, row[1:], strict=True):
        config = SessionsConfig(visibility=level, agent_to_agent_enabled=True)
        who = audience(Session(key=key, sandboxed=sandboxed), config, default_agent="main")
        seen = visible_session_keys(who, KNOWN, config)
        expected = {
            "itself": {key},
            "itself and what it spawned": {key} | ({CHILD} if key == GROUP else set()),
            "all of its agent": OWN_AGENT,
            "all of its agent, others by `tools.agentToAgent`": OWN_AGENT | {FOREIGN},
        }[cell]
        assert {one.key for one in KNOWN if seen.allows(one.key)} == expected
