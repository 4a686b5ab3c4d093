"""Which sessions a caller may look into."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.config.model import SessionsConfig, VisibilityLevel
from openclaw_memory_core.privacy import KnownSession, VisibleSessions, audience, visible_session_keys
from openclaw_memory_hookspecs import Session

MAIN = "agent:main:main"
GROUP = "agent:main:telegram:group:1"
CHILD = "agent:main:subagent:1"
GRANDCHILD = "agent:main:subagent:1:subagent:2"
OTHER = "agent:work:main"
HIDDEN = "agent:main:dashboard:incognito-1"

KNOWN = (
    KnownSession(MAIN, "main"),
    KnownSession(GROUP, "main"),
    KnownSession(CHILD, "main", spawned_by=GROUP),
    KnownSession(GRANDCHILD, "main", spawned_by=CHILD),
    KnownSession(OTHER, "work"),
    KnownSession(HIDDEN, "main"),
)


def seen(
    key: str,
    visibility: VisibilityLevel,
    *,
    known: tuple[KnownSession, ...] = KNOWN,
    session: dict[str, Any] | None = None,
    **config: Any,
) -> VisibleSessions:
    settings = SessionsConfig(visibility=visibility, **config)
    one = audience(Session(key=key, **(session or {})), settings, default_agent="main")
    return visible_session_keys(one, known, settings)


def allowed(keys: VisibleSessions) -> set[str]:
    return {one.key for one in KNOWN if keys.allows(one.key)}


@pytest.mark.parametrize(
    ("key", "level", "expected"),
    [
        (MAIN, "self", {MAIN}),
        (GROUP, "self", {GROUP}),
        (MAIN, "tree", {MAIN, GROUP, CHILD, GRANDCHILD}),
        (GROUP, "tree", {GROUP, CHILD, GRANDCHILD}),
        (CHILD, "tree", {CHILD, GRANDCHILD}),
        (GROUP, "agent", {MAIN, GROUP, CHILD, GRANDCHILD}),
        (GROUP, "all", {MAIN, GROUP, CHILD, GRANDCHILD}),
        (OTHER, "tree", {OTHER}),
    ],
)
def test_the_level_decides(key: str, level: VisibilityLevel, expected: set[str]) -> None:
    assert allowed(seen(key, level)) == expected


def test_the_default_is_the_tree() -> None:
    assert SessionsConfig().visibility == "tree"


@pytest.mark.parametrize("level", ["self", "tree", "agent", "all"])
def test_an_incognito_session_is_seen_by_nobody_not_even_itself(level: VisibilityLevel) -> None:
    for key in (MAIN, GROUP, HIDDEN):
        assert not seen(key, level).allows(HIDDEN)
    assert not seen(GROUP, level, session={"incognito": True}).allows(GROUP)
    marked = (KnownSession(GROUP, "main", incognito=True),)
    assert not seen(MAIN, level, known=marked).allows(GROUP)


def test_main_is_main_only_while_it_is_private() -> None:
    assert allowed(seen(MAIN, "tree", session={"chat_type": "group"})) == {MAIN}


@pytest.mark.parametrize(
    ("allow", "expected"),
    [
        ((), True),
        (("*",), True),
        (("main", "work"), True),
        (("ma*", "WORK"), True),
        (("main",), False),
        (("m?in", "work"), False),
    ],
)
def test_other_agents_need_permission_on_both_sides(allow: tuple[str, ...], expected: bool) -> None:
    keys = seen(MAIN, "all", agent_to_agent_enabled=True, agent_to_agent_allow=allow)

    assert keys.allows(OTHER) == expected


@pytest.mark.parametrize("level", ["self", "tree", "agent"])
def test_below_all_no_other_agent_is_seen(level: VisibilityLevel) -> None:
    assert not seen(MAIN, level, agent_to_agent_enabled=True).allows(OTHER)


def test_spawning_across_agents_gives_no_view_across_agents() -> None:
    known = (KnownSession("agent:work:subagent:9", "work", spawned_by=GROUP),)

    assert not seen(GROUP, "tree", known=known).allows("agent:work:subagent:9")


@pytest.mark.parametrize("level", ["tree", "agent", "all"])
def test_a_sandbox_is_held_to_what_it_spawned(level: VisibilityLevel) -> None:
    boxed = {"sandboxed": True}

    assert allowed(seen(GROUP, level, session=boxed)) == {GROUP, CHILD, GRANDCHILD}
    assert allowed(seen(MAIN, level, session=boxed)) == {MAIN}
    assert allowed(seen(GROUP, "agent", session=boxed, sandbox_visibility="all")) == {MAIN, GROUP, CHILD, GRANDCHILD}
    assert "sandbox" in seen(GROUP, level, session=boxed).denied_reason


def test_a_session_that_is_controlled_counts_like_one_that_was_spawned() -> None:
    known = (KnownSession("agent:main:acp:1", "main", owner=GROUP),)

    assert seen(GROUP, "tree", known=known).allows("agent:main:acp:1")


def test_transcripts_of_unknown_sessions_belong_to_who_sees_the_whole_agent() -> None:
    assert seen(MAIN, "tree").allows(None)
    assert seen(GROUP, "agent").allows(None)
    assert not seen(GROUP, "tree").allows(None)
    assert not seen(MAIN, "self").allows(None)


def test_everything_is_said_by_none_only_if_nothing_is_hidden() -> None:
    open_only = tuple(one for one in KNOWN if one.key not in {HIDDEN, OTHER})

    assert seen(MAIN, "tree", known=open_only).allowed is None
    assert seen(MAIN, "tree", known=open_only).allows("agent:main:telegram:group:77")
    assert not seen(MAIN, "tree", known=open_only).allows(OTHER)
    assert seen(MAIN, "tree").allowed is not None


def test_a_circle_of_spawners_ends() -> None:
    known = (
        KnownSession("agent:main:a", "main", spawned_by="agent:main:b"),
        KnownSession("agent:main:b", "main", spawned_by="agent:main:a"),
    )

    assert seen("agent:main:a", "tree", known=known).allows("agent:main:b")


@given(st.sampled_from([one.key for one in KNOWN]), st.sampled_from(["self", "tree", "agent", "all"]), st.booleans())
def test_a_higher_level_never_hides_what_a_lower_one_shows(key: str, level: VisibilityLevel, boxed: bool) -> None:
    order: tuple[VisibilityLevel, ...] = ("self", "tree", "agent", "all")
    lower = allowed(seen(key, level, session={"sandboxed": boxed}))

    for higher in order[order.index(level) :]:
        assert lower <= allowed(seen(key, higher, session={"sandboxed": boxed}))
