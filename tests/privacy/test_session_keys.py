"""What a session key says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.session_keys import canonical_main_key, is_main, parse_session_key


@pytest.mark.parametrize(
    ("key", "agent", "kind"),
    [
        ("agent:main:main", "main", "main"),
        ("Agent:Work:MAIN", "work", "main"),
        ("agent:main:telegram:group:-1009", "main", "group"),
        ("agent:main:telegram:group:-1009:topic:5", "main", "group"),
        ("agent:main:slack:channel:c024", "main", "channel"),
        ("agent:main:slack:channel:c024:thread:17.5", "main", "channel"),
        ("agent:main:matrix:room:!abc", "main", "channel"),
        ("agent:main:direct:+351900", "main", "direct"),
        ("agent:main:dm:+351900", "main", "direct"),
        ("agent:main:telegram:direct:99", "main", "direct"),
        ("agent:main:telegram:acct:direct:99", "main", "direct"),
        ("agent:main:telegram:direct:99:thread:group", "main", "direct"),
        ("agent:main:discord:guild-1:channel-2", "main", "channel"),
        ("agent:main:discord:acct:guild-1:channel-2", "main", "channel"),
        ("agent:main:whatsapp:120363@g.us", "main", "group"),
        ("agent:main:cron:nightly", "main", "cron"),
        ("agent:main:cron:nightly:run:7", "main", "cron"),
        ("agent:main:subagent:1", "main", "subagent"),
        ("agent:main:subagent:1:subagent:2", "main", "subagent"),
        ("agent:main:telegram:direct:99:subagent:2", "main", "subagent"),
        ("agent:main:cron:nightly:subagent:2", "main", "subagent"),
        ("agent:main:acp:x", "main", "acp"),
        ("agent:main:hook:2f", "main", "hook"),
        ("agent:main:node-7", "main", "node"),
        ("agent:main:explicit:mine", "main", "unknown"),
        ("agent:main:dashboard:incognito-1", "main", "unknown"),
        ("agent:main:main:thread:5", "main", "unknown"),
        ("main", None, "main"),
        ("global", None, "global"),
        ("agent:main:global", "main", "global"),
        ("unknown", None, "unknown"),
        ("group:5", None, "group"),
        ("telegram:group:-1009", None, "group"),
        ("120363@g.us", None, "group"),
        ("cron:nightly", None, "cron"),
        ("hook:2f", None, "hook"),
        ("", None, "unknown"),
        ("agent:", None, "unknown"),
        ("agent:main", None, "unknown"),
        ("agent::main", None, "unknown"),
        ("agent:main:", None, "unknown"),
        (":::", None, "unknown"),
    ],
)
def test_every_form_of_key_is_read(key: str, agent: str | None, kind: str) -> None:
    parsed = parse_session_key(key)

    assert (parsed.agent_id, parsed.kind) == (agent, kind)


def test_threads_know_their_parent() -> None:
    parsed = parse_session_key("agent:main:telegram:group:-1009:topic:5")

    assert parsed.parent == "agent:main:telegram:group:-1009"
    assert parsed.thread == "5"
    assert parse_session_key("agent:main:main").parent is None
    assert parse_session_key("telegram:group:1:thread:2").parent == "telegram:group:1"


def test_subagents_know_how_deep_they_are() -> None:
    assert parse_session_key("agent:main:subagent:a:subagent:b").depth == 2
    assert parse_session_key("agent:main:subagent:a").depth == 1
    assert parse_session_key("agent:main:main").depth == 0


@pytest.mark.parametrize(
    ("key", "incognito"),
    [
        ("agent:main:dashboard:incognito-9", True),
        ("agent:main:subagent:incognito-9", True),
        ("agent:main:internal-session-effects:incognito-9", True),
        ("agent:main:dashboard:9", False),
        ("agent:main:direct:incognito-9", False),
    ],
)
def test_incognito_is_seen_in_the_key(key: str, incognito: bool) -> None:
    assert parse_session_key(key).incognito == incognito


def test_the_main_session_has_a_name_of_its_own_and_aliases() -> None:
    assert canonical_main_key("Work", main_key="Desk") == "agent:work:desk"
    assert canonical_main_key("work", scope="global") == "global"
    for key in ("main", "desk", "agent:work:main", "AGENT:work:Desk"):
        assert is_main(key, "work", main_key="desk")
    for key in ("agent:other:main", "agent:work:desk2", "agent:work:desk:thread:1", "global", "agent:work:global"):
        assert not is_main(key, "work", main_key="desk")


def test_the_global_session_is_main_only_where_all_share_one() -> None:
    assert is_main("global", "main", scope="global")
    assert not is_main("global", "main")


_PARTS = st.sampled_from(
    [
        "agent",
        "main",
        "telegram",
        "group",
        "channel",
        "direct",
        "dm",
        "thread",
        "topic",
        "cron",
        "subagent",
        "acp",
        "hook",
    ]
)
_KEYS = st.one_of(st.text(), st.lists(st.one_of(_PARTS, st.text(max_size=4)), max_size=8).map(":".join))


@given(_KEYS)
def test_no_key_fails_and_case_does_not_matter(key: str) -> None:
    parsed = parse_session_key(key)

    if key.upper().lower() == key.lower():
        other = parse_session_key(key.upper())
        assert (other.agent_id, other.kind, other.incognito) == (parsed.agent_id, parsed.kind, parsed.incognito)
    assert parse_session_key(parsed.normalized).normalized == parsed.normalized


@given(_KEYS)
def test_a_key_is_main_for_one_agent_only_unless_it_names_none(key: str) -> None:
    if is_main(key, "one") and is_main(key, "two"):
        assert parse_session_key(key).agent_id is None
