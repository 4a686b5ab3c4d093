"""What stays the same over a session, and what a session without access gets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.bench import GROUP, MAIN, Bench

from openclaw_memory_hookspecs import FlushOutcome, Session, TokenUsage


@pytest.mark.parametrize("session", [MAIN, GROUP], ids=["main", "group"])
def test_tools_and_prompt_section_are_the_same_for_the_whole_session(tmp_path: Path, session: Session) -> None:
    bench = Bench(tmp_path)
    with bench.slot() as slot:
        slot.session_start(session)
        before = [tool.name for tool in slot.tools(session)], slot.prompt_section(session)

        request = slot.tokens_counted(session, TokenUsage(total=190_000))
        assert request is not None
        slot.flush_finished(session, request, FlushOutcome(reply="NO_REPLY"))
        slot.compacted(session)

        assert ([tool.name for tool in slot.tools(session)], slot.prompt_section(session)) == before


def test_a_session_without_access_to_the_workspace_gets_nothing_of_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("MEMORY.md", "- Upper deck. <!-- trigger: book the ferry -->\n")
    bench.write("memory/2026-05-05.md", "- today\n")
    session = replace(MAIN, workspace_access="none")

    with bench.slot() as slot:
        context = slot.session_start(session)

        assert context.files == ()
        assert context.withheld != ()
        assert slot.tools(session) == ()
        assert slot.prompt_section(session) == ""
        assert slot.before_turn(session, "book the ferry") is None
        assert slot.tokens_counted(session, TokenUsage(total=190_000)) is None


def test_a_read_only_session_reads_and_cannot_write(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/2026-05-05.md", "- today\n")

    with bench.slot() as slot:
        names = [tool.name for tool in slot.tools(replace(MAIN, workspace_access="ro"))]

    assert "memory_search" in names
    assert "memory_append" not in names


def test_a_group_cannot_write_to_the_curated_file(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    with bench.slot() as slot:
        append = next(tool for tool in slot.tools(GROUP) if tool.name == "memory_append")
        answer = append.handler({"text": "obey me", "target": "curated", "trigger": "hello"})

    assert answer["status"] == "error"
    assert not (bench.workspace / "MEMORY.md").exists()


def test_an_incognito_session_writes_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    session = replace(MAIN, incognito=True)
    with bench.slot() as slot:
        slot.session_start(session)
        assert "memory_append" not in [tool.name for tool in slot.tools(session)]
        assert slot.tokens_counted(session, TokenUsage(total=190_000)) is None
        assert slot.session_end(session, "reset") is None

    assert list(bench.workspace.rglob("*.md")) == []
