from __future__ import annotations

from pathlib import Path

import pytest

PLACES = [
    lambda v: {"agents": {"entries": {"main": {"memory": {"search": v}}}}},
    lambda v: {"agents": {"list": [{"id": "main", "memory": {"search": v}}]}},
    lambda v: {"agents": {"entries": {"main": {"memorySearch": v}}}},
    lambda v: {"agents": {"list": [{"id": "main", "memorySearch": v}]}},
    lambda v: {"memory": {"search": v}},
    lambda v: {"agents": {"defaults": {"memorySearch": v}}},
    lambda v: {"memorySearch": v},
]


def _merged(base: dict, over: dict) -> dict:
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        if isinstance(value, list) and old:
            result[key] = [_merged(old[0], value[0])]
        else:
            result[key] = _merged(old, value) if isinstance(value, dict) and isinstance(old, dict) else value
    return result


@pytest.mark.parametrize("strongest", range(len(PLACES)))
def test_each_place_wins_over_all_weaker_ones(strongest: int, load):
    config: dict = {}
    for rank in range(strongest, len(PLACES)):
        config = _merged(config, PLACES[rank]({"model": f"m{rank}"}))
    assert load(config).agent().search.model == f"m{strongest}"


def test_places_are_mixed_setting_by_setting(load):
    config = load(
        {
            "memory": {"search": {"query": {"maxResults": 3, "hybrid": {"mmr": {"enabled": False}}}}},
            "agents": {
                "defaults": {"memorySearch": {"query": {"maxResults": 9, "minScore": 0.1}, "model": "old"}},
                "list": [{"id": "main", "memorySearch": {"query": {"hybrid": {"mmr": {"lambda": 0.2}}}}}],
            },
        }
    )
    search = config.agent().search
    assert (search.query.max_results, search.query.min_score, search.model) == (3, 0.1, "old")
    assert (search.query.hybrid.mmr.enabled, search.query.hybrid.mmr.lambda_) == (False, 0.2)


def test_false_zero_and_the_empty_string_count_as_set(load):
    config = load(
        {
            "memory": {
                "search": {
                    "enabled": True,
                    "model": "m",
                    "provider": "openai",
                    "remote": {"baseUrl": "http://a"},
                    "query": {"minScore": 0.5},
                }
            },
            "agents": {
                "list": [
                    {
                        "id": "main",
                        "memorySearch": {
                            "enabled": False,
                            "model": "",
                            "provider": " ",
                            "remote": {"baseUrl": ""},
                            "query": {"minScore": 0},
                        },
                    }
                ]
            },
        }
    )
    search = config.agent().search
    assert (search.enabled, search.model, search.provider, search.remote.base_url) == (False, None, "auto", None)
    assert search.query.min_score == 0


def test_null_does_not_count_as_set(load):
    config = load({"memory": {"search": {"model": None}}, "agents": {"defaults": {"memorySearch": {"model": "m"}}}})
    assert config.agent().search.model == "m"


def test_headers_are_replaced_as_a_whole(load):
    config = load(
        {
            "memory": {"search": {"remote": {"headers": {"A": "1", "B": "2"}}}},
            "agents": {"entries": {"main": {"memory": {"search": {"remote": {"headers": {"B": "3"}}}}}}},
        }
    )
    assert config.agent().search.remote.headers == {"B": "3"}


def test_extra_paths_of_defaults_and_agent_are_joined_in_order_and_once(load, home: Path):
    config = load(
        {
            "memory": {"search": {"extraPaths": ["~/vault", "  ", "docs", {"path": "docs", "pattern": "*.txt"}]}},
            "agents": {
                "defaults": {"workspace": "/w"},
                "entries": {"main": {"memory": {"search": {"extraPaths": ["/w/docs", "~/more/../vault", "~/own"]}}}},
            },
        }
    )
    found = [(p.path, p.pattern) for p in config.agent().search.extra_paths]
    assert found == [(home / "vault", None), (Path("/w/docs"), None), (Path("/w/docs"), "*.txt"), (home / "own", None)]


