from __future__ import annotations

import datetime as dt
import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.sessions import Clock
from support.transcripts import Transcript

from openclaw_memory_core.errors import NoteReadError
from openclaw_memory_core.sessions.delta import DeltaThresholds
from openclaw_memory_core.sessions.source import TranscriptSource
from openclaw_memory_core.sessions.store import SessionStore

NOW = dt.datetime(2026, 5, 5, 9, 0, tzinfo=dt.UTC)


class World:
    def __init__(self, root: Path, **thresholds: Any) -> None:
        self.folder = root / "sessions"
        self.folder.mkdir()
        self.now = 0.0
        self.store = SessionStore(self.folder / "sessions.json", clock=Clock(NOW))
        self.source = TranscriptSource(
            "main", self.folder, self.store, DeltaThresholds(**thresholds), now=lambda: self.now
        )

    def transcript(self, name: str = "s1.jsonl") -> Transcript:
        return Transcript(self.folder / name)

    def entries(self, entries: dict[str, Any]) -> None:
        self.store.path.write_text(json.dumps(entries), encoding="utf-8")

    def paths(self) -> list[str]:
        return [ref.path for ref in self.source.scan().documents]

    def stamp(self) -> tuple[int, ...]:
        (ref,) = self.source.scan().documents
        return ref.stat

    def load(self) -> str:
        (ref,) = self.source.scan().documents
        return self.source.load(ref).text


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_no_folder_is_no_transcripts(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "none" / "sessions.json", clock=Clock(NOW))
    source = TranscriptSource("main", tmp_path / "none", store)
    assert source.scan().documents == ()
    assert source.watch_roots() == (str(tmp_path / "none"),)


def test_a_document_has_labelled_lines_and_the_lines_of_the_file(world: World) -> None:
    world.transcript().user("The gate\nmotor").tool_result("x").assistant("Noted.")
    (ref,) = world.source.scan().documents
    document = world.source.load(ref)
    assert ref.path == "sessions/main/s1.jsonl"
    assert ref.source == world.source.name == "sessions"
    assert document.text == "User: The gate motor\nAssistant: Noted."
    assert document.line_map == (2, 4)


def test_a_long_message_becomes_several_lines_with_the_same_number(world: World) -> None:
    words = [f"word{number:04d}" for number in range(300)]
    world.transcript().user(" ".join(words)).assistant("x" * 2000)
    (ref,) = world.source.scan().documents
    document = world.source.load(ref)
    lines = document.text.split("\n")
    assert document.line_map == (2, 2, 2, 2, 3, 3, 3)
    assert all(len(line.partition(": ")[2]) <= 800 for line in lines)
    assert " ".join(line.removeprefix("User: ") for line in lines[:4]).split() == words
    assert "".join(line.removeprefix("Assistant: ") for line in lines[4:]) == "x" * 2000


def test_the_hash_changes_with_the_text_and_with_the_lines(world: World) -> None:
    made = world.transcript()
    made.user("a")
    (ref,) = world.source.scan().documents
    first = world.source.load(ref).content_hash
    assert world.source.load(ref).content_hash == first
    made.tool_result("not conversation")
    assert world.source.load(ref).content_hash == first
    made.user("b")
    assert world.source.load(ref).content_hash != first


def test_keys_come_from_the_session_store(world: World) -> None:
    world.transcript("s1.jsonl").user("a")
    world.transcript("old.jsonl.reset.2026-05-01T04-00-00Z").user("b")
    world.entries({"agent:main:MAIN": {"sessionId": "S1", "updatedAt": 5}, "agent:main:x": {"sessionId": "zz"}})
    keys = {ref.path: ref.session_key for ref in world.source.scan().documents}
    assert keys == {
        "sessions/main/s1.jsonl": "agent:main:main",
        "sessions/main/old.jsonl.reset.2026-05-01T04-00-00Z": None,
    }


