from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.sessions import Clock
from support.transcripts import FLUSH_PROMPT, START, Transcript

from openclaw_memory_core.config.model import SessionsConfig
from openclaw_memory_core.privacy import audience
from openclaw_memory_core.sessions.library import AgentSessions, TranscriptLibrary
from openclaw_memory_core.sessions.store import SessionStore
from openclaw_memory_core.sessions.tools import SessionTools
from openclaw_memory_hookspecs import Session
from openclaw_memory_schemas import load

MAIN, GROUP, CHILD = "agent:main:main", "agent:main:telegram:group:-1009", "agent:main:subagent:7"
WORK, SECRET = "agent:work:main", "agent:main:dashboard:incognito-5"
DIRECT = "agent:main:telegram:direct:kofi"


class World:
    """Two agents with a transcript each session; every one says ``marker`` and its own name."""

    def __init__(self, root: Path, **config: Any) -> None:
        self.root = root
        self.config = SessionsConfig(**config)
        self.entries: dict[str, dict[str, Any]] = {"main": {}, "work": {}}
        for agent, key, session_id, extra in (
            ("main", MAIN, "id-main", {}),
            ("main", GROUP, "id-group", {}),
            ("main", CHILD, "id-child", {"spawnedBy": GROUP}),
            ("main", DIRECT, "id-direct", {}),
            ("main", SECRET, "id-secret", {}),
            ("main", "agent:main:cron:nightly", "id-cron", {}),
            ("work", WORK, "id-work", {}),
        ):
            self.transcript(session_id, agent).user(f"marker of {session_id}")
            self.entries[agent][key] = {"sessionId": session_id, "updatedAt": 5, **extra}
        self.transcript("id-orphan").user("marker of id-orphan")
        self.save()
        self.tools = SessionTools(TranscriptLibrary([self.agent("main"), self.agent("work")], self.config))

    def folder(self, agent: str) -> Path:
        return self.root / "agents" / agent / "sessions"

    def agent(self, agent: str) -> AgentSessions:
        store = SessionStore(self.folder(agent) / "sessions.json", clock=Clock(START))
        return AgentSessions(agent, self.folder(agent), store)

    def transcript(self, session_id: str, agent: str = "main") -> Transcript:
        return Transcript(self.folder(agent) / f"{session_id}.jsonl")

    def save(self) -> None:
        for agent, entries in self.entries.items():
            (self.folder(agent) / "sessions.json").write_text(json.dumps(entries), encoding="utf-8")

    def call(
        self, tool: str, key: str = MAIN, *, session: dict[str, Any] | None = None, **arguments: Any
    ) -> dict[str, Any]:
        made = Session(key=key, **(session or {}))
        who = audience(made, self.config, default_agent="main")
        specs = {spec.name: spec for spec in self.tools.specs(who, session_id=made.session_id)}
        Draft202012Validator(load(f"tool.{tool}.input")).validate(arguments)
        answer = specs[tool].handler(arguments)
        Draft202012Validator(load(f"tool.{tool}.output")).validate(answer)
        return answer

    def search(self, query: str = "marker", key: str = MAIN, **arguments: Any) -> dict[str, Any]:
        return self.call("sessions_search", key, query=query, **arguments)

    def history(self, wanted: str, key: str = MAIN, **arguments: Any) -> dict[str, Any]:
        return self.call("sessions_history", key, sessionKey=wanted, **arguments)

    def found(self, key: str = MAIN, **arguments: Any) -> set[str]:
        return {hit["sessionId"].removeprefix("id-") for hit in self.search(key=key, **arguments)["results"]}


@pytest.mark.parametrize(
    ("visibility", "key", "expected"),
    [
        ("self", MAIN, {"main"}),
        ("self", GROUP, {"group"}),
        ("tree", MAIN, {"main", "group", "child", "direct", "orphan"}),
        ("tree", GROUP, {"group", "child"}),
        ("tree", CHILD, {"child"}),
        ("tree", DIRECT, {"direct"}),
        ("agent", GROUP, {"main", "group", "child", "direct", "orphan"}),
        ("all", GROUP, {"main", "group", "child", "direct", "orphan"}),
        ("tree", WORK, {"work"}),
        ("tree", SECRET, set()),
    ],
)
def test_only_visible_sessions_are_searched(tmp_path: Path, visibility: str, key: str, expected: set[str]) -> None:
    assert World(tmp_path, visibility=visibility).found(key) == expected


