from __future__ import annotations

from pathlib import Path

import pytest

from openclaw_memory_core.config import normalize_agent_id
from openclaw_memory_core.errors import ConfigError


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("main", "main"),
        ("", "main"),
        ("  ", "main"),
        ("Work", "work"),
        ("My Agent!", "my-agent"),
        ("a/../b", "a-b"),
        ("--x--", "x"),
        ("日本", "main"),
        ("_x", "_x"),
        ("a" * 70, "a" * 64),
        ("a_b-c9", "a_b-c9"),
    ],
)
def test_one_spelling_for_every_id(written: str, expected: str):
    assert normalize_agent_id(written) == expected


def test_agents_of_both_shapes_stand_side_by_side(load):
    config = load(
        {
            "agents": {
                "entries": {"One": {"memory": {"search": {"model": "new"}}}},
                "list": [{"id": "two"}, {"id": "one", "memorySearch": {"model": "old", "provider": "voyage"}}],
            }
        }
    )
    assert list(config.agents) == ["one", "two"]
    assert (config.agent("one").search.model, config.agent("one").search.provider) == ("new", "voyage")
    assert config.warnings == ()


def test_the_default_agent(load):
    assert load().default_agent == "main"
    assert load({"agents": {"list": [{"id": "b"}, {"id": "a"}]}}).default_agent == "b"
    config = load({"agents": {"list": [{"id": "b"}, {"id": "a", "default": True}, {"id": "c", "default": True}]}})
    assert config.default_agent == "a"
    assert [agent.is_default for agent in config.agents.values()] == [False, True, False]
    assert config.agent() is config.agent("A")


def test_an_unknown_agent_is_an_error_that_names_the_known_ones(load):
    with pytest.raises(ConfigError, match='no agent "zed"') as caught:
        load({"agents": {"list": [{"id": "b"}, {"id": "a"}]}}).agent("zed")
    assert caught.value.hint == "known agents: a, b"


def test_an_agent_that_stands_twice_counts_once_and_is_named(load):
    config = load({"agents": {"list": [{"id": "a", "workspace": "/1"}, {"id": "A", "workspace": "/2"}]}})
    assert config.agent("a").workspace == Path("/1")
    assert config.warnings[0].key_path == "agents.list[1]"
    entries = load({"agents": {"entries": {"a": {"workspace": "/1"}, "A": {"workspace": "/2"}}}})
    assert entries.agent("a").workspace == Path("/1")
    assert entries.warnings[0].key_path == "agents.entries.A"


def test_workspaces(load, home: Path):
    agents = {"list": [{"id": "main"}, {"id": "own", "workspace": "~/own"}, {"id": "other"}]}
    config = load({"agents": agents})
    state = home / ".openclaw"
    assert [a.workspace for a in config.agents.values()] == [
        state / "workspace",
        home / "own",
        state / "workspace-other",
    ]
    shared = load({"agents": {**agents, "defaults": {"workspace": "~/all"}}})
    assert [a.workspace for a in shared.agents.values()] == [home / "all", home / "own", home / "all" / "other"]


def test_the_older_workspace_of_an_agent_is_kept_where_only_it_exists(load, home: Path):
    config = {"agents": {"list": [{"id": "main"}, {"id": "b"}], "defaults": {"workspace": "~/all"}}}
    older = home / ".openclaw" / "workspace-b"
    older.mkdir(parents=True)
    assert load(config).agent("b").workspace == older
    (home / "all" / "b").mkdir(parents=True)
    assert load(config).agent("b").workspace == home / "all" / "b"


def test_an_agent_folder_of_its_own(load, home: Path):
    assert load({"agents": {"list": [{"agentDir": "~/x"}]}}).agent().agent_dir == home / "x"


def test_the_index_file(load, home: Path, tmp_path: Path):
    store = {"memory": {"search": {"store": {"path": "~/i/{agentId}/{agentId}.db"}}}}
    assert load(store).agent().search.store.path == home / "i" / "main" / "main.db"
    relative = load({"memory": {"search": {"store": {"path": "x.db"}}}})
    assert relative.agent().search.store.path == tmp_path / "here" / "x.db"


def test_two_agents_never_share_an_index_file(load):
    shared = {"memory": {"search": {"store": {"path": "/x.db"}}}, "agents": {"list": [{"id": "a"}, {"id": "b"}]}}
    with pytest.raises(ConfigError, match="share one index file") as caught:
        load(shared)
    assert caught.value.hint is not None
    assert "{agentId}" in caught.value.hint


def test_settings_of_one_agent_win_over_the_defaults(load):
    config = load(
        {
            "agents": {
                "defaults": {"contextTokens": 5, "userTimezone": "Europe/Berlin"},
                "list": [{"id": "a", "contextTokens": 6}, {"id": "b"}],
            }
        }
    )
    assert [(a.context_tokens, a.timezone) for a in config.agents.values()] == [
        (6, "Europe/Berlin"),
        (5, "Europe/Berlin"),
    ]


@pytest.mark.parametrize(
    ("sandbox", "mode", "access"),
    [
        ({}, "off", None),
        ({"workspaceAccess": "ro"}, "off", None),
        ({"mode": "all"}, "all", "none"),
        ({"mode": "non-main", "workspaceAccess": "ro"}, "non-main", "ro"),
    ],
)
def test_the_sandbox(sandbox: dict, mode: str, access: str | None, load):
    agent = load({"agents": {"defaults": {"sandbox": sandbox}}}).agent()
    assert (agent.sandbox_mode, agent.sandbox_workspace_access) == (mode, access)


def test_session_settings(load, home: Path):
    config = load(
        {
            "session": {"mainKey": "home", "scope": "global", "dmScope": "per-peer", "store": "~/s/{agentId}.json"},
            "tools": {
                "sessions": {"visibility": "agent"},
                "agentToAgent": {"enabled": True, "allow": ["a*"]},
            },
            "agents": {"defaults": {"sandbox": {"sessionToolsVisibility": "all"}}},
        }
    )
    sessions = config.sessions
    assert (sessions.main_key, sessions.scope, sessions.dm_scope) == ("home", "global", "per-peer")
    assert sessions.store == str(home / "s" / "{agentId}.json")
    assert (sessions.visibility, sessions.sandbox_visibility) == ("agent", "all")
    assert (sessions.agent_to_agent_enabled, sessions.agent_to_agent_allow) == (True, ("a*",))


@pytest.mark.parametrize(
    "agents",
    [[], {"list": {}}, {"list": ["a"]}, {"list": [{"id": 5}]}, {"entries": []}, {"list": [{"default": "yes"}]}],
)
def test_a_wrong_shape_is_an_error_with_its_key(agents: object, load):
    with pytest.raises(ConfigError) as caught:
        load({"agents": agents})
    assert caught.value.key_path is not None
    assert caught.value.key_path.startswith("agents")
