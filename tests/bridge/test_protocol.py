"""What crosses the border between OpenClaw's plugin and ``bridge serve``: a real process, real pipes."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time

import pytest
from support.bridge_client import SECONDS, BridgeClient
from support.doors import FUSE, SECRET, YESTERDAY, Home
from support.fake_embeddings import FakeEmbeddings
from support.local_server import Request, Response

from openclaw_memory_core import __version__

MAIN = {"agentId": "main", "sessionKey": "agent:main:main"}
GROUP = {"agentId": "main", "sessionKey": "agent:main:telegram:group:-1009"}
DIRECT = {"agentId": "main", "sessionKey": "agent:main:telegram:direct:77"}


def test_hello_tells_protocol_version_and_process(home: Home) -> None:
    with BridgeClient(home.options) as client:
        assert client.call("hello", {"protocol": 1}) == {
            "protocol": 1,
            "version": __version__,
            "pid": client.process.pid,
        }


def test_a_plugin_of_another_protocol_is_refused_with_the_way_out(home: Home) -> None:
    with BridgeClient(home.options) as client:
        error = client.error("hello", {"protocol": 99})

    assert error["code"] == -32001
    assert "bridge install" in error["message"]


def test_hello_is_answered_before_anything_heavy_is_imported(home: Home) -> None:
    # The imports are held up; a hello that waited for them would not come.
    held = home.folder / "held"
    (held / "openclaw_memory_core_hold").mkdir(parents=True)
    code = (
        "import sys, threading, time\n"
        "class Hold:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.endswith('openclaw_bridge.service'): threading.Event().wait(20)\n"
        "sys.meta_path.insert(0, Hold())\n"
    )
    (held / "sitecustomize.py").write_text(code, encoding="utf-8")
    with BridgeClient(home.options, env={"PYTHONPATH": str(held)}) as client:
        started = time.monotonic()
        client.call("hello", {"protocol": 1})
        client.call("ping")

        assert time.monotonic() - started < 15
        client.process.kill()


def test_tools_answer_for_the_session_that_asks(bridge: BridgeClient) -> None:
    request = {"name": "memory_get", "arguments": {"path": "MEMORY.md"}}

    assert SECRET in bridge.call("tool", {**MAIN, **request})["text"]
    for session in (GROUP, DIRECT, {"agentId": "main"}, {**MAIN, "sessionKey": "agent:main:subagent:x"}):
        answer = bridge.call("tool", {**session, **request})
        assert answer["status"] == "error"
        assert SECRET not in json.dumps(answer)
    assert SECRET in bridge.call("tool", {**DIRECT, "senderIsOwner": True, **request})["text"]


def test_a_search_finds_notes_and_keeps_curated_ones_from_groups(bridge: BridgeClient) -> None:
    bridge.call("sync", {"agentId": "main"})

    found = bridge.call("tool", {**GROUP, "name": "memory_search", "arguments": {"query": "fuse motor"}})
    assert [one["path"] for one in found["results"]] == [YESTERDAY]
    hidden = bridge.call("tool", {**GROUP, "name": "memory_search", "arguments": {"query": "gate code"}})
    assert SECRET not in json.dumps(hidden)
    shown = bridge.call("tool", {**MAIN, "name": "memory_search", "arguments": {"query": "gate code"}})
    assert SECRET in json.dumps(shown)


def test_a_tool_that_the_session_does_not_have_is_an_answer(bridge: BridgeClient) -> None:
    assert bridge.call("tool", {**MAIN, "name": "no_such_tool", "arguments": {}})["disabled"] is True


def test_bad_arguments_of_a_tool_are_an_answer_not_an_error(bridge: BridgeClient) -> None:
    answer = bridge.call("tool", {**MAIN, "name": "memory_search", "arguments": {"query": 5}})

    assert answer["results"] == []
    assert "query must be a string" in answer["error"]


def test_the_search_of_the_control_panel_acts_for_the_owner_and_that_of_a_session_does_not(
    bridge: BridgeClient,
) -> None:
    bridge.call("sync", {"agentId": "main"})
    question = {"agentId": "main", "query": "gate code"}

    owner = bridge.call("search", {**question, "forOwner": True})
    assert {"path", "startLine", "endLine", "score", "snippet", "source"} <= set(owner["results"][0])
    assert SECRET in json.dumps(owner)
    # A session that is named counts, whoever asks for it; nobody in particular sees what a group sees.
    for asker in ({"forOwner": True, **GROUP}, GROUP, {}):
        assert SECRET not in json.dumps(bridge.call("search", {**question, **asker}))


@pytest.mark.parametrize(
    ("session", "recalled"),
    [
        (MAIN, True),
        (GROUP, False),
        (DIRECT, False),
        ({**MAIN, "trigger": "heartbeat"}, False),
        ({**MAIN, "trigger": "memory"}, False),
        ({"agentId": "main"}, False),
    ],
)
def test_a_trigger_recalls_its_entry_in_the_owners_turns_only(
    bridge: BridgeClient, session: dict[str, str], recalled: bool
) -> None:
    answer = bridge.call(
        "hook", {"trigger": "user", **session, "name": "before_prompt_build", "prompt": "What is the gate code?"}
    )

    assert (SECRET in answer.get("prependContext", "")) is recalled


def test_what_the_host_wraps_around_a_message_recalls_nothing(bridge: BridgeClient) -> None:
    wrapped = (
        'Sender (untrusted metadata):\n```json\n{"name": "gate code"}\n```\n\n'
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\ngate code\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\nHello"
    )

    assert bridge.call("hook", {**MAIN, "trigger": "user", "name": "before_prompt_build", "prompt": wrapped}) == {}


def test_a_session_that_the_configuration_puts_into_a_sandbox_recalls_by_its_rules(home: Home) -> None:
    config = home.config()
    config["agents"]["defaults"]["sandbox"] = {"mode": "all", "workspaceAccess": "none"}
    home.config_path.write_text(json.dumps(config), encoding="utf-8")
    with BridgeClient(home.options) as client:
        turn = {**MAIN, "trigger": "user", "name": "before_prompt_build", "prompt": "the gate code"}

        assert client.call("hook", turn) == {}
        assert client.call("tool", {**MAIN, "name": "memory_get", "arguments": {"path": YESTERDAY}})["disabled"]


def test_memory_files_are_vouched_for_and_links_are_not(home: Home) -> None:
    secret = home.folder / "elsewhere.md"
    secret.write_text("not ours", encoding="utf-8")
    (home.workspace / "USER.md").symlink_to(secret)
    with BridgeClient(home.options) as client:
        classes = client.call("classify", {"agentId": "main", "paths": ["MEMORY.md", "USER.md", YESTERDAY, "../x.md"]})

    assert [one["originClass"] for one in classes] == ["agent", "untrusted", "agent", "untrusted"]


def test_hits_are_authorised_again_for_the_session_that_will_see_them(bridge: BridgeClient) -> None:
    hits = [
        {"path": "MEMORY.md", "source": "memory", "snippet": SECRET},
        {"path": YESTERDAY, "source": "memory", "snippet": FUSE},
        {"path": "sessions/main/unknown.jsonl", "source": "sessions"},
        "nonsense",
    ]

    assert bridge.call("authorize", {**MAIN, "hits": hits}) == hits[:2]
    assert bridge.call("authorize", {**GROUP, "hits": hits}) == hits[1:2]


def test_status_has_the_fields_that_openclaw_shows(bridge: BridgeClient, home: Home) -> None:
    bridge.call("sync", {"agentId": "main"})
    status = bridge.call("status", {"agentId": "main"})

    assert status["backend"] == "builtin"
    assert status["provider"] == "none"
    assert status["files"] == 3
    assert status["workspaceDir"] == str(home.workspace)
    assert status["custom"]["searchMode"] == "fts-only"
    assert status["fts"] == {"enabled": True, "available": True}


def test_a_workspace_that_the_host_names_is_used(bridge: BridgeClient, home: Home) -> None:
    other = home.folder / "other"
    other.mkdir()
    (other / "MEMORY.md").write_text("other notes", encoding="utf-8")

    assert bridge.call("get", {**MAIN, "workspace": str(other), "path": "MEMORY.md"})["text"].startswith("other")
    assert bridge.error("get", {**MAIN, "workspace": "relative", "path": "MEMORY.md"})["code"] == -32000


def test_a_changed_configuration_counts_from_the_next_call_and_a_broken_one_does_not(
    bridge: BridgeClient, home: Home
) -> None:
    asked = {**MAIN, "name": "memory_search", "arguments": {"query": "fuse"}}
    assert "disabled" not in bridge.call("tool", asked)
    config = home.config()
    config["memory"]["search"]["enabled"] = False
    home.config_path.write_text(json.dumps(config), encoding="utf-8")

    assert bridge.call("tool", asked)["disabled"] is True
    home.config_path.write_text("{ broken", encoding="utf-8")
    assert bridge.call("tool", asked)["disabled"] is True
    home.config_path.write_text(json.dumps(home.config()), encoding="utf-8")
    assert "disabled" not in bridge.call("tool", asked)


def test_an_unknown_agent_method_or_hook_is_an_error_that_stops_nothing(bridge: BridgeClient) -> None:
    assert bridge.error("status", {"agentId": "nobody"})["data"]["code"] == "config-invalid"
    assert bridge.error("no-such-method")["code"] == -32601
    assert bridge.error("hook", {**MAIN, "name": "no_such_hook"})["data"]["code"] == "usage"
    assert bridge.call("ping") == "pong"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"not json\n", -32700),
        (b"[1, 2]\n", -32600),
        (b'{"jsonrpc": "2.0", "id": 1}\n', -32600),
        (b'{"jsonrpc": "2.0", "method": "status"}\n', -32600),
        (b'{"jsonrpc": "2.0", "id": [1], "method": "status"}\n', -32600),
        (b"\xff\xfe\n", -32700),
    ],
)
def test_a_line_that_is_no_request_is_named_and_the_next_one_is_answered(
    bridge: BridgeClient, line: bytes, code: int
) -> None:
    bridge.send_raw(line)

    assert bridge.next()["error"]["code"] == code
    assert bridge.call("ping") == "pong"


class HeldEmbeddings(FakeEmbeddings):
    """Answers queries at once, and the texts of *held* only after :attr:`go` was set."""

    held = "slow"

    def __init__(self) -> None:
        super().__init__()
        self.came = threading.Event()
        self.go = threading.Event()

    def handle(self, request: Request) -> Response:
        if self.held in request.body.decode():
            self.came.set()
            assert self.go.wait(SECONDS)
        return super().handle(request)


def test_an_index_job_keeps_no_search_waiting(home: Home) -> None:
    with HeldEmbeddings() as service:
        config = home.config()
        config["memory"]["search"] = {
            "provider": "openai",
            "model": "m",
            "remote": {"baseUrl": service.url, "apiKey": "sk-test"},
        }
        home.config_path.write_text(json.dumps(config), encoding="utf-8")
        with BridgeClient(home.options) as client:
            client.call("sync", {"agentId": "main"})
            (home.workspace / "memory" / "slow.md").write_text("slow", encoding="utf-8")
            job = client.send("sync", {"agentId": "main"})
            assert service.came.wait(SECONDS)

            found = client.call("search", {**MAIN, "query": "fuse motor"})
            assert found["results"][0]["path"] == YESTERDAY
            assert "prependContext" in client.call(
                "hook", {**MAIN, "trigger": "user", "name": "before_prompt_build", "prompt": "gate code"}
            )
            service.go.set()
            assert client.wait(job)["result"]["embedded"] == 1


def test_a_cancelled_job_stops_and_says_so(bridge: BridgeClient, home: Home) -> None:
    for number in range(400):
        (home.workspace / "memory" / f"note-{number}.md").write_text(f"# {number}\n\nText.\n" * 20, encoding="utf-8")
    running = bridge.send("sync", {"agentId": "main"})
    waiting = bridge.send("sync", {"agentId": "main"})
    bridge.send("$/cancel", {"id": waiting}, notify=True)
    bridge.send("$/cancel", {"id": running}, notify=True)

    assert bridge.wait(waiting)["error"]["code"] == -32800
    stopped = bridge.wait(running)
    assert "error" in stopped or stopped["result"]["cancelled"] is True
    assert bridge.call("ping") == "pong"


def test_only_messages_reach_stdout_whoever_prints(home: Home) -> None:
    folder = home.folder / "site"
    folder.mkdir()
    code = "import atexit, os\natexit.register(lambda: os.write(1, b'last words'))\n"
    (folder / "sitecustomize.py").write_text(code, encoding="utf-8")
    with BridgeClient(home.options, env={"PYTHONPATH": str(folder)}) as client:
        client.call("hello", {"protocol": 1})
        client.call("status", {"agentId": "main"})
        assert client.end() == 0
    assert client.noise == []
    assert b"last words" in client.stderr


def test_text_of_any_kind_comes_through_on_one_line(bridge: BridgeClient, home: Home) -> None:
    text = "line\u2028separator, emoji \U0001f40b, \x85 next line"
    (home.workspace / "memory" / "odd.md").write_text(text, encoding="utf-8")

    assert bridge.call("get", {**MAIN, "path": "memory/odd.md"})["text"] == text
    assert bridge.noise == []


def test_the_end_of_stdin_ends_the_program_even_in_the_middle_of_a_job(bridge: BridgeClient, home: Home) -> None:
    for number in range(400):
        (home.workspace / "memory" / f"note-{number}.md").write_text(f"# {number}\n\nText.\n" * 20, encoding="utf-8")
    bridge.send("sync", {"agentId": "main", "force": True})
    bridge.call("ping")
    started = time.monotonic()

    assert bridge.end() == 0
    assert time.monotonic() - started < 10


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_in_the_hosts_terminal_does_not_end_the_program(bridge: BridgeClient) -> None:
    os.kill(bridge.process.pid, signal.SIGINT)

    assert bridge.call("status", {"agentId": "main"})["backend"] == "builtin"


def test_hello_needs_no_configuration_and_a_broken_one_is_an_answer(home: Home) -> None:
    home.config_path.write_text("{ broken", encoding="utf-8")
    with BridgeClient(home.options) as client:
        client.call("hello", {"protocol": 1})

        error = client.error("status", {"agentId": "main"})
        assert error["data"]["code"] == "config-invalid"
        # Repaired while the program runs: the next call sees it.
        home.config_path.write_text(json.dumps(home.config()), encoding="utf-8")
        assert client.call("status", {"agentId": "main"})["backend"] == "builtin"
