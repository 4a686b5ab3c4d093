"""The slot: which plugin is in it, what a switched-off slot answers, and what happens when a plugin fails."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory_core import load_memory_slot
from openclaw_memory_core.errors import PluginLoadError, UnknownPluginError
from openclaw_memory_hookspecs import (
    FlushOutcome,
    FlushRequest,
    RecallBlock,
    RecalledEntry,
    Runtime,
    Session,
    SessionContext,
    TokenUsage,
    hookimpl,
)

SESSION = Session(key="agent:main:main")
REQUEST = FlushRequest(target_path="memory/2026-05-05.md", system_prompt="s", prompt="p")


class Recorder:
    """A plugin that answers every hook and writes down the order of the calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    @hookimpl
    def openclaw_memory_startup(self, runtime: Runtime) -> None:
        self.calls.append("startup")

    @hookimpl
    def openclaw_memory_session_start(self, session: Session) -> SessionContext:
        self.calls.append("session_start")
        return SessionContext(withheld=("something",))

    @hookimpl
    def openclaw_memory_prompt_section(self) -> str:
        self.calls.append("prompt_section")
        return "section"

    @hookimpl
    def openclaw_memory_tools(self) -> list[Any]:
        self.calls.append("tools")
        return []

    @hookimpl
    def openclaw_memory_before_turn(self, message: str) -> RecallBlock:
        self.calls.append("before_turn")
        return RecallBlock((RecalledEntry("MEMORY.md", 1, message, 1.0, message),), message)

    @hookimpl
    def openclaw_memory_tokens_counted(self, usage: TokenUsage) -> FlushRequest | None:
        self.calls.append("tokens_counted")
        return REQUEST if usage.total > 100 else None

    @hookimpl
    def openclaw_memory_flush_finished(self, outcome: FlushOutcome) -> str | None:
        self.calls.append("flush_finished")
        return None

    @hookimpl
    def openclaw_memory_compacted(self, session: Session) -> None:
        self.calls.append("compacted")

    @hookimpl
    def openclaw_memory_session_end(self, reason: str) -> FlushRequest | None:
        self.calls.append(f"session_end {reason}")
        return None

    @hookimpl
    def openclaw_memory_status(self, agent_id: str | None, deep: bool) -> Mapping[str, Any]:
        self.calls.append("status")
        return {"agentId": agent_id, "deep": deep}

    @hookimpl
    def openclaw_memory_shutdown(self) -> None:
        self.calls.append("shutdown")


def slot_config(value: object, **plugins: object) -> dict[str, Any]:
    return {"plugins": {"slots": {"memory": value}, **plugins}}


def test_the_life_of_a_host_calls_each_hook_in_order(tmp_path: Path) -> None:
    recorder = Recorder()

    with load_memory_slot(slot_config("rec"), state_dir=tmp_path, plugins={"rec": recorder}) as slot:
        assert slot.session_start(SESSION).withheld == ("something",)
        assert slot.prompt_section(SESSION) == "section"
        assert slot.tools(SESSION) == ()
        recalled = slot.before_turn(SESSION, "hello")
        assert recalled is not None
        assert recalled.text == "hello"
        assert slot.tokens_counted(SESSION, TokenUsage(total=5)) is None
        assert slot.tokens_counted(SESSION, TokenUsage(total=500)) == REQUEST
        assert slot.flush_finished(SESSION, REQUEST, FlushOutcome(reply="NO_REPLY")) is None
        slot.compacted(SESSION)
        assert slot.session_end(SESSION, "reset") is None
        assert slot.status("main", deep=True)["deep"] is True

    assert recorder.calls == [
        "startup",
        "session_start",
        "prompt_section",
        "tools",
        "before_turn",
        "tokens_counted",
        "tokens_counted",
        "flush_finished",
        "compacted",
        "session_end reset",
        "status",
        "shutdown",
    ]


