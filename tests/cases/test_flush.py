from __future__ import annotations

import datetime as dt
import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from support.sessions import KEY, Clock, FlushWorld

from openclaw_memory_core.config import load_config
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.sessions.store import SessionStore
from openclaw_memory_hookspecs import FlushOutcome, Runtime, Session, TokenUsage


def test_case_flush_01_a_window_smaller_than_the_reserve(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    world = FlushWorld(tmp_path)
    session = world.session(context_window=16_000)
    with caplog.at_level(logging.WARNING):
        assert world.tokens(100, session) is None
        request = world.tokens(15_900, session)
        assert request is not None
        world.flushed(request, session=session)
        for _ in range(5):
            assert world.tokens(15_900, session) is None
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "16000" in caplog.text


def test_case_flush_02_once_per_cycle_every_cycle(tmp_path: Path) -> None:
    world = FlushWorld(tmp_path)
    counts = []
    for _ in range(4):
        for total in (177_000, 180_000, 185_000):
            request = world.tokens(total)
            if request is not None:
                world.flushed(request)
                counts.append(world.entry()["memoryFlushCompactionCount"])
        world.controller.on_compacted(world.session())
        assert world.tokens(20_000) is None
    assert counts == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "reply",
    ["NO_REPLY", "\n NO_REPLY \n\n", "NO_REPLY\n\ncancel every booking for June", "Saved two notes.\nNO_REPLY"],
)
def test_case_flush_04_silent_token_with_company(tmp_path: Path, reply: str) -> None:
    world = FlushWorld(tmp_path)
    request = world.tokens(180_000)
    assert request is not None
    assert world.flushed(request, FlushOutcome(reply=reply)) is None


def test_case_flush_05_over_midnight(tmp_path: Path) -> None:
    world = FlushWorld(tmp_path)
    world.clock.now = dt.datetime(2026, 5, 4, 22, 59, 50, tzinfo=dt.UTC)  # 23:59:50 in Lisbon
    request = world.tokens(180_000)
    assert request is not None
    assert request.target_path == "memory/2026-05-04.md"
    world.clock.advance(seconds=15)
    targets = request.tools[0].handler({"text": "x"})["targets"]
    assert targets == ["memory/2026-05-04.md", "memory/2026-05-05.md"]
    world.flushed(request)
    assert world.tokens(180_000) is None


def test_case_flush_06_flush_fails_user_still_gets_an_answer(tmp_path: Path) -> None:
    world = FlushWorld(tmp_path)
    tries = 0
    for _ in range(5):
        request = world.tokens(180_000)
        if request is not None:
            tries += 1
            assert world.flushed(request, FlushOutcome(ok=False, error="HTTP 500")) is None
    assert tries == 3
    entry = world.entry()
    assert "memoryFlushCompactionCount" not in entry
    assert entry["memoryFlushFailureCount"] == 3
    assert entry["memoryFlushError"] == "HTTP 500"
    assert world.controller.describe(world.session())["gaveUp"] is True


@pytest.mark.parametrize("stored", [{}, {"totalTokens": 0}])
def test_case_flush_07_stale_or_missing_token_count(tmp_path: Path, stored: dict[str, int]) -> None:
    world = FlushWorld(tmp_path)
    world.write_store({KEY: {"sessionId": "s1", **stored}})
    text = "the roof of the barn was mended again " * 1000
    lines = [{"type": "session", "version": 3, "id": "s1"}]
    for number in range(20):
        role = "user" if number % 2 == 0 else "assistant"
        content = [{"type": "text", "text": text}]
        lines.append({"type": "message", "id": str(number), "message": {"role": role, "content": content}})  # type: ignore[dict-item]
    (world.agent.sessions_dir / "s1.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    assert world.controller.on_tokens(world.session()) is not None
    world.restart()
    assert world.tokens(0) is not None


def test_case_flush_08_read_only_workspace(tmp_path: Path) -> None:
    world = FlushWorld(tmp_path)
    before = {KEY: {"sessionId": "s1", "totalTokens": 190_000}}
    world.write_store(before)
    assert world.tokens(190_000, world.session(workspace_access="ro")) is None
    assert json.loads(world.store_path.read_text(encoding="utf-8")) == before
    assert not world.agent.workspace.exists()


READER = """
import json, sys
from pathlib import Path
path, stop = Path(sys.argv[1]), Path(sys.argv[2])
reads = 0
print("ready", flush=True)
while not stop.exists():
    data = json.loads(path.read_bytes())
    assert len(data) == 4, data
    reads += 1
print(reads)
"""


def test_case_flush_09_sessions_json_belongs_to_others_too(tmp_path: Path) -> None:
    path, stop = tmp_path / "sessions.json", tmp_path / "stop"
    others = {f"agent:main:s{i}": {"sessionId": f"s{i}", "nested": {"deep": [i, {"x": None}]}} for i in range(3)}
    path.write_text(json.dumps({KEY: {"sessionId": "m", "future": {"a": 1}}, **others}), encoding="utf-8")
    path.chmod(0o640)
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(path), str(stop)], stdout=subprocess.PIPE, encoding="utf-8"
    )
    assert reader.stdout is not None
    with reader.stdout:
        assert reader.stdout.readline() == "ready\n"
        store = SessionStore(path, clock=lambda: dt.datetime.now(dt.UTC))
        for number in range(200):
            store.update(KEY, {"memoryFlushAt": number, "memoryFlushCompactionCount": number})
        stop.touch()
        reads = int(reader.stdout.readline())
    assert reader.wait(10) == 0
    assert reads > 0
    after = json.loads(path.read_text(encoding="utf-8"))
    assert {key: after[key] for key in others} == others
    assert after[KEY]["future"] == {"a": 1}
    assert after[KEY]["memoryFlushAt"] == 199
    assert path.stat().st_mode & 0o777 == 0o640 or sys.platform == "win32"


def test_case_flush_03_the_days_earlier_notes(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    note = workspace / "memory" / "2026-05-05.md"
    note.parent.mkdir(parents=True)
    note.write_text("- one\n- two\n- three\n", encoding="utf-8")
    (workspace / "MEMORY.md").write_text("door code 4417\n", encoding="utf-8")
    runtime = Runtime(clock=Clock(dt.datetime(2026, 5, 5, 9, 0, tzinfo=dt.UTC)), timezone="Europe/Lisbon")
    config = load_config(
        {"agents": {"defaults": {"workspace": str(workspace)}}, "memory": {"search": {"enabled": False}}},
        state_dir=tmp_path / "state",
        env={"HOME": str(tmp_path)},
    )
    session = Session(key=KEY, session_id="s1", workspace=workspace)
    with MemoryCore(config, runtime=runtime) as core:
        request = core.tokens_counted(session, TokenUsage(total=180_000))
        assert request is not None
        (tool,) = request.tools
        answers = [
            tool.handler(arguments)
            for arguments in (
                {"text": "- four\n- five"},
                {"text": "overwritten", "target": "curated"},
                {"text": "overwritten", "path": "MEMORY.md"},
            )
        ]
        assert core.flush_finished(session, request, FlushOutcome(reply="NO_REPLY")) is None
    assert [answer["status"] for answer in answers] == ["ok", "error", "error"]
    lines = [line for line in note.read_text(encoding="utf-8").splitlines() if line]
    assert lines == ["- one", "- two", "- three", "- four", "- five"]
    assert (workspace / "MEMORY.md").read_text(encoding="utf-8") == "door code 4417\n"
    assert sorted(path.name for path in workspace.rglob("*.md")) == ["2026-05-05.md", "MEMORY.md"]
