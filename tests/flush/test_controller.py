from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from support.sessions import KEY, FlushWorld

from openclaw_memory_core.config.model import FlushConfig, SessionsConfig
from openclaw_memory_hookspecs import FlushOutcome, FlushRequest, TokenUsage

FULL = 180_000


@pytest.fixture
def world(tmp_path: Path) -> FlushWorld:
    return FlushWorld(tmp_path)


def ask(world: FlushWorld, total: int = FULL, **session: Any) -> FlushRequest:
    request = world.tokens(total, world.session(**session))
    assert request is not None
    return request


def test_a_flush_is_due_at_the_window_less_reserve_and_soft_threshold(world: FlushWorld) -> None:
    assert world.tokens(175_999) is None
    assert world.tokens(176_000) is not None


def test_the_request_names_note_prompts_tool_reason_and_model(tmp_path: Path) -> None:
    world = FlushWorld(tmp_path, flush=FlushConfig(model="openai/gpt-4o-mini"))
    request = ask(world)
    assert request.target_path == "memory/2026-05-05.md"
    assert "memory/2026-05-05.md" in request.prompt
    assert "YYYY" not in request.prompt + request.system_prompt
    assert "NO_REPLY" in request.prompt
    assert "NO_REPLY" in request.system_prompt
    assert [tool.name for tool in request.tools] == ["memory_append"]
    assert request.reason == "threshold"
    assert request.model == "openai/gpt-4o-mini"


def test_the_note_is_that_of_the_users_day(tmp_path: Path) -> None:
    world = FlushWorld(tmp_path, timezone="Pacific/Auckland")
    world.clock.advance(hours=5)  # 14:00 UTC is 02:00 of the next day there
    assert ask(world).target_path == "memory/2026-05-06.md"


def test_success_is_recorded_in_the_hosts_fields_and_keeps_the_rest(world: FlushWorld) -> None:
    world.write_store({KEY: {"sessionId": "s1", "compactionCount": 2, "custom": {"a": 1}}, "other": {"b": 2}})
    world.flushed(ask(world))
    entry = world.entry()
    assert entry["memoryFlushCompactionCount"] == 2
    assert entry["memoryFlushAt"] == int(world.clock.now.timestamp() * 1000)
    assert entry["custom"] == {"a": 1}
    assert world.entry("other") == {"b": 2}


def test_a_request_is_not_repeated_while_it_is_out(world: FlushWorld) -> None:
    ask(world)
    assert world.tokens(FULL + 1000) is None
    assert world.entry() == {}


def test_a_request_without_an_outcome_counts_as_failed_after_its_time(world: FlushWorld) -> None:
    for attempt in range(3):
        ask(world)
        world.clock.advance(minutes=16)
        assert world.entry().get("memoryFlushFailureCount", 0) == attempt
    assert world.tokens(FULL) is None
    assert world.entry()["memoryFlushFailureCount"] == 3
    assert world.entry()["memoryFlushError"] == "the host reported no outcome"
    assert "memoryFlushCompactionCount" not in world.entry()


def test_a_request_is_forgotten_at_a_restart(world: FlushWorld) -> None:
    ask(world)
    world.restart()
    assert world.tokens(FULL) is not None


def test_an_outcome_that_arrives_after_a_restart_still_counts(world: FlushWorld) -> None:
    request = ask(world)
    world.restart()
    world.flushed(request)
    assert world.entry()["memoryFlushCompactionCount"] == 0
    assert world.tokens(FULL) is None


def test_marks_survive_a_restart(world: FlushWorld) -> None:
    world.flushed(ask(world))
    world.restart()
    assert world.tokens(FULL) is None


def test_a_compaction_begins_the_next_cycle_when_the_host_counts(world: FlushWorld) -> None:
    world.write_store({KEY: {"sessionId": "s1", "compactionCount": 0}})
    world.flushed(ask(world))
    world.store.update(KEY, {"compactionCount": 1})
    world.controller.on_compacted(world.session())
    assert world.entry()["compactionCount"] == 1
    world.flushed(ask(world))
    assert world.entry()["memoryFlushCompactionCount"] == 1


@pytest.mark.parametrize("restart", [False, True])
def test_a_compaction_begins_the_next_cycle_when_the_host_only_tells(world: FlushWorld, restart: bool) -> None:
    world.flushed(ask(world))
    if restart:
        world.restart()
    world.controller.on_compacted(world.session())
    assert world.entry()["compactionCount"] == 1
    assert world.tokens(FULL) is not None


def test_a_compaction_without_a_flush_ends_the_cycles_failures(world: FlushWorld) -> None:
    for _ in range(3):
        world.flushed(ask(world), FlushOutcome(ok=False, error="HTTP 500"))
    world.restart()
    assert world.tokens(FULL) is None
    world.restart()
    world.controller.on_compacted(world.session())
    assert world.tokens(FULL) is not None


