from __future__ import annotations

import os
from pathlib import Path

import pytest

from openclaw_memory_core.sessions.paths import store_path, transcript_path

KEY = "agent:main:main"


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    folder = tmp_path / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    (tmp_path / "agents" / "work" / "sessions").mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("configured", "expected"),
    [
        (None, "sessions/sessions.json"),
        ("", "sessions/sessions.json"),
        ("~/s/{agentId}.json", "home/s/work.json"),
        ("/srv/{agentId}/sessions.json", "/srv/work/sessions.json"),
    ],
)
def test_where_the_store_is(tmp_path: Path, configured: str | None, expected: str) -> None:
    assert store_path(tmp_path / "sessions", configured, "work", tmp_path / "home") == tmp_path / expected


def test_a_transcript_is_named_after_the_session(sessions: Path) -> None:
    assert transcript_path(sessions, KEY, session_id="abc") == sessions / "abc.jsonl"
    assert transcript_path(sessions, KEY, entry={"sessionId": "abc"}) == sessions / "abc.jsonl"
    assert transcript_path(sessions, KEY) is None


def test_a_topic_has_a_transcript_of_its_own_where_there_is_one(sessions: Path) -> None:
    key = "agent:main:telegram:group:-1009:topic:4/2"
    assert transcript_path(sessions, key, session_id="abc") == sessions / "abc.jsonl"
    (sessions / "abc-topic-4%2F2.jsonl").touch()
    assert transcript_path(sessions, key, session_id="abc") == sessions / "abc-topic-4%2F2.jsonl"


def test_the_stored_file_counts_for_the_stored_id_only(sessions: Path) -> None:
    entry = {"sessionId": "abc", "sessionFile": "other.jsonl"}
    assert transcript_path(sessions, KEY, entry=entry) == sessions / "other.jsonl"
    assert transcript_path(sessions, KEY, session_id="abc", entry=entry) == sessions / "other.jsonl"
    assert transcript_path(sessions, KEY, session_id="new", entry=entry) == sessions / "new.jsonl"


def test_a_file_of_a_sibling_agent_or_beside_the_store_is_allowed(sessions: Path, tmp_path: Path) -> None:
    sibling = tmp_path / "agents" / "work" / "sessions" / "x.jsonl"
    assert transcript_path(sessions, KEY, entry={"sessionFile": str(sibling)}) == sibling
    beside = tmp_path / "store" / "x.jsonl"
    entry = {"sessionFile": str(beside)}
    assert transcript_path(sessions, KEY, entry=entry) is None
    assert transcript_path(sessions, KEY, entry=entry, store_dir=tmp_path / "store") == beside


@pytest.mark.parametrize(
    "named",
    [
        "/etc/passwd",
        "../../../secret.jsonl",
        "../../x/y/z.jsonl",
        "notes.md",
        "sub/x.jsonl",
        "../x.jsonl",
        "x.jsonl.deleted.1",
    ],
)
def test_a_file_elsewhere_is_refused(sessions: Path, named: str) -> None:
    assert transcript_path(sessions, KEY, entry={"sessionFile": named}) is None


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_sibling_that_is_a_link_out_of_the_agents_folder_is_refused(sessions: Path, tmp_path: Path) -> None:
    (tmp_path / "outside" / "sessions").mkdir(parents=True)
    (tmp_path / "agents" / "evil").symlink_to(tmp_path / "outside")
    named = str(tmp_path / "agents" / "evil" / "sessions" / "x.jsonl")
    assert transcript_path(sessions, KEY, entry={"sessionFile": named}) is None


@pytest.mark.parametrize("session_id", ["../x", "a/b", "", ".hidden", "x" * 200, "a\0b"])
def test_an_id_that_is_no_name_is_refused(sessions: Path, session_id: str) -> None:
    assert transcript_path(sessions, KEY, session_id=session_id) is None