def test_extra_paths_of_the_older_shape_do_not_add_to_those_of_the_newer(load):
    config = load(
        {
            "memory": {"search": {"extraPaths": ["/new"]}},
            "agents": {"defaults": {"memorySearch": {"extraPaths": ["/old"]}}},
        }
    )
    assert [p.configured for p in config.agent().search.extra_paths] == ["/new"]


def test_relative_extra_paths_start_at_each_agents_own_workspace(load, home: Path):
    config = load(
        {
            "memory": {"search": {"extraPaths": ["../team", "~/vault"]}},
            "agents": {"list": [{"id": "a", "workspace": "/wa/x"}, {"id": "b", "workspace": "/wb/x"}]},
        }
    )
    assert [p.path for p in config.agent("a").search.extra_paths] == [Path("/wa/team"), home / "vault"]
    assert [p.path for p in config.agent("b").search.extra_paths] == [Path("/wb/team"), home / "vault"]


@pytest.mark.parametrize(
    ("search", "searched", "indexed"),
    [
        ({}, ("memory",), ("memory",)),
        ({"sources": ["memory", "sessions"]}, ("memory",), ("memory",)),
        ({"sources": ["sessions"]}, ("memory",), ("memory",)),
        ({"sources": []}, ("memory",), ("memory",)),
        ({"experimental": {"sessionMemory": True}}, ("memory",), ("memory", "sessions")),
        ({"rememberAcrossConversations": True}, ("memory",), ("memory", "sessions")),
        ({"rememberAcrossConversations": False, "sources": ["memory", "sessions"]}, ("memory",), ("memory",)),
        (
            {"experimental": {"sessionMemory": True}, "sources": ["memory", "sessions"]},
            ("memory", "sessions"),
            ("memory", "sessions"),
        ),
        ({"rememberAcrossConversations": True, "sources": ["sessions"]}, ("sessions",), ("sessions",)),
    ],
)
def test_transcripts_only_where_the_user_asked_for_them(search: dict, searched: tuple, indexed: tuple, load):
    config = load({"memory": {"search": search}})
    resolved = config.agent().search
    assert (resolved.sources, resolved.indexed_sources) == (searched, indexed)
    assert resolved.session_memory == ("sessions" in indexed)
    unheard = "sessions" in search.get("sources", []) and "sessions" not in searched
    assert any("sessions are not searched" in w.message for w in config.warnings) == unheard


def test_old_flat_names_count_and_are_named(load):
    config = load({"agents": {"defaults": {"memorySearch": {"chunkSize": 200, "maxResults": 4}}}})
    search = config.agent().search
    assert (search.chunking.tokens, search.query.max_results) == (200, 4)
    assert [w.key_path.rpartition(".")[2] for w in config.warnings] == ["chunkSize", "maxResults"]
    both = load({"memory": {"search": {"maxResults": 4, "query": {"maxResults": 5}}}})
    assert both.agent().search.query.max_results == 5


@pytest.mark.parametrize(
    "config",
    [
        {"memory": {"backend": "qmd"}},
        {"memory": {"qmd": {"command": "qmd"}}},
        {"memory": {"search": {"store": {"driver": "sqlite"}}}},
        {"agents": {"defaults": {"startupContext": {"applyOn": ["new"]}}}},
    ],
)
def test_settings_of_other_versions_are_ignored_and_named(config: dict, load):
    [warning] = load(config).warnings
    assert warning.message.startswith("is ignored")


def test_settings_of_other_programs_are_left_alone(load):
    config = {
        "gateway": {"port": 1},
        "channels": {},
        "session": {"reset": {}, "identityLinks": {}, "typingMode": "x"},
        "tools": {"allow": ["x"], "exec": {}},
        "plugins": {"load": {}, "installs": {}, "slots": {"contextEngine": "x"}},
        "models": {"mode": "merge", "providers": {"x": {"models": [], "auth": "y"}}},
        "agents": {
            "defaults": {
                "model": "x",
                "contextPruning": {},
                "compaction": {"mode": "safeguard", "reserveTokens": 5, "maxHistoryShare": 0.5},
                "sandbox": {"docker": {}},
            },
            "list": [{"id": "main", "name": "x", "model": "y", "tools": {}}],
        },
    }
    assert load(config).warnings == ()
