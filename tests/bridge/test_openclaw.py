"""The real OpenClaw with our memory in its slot, proved by its own commands and by what its model receives.

Run with ``pytest -m openclaw``.  Takes about seven minutes on two busy cores, because every command of OpenClaw is a
Node process that needs seconds to start; fetching the packages the first time takes one more.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from support.chat_server import Reply
from support.model_server import Call, ModelServer, Say, system_text, tool_answers, tool_names, user_texts
from support.openclaw_host import PLUGIN, NotInstallableError, OpenClawHome, Program, Run, program, until

pytestmark = [
    pytest.mark.openclaw,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc"),
]

MAIN = "agent:main:main"
GROUP = "agent:main:telegram:group:-1009"
SECRET = "4471"
NOTE = "memory/2026-01-02.md"
NEARLY_FULL = 120_000


def think(body: Mapping[str, Any]) -> Reply:
    """A model that searches when asked to, fills its context when asked to, and saves a note in a flush."""
    said = (user_texts(body) or [""])[-1]
    answers = tool_answers(body)
    if "Memory flush" in said:
        today = dt.datetime.now(dt.UTC).date().isoformat()
        write = Call("write", {"path": f"memory/{today}.md", "content": "- Saved by the flush.\n"})
        return Say("NO_REPLY") if answers else write
    if "search conversations for" in said and not answers:
        query = said.split("search conversations for ")[1].split("\n")[0]
        return Call("memory_search", {"query": query, "corpus": "sessions"})
    if "search for" in said and not answers:
        return Call("memory_search", {"query": said.split("search for ")[1].split("\n")[0]})
    if "fill the context" in said:
        return Say("It is nearly full.", total=NEARLY_FULL)
    return Say("The model has answered.")


@pytest.fixture(scope="session")
def openclaw() -> Program:
    try:
        return program()
    except NotInstallableError as error:
        pytest.skip(f"OpenClaw cannot be installed: {error}")


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer(think) as server:
        yield server


def make_home(openclaw: Program, model: ModelServer, factory: pytest.TempPathFactory, name: str) -> OpenClawHome:
    home = OpenClawHome(openclaw, factory.mktemp(name), model.base_url)
    home.note("MEMORY.md", f"# Lasting\n\n- The gate code is {SECRET} <!-- trigger: gate code -->\n")
    home.note(NOTE, "# Monday\n\nThe whale budget is 42 krona.\n")
    return home


@pytest.fixture(scope="module")
def home(openclaw: Program, model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenClawHome]:
    """Our memory in the slot, and a gateway that runs."""
    home = make_home(openclaw, model, tmp_path_factory, "openclaw")
    installed = home.bridge("install", "--json")
    assert installed.code == 0, installed.text
    with home.gateway() as gateway:
        yield home
        assert len(home.servers()) <= 1, "one Python for a gateway"
        gateway.terminate()
        gateway.wait(60)
        until(lambda: not home.servers(), 10)


def turn(home: OpenClawHome, model: ModelServer, message: str, session: str = MAIN) -> list[dict[str, Any]]:
    """What the model received in one turn that was completed."""
    before = len(model.bodies)
    done = home.say(message, session=session)
    assert done.code == 0, done.text
    assert "answered" in done.out or "nearly full" in done.out, done.text
    return model.bodies[before:]


def test_memory_search_and_status_are_our_commands(home: OpenClawHome) -> None:
    found = home.run("memory", "search", "whale", "budget", "--json")
    assert found.code == 0, found.text
    assert found.json()["results"][0]["path"] == NOTE

    status = home.run("memory", "status", "--json").json()
    assert status["workspaceDir"] == str(home.workspace)
    assert status["today"]

    assert home.run("memory", "search", "--no-such-option", "x").code == 2
    assert home.run("memory", "promote").code != 0


def test_the_search_of_the_control_panel_is_ours(home: OpenClawHome) -> None:
    answer = home.call("memory.search", query="whale", agentId="main").json()

    assert [one["path"] for one in answer["results"]] == [NOTE]
    assert answer["searchMode"] == "fts-only"


def test_in_the_main_session_the_model_gets_our_tools_the_recalled_entry_and_memory_md(
    home: OpenClawHome, model: ModelServer
) -> None:
    first, second = turn(home, model, "What is the gate code? And search for whale budget")

    assert {"memory_search", "memory_get"} <= set(tool_names(first))
    assert "## Memory" in system_text(first)
    assert SECRET in system_text(first), "MEMORY.md is in the prompt"
    recalled = next(text for text in user_texts(first) if "<recalled-notes>" in text)
    assert f"The gate code is {SECRET}" in recalled
    (answer,) = tool_answers(second)
    assert json.loads(answer)["results"][0]["path"] == NOTE


def test_a_group_sees_neither_memory_md_nor_its_entries(home: OpenClawHome, model: ModelServer) -> None:
    bodies = turn(home, model, "What is the gate code? search for gate code", GROUP)

    assert "memory_search" in tool_names(bodies[0])
    assert "withheld" in tool_answers(bodies[-1])[0]
    assert SECRET not in json.dumps(bodies)


def test_what_was_said_is_found_in_openclaws_own_database_by_those_who_may_see_it(
    home: OpenClawHome, model: ModelServer
) -> None:
    turn(home, model, "My bicycle is called Turing.")

    found = home.run("memory", "search", "bicycle", "Turing", "--corpus", "sessions", "--json")
    assert found.code == 0, found.text
    (hit,) = found.json()["results"]
    assert hit["source"] == "sessions"
    assert "My bicycle is called Turing." in hit["snippet"]

    bodies = turn(home, model, "search conversations for bicycle", GROUP)
    answer = json.loads(tool_answers(bodies[-1])[0])
    assert hit["path"] not in [one["path"] for one in answer["results"]]
    bodies = turn(home, model, "search conversations for bicycle")
    answer = json.loads(tool_answers(bodies[-1])[0])
    assert hit["path"] in [one["path"] for one in answer["results"]]


def test_a_nearly_full_context_is_flushed_into_todays_note_by_appending(home: OpenClawHome, model: ModelServer) -> None:
    session = "agent:main:explicit:flush"
    today = home.workspace / "memory" / f"{dt.datetime.now(dt.UTC).date().isoformat()}.md"
    before = "- Written before.\n"
    today.write_text(before, encoding="utf-8")
    turn(home, model, "Please fill the context", session)
    bodies = turn(home, model, "And now go on", session)

    flush = [body for body in model.bodies if any("Memory flush" in text for text in user_texts(body))]
    assert flush, [user_texts(body)[-1:] for body in bodies]
    assert set(tool_names(flush[0])) == {"read", "write"}
    text = today.read_text(encoding="utf-8")
    assert text.startswith(before)
    assert "Saved by the flush." in text


def test_a_killed_python_is_replaced_within_the_next_turn(home: OpenClawHome, model: ModelServer) -> None:
    turn(home, model, "search for whale", "agent:main:explicit:kill")
    (first,) = home.servers()
    os.kill(first, signal.SIGKILL)
    until(lambda: first not in home.servers())

    bodies = turn(home, model, "search for whale budget", "agent:main:explicit:kill")

    assert json.loads(tool_answers(bodies[-1])[0])["results"]
    assert home.servers() != [first]
    assert len(home.servers()) == 1


def test_none_memory_core_and_back_without_a_restart(home: OpenClawHome) -> None:
    try:
        home.set(plugins__slots__memory="none")
        until(lambda: not home.servers(), 30)
        assert home.run("memory", "search", "whale").code != 0
        refused = home.call("memory.search", query="whale", agentId="main")
        assert "unavailable" in refused.text
        home.set(plugins__slots__memory="memory-core")
        assert "workspaceDir" not in home.run("memory", "status", "--json").out.split("[")[0]
        assert not home.servers()
    finally:
        home.set(plugins__slots__memory=PLUGIN)

    def ours() -> bool:
        answer = home.call("memory.search", query="whale", agentId="main")
        return answer.code == 0 and len(home.servers()) == 1 and answer.json()["provider"] == "none"

    until(ours, 60)
    assert home.run("memory", "status", "--json").json()["workspaceDir"] == str(home.workspace)


def test_without_python_the_turn_is_completed_and_the_reason_reported(
    openclaw: Program, home: OpenClawHome, model: ModelServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    broken = make_home(openclaw, model, tmp_path_factory, "broken")
    config = broken.config()
    config["plugins"] = home.config()["plugins"]
    config["plugins"]["entries"][PLUGIN]["config"]["command"] = ["/nonexistent/python"]
    broken.config_path.write_text(json.dumps(config), encoding="utf-8")
    with broken.gateway():
        bodies = turn(broken, model, "What is the gate code? And search for whale")
        health = broken.run("health")

    assert SECRET in system_text(bodies[0]), "MEMORY.md stays in the prompt"
    answer = json.loads(tool_answers(bodies[-1])[0])
    assert answer["unavailable"] is True
    assert "/nonexistent/python cannot be started" in answer["error"]
    assert "/nonexistent/python" in health.text + broken.gateway_log()
    search = broken.run("memory", "search", "whale")
    assert search.code == 1
    assert "/nonexistent/python cannot be started" in search.text


def test_a_killed_gateway_takes_python_along_and_starts_again_beside_our_index(
    openclaw: Program, home: OpenClawHome, model: ModelServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = make_home(openclaw, model, tmp_path_factory, "killed")
    other.config_path.write_text(json.dumps({**other.config(), "plugins": home.config()["plugins"]}), encoding="utf-8")
    with other.gateway() as gateway:
        turn(other, model, "search for whale budget")
        (python,) = other.servers()
        gateway.kill()
        until(lambda: python not in other.servers(), 10)
    assert [one.name for one in (other.state / "memory").glob("*.sqlite")] == ["main.core.sqlite"]

    # OpenClaw does not start where an index has the name that its own once had.
    with other.gateway():
        bodies = turn(other, model, "search for whale budget")
        assert json.loads(tool_answers(bodies[-1])[0])["results"]


def test_install_uninstall_and_install_again(
    openclaw: Program, model: ModelServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = make_home(openclaw, model, tmp_path_factory, "cycle")
    folder = home.state / "memory-bridge"

    planned = home.bridge("install", "--dry-run", "--json")
    assert planned.code == 0, planned.text
    assert not folder.exists()
    check_done(home.bridge("install", "--json"))
    again = check_done(home.bridge("install", "--json"))
    assert not [step for step in again if step.startswith(("openclaw plugins", "openclaw config"))]

    removed = home.bridge("uninstall", "--json")
    assert removed.code == 0, removed.text
    assert not folder.exists()
    assert home.config().get("plugins", {}).get("slots", {}).get("memory") != PLUGIN
    assert (home.workspace / "MEMORY.md").exists()
    unchecked = home.bridge("check", "--json")
    assert unchecked.code == 1
    assert unchecked.json()["ok"] is False

    check_done(home.bridge("install", "--json"))


def check_done(run: Run) -> list[str]:
    """Names of the steps of a command that succeeded."""
    assert run.code == 0, run.text
    report = run.json()
    assert report["ok"] is True
    return [step["step"] for step in report["steps"]]