@pytest.mark.parametrize(
    "entries",
    [
        {"agent:main:dashboard:incognito-7": {"sessionId": "s1"}},
        {"agent:main:main": {"sessionId": "s1", "incognito": True}},
        {"agent:main:cron:nightly": {"sessionId": "s1"}},
        {"agent:main:main:heartbeat": {"sessionId": "s1"}},
        {"agent:main:main": {"sessionId": "s1"}, "agent:main:subagent:incognito-1": {"sessionId": "s1"}},
        {"agent:main:cron:x": {"sessionId": "other", "sessionFile": "s1.jsonl"}},
    ],
)
def test_incognito_and_timer_sessions_are_no_documents(world: World, entries: dict[str, Any]) -> None:
    world.transcript().user("secret")
    world.entries(entries)
    assert world.source.scan().documents == ()


@pytest.mark.skipif(os.name != "posix", reason="links and pipes")
def test_links_and_pipes_are_named_and_not_read(world: World) -> None:
    (world.folder / "link.jsonl").symlink_to(world.transcript("s1.jsonl").path)
    os.mkfifo(world.folder / "pipe.jsonl")
    (world.folder / "folder.jsonl").mkdir()
    scan = world.source.scan()
    assert [ref.path for ref in scan.documents] == ["sessions/main/s1.jsonl"]
    assert {one.path.rpartition("/")[2] for one in scan.skipped} == {"link.jsonl", "pipe.jsonl", "folder.jsonl"}


def test_a_transcript_that_vanishes_is_an_error_of_its_own(world: World) -> None:
    made = world.transcript()
    (ref,) = world.source.scan().documents
    made.path.unlink()
    with pytest.raises(NoteReadError, match=r"s1\.jsonl"):
        world.source.load(ref)


# --- thresholds


def growing(root: Path, **thresholds: Any) -> tuple[World, Transcript]:
    world = World(root, **{"new_bytes": 10_000, "new_lines": 3, **thresholds})
    made = world.transcript()
    made.user("a")
    world.load()
    world.now = made.path.stat().st_mtime
    return world, made


def test_growth_below_both_thresholds_is_not_reported(tmp_path: Path) -> None:
    world, made = growing(tmp_path)
    before = world.stamp()
    made.user("b").user("c")
    assert world.stamp() == before


def test_enough_new_lines_are_reported(tmp_path: Path) -> None:
    world, made = growing(tmp_path)
    before = world.stamp()
    made.user("b").user("c").user("d")
    assert world.stamp() != before


def test_enough_new_bytes_are_reported(tmp_path: Path) -> None:
    world, made = growing(tmp_path)
    before = world.stamp()
    made.user("b" * 10_000)
    assert world.stamp() != before


def test_growth_adds_up_until_the_transcript_is_loaded(tmp_path: Path) -> None:
    world, made = growing(tmp_path)
    before = world.stamp()
    made.user("b").user("c")
    assert world.stamp() == before
    made.user("d")
    assert world.stamp() != before
    world.load()
    loaded = world.stamp()
    made.user("e")
    assert world.stamp() == loaded


def test_a_threshold_of_zero_reports_any_growth(tmp_path: Path) -> None:
    world, made = growing(tmp_path, new_lines=0)
    before = world.stamp()
    made.user("b")
    assert world.stamp() != before


def test_a_file_that_was_replaced_counts_with_its_whole_size(tmp_path: Path) -> None:
    world, made = growing(tmp_path)
    before = world.stamp()
    other = Transcript(tmp_path / "other.jsonl").user("x").user("y")
    other.path.replace(made.path)
    assert world.stamp() != before


def test_a_quiet_transcript_is_taken_whatever_its_growth(tmp_path: Path) -> None:
    world, made = growing(tmp_path)
    before = world.stamp()
    made.user("the last word")
    assert world.stamp() == before
    world.now = made.path.stat().st_mtime + 901
    assert world.stamp() != before


def test_a_session_that_settles_is_taken_whatever_its_growth(tmp_path: Path) -> None:
    world, made = growing(tmp_path)
    before = world.stamp()
    made.user("b")
    world.source.settle("another")
    assert world.stamp() == before
    world.source.settle("S1")
    assert world.stamp() != before
