"""Transcripts that OpenClaw keeps in its own database: read, searched under the rules of visibility, never written."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.openclaw_database import OpenClawDatabase, event_bytes

from openclaw_memory_core.config import load_config
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.errors import NoteReadError, StoreError
from openclaw_memory_core.index.store.openclaw_sessions import OpenClawSessions
from openclaw_memory_core.sessions.openclaw import OpenClawTranscripts
from openclaw_memory_core.sessions.source import TranscriptSource
from openclaw_memory_core.sessions.store import SessionStore
from openclaw_memory_core.sessions.zstd import LONGEST, decoder
from openclaw_memory_hookspecs import Session

MAIN = "agent:main:main"
GROUP = "agent:main:telegram:group:-1009"
NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def database(state: Path) -> OpenClawDatabase:
    found = OpenClawDatabase(state / "agents" / "main" / "agent" / "openclaw-agent.sqlite")
    found.session(MAIN, "aaa")
    found.say("aaa", "user", "Where does the ferry to Vaxholm leave from?")
    found.say("aaa", "assistant", "From the pier at Strömkajen.")
    return found


@pytest.fixture
def source(state: Path, database: OpenClawDatabase) -> OpenClawTranscripts:
    return make_source(state, database)


def make_source(state: Path, database: OpenClawDatabase, **options: Any) -> OpenClawTranscripts:
    folder = state / "agents" / "main" / "sessions"
    files = TranscriptSource("main", folder, SessionStore(folder / "sessions.json", clock=lambda: NOW))
    return OpenClawTranscripts("main", OpenClawSessions(database.path), files, **options)


def texts(source: OpenClawTranscripts) -> dict[str, str]:
    return {ref.path: source.load(ref).text for ref in source.scan().documents}


def test_a_transcript_of_the_database_is_a_document_with_lines_and_key(source: OpenClawTranscripts) -> None:
    (ref,) = source.scan().documents
    document = source.load(ref)

    assert ref.path == "sessions/main/aaa.jsonl"
    assert ref.session_key == MAIN
    assert document.text == (
        "User: Where does the ferry to Vaxholm leave from?\nAssistant: From the pier at Strömkajen."
    )
    assert document.line_map == (1, 2)
    assert document.flaws == ()


def test_reading_changes_nothing_of_the_database(source: OpenClawTranscripts, database: OpenClawDatabase) -> None:
    before = hashlib.sha256(database.path.read_bytes()).digest()
    texts(source)

    assert hashlib.sha256(database.path.read_bytes()).digest() == before
    with pytest.raises(StoreError), OpenClawSessions(database.path)._reading() as db:
        db.execute("DELETE FROM transcript_events")


def test_a_scan_sees_what_openclaw_has_just_written_while_it_writes(
    source: OpenClawTranscripts, database: OpenClawDatabase
) -> None:
    (before,) = source.scan().documents
    with closing(database.open()) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM transcript_events")
        assert source.scan().documents == (before,), "what is not committed is not seen"
        writer.execute("ROLLBACK")
    database.say("aaa", "user", "And when?")
    (after,) = source.scan().documents

    assert after.stat != before.stat
    assert "And when?" in source.load(after).text


def test_a_session_that_was_reset_keeps_its_earlier_transcript(
    source: OpenClawTranscripts, database: OpenClawDatabase
) -> None:
    database.session(MAIN, "bbb")
    database.say("bbb", "user", "A new beginning.")

    assert list(texts(source)) == ["sessions/main/aaa.jsonl", "sessions/main/bbb.jsonl"]
    database.execute("DELETE FROM session_windows WHERE session_id = 'aaa'")
    assert list(texts(source)) == ["sessions/main/bbb.jsonl"]


@pytest.mark.parametrize(
    ("key", "entry"),
    [
        ("agent:main:cron:job-1", {}),
        ("agent:main:main:heartbeat", {}),
        ("agent:main:dashboard:incognito-5", {}),
        ("agent:main:explicit:x", {"incognito": True}),
    ],
)
def test_what_nobody_talks_in_or_may_not_be_remembered_is_left_out(
    source: OpenClawTranscripts, database: OpenClawDatabase, key: str, entry: dict[str, Any]
) -> None:
    database.session(key, "ccc", entry=entry)
    database.say("ccc", "user", "Never to be seen.")

    assert list(texts(source)) == ["sessions/main/aaa.jsonl"]


def test_an_odd_session_id_cannot_name_a_path(source: OpenClawTranscripts, database: OpenClawDatabase) -> None:
    for session_id in ("../../MEMORY", "a/b", "x.deleted", ""):
        database.session(f"agent:main:explicit:{session_id}", session_id)
        database.say(session_id, "user", "odd")

    assert list(texts(source)) == ["sessions/main/aaa.jsonl"]


def test_a_file_of_the_same_session_gives_way_and_other_files_stay(state: Path, source: OpenClawTranscripts) -> None:
    folder = state / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    line = json.dumps({"type": "message", "message": {"role": "user", "content": "from a file"}})
    for name in ("aaa.jsonl", "old.jsonl"):
        (folder / name).write_text(line + "\n", encoding="utf-8")

    found = texts(source)

    assert found["sessions/main/old.jsonl"] == "User: from a file"
    assert "Vaxholm" in found["sessions/main/aaa.jsonl"]


def test_compressed_events_are_read_where_a_decoder_is_installed(state: Path, database: OpenClawDatabase) -> None:
    zstandard = pytest.importorskip("zstandard")
    packed = zstandard.ZstdCompressor().compress(event_bytes("user", "An old question."))
    database.say("aaa", "user", "", zstd=packed)
    database.say("aaa", "user", "", zstd=b"damaged")
    source = make_source(state, database)
    document = source.load(source.scan().documents[0])

    assert document.text.endswith("User: An old question.")
    assert document.line_map == (1, 2, 3)
    assert document.flaws == ("1 compressed events are damaged",)


def test_without_a_decoder_compressed_events_are_named_and_the_rest_is_read(
    state: Path, database: OpenClawDatabase
) -> None:
    database.say("aaa", "user", "", zstd=b"anything")
    source = make_source(state, database, decode=lambda: None)
    document = source.load(source.scan().documents[0])

    assert "Vaxholm" in document.text
    assert document.flaws == ("1 compressed events were left out; install zstandard to read them",)


def test_a_frame_that_unpacks_to_too_much_is_refused() -> None:
    zstandard = pytest.importorskip("zstandard")
    decode = decoder()
    assert decode is not None
    assert decode(zstandard.ZstdCompressor().compress(b"x" * LONGEST)) == b"x" * LONGEST
    with pytest.raises(ValueError, match="too long"):
        decode(zstandard.ZstdCompressor().compress(b"x" * (LONGEST + 1)))


def test_archives_are_named_as_left_out(source: OpenClawTranscripts, database: OpenClawDatabase) -> None:
    database.execute("INSERT INTO session_transcript_cold_archives VALUES ('old')")
    database.execute("INSERT INTO session_transcript_archives VALUES ('r', 'g', 'reset'), ('d', 'g', 'deleted')")

    (skipped,) = source.scan().skipped

    assert skipped.code == "openclaw-archived"
    assert skipped.reason.startswith("2 transcripts")


@pytest.mark.parametrize("damage", ["schema", "bytes", "link"])
def test_a_database_that_cannot_be_read_is_named_and_nothing_counts_as_deleted(
    state: Path, source: OpenClawTranscripts, database: OpenClawDatabase, damage: str
) -> None:
    (ref,) = source.scan().documents
    if damage == "schema":
        database.execute("ALTER TABLE session_windows RENAME COLUMN session_key TO owner_key")
    elif damage == "bytes":
        database.path.write_bytes(b"no database at all" * 500)
    else:
        real = database.path.rename(database.path.with_name("elsewhere.sqlite"))
        database.path.symlink_to(real)
    fresh = make_source(state, database)
    scan = fresh.scan()

    assert scan.documents == ()
    assert scan.skipped[0].code == "openclaw-sessions-unreadable"
    assert scan.unseen == ("sessions/main/",)
    with pytest.raises(NoteReadError):
        fresh.load(ref)


def test_without_a_database_the_files_are_all_there_is(state: Path, tmp_path: Path) -> None:
    folder = state / "agents" / "main" / "sessions"
    files = TranscriptSource("main", folder, SessionStore(folder / "sessions.json", clock=lambda: NOW))
    source = OpenClawTranscripts("main", OpenClawSessions(tmp_path / "none.sqlite"), files)

    assert source.scan() == files.scan()
    assert not (tmp_path / "none.sqlite").exists()


@pytest.fixture
def core(state: Path, database: OpenClawDatabase, workspace: Path) -> Iterator[MemoryCore]:
    config = load_config(
        {
            "agents": {"defaults": {"workspace": str(workspace)}},
            "memory": {
                "search": {
                    "provider": "none",
                    "sources": ["memory", "sessions"],
                    "experimental": {"sessionMemory": True},
                }
            },
        },
        state_dir=state,
        env={},
    )
    with MemoryCore(config, background=False) as core:
        yield core


def found(core: MemoryCore, query: str, session: Session | None = None) -> list[str]:
    answer = core.search(query, session=session, corpus="sessions")
    return [one["path"] for one in answer["results"]]


def test_memory_search_finds_a_conversation_of_openclaw_where_it_may_be_seen(
    core: MemoryCore, database: OpenClawDatabase
) -> None:
    database.session(GROUP, "ggg", chat_type="group")
    database.say("ggg", "user", "The lighthouse keeper sails on Friday.")
    core.sync()

    assert found(core, "ferry Vaxholm") == ["sessions/main/aaa.jsonl"]
    assert found(core, "lighthouse keeper") == ["sessions/main/ggg.jsonl"]
    group = Session(key=GROUP)
    assert found(core, "lighthouse keeper", group) == ["sessions/main/ggg.jsonl"]
    assert found(core, "ferry Vaxholm", group) == []


def test_a_spawned_session_is_visible_to_the_one_that_spawned_it(core: MemoryCore, database: OpenClawDatabase) -> None:
    database.session(GROUP, "ggg", chat_type="group")
    database.say("ggg", "user", "Go and look it up.")
    database.session("agent:main:subagent:s1", "sss", spawned_by=GROUP)
    database.say("sss", "assistant", "The turbine has nine blades.")
    core.sync()

    assert found(core, "turbine blades", Session(key=GROUP)) == ["sessions/main/sss.jsonl"]
    assert found(core, "turbine blades", Session(key="agent:main:discord:channel:7")) == []


def test_a_session_that_becomes_incognito_is_found_no_more(core: MemoryCore, database: OpenClawDatabase) -> None:
    core.sync()
    assert found(core, "ferry Vaxholm")
    database.execute("""UPDATE session_nodes SET entry_json = '{"incognito": true}'""")

    assert found(core, "ferry Vaxholm") == []
    core.sync()
    database.execute("UPDATE session_nodes SET entry_json = '{}'")
    assert found(core, "ferry Vaxholm") == [], "its text has left the index"
