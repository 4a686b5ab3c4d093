"""The adapter for the OpenAI Agents SDK: the real SDK against a chat server on 127.0.0.1."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from support.chat_server import Call, ChatServer, Say, text_of
from support.doors import FUSE, SECRET, TODAY, YESTERDAY, Home

from openclaw_memory_core import load_memory_slot
from openclaw_memory_core.integrations.openai_agents import AgentMemory
from openclaw_memory_hookspecs import Session

agents = pytest.importorskip("agents", reason="needs the extra [agents]")

WINDOW = 200_000
MAIN = Session(key="agent:main:main", session_id="s1", sender_is_owner=True, context_window=WINDOW)
GROUP = Session(key="agent:main:telegram:group:-1009", session_id="s2", context_window=WINDOW)
ASK = "What is the gate code?"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def play(
    home: Home, server: ChatServer, script: Callable[[AgentMemory, Any], Awaitable[Any]], *, session: Session = MAIN
) -> Any:
    """Run *script* with the memory of *session* and an agent that is equipped with it."""
    from openai import AsyncOpenAI

    async def run() -> Any:
        async with AsyncOpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client:
            model = agents.OpenAIChatCompletionsModel(model="scripted", openai_client=client)
            agent = agents.Agent(name="Assistant", instructions="You are helpful.", model=model)
            runtime = home.runtime()
            with load_memory_slot(runtime=runtime, strict=True) as slot:
                memory = AgentMemory(slot, session)
                return await script(memory, memory.equip(agent))

    agents.set_tracing_disabled(True)
    return asyncio.run(run())


def users(messages: list[dict[str, Any]]) -> list[str]:
    return [text_of(one) for one in messages if one["role"] == "user"]


def test_a_private_session_gets_its_notes_its_tools_and_the_recalled_entry(home: Home, server: ChatServer) -> None:
    server.script(Call("memory_search", {"query": "fuse"}), Say("It was the fuse."))

    result = play(home, server, lambda memory, agent: memory.run(agent, ASK))

    assert result.final_output == "It was the fuse."
    assert "You are helpful." in server.system(0)
    assert SECRET in server.system(0)
    assert FUSE in server.system(0)
    assert {"memory_search", "memory_get", "memory_append"} <= set(server.tools(0))
    hidden, asked = users(server.prompts[0])
    assert SECRET in hidden
    assert asked == ASK
    assert users(server.prompts[1]) == [hidden, ASK]
    assert server.answers_of_tools(1)[0]["results"][0]["path"] == YESTERDAY


def test_a_group_session_sees_no_curated_file_by_any_way(home: Home, server: ChatServer) -> None:
    server.script(
        Call("memory_search", {"query": "gate code 4471"}), Call("memory_get", {"path": "MEMORY.md"}), Say("No idea.")
    )

    play(home, server, lambda memory, agent: memory.run(agent, ASK), session=GROUP)

    assert SECRET not in json.dumps(server.prompts)
    assert users(server.prompts[0]) == [ASK]
    assert "MEMORY.md exists and is not shown here" in server.system(0)
    assert server.answers_of_tools(2)[1]["code"] == "path-not-allowed"


def test_what_was_recalled_is_not_kept_in_the_history(home: Home, server: ChatServer) -> None:
    server.script(Say("4471."), Say("You are welcome."))

    async def script(memory: AgentMemory, agent: Any) -> list[Any]:
        history = agents.SQLiteSession("s1")
        try:
            await memory.run(agent, ASK, session=history)
            await memory.run(agent, "Thank you.", session=history)
            return list(await history.get_items())
        finally:
            history.close()

    items = play(home, server, script)

    assert SECRET not in json.dumps(items)
    assert users(server.prompts[1]) == [ASK, "Thank you."]


def test_a_full_context_gets_one_silent_turn_with_the_append_tool_only(home: Home, server: ChatServer) -> None:
    server.script(
        Say("Done.", total=177_000),
        Call("memory_append", {"text": "Marta wants the upper deck."}),
        Say("NO_REPLY"),
        Say("Again.", total=178_000),
    )

    async def script(memory: AgentMemory, agent: Any) -> Any:
        first = await memory.run(agent, "Book the ferry.")
        await memory.run(agent, [*first.to_input_list(), {"role": "user", "content": "And now?"}])
        return first

    first = play(home, server, script)

    assert first.final_output == "Done."
    assert "upper deck" in (home.workspace / TODAY).read_text(encoding="utf-8")
    assert server.tools(1) == ["memory_append"]
    assert users(server.prompts[1])[0] == "Book the ferry."
    assert server.left == 0
    assert len(server.requests) == 4


def test_after_a_compaction_the_next_cycle_may_flush_again(home: Home, server: ChatServer) -> None:
    flush = (Call("memory_append", {"text": "one"}), Say("NO_REPLY"))
    server.script(Say("A", total=177_000), *flush, Say("B", total=177_500), *flush)
    long = [{"role": "user", "content": f"message {number}"} for number in range(9)]

    async def script(memory: AgentMemory, agent: Any) -> None:
        await memory.run(agent, long)
        await memory.run(agent, long[-2:])

    play(home, server, script)

    assert server.left == 0


def test_a_silent_turn_that_fails_costs_the_user_nothing(home: Home, server: ChatServer) -> None:
    server.script(Say("Done.", total=177_000))

    result = play(home, server, lambda memory, agent: memory.run(agent, "Book the ferry."))

    assert result.final_output == "Done."
    assert len(server.requests) == 2


def test_arguments_that_are_no_json_are_an_answer(home: Home, server: ChatServer) -> None:
    server.script(Call("memory_get", '{"path": '), Say("Sorry."))

    result = play(home, server, lambda memory, agent: memory.run(agent, "Hello"))

    assert result.final_output == "Sorry."
    assert "not JSON" in server.answers_of_tools(1)[0]["error"]


def test_own_instructions_tools_and_filters_of_the_user_stay(home: Home, server: ChatServer) -> None:
    server.script(Say("Hello."))

    @agents.function_tool
    def own_tool() -> str:
        """Nothing."""
        return ""

    def upper(data: Any) -> Any:
        return replace(data.model_data, instructions=f"{data.model_data.instructions} FILTERED")

    async def script(memory: AgentMemory, agent: Any) -> None:
        async def instructions(context: Any, current: Any) -> str:
            return "Made for this run."

        own = agents.Agent(name="Own", instructions=instructions, tools=[own_tool], model=agent.model)
        config = agents.RunConfig(call_model_input_filter=upper)
        await memory.run(memory.equip(own), ASK, run_config=config)

    play(home, server, script)

    assert server.tools(0)[0] == "own_tool"
    assert "memory_search" in server.tools(0)
    assert server.system(0).startswith("Made for this run.")
    assert server.system(0).endswith("FILTERED")
    assert len(users(server.prompts[0])) == 2


def test_the_end_of_a_conversation_saves_what_was_not_saved(home: Home, server: ChatServer) -> None:
    server.script(Say("Noted.", total=60_000))

    async def script(memory: AgentMemory, agent: Any) -> None:
        result = await memory.run(agent, "I moved to Lyon.")
        server.script(Call("memory_append", {"text": "The user moved to Lyon."}), Say("NO_REPLY"))
        await memory.end(agent, result.to_input_list(), "reset")

    play(home, server, script)

    assert "Lyon" in (home.workspace / TODAY).read_text(encoding="utf-8")
    assert server.left == 0


def test_open_needs_no_slot_of_the_program_and_is_not_private_by_itself(
    home: Home, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with AgentMemory.open(config_path=home.config_path, state_dir=home.state_dir) as memory:
        assert SECRET not in memory.instructions
        assert memory.recall(ASK) is None
    with AgentMemory.open(private=True, config_path=home.config_path, state_dir=home.state_dir) as memory:
        assert SECRET in memory.instructions
        assert SECRET in (memory.recall(ASK) or "")
    assert not memory.slot.enabled
