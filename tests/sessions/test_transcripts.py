from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.transcripts import (
    ENVELOPE,
    FLUSH_PROMPT,
    HEARTBEAT_PROMPT,
    METADATA,
    SENDER,
    START,
    Transcript,
    millis,
)

from openclaw_memory_core.config.model import FlushConfig
from openclaw_memory_core.flush.prompts import user_prompt
from openclaw_memory_core.sessions.jsonl import read_events
from openclaw_memory_core.sessions.transcripts import timestamp_of, transcript_name, utterances


def said(path: Path) -> list[tuple[str, str]]:
    return [(u.role, u.text) for u in utterances(read_events(path))]


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return Transcript(tmp_path / "s1.jsonl")


@pytest.mark.parametrize("version", ["2026.2", "2026.7"])
def test_user_and_assistant_text_is_the_conversation(tmp_path: Path, version: str) -> None:
    made = Transcript(tmp_path / "s1.jsonl", version=version)
    made.user("The gate motor\n fuse is 10 A").assistant("Noted.", thinking="hm").user("Thanks")
    made.event("model_change", modelId="x").event("custom", customType="t", data={"text": "no"})
    assert said(made.path) == [("user", "The gate motor\n fuse is 10 A"), ("assistant", "Noted."), ("user", "Thanks")]


def test_lines_ids_and_times_are_those_of_the_file(transcript: Transcript) -> None:
    transcript.user("a").tool_result("b").assistant("c")
    first, second = utterances(read_events(transcript.path))
    assert (first.line, first.message_id, first.timestamp) == (2, "e0001", millis(1))
    assert (second.line, second.message_id, second.timestamp) == (4, "e0003", millis(3))


def test_tool_calls_tool_results_images_and_summaries_are_no_conversation(transcript: Transcript) -> None:
    transcript.message(
        "user", [{"type": "image", "data": "QUJD" * 999, "mimeType": "image/png"}, {"type": "text", "text": "see"}]
    )
    transcript.assistant("", calls=("exec",)).tool_result("x" * 50_000).compaction("a summary", "e0001")
    transcript.assistant("It is a gate.", calls=("exec",))
    assert said(transcript.path) == [("user", "see"), ("assistant", "It is a gate.")]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (METADATA + SENDER + "Hello", "Hello"),
        (SENDER + ENVELOPE + "Hello", "Hello"),
        ("[Telegram Kofi id:7 +5m 2026-05-05 09:00 UTC] Hello\n[message_id: 12]", "Hello"),
        (
            "System: [2026-05-05 09:00 GMT+1] Node: connected\nSystem: [2026-05-05 09:01] Exec finished\n\nHello",
            "Hello",
        ),
        ("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nsecret\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\nHello", "Hello"),
        ("<recalled-notes>\nNotes …\n- door code 4417 (from MEMORY.md, line 1)\n</recalled-notes>\nHello", "Hello"),
        (
            "Notes:\nBEGIN_QUOTED_NOTES\n```text\nx\n```\nEND_QUOTED_NOTES\nHello",
            "Notes:\nHello",
        ),
        ("Look: data:image/png;base64," + "iVBORw0KGgo" * 40, "Look: [data]"),
        ("Hello [not an envelope]", "Hello [not an envelope]"),
        ("What does HEARTBEAT_OK mean?", "What does HEARTBEAT_OK mean?"),
        ("[ ] buy fuses on 2026-05-05 09:00", "[ ] buy fuses on 2026-05-05 09:00"),
    ],
)
def test_what_the_host_wrapped_around_a_message_is_left_out(transcript: Transcript, written: str, meant: str) -> None:
    transcript.user(written)
    assert said(transcript.path) == [("user", meant)]


@pytest.mark.parametrize(
    "prompt",
    [
        HEARTBEAT_PROMPT,
        ENVELOPE + HEARTBEAT_PROMPT,
        "Check the barn cameras. If all is well, reply HEARTBEAT_OK.",
        "[cron:7f3 nightly report] Write the report",
        FLUSH_PROMPT,
        user_prompt(FlushConfig(), START),
        user_prompt(
            FlushConfig(prompt="Write any lasting notes to memory/YYYY-MM-DD.md; reply with NO_REPLY if nothing."),
            START,
        ),
    ],
)
def test_a_turn_that_nobody_began_is_left_out_up_to_the_next_message(transcript: Transcript, prompt: str) -> None:
    transcript.user("before").assistant("yes").user(prompt).assistant("did it").tool_result("x").assistant("and this")
    transcript.user("after").assistant("ok")
    assert [text for _, text in said(transcript.path)] == ["before", "yes", "after", "ok"]


@pytest.mark.parametrize("tool", ["memory_search", "memory_get", "sessions_search", "sessions_history"])
def test_what_was_recalled_is_left_out_so_that_recall_does_not_feed_itself(transcript: Transcript, tool: str) -> None:
    transcript.user("What is the door code?").assistant("Let me look.", calls=(tool,)).tool_result("4417", tool)
    transcript.assistant("It is 4417.").user("Thanks").assistant("Any time.")
    assert [text for _, text in said(transcript.path)] == ["What is the door code?", "Thanks", "Any time."]