def test_other_agents_are_searched_where_agents_may_talk(tmp_path: Path) -> None:
    world = World(tmp_path, visibility="all", agent_to_agent_enabled=True, agent_to_agent_allow=("*",))
    assert world.found(GROUP) == {"main", "group", "child", "direct", "orphan", "work"}
    assert world.history(WORK, GROUP)["sessionId"] == "id-work"


def test_another_agents_global_session_stays_hidden(tmp_path: Path) -> None:
    world = World(tmp_path, visibility="all")
    world.transcript("id-global", "work").user("marker")
    world.entries["work"]["global"] = {"sessionId": "id-global"}
    world.entries["main"]["global"] = {"sessionId": "id-none"}
    world.save()
    assert "global" not in world.found(GROUP)


def test_a_sandboxed_caller_sees_what_it_spawned(tmp_path: Path) -> None:
    world = World(tmp_path, visibility="agent")
    answer = world.call("sessions_search", GROUP, session={"sandboxed": True}, query="marker")
    assert {hit["sessionKey"] for hit in answer["results"]} == {GROUP, CHILD}


def test_a_caller_finds_its_own_transcript_even_where_no_store_knows_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    answer = world.call("sessions_search", "agent:main:new", session={"session_id": "id-orphan"}, query="marker")
    assert [hit["sessionId"] for hit in answer["results"]] == ["id-orphan"]


def test_hidden_hits_cost_nobody_a_place(tmp_path: Path) -> None:
    world = World(tmp_path)
    made = Transcript(world.folder("main") / "id-main.jsonl")
    for _ in range(60):
        made.user("fuse fuse fuse")
    world.transcript("id-group").user("a longer text that mentions the fuse only once and in passing")
    (hit,) = world.search("fuse", GROUP, limit=1)["results"]
    assert hit["sessionKey"] == GROUP


@pytest.mark.parametrize("tool", ["sessions_search", "sessions_history"])
@pytest.mark.parametrize("wanted", [MAIN, "main", DIRECT, "agent:main:does-not-exist", WORK, SECRET])
def test_a_refusal_does_not_say_whether_the_session_exists(tmp_path: Path, tool: str, wanted: str) -> None:
    world = World(tmp_path)
    arguments = {"sessionKey": wanted, **({"query": "marker"} if tool == "sessions_search" else {})}
    answer = world.call(tool, GROUP, **arguments)
    assert answer["status"] == "forbidden"
    assert "tools.sessions.visibility" in answer["error"]
    assert "marker" not in json.dumps(answer)


def test_an_unknown_session_is_not_found_by_who_may_see_everything(tmp_path: Path) -> None:
    assert World(tmp_path, visibility="agent").history("agent:main:does-not-exist")["status"] in {
        "not_found",
        "forbidden",
    }


def test_one_session_can_be_searched_alone(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert world.found(sessionKey=GROUP.upper()) == {"group"}
    assert world.found(GROUP, sessionKey="current") == {"group"}


def test_a_hit_has_all_that_history_needs(tmp_path: Path) -> None:
    world = World(tmp_path)
    made = world.transcript("id-main")
    for number in range(40):
        made.user(f"question {number}").assistant(f"answer {number}")
    (hit,) = world.search('"answer 7"')["results"]
    around = world.history(hit["sessionKey"], messageId=hit["messageId"], sessionId=hit["sessionId"], limit=5)
    texts = [message["content"][0]["text"] for message in around["messages"]]
    assert texts == ["answer 6", "question 7", "answer 7", "question 8", "answer 8"][0:5] or "answer 7" in texts
    assert len(texts) == 5
    assert around["hasMore"] is True


def test_snippets_are_short_redacted_and_of_people_only(tmp_path: Path) -> None:
    world = World(tmp_path)
    made = world.transcript("id-main")
    made.user("the zebra key is sk-test-7QxAbCdEfGhIjKlMnOp " + "filler " * 200)
    made.tool_result("zebra in tool output").user(FLUSH_PROMPT + " zebra").assistant("zebra NO_REPLY")
    (hit,) = world.search("zebra")["results"]
    assert "sk-tes…MnOp" in hit["snippet"]
    assert len(hit["snippet"]) <= 302


def test_results_are_limited_and_bounded_in_size(tmp_path: Path) -> None:
    world = World(tmp_path)
    made = world.transcript("id-main")
    for number in range(40):
        made.user(f"zebra {number} " + "夜" * 290)
    assert len(world.search("zebra")["results"]) == 10
    answer = world.search("zebra", limit=25)
    assert len(json.dumps(answer, ensure_ascii=False).encode()) <= 32_768


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": ""},
        {"query": "x" * 4097},
        {"query": "x", "limit": 26},
        {"query": "x", "limit": 0},
        {"query": 5},
        {"query": "x", "why": 1},
    ],
)
def test_wrong_arguments_are_an_answer(tmp_path: Path, arguments: dict[str, Any]) -> None:
    world = World(tmp_path)
    who = audience(Session(key=MAIN), world.config, default_agent="main")
    answer = world.tools.specs(who)[0].handler(arguments)
    assert answer["status"] == "error"
    assert answer["code"] == "usage"
    Draft202012Validator(load("tool.sessions_search.output")).validate(answer)


