"""The middleware for LangChain agents: the real packages against a chat server on 127.0.0.1."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.chat_server import Call, ChatServer, Say, text_of
from support.doors import SECRET, TODAY, YESTERDAY, Home

from openclaw_memory_core import load_memory_slot
from openclaw_memory_core.integrations.langchain import ChatMemory
from openclaw_memory_hookspecs import Session

langchain_agents = pytest.importorskip("langchain.agents", reason="needs the package langchain")
langchain_openai = pytest.importorskip("langchain_openai", reason="needs the package langchain-openai")

MAIN = Session(key="agent:main:main", session_id="s1", sender_is_owner=True, context_window=200_000)
GROUP = Session(key="agent:main:telegram:group:-1009", session_id="s2", context_window=200_000)
ASK = "What is the gate code?"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


Ask = Callable[[dict[str, Any]], dict[str, Any]]


def play(
    home: Home, server: ChatServer, script: Callable[[Ask], Any], *, session: Session = MAIN, way: str = "invoke"
) -> Any:
    """Run *script* with a function that runs one turn of an agent with the memory of *session*."""
    from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

    with load_memory_slot(runtime=home.runtime(), strict=True) as slot, DefaultHttpxClient() as sync_client:
        memory = ChatMemory(slot, session)

        def agent(async_client: Any) -> Any:
            model = langchain_openai.ChatOpenAI(
                model="scripted",
                base_url=server.base_url,
                api_key="none",
                max_retries=0,
                http_client=sync_client,
                http_async_client=async_client,
            )
            return langchain_agents.create_agent(
                model, tools=[], system_prompt="You are helpful.", middleware=[memory.middleware()]
            )

        async def ask_async(given: dict[str, Any]) -> dict[str, Any]:
            async with DefaultAsyncHttpxClient() as client:
                return await agent(client).ainvoke(given)

        return script(agent(None).invoke if way == "invoke" else lambda given: asyncio.run(ask_async(given)))


def say(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def users(messages: list[dict[str, Any]]) -> list[str]:
    return [text_of(one) for one in messages if one["role"] == "user"]


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
def test_a_private_session_gets_its_notes_its_tools_and_the_recalled_entry(
    home: Home, server: ChatServer, way: str
) -> None:
    server.script(Call("memory_search", {"query": "fuse"}), Say("It was the fuse."))

    result = play(home, server, lambda ask: ask(say(ASK)), way=way)

    assert result["messages"][-1].text == "It was the fuse."
    assert server.system(0).startswith("You are helpful.")
    assert SECRET in server.system(0)
    assert {"memory_search", "memory_get", "memory_append"} <= set(server.tools(0))
    assert SECRET in users(server.prompts[0])[0]
    assert users(server.prompts[0])[1] == ASK
    assert server.answers_of_tools(1)[0]["results"][0]["path"] == YESTERDAY
    assert [one.text for one in result["messages"] if one.type == "human"] == [ASK]


def test_a_group_session_sees_no_curated_file_by_any_way(home: Home, server: ChatServer) -> None:
    server.script(Call("memory_search", {"query": "gate 4471"}), Call("memory_get", {"path": "MEMORY.md"}), Say("No."))

    play(home, server, lambda ask: ask(say(ASK)), session=GROUP)

    assert SECRET not in json.dumps(server.prompts)
    assert users(server.prompts[0]) == [ASK]


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
def test_a_full_context_gets_one_silent_turn_with_the_append_tool_only(
    home: Home, server: ChatServer, way: str
) -> None:
    server.script(
        Say("Done.", total=177_000),
        Call("memory_append", {"text": "Marta wants the upper deck."}),
        Say("NO_REPLY"),
        Say("Again.", total=178_000),
    )

    def script(ask: Ask) -> dict[str, Any]:
        first = ask(say("Book the ferry."))
        ask({"messages": [*first["messages"], *say("And now?")["messages"]]})
        return first

    first = play(home, server, script, way=way)

    assert first["messages"][-1].text == "Done."
    assert "upper deck" in (home.workspace / TODAY).read_text(encoding="utf-8")
    assert server.tools(1) == ["memory_append"]
    assert "You are helpful." in server.system(1)
    assert server.left == 0


def test_a_silent_turn_that_fails_costs_the_user_nothing(home: Home, server: ChatServer) -> None:
    server.script(Say("Done.", total=177_000))

    result = play(home, server, lambda ask: ask(say("Book the ferry.")))

    assert result["messages"][-1].text == "Done."
    assert len(server.requests) == 2