def test_messages_of_other_sessions_and_the_system_are_left_out(tmp_path: Path) -> None:
    made = Transcript(tmp_path / "s1.jsonl", version="2026.7")
    made.user("from a subagent", provenance={"kind": "inter_session", "sourceSessionKey": "agent:main:subagent:1"})
    made.user("An async command you ran earlier has completed. …", provenance={"kind": "internal_system"})
    made.user("An async command you ran earlier has completed. …").user("me")
    assert said(made.path) == [("user", "me")]


@pytest.mark.parametrize("reply", ["NO_REPLY", "Saved.\nNO_REPLY", "HEARTBEAT_OK", '{"action":"NO_REPLY"}'])
def test_silent_replies_are_left_out(transcript: Transcript, reply: str) -> None:
    transcript.user("hi").assistant(reply)
    assert said(transcript.path) == [("user", "hi")]


def test_reasoning_and_directives_are_not_said(transcript: Transcript) -> None:
    transcript.assistant("<think>secret</think>[[reply_to_current]] Hello")
    assert said(transcript.path) == [("assistant", "Hello")]


def test_secrets_are_masked(transcript: Transcript) -> None:
    transcript.user("my key is sk-test-7QxAbCdEfGhIjKlMnOp, keep it")
    assert said(transcript.path) == [("user", "my key is sk-tes…MnOp, keep it")]


def test_half_written_broken_and_foreign_lines_are_passed_over(transcript: Transcript) -> None:
    transcript.user("one")
    with transcript.path.open("ab") as file:
        file.write(b'not json\n\n[1, 2]\n"text"\n{"type": 5}\n\xff\xfe broken utf-8\n{"type":"message","message":[]}\n')
        file.write(b'{"type":"message","message":{"role":"user","content":{"a":1}}}\n')
    transcript.user("two").half_line()
    assert [text for _, text in said(transcript.path)] == ["one", "two"]


def test_a_file_that_grows_while_it_is_read_gives_whole_lines(transcript: Transcript) -> None:
    transcript.user("one").user("two")
    reading = utterances(read_events(transcript.path))
    assert next(reading).text == "one"
    transcript.user("three").half_line()
    assert [u.text for u in reading] == ["two", "three"]


def test_a_last_line_without_a_line_feed_counts_if_it_is_whole(transcript: Transcript) -> None:
    transcript.half_line(json.dumps({"type": "message", "message": {"role": "user", "content": "whole"}}))
    assert said(transcript.path) == [("user", "whole")]


@given(junk=st.lists(st.binary(max_size=60), max_size=6))
def test_no_bytes_make_reading_fail(tmp_path_factory: pytest.TempPathFactory, junk: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("t") / "s.jsonl"
    path.write_bytes(b"\n".join(junk))
    list(utterances(read_events(path)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda c: (
        st.lists(c, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "text",
                    "role",
                    "content",
                    "message",
                    "name",
                    "provenance",
                    "kind",
                    "data",
                    "usage",
                    "id",
                    "timestamp",
                ]
            ),
            c,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(
    events=st.lists(
        st.dictionaries(
            st.sampled_from(["type", "id", "message", "timestamp", "summary"]), JSON | st.just("message"), max_size=5
        ),
        max_size=4,
    )
)
def test_no_shape_of_event_makes_reading_fail(tmp_path_factory: pytest.TempPathFactory, events: list[object]) -> None:
    path = tmp_path_factory.mktemp("t") / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    list(utterances(read_events(path)))


@pytest.mark.parametrize(
    ("name", "session_id", "archived"),
    [
        ("a.jsonl", "a", False),
        ("0F1e-22.jsonl", "0f1e-22", False),
        ("a-topic-42.jsonl", "a", False),
        ("a.jsonl.reset.2026-05-01T04-00-00Z", "a", True),
        ("a.jsonl.reset.2026-02-26T10-00-00.000Z", "a", True),
        ("a.jsonl.reset.2026-02-26T10-00-00.000Z.0123456789abcdef0123456789abcdef", "a", True),
    ],
)
def test_files_that_count(name: str, session_id: str, archived: bool) -> None:
    known = transcript_name(name)
    assert known is not None
    assert (known.session_id, known.archived) == (session_id, archived)


@pytest.mark.parametrize(
    "name",
    [
        "sessions.json",
        "sessions.json.bak.1",
        "b.jsonl.deleted.2026-05-02",
        "b.jsonl.deleted.2026-02-26T10-00-00.000Z",
        "c.jsonl.bak",
        "c.jsonl.bak.2026-02-26T10-00-00.000Z",
        "d.jsonl.lock",
        "e.checkpoint.jsonl",
        "e.checkpoint.0f1e2d3c.jsonl",
        "f.trajectory.jsonl",
        "g.jsonl.reset.2026-02-26T10-00-00.000Z.zst",
        "h.jsonl.reset.x.deleted",
        "h.jsonl.reset.2026.deleted.2026",
        "h.jsonl.123.tmp",
        ".hidden.jsonl",
        "notes.md",
        "jsonl",
        "",
    ],
)
def test_files_that_never_count(name: str) -> None:
    assert transcript_name(name) is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [((5,), 5), (("2026-05-05T08:01:00.000Z",), millis(1)), ((None, "bad", 7), 7), ((True, -1), None), ((1e30,), None)],
)
def test_times_of_messages(values: tuple[object, ...], expected: int | None) -> None:
    assert timestamp_of(*values) == expected