@pytest.mark.parametrize("value", ["none", "NONE", " None "])
def test_none_switches_the_slot_off_and_every_method_answers_with_nothing(tmp_path: Path, value: str) -> None:
    with load_memory_slot(slot_config(value), state_dir=tmp_path / "state") as slot:
        assert slot.session_start(SESSION) == SessionContext()
        assert slot.prompt_section(SESSION) == ""
        assert slot.tools(SESSION) == ()
        assert slot.before_turn(SESSION, "hello") is None
        assert slot.tokens_counted(SESSION, TokenUsage(total=10**9)) is None
        assert slot.flush_finished(SESSION, REQUEST, FlushOutcome()) is None
        slot.compacted(SESSION)
        assert slot.session_end(SESSION, "new") is None
        status = slot.status()

    assert status["slot"]["enabled"] is False
    assert '"none"' in status["slot"]["reason"]
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    ("plugins", "words"),
    [
        ({"enabled": False}, "plugins.enabled"),
        ({"deny": ["rec"]}, "plugins.deny"),
        ({"entries": {"rec": {"enabled": False}}}, "plugins.entries.rec.enabled"),
    ],
)
def test_other_switches_turn_the_slot_off_and_say_which(tmp_path: Path, plugins: dict[str, Any], words: str) -> None:
    recorder = Recorder()

    slot = load_memory_slot(slot_config("rec", **plugins), state_dir=tmp_path, plugins={"rec": recorder})

    assert words in (slot.slot_status().reason or "")
    assert recorder.calls == []


def test_an_unknown_id_is_an_error_that_names_the_installed_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownPluginError) as caught:
        load_memory_slot(slot_config("memory-lance"), state_dir=tmp_path)

    assert "memory-lance" in caught.value.message
    assert "memory-core" in caught.value.message


def test_only_the_selected_plugin_is_registered(tmp_path: Path) -> None:
    one, two = Recorder(), Recorder()

    with load_memory_slot(slot_config("two"), state_dir=tmp_path, plugins={"one": one, "two": two}) as slot:
        slot.session_start(SESSION)

    assert one.calls == []
    assert two.calls == ["startup", "session_start", "shutdown"]


def test_a_plugin_class_is_instantiated_for_each_slot(tmp_path: Path) -> None:
    first = load_memory_slot(slot_config("rec"), state_dir=tmp_path, plugins={"rec": Recorder})
    second = load_memory_slot(slot_config("rec"), state_dir=tmp_path, plugins={"rec": Recorder})

    assert first.enabled
    assert second.enabled
    first.shutdown()
    assert second.enabled
    second.shutdown()


class Broken:
    @hookimpl
    def openclaw_memory_session_start(self, session: Session) -> SessionContext:
        raise RuntimeError("kaput")


def test_a_raising_hook_is_logged_and_answered_with_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    slot = load_memory_slot(slot_config("broken"), state_dir=tmp_path, plugins={"broken": Broken})

    with caplog.at_level(logging.ERROR):
        context = slot.session_start(SESSION)

    assert context.files == ()
    assert "failed" in context.warnings[0]
    assert "session_start" in caplog.text
    assert slot.slot_status().failures == ("session_start: RuntimeError: kaput",)


def test_a_strict_slot_lets_the_exception_through(tmp_path: Path) -> None:
    slot = load_memory_slot(slot_config("broken"), state_dir=tmp_path, plugins={"broken": Broken}, strict=True)

    with pytest.raises(RuntimeError, match="kaput"):
        slot.session_start(SESSION)


class Misspelt:
    @hookimpl
    def openclaw_memory_sesion_start(self, session: Session) -> None: ...


class WrongArgument:
    @hookimpl
    def openclaw_memory_session_start(self, conversation: Session) -> None: ...


@pytest.mark.parametrize("plugin", [Misspelt, WrongArgument])
def test_hooks_that_do_not_fit_the_contract_are_refused_at_load(tmp_path: Path, plugin: type) -> None:
    with pytest.raises(PluginLoadError, match="does not fit the contract"):
        load_memory_slot(slot_config("odd"), state_dir=tmp_path, plugins={"odd": plugin})


def test_the_slot_is_safe_from_many_threads(tmp_path: Path) -> None:
    slot = load_memory_slot(slot_config("rec"), state_dir=tmp_path, plugins={"rec": Recorder()})
    seen: list[str] = []

    def work(number: int) -> None:
        for turn in range(50):
            block = slot.before_turn(SESSION, f"{number}.{turn}")
            assert block is not None
            seen.append(block.text)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    slot.shutdown()

    assert sorted(seen) == sorted(f"{n}.{t}" for n in range(8) for t in range(50))


def test_shutdown_twice_calls_the_plugin_once(tmp_path: Path) -> None:
    recorder = Recorder()
    slot = load_memory_slot(slot_config("rec"), state_dir=tmp_path, plugins={"rec": recorder})

    slot.shutdown()
    slot.shutdown()

    assert recorder.calls.count("shutdown") == 1
    assert not slot.enabled
