"""Files beside the notes that hold what nobody expects: no hook and no tool fails for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.bench import GROUP, MAIN, Bench

from openclaw_memory_hookspecs import FlushOutcome, TokenUsage

STORES = {
    "deep lists": b"[" * 200_000,
    "deep objects": b'{"a":' * 200_000,
    "an infinite time": b'{"agent:main:main": {"sessionId": "s-main", "updatedAt": 1e999}}',
    "infinite marks": b'{"agent:main:main": {"sessionId": "s-main", "compactionCount": 1e999, "memoryFlushAt": 1e999}}',
    "half characters": b'{"agent:main:main": {"sessionId": "\\ud800", "sessionFile": "\\ud800.jsonl"}, "\\udfff": {}}',
    "NUL characters": b'{"agent:main:main": {"sessionId": "a\\u0000b", "sessionFile": "a\\u0000b.jsonl"}}',
    "wrong types": b'{"agent:main:main": {"sessionId": 5, "updatedAt": "x", "memoryFlush": [], "spawnedBy": {}}}',
}
MESSAGE = '{"type": "message", "message": {"role": "assistant", "content": "harbour", "usage": {"input": 1e999}}}\n'
SESSIONS = {"sources": ["memory", "sessions"], "experimental": {"sessionMemory": True}}


@pytest.mark.parametrize("raw", STORES.values(), ids=STORES.keys())
def test_every_hook_and_tool_answers_whatever_the_session_store_holds(tmp_path: Path, raw: bytes) -> None:
    bench = Bench(tmp_path, search=SESSIONS)
    bench.write("memory/2026-05-05.md", "the harbour opens at nine\n")
    folder = bench.state / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    (folder / "sessions.json").write_bytes(raw)
    (folder / "s-main.jsonl").write_text(MESSAGE, encoding="utf-8")

    with bench.slot() as slot:
        for session in (MAIN, GROUP):
            slot.session_start(session)
            tools = {tool.name: tool for tool in slot.tools(session)}
            assert tools["memory_search"].handler({"query": "harbour"})["results"]
            tools["sessions_search"].handler({"query": "harbour"})
            tools["sessions_history"].handler({"sessionKey": "current"})
            slot.tokens_counted(session, TokenUsage(total=0, fresh=False))
            request = slot.tokens_counted(session, TokenUsage(total=190_000))
            if request is not None:
                slot.flush_finished(session, request, FlushOutcome(reply="NO_REPLY"))
            slot.compacted(session)
            slot.session_end(session, "new")
        json.dumps(dict(slot.status()))


@pytest.mark.parametrize("name", ["deep lists", "an infinite time"])
def test_a_session_store_that_cannot_be_written_back_as_it_is_stays_as_it_is(tmp_path: Path, name: str) -> None:
    bench = Bench(tmp_path)
    store = bench.state / "agents" / "main" / "sessions" / "sessions.json"
    store.parent.mkdir(parents=True)
    store.write_bytes(STORES[name])

    with bench.slot() as slot:
        request = slot.tokens_counted(MAIN, TokenUsage(total=190_000))
        assert request is not None
        slot.flush_finished(MAIN, request, FlushOutcome(reply="NO_REPLY"))

    assert store.read_bytes() == STORES[name]
