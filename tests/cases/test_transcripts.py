from __future__ import annotations

import datetime as dt
from pathlib import Path

from support.sessions import Clock
from support.transcripts import FLUSH_PROMPT, Transcript

from openclaw_memory_core.config import load_config
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.sessions.source import TranscriptSource
from openclaw_memory_core.sessions.store import SessionStore
from openclaw_memory_hookspecs import Runtime

NOW = dt.datetime(2026, 5, 5, 9, 0, tzinfo=dt.UTC)


def source_of(folder: Path) -> TranscriptSource:
    return TranscriptSource("main", folder, SessionStore(folder / "sessions.json", clock=Clock(NOW)))


def test_case_transcripts_01_which_files_count(tmp_path: Path) -> None:
    for name in (
        "a.jsonl",
        "a.jsonl.reset.2026-05-01T04-00-00Z",
        "b.jsonl.deleted.2026-05-02",
        "c.jsonl.bak",
        "d.jsonl.lock",
        "e.checkpoint.jsonl",
    ):
        Transcript(tmp_path / name).user(f"text of {name}")
    (tmp_path / "sessions.json").write_text("{}", encoding="utf-8")
    scan = source_of(tmp_path).scan()
    assert [ref.path for ref in scan.documents] == [
        "sessions/main/a.jsonl",
        "sessions/main/a.jsonl.reset.2026-05-01T04-00-00Z",
    ]
    assert scan.skipped == ()


def test_case_transcripts_04_what_is_worth_indexing(tmp_path: Path) -> None:
    picture = "iVBORw0KGgoAAAANSUhEUg" * 500
    made = Transcript(tmp_path / "a.jsonl")
    made.user("Where is the gate motor?").assistant("Behind the barn.", calls=("exec",))
    made.message("assistant", [{"type": "toolCall", "name": "exec", "arguments": {"payload": "tool-noise " * 5000}}])
    made.tool_result("result-noise " * 5000)
    made.message("user", [{"type": "image", "data": picture, "mimeType": "image/png"}])
    made.user(FLUSH_PROMPT).assistant("NO_REPLY")
    source = source_of(tmp_path)
    (ref,) = source.scan().documents
    text = source.load(ref).text
    assert text == "User: Where is the gate motor?\nAssistant: Behind the barn."


def core_of(tmp_path: Path, **search: object) -> MemoryCore:
    settings = {
        "provider": "none",
        "experimental": {"sessionMemory": True},
        "sources": ["memory", "sessions"],
        **search,
    }
    config = load_config(
        {"agents": {"defaults": {"workspace": str(tmp_path / "workspace")}}, "memory": {"search": settings}},
        state_dir=tmp_path / "state",
        env={"HOME": str(tmp_path)},
    )
    runtime = Runtime(clock=Clock(NOW), timezone="Europe/Lisbon")
    return MemoryCore(config, runtime=runtime, background=False)


def test_case_transcripts_02_first_switch_on(tmp_path: Path) -> None:
    for number in range(30):
        Transcript(tmp_path / "state" / "agents" / "main" / "sessions" / f"s{number}.jsonl").user(f"talk {number}")
    with core_of(tmp_path) as core:
        core.index.sync(reason="cli", force=True)
        with core.index.store.reader() as reader:
            assert reader.counts().files["sessions"] == 30
        found = core.search("talk 17", max_results=30)
        assert "sessions/main/s17.jsonl" in [hit["path"] for hit in found["results"]]


def test_case_transcripts_03_notes_against_chatter(tmp_path: Path) -> None:
    memory = tmp_path / "workspace" / "memory"
    memory.mkdir(parents=True)
    (memory / "gate.md").write_text("gate motor fuse is 10 A\n", encoding="utf-8")
    words = ("gate", "motor", "fuse")
    for number in range(300):
        made = Transcript(tmp_path / "state" / "agents" / "main" / "sessions" / f"s{number}.jsonl")
        made.user(f"Something about the {words[number % 3]}, the {words[(number + 1) % 3]} and number {number}")
    with core_of(tmp_path) as core:
        core.index.sync(reason="cli")
        found = core.search("gate motor fuse", max_results=5)
        assert "memory/gate.md" in [hit["path"] for hit in found["results"]]