def test_a_compaction_of_a_session_that_was_never_looked_at_writes_nothing(world: FlushWorld) -> None:
    world.controller.on_compacted(world.session())
    assert not world.store_path.exists()


def test_a_flush_that_a_compaction_overtook_marks_the_cycle_it_was_for(world: FlushWorld) -> None:
    request = ask(world)
    world.controller.on_compacted(world.session())
    world.flushed(request)
    assert world.entry()["memoryFlushCompactionCount"] == 0
    assert world.tokens(FULL) is not None


def test_marks_of_an_earlier_transcript_do_not_count_for_the_next(world: FlushWorld) -> None:
    world.flushed(ask(world))
    second = world.session(session_id="s2")
    request = world.tokens(FULL, second)
    assert request is not None
    world.flushed(request, session=second)
    assert world.tokens(FULL, second) is None


def test_an_outcome_of_a_session_that_was_reset_meanwhile_leaves_no_mark(world: FlushWorld) -> None:
    world.write_store({KEY: {"sessionId": "s1", "compactionCount": 0}})
    request = ask(world, session_id=None)
    world.write_store({KEY: {"sessionId": "s2", "compactionCount": 0}})
    world.flushed(request)
    assert "memoryFlushCompactionCount" not in world.entry()


def test_a_host_without_session_ids_is_served(world: FlushWorld) -> None:
    session = world.session(session_id=None)
    for count in range(3):
        request = world.tokens(FULL, session)
        assert request is not None
        world.flushed(request, session=session)
        assert world.tokens(FULL, session) is None
        assert world.entry()["memoryFlushCompactionCount"] == count
        world.controller.on_compacted(session)


def test_the_mark_of_newer_hosts_is_understood(world: FlushWorld) -> None:
    world.write_store({KEY: {"compactionCount": 4, "memoryFlush": {"kind": "succeeded", "compactionCount": 4}}})
    assert world.tokens(FULL) is None


@pytest.mark.parametrize(
    "change",
    [
        {"trigger": "heartbeat"},
        {"trigger": "cron"},
        {"trigger": "memory"},
        {"trigger": "cli"},
        {"incognito": True},
        {"workspace_access": "ro"},
        {"workspace_access": "none"},
        {"key": "agent:main:cron:nightly"},
        {"key": "agent:main:cron:nightly:run:1"},
        {"key": "cron:nightly"},
        {"key": "agent:main:dashboard:incognito-77"},
    ],
)
def test_sessions_that_are_never_flushed_leave_no_trace(world: FlushWorld, change: dict[str, Any]) -> None:
    session = world.session(**change)
    assert world.tokens(FULL, session) is None
    assert world.controller.on_session_end(session, "new") is None
    world.controller.on_compacted(session)
    assert not world.store_path.exists()
    assert world.controller.describe(session)["skipped"]


@pytest.mark.parametrize("access", ["ro", "none"])
def test_a_sandbox_that_may_not_write_is_not_flushed(tmp_path: Path, access: str) -> None:
    world = FlushWorld(tmp_path, agent_changes={"sandbox_workspace_access": access})
    assert world.tokens(FULL, world.session(sandboxed=True)) is None
    assert world.tokens(FULL, world.session()) is not None


def test_a_session_on_a_cli_backend_is_not_flushed(world: FlushWorld) -> None:
    world.write_store({KEY: {"modelProvider": "claude-cli"}})
    assert world.tokens(FULL) is None


def test_subagents_and_groups_are_flushed(world: FlushWorld) -> None:
    assert world.tokens(FULL, world.session("agent:main:subagent:7", trigger="subagent")) is not None
    assert world.tokens(FULL, world.session("agent:main:telegram:group:-1009")) is not None


def test_a_flush_that_is_switched_off_does_nothing(tmp_path: Path) -> None:
    world = FlushWorld(tmp_path, flush=FlushConfig(enabled=False))
    assert world.tokens(FULL) is None
    assert world.controller.on_session_end(world.session(), "new") is None


def test_aliases_of_the_main_session_share_one_cycle(world: FlushWorld) -> None:
    world.flushed(ask(world, key="main"), session=world.session("main"))
    assert world.tokens(FULL, world.session("AGENT:main:MAIN")) is None
    assert list(json.loads(world.store_path.read_text(encoding="utf-8"))) == [KEY]


def test_a_global_session_has_its_own_key(tmp_path: Path) -> None:
    world = FlushWorld(tmp_path, sessions=SessionsConfig(scope="global"))
    world.flushed(ask(world, key="main"), session=world.session("main"))
    assert list(json.loads(world.store_path.read_text(encoding="utf-8"))) == ["global"]


