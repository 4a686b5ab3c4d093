"""The example runtime over a real slot and a scripted chat server: private, group, flush, and the slot switched off."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from openai import OpenAI
from support.chat_server import Call, ChatServer, Say, text_of
from support.doors import FUSE, SECRET, TODAY, YESTERDAY, Home, make_home

from openclaw_memory_core import load_memory_slot
from openclaw_memory_hookspecs import Session

EXAMPLE = Path(__file__).parents[1] / "examples" / "agent_loop.py"
MAIN = Session(key="agent:main:main", session_id="s1", sender_is_owner=True, context_window=200_000)
GROUP = Session(key="agent:main:telegram:group:-1009", session_id="s2", context_window=200_000)
ASK = "What is the gate code?"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("agent_loop", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


class Chat:
    """One conversation of the example's agent."""

    def __init__(self, example: ModuleType, home: Home, server: ChatServer) -> None:
        self._example, self._home, self._server = example, home, server

    def __call__(
        self, session: Session, *messages: str, slot: str = "memory-core", end: str | None = None
    ) -> list[str]:
        runtime = self._home.runtime(slots={"memory": slot})
        with (
            OpenAI(base_url=self._server.base_url, api_key="none", max_retries=0) as client,
            load_memory_slot(runtime=runtime, strict=True) as memory,
        ):
            agent: Any = self._example.Agent(client, "scripted", memory, session)
            replies = [agent.reply(message) for message in messages]
            if end is not None:
                agent.end(end)
            return replies


@pytest.fixture
def chat(example: ModuleType, home: Home, server: ChatServer) -> Chat:
    return Chat(example, home, server)


def users(messages: list[dict[str, Any]]) -> list[str]:
    return [text_of(one) for one in messages if one["role"] == "user"]


def test_a_private_session_starts_with_its_files_recalls_and_searches(chat: Chat, server: ChatServer) -> None:
    server.script(Call("memory_search", {"query": "motor fuse"}), Say("The fuse was blown."))

    assert chat(MAIN, ASK) == ["The fuse was blown."]

    assert "## MEMORY.md" in server.system(0)
    assert f"## {YESTERDAY}" in server.system(0)
    assert FUSE in server.system(0)
    assert SECRET in users(server.prompts[0])[0]
    assert users(server.prompts[0])[0].endswith(ASK)
    assert server.answers_of_tools(1)[0]["results"][0]["path"] == YESTERDAY


def test_what_was_recalled_is_not_in_the_history_of_the_next_turn(chat: Chat, server: ChatServer) -> None:
    server.script(Say("4471."), Say("You are welcome."))

    chat(MAIN, ASK, "Thank you.")

    assert users(server.prompts[1]) == [ASK, "Thank you."]


def test_a_group_session_sees_no_curated_file_by_any_way(chat: Chat, server: ChatServer) -> None:
    server.script(
        Call("memory_search", {"query": "gate code 4471"}), Call("memory_get", {"path": "MEMORY.md"}), Say("No idea.")
    )

    assert chat(GROUP, ASK) == ["No idea."]

    assert SECRET not in json.dumps(server.prompts)
    assert FUSE in server.system(0)
    assert server.answers_of_tools(2)[0]["withheld"]
    assert server.answers_of_tools(2)[1]["code"] == "path-not-allowed"


def test_a_full_context_gets_one_silent_turn_and_the_user_sees_nothing_of_it(
    chat: Chat, server: ChatServer, home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script(
        Say("Booked.", total=177_000),
        Call("memory_append", {"text": "Marta wants the upper deck."}),
        Say("NO_REPLY"),
        Say("Anything else?", total=178_000),
    )

    assert chat(MAIN, "Book the ferry.", "Thanks.") == ["Booked.", "Anything else?"]

    assert server.left == 0
    assert server.tools(1) == ["memory_append"]
    note = (home.workspace / TODAY).read_text(encoding="utf-8")
    assert note.startswith("# Tuesday\n\nMarta asked about the ferry.\n")
    assert "upper deck" in note
    assert "NO_REPLY" not in json.dumps(server.prompts[3])
    assert capsys.readouterr().out == ""


def test_after_the_compaction_the_next_cycle_flushes_again(chat: Chat, server: ChatServer) -> None:
    flush = (Call("memory_append", {"text": "note"}), Say("NO_REPLY"))
    server.script(Say("A", total=185_000), *flush, Say("B", total=186_000), *flush)

    assert chat(MAIN, "one", "two") == ["A", "B"]
    assert server.left == 0


def test_a_silent_turn_that_fails_costs_no_reply(chat: Chat, server: ChatServer) -> None:
    server.script(Say("Booked.", total=177_000))

    assert chat(MAIN, "Book the ferry.") == ["Booked."]
    assert len(server.requests) == 2


def test_the_end_of_a_session_saves_what_no_flush_has_seen(chat: Chat, server: ChatServer, home: Home) -> None:
    server.script(Say("Noted."), Call("memory_append", {"text": "The user moved to Lyon."}), Say("NO_REPLY"))

    chat(MAIN, "I moved to Lyon.", end="reset")

    assert "Lyon" in (home.workspace / TODAY).read_text(encoding="utf-8")


def test_with_the_slot_none_the_same_agent_runs_without_memory(chat: Chat, server: ChatServer, home: Home) -> None:
    server.script(Say("I do not know.", total=190_000), Say("Bye."))

    assert chat(MAIN, ASK, "Bye.", slot="none", end="reset") == ["I do not know.", "Bye."]

    assert server.tools(0) == []
    assert server.system(0) == "You are a helpful assistant."
    assert users(server.prompts[0]) == [ASK]
    assert SECRET not in json.dumps(server.prompts)
    assert len(server.requests) == 2
    assert not home.state_dir.exists()


def test_the_example_runs_as_a_program(server: ChatServer, home: Home) -> None:
    server.script(Say("Hello to you."), Say("NO_REPLY"))

    options = ["--config", str(home.config_path), "--base-url", server.base_url, "--api-key", "none"]
    result = subprocess.run(
        [sys.executable, str(EXAMPLE), *options, "--model", "scripted"],
        input="Hello\n",
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "OPENCLAW_STATE_DIR": str(home.state_dir)},
        timeout=60,
    )

    assert result.returncode == 0, result.stderr
    assert result.stdout == "Hello to you.\n"
    assert SECRET in server.system(0)
