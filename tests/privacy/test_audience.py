"""Who hears what is said in a session, and what it may therefore see."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.config.model import SessionsConfig
from openclaw_memory_core.privacy import Audience, Visible, audience, visible_memory
from openclaw_memory_hookspecs import Session


def who(key: str, config: SessionsConfig | None = None, **session: Any) -> Audience:
    return audience(Session(key=key, **session), config or SessionsConfig(), default_agent="main")


@pytest.mark.parametrize(
    ("session", "private"),
    [
        ({"key": "agent:main:main"}, True),
        ({"key": "main"}, True),
        ({"key": "agent:main:main", "chat_type": "direct"}, True),
        ({"key": "agent:main:main", "trigger": "heartbeat"}, True),
        ({"key": "agent:main:main", "trigger": "cron"}, True),
        ({"key": "agent:main:main", "incognito": True}, True),
        ({"key": "agent:main:main", "chat_type": "group"}, False),
        ({"key": "agent:main:main", "chat_type": "channel", "sender_is_owner": True}, False),
        ({"key": "agent:main:main", "trigger": "subagent"}, False),
        ({"key": "agent:main:main", "trigger": "hook"}, False),
        ({"key": "agent:main:main", "spawned_by": "agent:main:main"}, False),
        ({"key": "agent:main:main", "agent_id": "other"}, False),
        ({"key": "agent:main:main:thread:5"}, False),
        ({"key": "agent:main:main:thread:5", "chat_type": "direct"}, False),
        ({"key": "agent:main:main:thread:5", "chat_type": "direct", "sender_is_owner": True}, True),
        ({"key": "agent:main:telegram:direct:99"}, False),
        ({"key": "agent:main:telegram:direct:99", "chat_type": "direct"}, False),
        ({"key": "agent:main:telegram:direct:99", "sender_is_owner": True}, True),
        ({"key": "agent:main:telegram:direct:99", "sender_is_owner": True, "chat_type": "group"}, False),
        ({"key": "agent:main:telegram:group:-1009"}, False),
        ({"key": "agent:main:telegram:group:-1009", "sender_is_owner": True}, False),
        ({"key": "agent:main:telegram:group:-1009", "sender_is_owner": True, "chat_type": "direct"}, True),
        ({"key": "agent:main:discord:guild-1:channel-2", "sender_is_owner": True}, False),
        ({"key": "agent:main:explicit:mine"}, False),
        ({"key": "agent:main:explicit:mine", "sender_is_owner": True}, False),
        ({"key": "agent:main:explicit:mine", "sender_is_owner": True, "chat_type": "direct"}, True),
        ({"key": "global"}, False),
        ({"key": "unknown", "sender_is_owner": True}, False),
        ({"key": ""}, False),
    ],
)
def test_private_is_the_main_session_or_the_owner_alone(session: dict[str, Any], private: bool) -> None:
    assert who(**session).private == private


@pytest.mark.parametrize("rest", ["subagent:1", "cron:nightly", "cron:nightly:run:1", "hook:2f", "acp:x", "node-7"])
@given(
    chat_type=st.sampled_from([None, "direct", "group", "channel"]),
    owner=st.booleans(),
    trigger=st.sampled_from(["user", "cron", "heartbeat", "memory"]),
)
def test_what_runs_by_itself_is_never_private(rest: str, chat_type: Any, owner: bool, trigger: str) -> None:
    assert not who(f"agent:main:{rest}", chat_type=chat_type, sender_is_owner=owner, trigger=trigger).private


@given(
    key=st.one_of(st.text(), st.sampled_from(["agent:main:telegram:group:1", "agent:main:slack:channel:2", "x@g.us"])),
    owner=st.booleans(),
    trigger=st.text(max_size=10),
)
def test_without_a_word_of_the_host_only_main_and_the_owners_direct_chat_are_private(
    key: str, owner: bool, trigger: str
) -> None:
    one = who(key, sender_is_owner=owner, trigger=trigger)

    if one.private:
        assert one.main or (one.kind == "direct" and owner)


def test_the_global_session_is_main_where_all_share_one() -> None:
    shared = SessionsConfig(scope="global")

    assert who("global", shared).private
    assert who("agent:main:main", shared).key == "global"
    assert not who("global", shared, chat_type="group").private


def test_another_main_key_is_respected() -> None:
    desk = SessionsConfig(main_key="desk")

    assert who("agent:main:desk", desk).private
    assert who("agent:main:main", desk).key == "agent:main:desk"
    assert not who("agent:main:desk").private


def test_the_agent_comes_from_the_host_then_the_key_then_the_configuration() -> None:
    assert who("agent:work:main").agent_id == "work"
    assert who("main").agent_id == "main"
    assert who("telegram:direct:9", agent_id="Home").agent_id == "home"


def test_the_reason_is_for_people() -> None:
    assert who("agent:main:telegram:group:1").reason == "this is a group chat"
    assert who("agent:main:cron:x").reason == "this is a cron session"
    assert "owner" in who("agent:main:direct:x").reason


def test_only_a_private_search_sees_curated_files() -> None:
    private, group = who("agent:main:main"), who("agent:main:telegram:group:1")

    assert visible_memory(private, ["memory"]) == Visible(("memory",), curated=True)
    assert visible_memory(group, ["memory", "sessions"], transcripts=frozenset({"sessions/a.jsonl"})) == Visible(
        ("memory", "sessions"), curated=False, transcripts=frozenset({"sessions/a.jsonl"})
    )
    assert visible_memory(group, ["memory"], hidden_paths=["x.md"]).hidden_paths == {"x.md"}