def test_a_store_that_cannot_be_written_does_not_cause_endless_flushing(
    world: FlushWorld, caplog: pytest.LogCaptureFixture
) -> None:
    world.store_path.parent.mkdir(parents=True)
    world.store_path.write_text("{ broken", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        world.flushed(ask(world))
        assert world.tokens(FULL) is None
    assert world.store_path.read_text(encoding="utf-8") == "{ broken"
    assert any("memory flush" in record.message for record in caplog.records)
    world.store_path.write_text("{}", encoding="utf-8")
    world.controller.on_compacted(world.session())
    assert world.entry()["memoryFlushCompactionCount"] == 0
    assert world.entry()["compactionCount"] == 1


# --- windows and sizes


def test_the_window_comes_from_host_then_entry_then_config(tmp_path: Path) -> None:
    world = FlushWorld(tmp_path, agent_changes={"context_tokens": 50_000})
    unknown = world.session(context_window=None)
    assert world.controller.describe(unknown)["windowTokens"] == 50_000
    world.write_store({KEY: {"contextTokens": 100_000}})
    assert world.controller.describe(unknown)["thresholdTokens"] == 76_000
    assert world.controller.describe(world.session(context_window=64_000))["thresholdTokens"] == 40_000


def test_without_any_word_the_window_is_two_hundred_thousand(world: FlushWorld) -> None:
    assert world.controller.describe(world.session(context_window=None))["thresholdTokens"] == 176_000


def test_a_large_transcript_forces_a_flush_once_per_growth(world: FlushWorld) -> None:
    size = 2_097_152
    assert world.tokens(10, transcript_bytes=size - 1) is None
    request = world.tokens(10, transcript_bytes=size)
    assert request is not None
    assert request.reason == "transcript-size"
    world.flushed(request)
    world.controller.on_compacted(world.session())
    world.store.update(KEY, {"memoryFlushTranscriptBytes": size})
    assert world.tokens(10, transcript_bytes=size + 1000) is None
    assert world.tokens(10, transcript_bytes=2 * size) is not None


def test_the_size_of_the_file_counts_when_the_host_does_not_say(tmp_path: Path) -> None:
    world = FlushWorld(tmp_path, flush=FlushConfig(force_flush_transcript_bytes=1000))
    world.agent.sessions_dir.mkdir(parents=True)
    (world.agent.sessions_dir / "s1.jsonl").write_text("x" * 999, encoding="utf-8")
    assert world.tokens(10) is None
    (world.agent.sessions_dir / "s1.jsonl").write_text("x" * 1000, encoding="utf-8")
    assert world.tokens(10) is not None


def test_zero_switches_the_size_rule_off(tmp_path: Path) -> None:
    world = FlushWorld(tmp_path, flush=FlushConfig(force_flush_transcript_bytes=0))
    assert world.tokens(10, transcript_bytes=10**12) is None


def test_stored_tokens_count_when_the_host_gives_no_usage(world: FlushWorld) -> None:
    world.write_store({KEY: {"totalTokens": FULL}})
    assert world.controller.on_tokens(world.session()) is not None


def test_stored_tokens_that_are_stale_do_not_count(world: FlushWorld) -> None:
    world.write_store({KEY: {"totalTokens": FULL, "totalTokensFresh": False}})
    assert world.controller.on_tokens(world.session()) is None


def test_a_stale_number_is_replaced_by_the_transcripts_size(world: FlushWorld) -> None:
    world.agent.sessions_dir.mkdir(parents=True)
    line = {"type": "message", "id": "a", "message": {"role": "user", "content": "short"}}
    (world.agent.sessions_dir / "s1.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert world.controller.on_tokens(world.session(), TokenUsage(total=FULL, fresh=False)) is None


# --- outcomes


@pytest.mark.parametrize("reply", ["NO_REPLY", "Saved.\nNO_REPLY", "", "  \n", "The token NO_REPLY it is, then."])
def test_nothing_is_delivered_for_a_silent_reply(world: FlushWorld, reply: str) -> None:
    assert world.flushed(ask(world), FlushOutcome(reply=reply)) is None


def test_a_spoken_reply_is_delivered(world: FlushWorld) -> None:
    assert world.flushed(ask(world), FlushOutcome(reply=" I saved two notes.\n")) == "I saved two notes."


def test_a_failure_delivers_nothing_and_shows_a_redacted_reason(
    world: FlushWorld, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "sk-test-7QxAbCdEfGhIjKlMnOp"
    with caplog.at_level(logging.WARNING):
        delivered = world.flushed(ask(world), FlushOutcome(reply="oops", ok=False, error=f"401 Bearer {secret}"))
    assert delivered is None
    assert "401" in world.entry()["memoryFlushError"]
    assert secret not in json.dumps(world.entry()) + caplog.text
    assert secret[-8:] not in json.dumps(world.entry()) + caplog.text
    status = world.controller.describe(world.session())
    assert (status["failures"], status["gaveUp"]) == (1, False)


def test_a_success_after_failures_closes_the_cycle(world: FlushWorld) -> None:
    world.flushed(ask(world), FlushOutcome(ok=False, error="x"))
    world.flushed(ask(world), FlushOutcome(ok=False, error="x"))
    world.flushed(ask(world))
    assert world.tokens(FULL) is None
    assert world.controller.describe(world.session())["flushed"] is True


# --- the end of a session


@pytest.mark.parametrize("reason", ["new", "reset", "idle", "daily", "shutdown", "restart", "unknown"])
def test_an_end_saves_what_no_flush_has_seen(world: FlushWorld, reason: str) -> None:
    world.tokens(5000)
    request = world.controller.on_session_end(world.session(), reason)
    assert request is not None
    assert request.reason == "session-end"
    assert request.target_path == "memory/2026-05-05.md"


@pytest.mark.parametrize("reason", ["deleted", "compaction"])
def test_an_end_that_loses_nothing_worth_saving_asks_nothing(world: FlushWorld, reason: str) -> None:
    world.tokens(5000)
    assert world.controller.on_session_end(world.session(), reason) is None


def test_an_end_right_after_a_flush_asks_nothing(world: FlushWorld) -> None:
    world.flushed(ask(world))
    assert world.controller.on_session_end(world.session(), "shutdown") is None


def test_an_end_of_a_session_in_which_nothing_was_said_asks_nothing(world: FlushWorld) -> None:
    assert world.controller.on_session_end(world.session(), "shutdown") is None


def test_an_end_after_a_restart_looks_at_the_transcript(world: FlushWorld) -> None:
    world.agent.sessions_dir.mkdir(parents=True)
    (world.agent.sessions_dir / "s1.jsonl").write_text("{}\n", encoding="utf-8")
    assert world.controller.on_session_end(world.session(), "shutdown") is not None


def test_a_flush_at_shutdown_leaves_the_cycles_own_flush(world: FlushWorld) -> None:
    world.tokens(5000)
    request = world.controller.on_session_end(world.session(), "shutdown")
    assert request is not None
    world.flushed(request)
    world.restart()
    assert world.tokens(FULL) is not None


def test_a_reset_begins_a_new_cycle_for_hosts_that_keep_no_entries(world: FlushWorld) -> None:
    session = world.session(session_id=None)
    request = world.tokens(FULL, session)
    assert request is not None
    world.flushed(request, session=session)
    world.controller.on_session_end(session, "reset")
    assert world.tokens(FULL, session) is not None


def test_what_was_said_while_a_flush_ran_is_saved_at_the_end(world: FlushWorld) -> None:
    request = ask(world)
    world.tokens(FULL)
    world.flushed(request)
    assert world.controller.on_session_end(world.session(), "shutdown") is not None


def test_the_last_request_of_an_ended_session_does_not_hold_up_the_next_one(world: FlushWorld) -> None:
    world.tokens(5000)
    last = world.controller.on_session_end(world.session(), "new")
    assert last is not None
    following = world.session(session_id="s2")
    request = world.tokens(FULL, following)
    assert request is not None
    assert world.flushed(last) is None
    world.flushed(request, session=following)
    assert world.tokens(FULL, following) is None


def test_a_transcript_beside_a_store_of_its_own_is_counted(tmp_path: Path) -> None:
    world = FlushWorld(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    world.store_path = elsewhere / "sessions.json"
    world.restart()
    line = {"type": "message", "id": "a", "message": {"role": "user", "content": "word " * 160_000}}
    (elsewhere / "s1.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert world.tokens(0) is not None


def test_the_overview_names_the_last_flush_and_the_sessions_that_fail(world: FlushWorld) -> None:
    assert world.controller.overview() == {"lastFlushAt": None, "failing": []}
    group = world.session("agent:main:telegram:group:-1009", session_id="s9")
    for _ in range(3):
        request = world.tokens(FULL, group)
        assert request is not None
        world.flushed(request, FlushOutcome(ok=False, error="HTTP 500"), group)
    world.flushed(ask(world))
    now = int(world.clock.now.timestamp() * 1000)
    failure = {"sessionKey": group.key, "failures": 3, "gaveUp": True, "error": "HTTP 500", "at": now}
    assert world.controller.overview() == {"lastFlushAt": now, "failing": [failure]}
    world.controller.on_compacted(group)
    assert world.controller.overview()["failing"] == []
