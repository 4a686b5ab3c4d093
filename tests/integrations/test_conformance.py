"""The conformance kit: our plugin, the examples and an adapter pass; those that break the contract do not."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from openai import OpenAI
from support.chat_server import Call, ChatServer, Say
from support.doors import SECRET, Home

from openclaw_memory_core import load_memory_slot
from openclaw_memory_core.plugin import MemoryCorePlugin
from openclaw_memory_hookspecs import (
    ContextFile,
    FlushOutcome,
    FlushRequest,
    RecallBlock,
    RecalledEntry,
    Runtime,
    Session,
    SessionContext,
    TokenUsage,
    ToolSpec,
    hookimpl,
    testing,
)
from openclaw_memory_hookspecs.testing import PRIVATE, ConformanceError, HostProbe, check_plugin

EXAMPLES = Path(__file__).parents[2] / "examples"
CONFIG = {"plugins": {"slots": {"memory": "probe"}}}


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


# --- plugins ---------------------------------------------------------------------------------------------------------


def test_our_plugin_passes(home: Home) -> None:
    check_plugin(MemoryCorePlugin, home.runtime(), message="What is the gate code?", secret=SECRET)


def test_the_example_plugin_passes(tmp_path: Path) -> None:
    (tmp_path / "SCRATCHPAD.txt").write_text(f"{SECRET}\n", encoding="utf-8")
    scratchpad = module(EXAMPLES / "scratchpad_plugin" / "scratchpad_memory.py").ScratchpadMemory

    check_plugin(scratchpad, Runtime(state_dir=tmp_path), secret=SECRET)


def answer(value: Any) -> dict[str, Any]:
    return {"status": value}


def tool(name: str = "t", description: str = "d", schema: Any = None, handler: Any = answer) -> ToolSpec:
    return ToolSpec(name, description, {"type": "object"} if schema is None else schema, {}, handler)


class Tools:
    def __init__(self, *tools: Any) -> None:
        self._tools = tools

    @hookimpl
    def openclaw_memory_tools(self) -> list[Any]:
        return list(self._tools)


class Flush:
    def __init__(self, target: str, prompt: str = "p") -> None:
        self._request = FlushRequest(target, "s", prompt)

    @hookimpl
    def openclaw_memory_tokens_counted(self, session: Session) -> FlushRequest | None:
        return self._request if session.workspace_access == "rw" else None


class FlushEverywhere:
    @hookimpl
    def openclaw_memory_tokens_counted(self) -> FlushRequest:
        return FlushRequest("memory/a.md", "s", "p")


class Section:
    def __init__(self) -> None:
        self._count = 0

    @hookimpl
    def openclaw_memory_prompt_section(self) -> str:
        self._count += 1
        return f"call {self._count}"


class Wrong:
    @hookimpl
    def openclaw_memory_session_start(self) -> str:
        return "text"


class Asynchronous:
    @hookimpl
    async def openclaw_memory_session_start(self) -> SessionContext:
        return SessionContext()


class Recall:
    def __init__(self, count: int) -> None:
        self._entries = (RecalledEntry("a.md", 1, "x", 1.0, "x"),) * count

    @hookimpl
    def openclaw_memory_before_turn(self) -> RecallBlock:
        return RecallBlock(self._entries, "text")


class NoThreads:
    def __init__(self) -> None:
        self._first: int | None = None

    @hookimpl
    def openclaw_memory_before_turn(self) -> None:
        import threading

        self._first = self._first or threading.get_ident()
        if threading.get_ident() != self._first:
            raise RuntimeError("another thread")


class Status:
    @hookimpl
    def openclaw_memory_status(self) -> Mapping[str, Any]:
        return {"path": Path("x")}


class Misspelt:
    @hookimpl
    def openclaw_memory_sesion_start(self) -> None: ...


class Unmarked:
    def openclaw_memory_session_start(self) -> SessionContext:
        return SessionContext()


def raises(arguments: Mapping[str, Any]) -> dict[str, Any]:
    raise KeyError("query")


@pytest.mark.parametrize(
    ("plugin", "problem"),
    [
        (lambda: Tools(tool(), tool()), "same name"),
        (lambda: Tools(tool(name="has spaces")), "name does not fit"),
        (lambda: Tools(tool(description=" ")), "no description"),
        (lambda: Tools(tool(schema={"type": "string"})), "not of type object"),
        (lambda: Tools(tool(schema={"type": "object", "x": {1}})), "not JSON"),
        (lambda: Tools(tool(handler=raises)), "raised KeyError"),
        (lambda: Tools(tool(handler=lambda _: "text")), "JSON object"),
        (lambda: Tools("memory_search"), "must hold ToolSpec"),
        (lambda: Flush("../outside.md"), "is outside"),
        (lambda: Flush("/etc/passwd"), "is outside"),
        (lambda: Flush("C:\\notes.md"), "is outside"),
        (lambda: Flush("memory/a.md", " "), "without a prompt"),
        (FlushEverywhere, "access ro"),
        (Section, "changes within a session"),
        (Wrong, "session_start answered with str"),
        (Asynchronous, "asynchronous"),
        (lambda: Recall(0), "0 entries"),
        (lambda: Recall(4), "4 entries"),
        (NoThreads, "another thread"),
        (Status, "not JSON-serialisable"),
        (Misspelt, "cannot be registered"),
        (Unmarked, "implements no hook"),
    ],
)
def test_a_plugin_that_breaks_the_contract_is_told_what(tmp_path: Path, plugin: Any, problem: str) -> None:
    with pytest.raises(ConformanceError, match=problem):
        check_plugin(plugin, Runtime(state_dir=tmp_path))


class Talkative:
    """Shows everybody the same file."""

    @hookimpl
    def openclaw_memory_session_start(self) -> SessionContext:
        return SessionContext(files=(ContextFile("a.md", SECRET),))


class Leaky:
    """Hides the file, but not from the search."""

    @hookimpl
    def openclaw_memory_session_start(self, session: Session) -> SessionContext:
        return SessionContext(files=(ContextFile("a.md", SECRET),) if session.sender_is_owner else ())

    @hookimpl
    def openclaw_memory_tools(self) -> list[ToolSpec]:
        schema = {"type": "object", "properties": {"query": {"type": "string"}}}
        return [tool(schema=schema, handler=lambda _: {"results": [SECRET]})]


@pytest.mark.parametrize(("plugin", "place"), [(Talkative, "session_start"), (Leaky, "tool t")])
def test_a_plugin_that_shows_a_group_a_secret_is_found_out(tmp_path: Path, plugin: Any, place: str) -> None:
    with pytest.raises(ConformanceError, match=f"{place} shows a group"):
        check_plugin(plugin, Runtime(state_dir=tmp_path), secret=SECRET)


def test_a_secret_that_nobody_sees_tests_nothing(tmp_path: Path) -> None:
    with pytest.raises(ConformanceError, match="nothing is tested"):
        check_plugin(lambda: Recall(1), Runtime(state_dir=tmp_path), secret=SECRET)


# --- hosts -----------------------------------------------------------------------------------------------------------


def test_the_example_host_passes(tmp_path: Path) -> None:
    example = module(EXAMPLES / "agent_loop.py")
    probe = HostProbe(flush_at=190_000)
    with ChatServer() as server:
        server.script(
            Call(testing.TOOL_NAME, {"text": "a"}),
            Say("Hello.", total=195_000),
            Call(testing.SAVE_NAME, {"text": "b"}),
            Say("NO_REPLY"),
            Say("Bye."),
        )
        with (
            OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client,
            load_memory_slot(CONFIG, state_dir=tmp_path, plugins={"probe": probe}) as slot,
        ):
            agent = example.Agent(client, "scripted", slot, PRIVATE)
            agent.reply("Hi")
            agent.reply("Bye")
            agent.end("reset")
        sent = [str(prompt) for prompt in server.prompts]

    probe.check()
    assert testing.CONTEXT_TEXT in sent[0]
    assert testing.SECTION_TEXT in sent[0]
    assert testing.RECALL_TEXT in sent[0]
    assert testing.FLUSH_PROMPT in sent[2]
    assert testing.FLUSH_SYSTEM in sent[2]
    assert probe.tool_calls == [{"text": "a"}]
    assert probe.saves == [{"text": "b"}]
    assert [call.value for call in probe.calls if call.hook == "session_end"] == ["reset"]
    assert "compacted" in probe.hooks()


def test_the_agents_adapter_passes(tmp_path: Path) -> None:
    agents = pytest.importorskip("agents", reason="needs the extra [agents]")
    import asyncio

    from openai import AsyncOpenAI

    from openclaw_memory_core.integrations.openai_agents import AgentMemory

    probe = HostProbe(flush_at=5000)

    async def run(server: ChatServer) -> None:
        async with AsyncOpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client:
            model = agents.OpenAIChatCompletionsModel(model="scripted", openai_client=client)
            with load_memory_slot(CONFIG, state_dir=tmp_path, plugins={"probe": probe}) as slot:
                memory = AgentMemory(slot, PRIVATE)
                agent = memory.equip(agents.Agent(name="A", model=model))
                result = await memory.run(agent, "Hi")
                await memory.end(agent, result.to_input_list(), "reset")

    agents.set_tracing_disabled(True)
    with ChatServer() as server:
        server.script(Say("Hello.", total=6000), Call(testing.SAVE_NAME, {"text": "b"}), Say("NO_REPLY"))
        asyncio.run(run(server))
        sent = [str(prompt) for prompt in server.prompts]

    probe.check()
    assert all(text in sent[0] for text in (testing.CONTEXT_TEXT, testing.SECTION_TEXT, testing.RECALL_TEXT))
    assert testing.FLUSH_PROMPT in sent[1]
    assert probe.saves == [{"text": "b"}]


def test_a_host_that_breaks_the_contract_is_told_what(tmp_path: Path) -> None:
    probe = HostProbe()
    with load_memory_slot(CONFIG, state_dir=tmp_path, plugins={"probe": probe}) as slot:
        slot.before_turn(PRIVATE, f"{testing.CONTEXT_TEXT} hello")
        request = slot.tokens_counted(PRIVATE, TokenUsage(total=5000))
        assert request is not None
        slot.before_turn(PRIVATE, request.prompt)

    with pytest.raises(ConformanceError) as caught:
        probe.check()

    text = "\n".join(caught.value.problems)
    assert "before_turn before session_start" in text
    assert "text that the host had added" in text
    assert "reported 0 times" in text
    assert "for the silent turn" in text


def test_a_flush_that_is_reported_twice_and_a_missing_end_are_found(tmp_path: Path) -> None:
    probe = HostProbe()
    slot = load_memory_slot(CONFIG, state_dir=tmp_path, plugins={"probe": probe})
    slot.session_start(PRIVATE)
    request = slot.tokens_counted(PRIVATE, TokenUsage(total=5000))
    assert request is not None
    for _ in range(2):
        slot.flush_finished(PRIVATE, request, FlushOutcome())

    with pytest.raises(ConformanceError) as caught:
        probe.check()
    slot.shutdown()

    assert caught.value.problems == [
        "shutdown is not the last call",
        "the end of the flush conformance-0 was reported 2 times",
    ]
