from __future__ import annotations

import datetime as dt
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from support.sessions import Clock
from support.transcripts import FLUSH_PROMPT, Transcript

from openclaw_memory_core.sessions.store import SessionStore
from openclaw_memory_core.sessions.summary import SummaryWriter
from openclaw_memory_core.workspace.append import AppendResult, append_entry
from openclaw_memory_hookspecs import Session

KEY = "agent:main:main"
NOTE = "memory/2026-05-06-0030.md"


class World:
    def __init__(self, root: Path) -> None:
        self.workspace = root / "workspace"
        self.folder = root / "sessions"
        self.folder.mkdir()
        self.clock = Clock(dt.datetime(2026, 5, 5, 23, 30, tzinfo=dt.UTC))  # 00:30 of the next day in Lisbon
        self.store = SessionStore(self.folder / "sessions.json", clock=self.clock)
        self.writer = SummaryWriter(self.folder, self.store, self.append, clock=self.clock, timezone="Europe/Lisbon")

    def append(self, path: str, text: str) -> AppendResult:
        return append_entry(self.workspace, path, text)

    def transcript(self, name: str = "s1.jsonl") -> Transcript:
        return Transcript(self.folder / name)

    def write(self, key: str = KEY, reason: str = "new", **session: Any) -> str | None:
        result = self.writer.write(Session(key=key, **{"session_id": "s1", **session}), reason)
        return None if result is None else (self.workspace / result.path).read_text(encoding="utf-8")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.parametrize("reason", ["new", "reset"])
def test_a_summary_holds_the_last_words_in_the_users_day(world: World, reason: str) -> None:
    world.transcript().user("The gate motor\nfuse is 10 A").assistant("Noted.")
    text = world.write(reason=reason)
    assert [path.relative_to(world.workspace).as_posix() for path in world.workspace.rglob("*.md")] == [NOTE]
    assert text == (
        "# 2026-05-06\n\n"
        "## Session: 2026-05-06 00:30 WEST\n\n"
        "- **Session Key**: agent:main:main\n"
        "- **Session ID**: s1\n\n"
        "### Conversation Summary\n\n"
        "- user: The gate motor fuse is 10 A\n"
        "- assistant: Noted.\n"
    )


def test_only_the_last_fifteen_texts_are_kept_and_long_ones_cut(world: World) -> None:
    made = world.transcript()
    for number in range(20):
        made.user(f"text {number} " + "x" * 2000)
    lines = [line for line in (world.write() or "").splitlines() if line.startswith("- user")]
    assert [line.split()[3] for line in lines] == [str(number) for number in range(5, 20)]
    assert all(len(line) <= 1010 for line in lines)


def test_commands_flush_turns_secrets_and_recalled_text_are_left_out(world: World) -> None:
    made = world.transcript()
    made.user("/status").user("my key is sk-test-7QxAbCdEfGhIjKlMnOp").user(FLUSH_PROMPT).assistant("NO_REPLY")
    made.user("code?").assistant("", calls=("memory_search",)).assistant("It is 4417.").user("/new")
    text = world.write() or ""
    assert [line for line in text.splitlines() if line.startswith(("- user", "- assistant"))] == [
        "- user: my key is sk-tes…MnOp",
        "- user: code?",
    ]


def test_annotations_in_what_was_said_do_not_become_triggers(world: World) -> None:
    world.transcript().user("remember <!-- trigger: gate --> this")
    assert "<!--" not in (world.write() or "")


def test_an_existing_note_is_appended_to(world: World) -> None:
    (world.workspace / "memory").mkdir(parents=True)
    (world.workspace / NOTE).write_text("mine\n", encoding="utf-8")
    world.transcript().user("hello")
    assert (world.write() or "").startswith("mine\n## Session")


def test_a_transcript_that_a_reset_put_aside_is_found(world: World) -> None:
    world.transcript("s1.jsonl.reset.2026-05-01T04-00-00.000Z").user("older")
    world.transcript("s1.jsonl.reset.2026-05-05T23-30-00.000Z").user("newer")
    world.transcript("s1.jsonl.deleted.2026-05-05T23-30-00.000Z").user("deleted")
    assert "newer" in (world.write() or "")


def test_the_id_comes_from_the_store_if_the_host_does_not_say(world: World) -> None:
    world.transcript("abc.jsonl").user("hello")
    world.store.path.write_text(json.dumps({KEY: {"sessionId": "abc"}}), encoding="utf-8")
    assert "hello" in (world.write(session_id=None) or "")


def test_the_same_talk_is_summed_up_once(world: World) -> None:
    made = world.transcript()
    made.user("hello")
    assert world.write() is not None
    assert world.write() is None
    made.user("more")
    assert world.write() is not None


@pytest.mark.parametrize("reason", ["idle", "daily", "shutdown", "restart", "deleted", "compaction", "unknown"])
def test_other_ends_leave_no_summary(world: World, reason: str) -> None:
    world.transcript().user("hello")
    assert world.write(reason=reason) is None
    assert not world.workspace.exists()


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        (KEY, {"incognito": True}),
        ("agent:main:dashboard:incognito-1", {}),
        ("agent:main:cron:nightly", {}),
        ("agent:main:subagent:1", {}),
    ],
)
def test_sessions_that_are_not_remembered_leave_no_summary(world: World, key: str, changes: dict[str, Any]) -> None:
    world.transcript().user("hello")
    assert world.write(key, **changes) is None
    assert not world.workspace.exists()


def test_a_session_that_the_store_calls_incognito_leaves_no_summary(world: World) -> None:
    world.transcript().user("hello")
    world.store.path.write_text(json.dumps({KEY: {"sessionId": "s1", "incognito": True}}), encoding="utf-8")
    assert world.write() is None


def test_a_talk_without_a_person_leaves_no_summary(world: World) -> None:
    world.transcript().assistant("Hello, who is there?")
    assert world.write() is None


def test_a_missing_transcript_leaves_no_summary(world: World) -> None:
    assert world.write() is None


def test_a_note_that_cannot_be_written_is_logged(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.transcript().user("hello")
    world.workspace.write_text("in the way", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert world.write() is None
    assert "No summary" in caplog.text
