from __future__ import annotations

import json

import pytest

from openclaw_memory_core.config import show
from openclaw_memory_core.errors import ConfigError


def test_every_value_with_its_origin(load, write):
    path = write(
        {
            "memory": {"citations": "off", "search": {"query": {"maxResults": 3}}},
            "agents": {"defaults": {"memorySearch": {"model": "m"}, "contextTokens": 9}},
        }
    )
    shown = {value.key_path: value for value in show(load())}
    assert shown["memory.citations"].origin == f"{path}: memory.citations"
    results = shown["agents.entries.main.memory.search.query.maxResults"]
    assert (results.value, results.origin) == (3, f"{path}: memory.search.query.maxResults")
    model = shown["agents.entries.main.memory.search.model"]
    assert (model.value, model.origin) == ("m", f"{path}: agents.defaults.memorySearch.model")
    assert shown["agents.entries.main.contextTokens"].value == 9
    score = shown["agents.entries.main.memory.search.query.minScore"]
    assert (score.value, score.origin) == (0.35, "default")


def test_it_is_json_and_shows_no_secret(load):
    config = load(
        {
            "memory": {
                "search": {
                    "remote": {
                        "apiKey": "sk-hidden",
                        "headers": {"Authorization": "sk-hidden"},
                        "baseUrl": "http://me:sk-hidden@host/v1",
                    },
                    "extraPaths": [{"path": "/x", "pattern": "*.md"}],
                }
            },
            "models": {"providers": {"p": {"apiKey": "sk-hidden", "headers": {"A": "sk-hidden"}}}},
            "plugins": {"slots": {"memory": "none"}},
        }
    )
    values = {value.key_path: value.value for value in show(config)}
    assert "sk-hidden" not in json.dumps(values)
    assert values["agents.entries.main.memory.search.remote.baseUrl"] == "http://***@host/v1"
    assert values["agents.entries.main.memory.search.extraPaths"] == [{"path": "/x", "pattern": "*.md"}]
    assert values["models.providers.p.headers"] == {"A": "***"}
    assert values["plugins.slots.memory"] == "none"


def test_one_agent_or_an_error(load):
    config = load({"agents": {"list": [{"id": "a"}, {"id": "b", "workspace": "/b"}]}})
    assert {v.key_path: v.value for v in show(config, "b")}["agents.entries.b.workspace"] == "/b"
    with pytest.raises(ConfigError):
        show(config, "c")