def test_a_change_is_found_at_once(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert world.search("zebra")["results"] == []
    Transcript(world.folder("main") / "id-main.jsonl").user("zebra").half_line()
    assert len(world.search("zebra")["results"]) == 1


def test_work_is_bounded_and_the_answer_says_so(tmp_path: Path) -> None:
    from openclaw_memory_core.sessions.search import TranscriptReader, search_transcripts

    world = World(tmp_path)
    for number, name in enumerate(sorted(world.folder("main").glob("*.jsonl"))):
        os.utime(name, (1_000 + number, 1_000 + number))
    library = TranscriptLibrary([world.agent("main")], world.config)
    who = audience(Session(key=MAIN), world.config, default_agent="main")
    answer = search_transcripts(library, TranscriptReader(), who, "marker", budget=500)
    assert answer["truncated"] is True
    assert "not searched" in answer["warning"]
    assert [hit["sessionId"] for hit in answer["results"]] == ["id-orphan"]


# --- history


def texts(answer: dict[str, Any]) -> list[str]:
    return [block["text"] for message in answer["messages"] for block in message["content"] if block["type"] == "text"]


def talk(world: World, turns: int, session_id: str = "id-main") -> Transcript:
    path = world.folder("main") / f"{session_id}.jsonl"
    path.unlink()
    made = Transcript(path)
    for number in range(turns):
        made.user(f"q{number}").assistant(f"a{number}")
    return made


def test_history_pages_from_the_newest_back_without_gaps(tmp_path: Path) -> None:
    world = World(tmp_path)
    talk(world, 10)
    seen: list[str] = []
    arguments: dict[str, Any] = {"limit": 6}
    while True:
        answer = world.history(MAIN, **arguments)
        seen = texts(answer) + seen
        if not answer["hasMore"]:
            break
        arguments["offset"] = answer["nextOffset"]
    assert seen == [text for number in range(10) for text in (f"q{number}", f"a{number}")]
    assert answer["totalMessages"] == 20


def test_tools_are_shown_on_request_only(tmp_path: Path) -> None:
    world = World(tmp_path)
    made = talk(world, 0)
    made.user("run it").assistant("Running.", calls=("exec",)).tool_result("output").assistant("", calls=("exec",))
    assert texts(world.history(MAIN)) == ["run it", "Running."]
    answer = world.history(MAIN, includeTools=True)
    assert texts(answer) == ["run it", "Running.", "output"]
    calls = [b for m in answer["messages"] for b in m["content"] if b["type"] == "toolCall"]
    assert [(call["name"], call["arguments"]) for call in calls] == [("exec", '{"q": "x"}')] * 2


def test_results_of_memory_tools_are_never_repeated(tmp_path: Path) -> None:
    world = World(tmp_path)
    talk(world, 0).user("code?").assistant("", calls=("memory_get",)).tool_result("door code 4417", "memory_get")
    assert "4417" not in json.dumps(world.history(MAIN, includeTools=True))


def test_a_caller_that_is_not_private_gets_nothing_that_was_said_from_memory(tmp_path: Path) -> None:
    world = World(tmp_path, visibility="agent")
    made = talk(world, 1)
    made.user("<recalled-notes>\nx\n- door code 4417 (from MEMORY.md, line 1)\n</recalled-notes>\nWhat is it?")
    made.assistant("Let me see.", calls=("memory_search",)).tool_result("door code 4417", "memory_search")
    made.assistant("It is 4417.").user("Thanks")
    answer = world.history(MAIN, GROUP, includeTools=True)
    assert texts(answer) == ["q0", "a0", "What is it?", "Thanks"]
    assert "4417" not in json.dumps(answer)
    assert "It is 4417." in texts(world.history(MAIN, MAIN))


def test_flush_turns_and_silent_replies_do_not_come_back(tmp_path: Path) -> None:
    world = World(tmp_path)
    talk(world, 1).user(FLUSH_PROMPT).assistant("Saved.\nNO_REPLY").user("hi").assistant("NO_REPLY")
    assert texts(world.history(MAIN)) == ["q0", "a0", "hi"]


def test_long_texts_are_cut_secrets_masked_and_images_left_out(tmp_path: Path) -> None:
    world = World(tmp_path)
    made = talk(world, 0)
    made.user("x" * 5000).assistant("key sk-test-7QxAbCdEfGhIjKlMnOp", thinking="private thought", usage={"input": 5})
    made.message(
        "user", [{"type": "image", "data": "QUJD" * 100, "mimeType": "image/png"}, {"type": "text", "text": "see"}]
    )
    answer = world.history(MAIN)
    assert answer["contentTruncated"] is True
    assert answer["contentRedacted"] is True
    assert texts(answer)[0] == "x" * 4000 + "\n…(truncated)…"
    text = json.dumps(answer, ensure_ascii=False)
    assert "sk-tes…MnOp" in text
    assert not {"QUJD", "signature", "private thought", "usage", "details"} & {
        w for w in ("QUJD", "signature", "private thought", "usage", "details") if w in text
    }
    assert {"type": "image", "omitted": True, "bytes": 300} in [b for m in answer["messages"] for b in m["content"]]


def test_an_answer_is_bounded_and_drops_the_oldest(tmp_path: Path) -> None:
    world = World(tmp_path)
    made = talk(world, 0)
    for number in range(60):
        made.user(f"{number} " + "夜" * 1000)
    answer = world.history(MAIN)
    assert len(json.dumps(answer["messages"], ensure_ascii=False).encode()) <= 81_920
    assert answer["truncated"] is True
    assert answer["droppedMessages"] > 0
    assert texts(answer)[-1].startswith("59 ")
    older = world.history(MAIN, offset=answer["nextOffset"])
    first_shown = int(texts(answer)[0].split()[0])
    assert int(texts(older)[-1].split()[0]) == first_shown - 1


def test_an_anchor_is_kept_when_the_answer_is_cut(tmp_path: Path) -> None:
    world = World(tmp_path)
    made = talk(world, 0)
    for number in range(60):
        made.user(f"{number} " + "夜" * 1300)
    answer = world.history(MAIN, messageId="e0030", limit=60)
    ids = [message["messageId"] for message in answer["messages"]]
    assert "e0030" in ids
    assert answer["truncated"] is True


def test_a_single_message_that_is_too_large_leaves_a_placeholder(tmp_path: Path) -> None:
    world = World(tmp_path)
    content = [{"type": "text", "text": "夜" * 3900} for _ in range(10)]
    talk(world, 0).message("assistant", content)
    assert texts(world.history(MAIN)) == ["[sessions_history omitted: message too large]"]


def test_an_earlier_transcript_is_read_by_its_id(tmp_path: Path) -> None:
    world = World(tmp_path)
    Transcript(world.folder("main") / "id-old.jsonl.reset.2026-05-01T04-00-00Z").user("long ago")
    (hit,) = world.search('"long ago"')["results"]
    assert hit["sessionKey"] is None
    assert texts(world.history("current", sessionId=hit["sessionId"])) == ["long ago"]
    assert world.call("sessions_history", GROUP, sessionKey="current", sessionId="id-old")["status"] == "not_found"


@pytest.mark.parametrize(
    "arguments", [{"messageId": "nope"}, {"sessionId": "../../etc/passwd"}, {"sessionId": "id-group"}]
)
def test_what_is_not_there_is_not_found(tmp_path: Path, arguments: dict[str, Any]) -> None:
    assert World(tmp_path).history(MAIN, **arguments)["status"] == "not_found"
