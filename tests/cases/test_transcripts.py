from __future__ import annotations

import datetime as dt
from pathlib import Path

from support.sessions import Clock
from support.transcripts import FLUSH_PROMPT, Transcript

from openclaw_memory_core.sessions.source import TranscriptSource
from openclaw_memory_core.sessions.store import SessionStore

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
