"""Names in the configuration that only mean something elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from support.cli import Cli


def verdict(cli: Cli, search: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    """The errors that ``config validate`` names."""
    cli.configure({"memory": {"search": search}, **more})
    run = cli("config", "validate", "--json")
    document = run.json("cli.config-validate")
    assert run.code == (0 if document["ok"] else 1)
    errors: list[dict[str, Any]] = document.get("errors", [])
    return errors


@pytest.mark.parametrize("setting", ["provider", "fallback"])
def test_an_unknown_provider_is_an_error_with_the_nearest_one(setting: str, cli: Cli):
    [error] = verdict(cli, {setting: "opnai"})
    assert error["message"].endswith(f"memory.search.{setting}: there is no embedding provider called 'opnai'")
    assert (error["keyPath"], error["hint"]) == (f"memory.search.{setting}", "Did you mean openai?")
    assert "Did you mean openai?" in cli("config", "validate").out


@pytest.mark.parametrize("name", ["", "auto", "none", "AUTO", "openai", "embedded", "mine"])
def test_a_known_provider_is_none(name: str, cli: Cli):
    models = {"providers": {"mine": {"baseUrl": "http://127.0.0.1:1/v1"}}}
    assert verdict(cli, {"provider": name, "fallback": name.lower()}, models=models) == []


def test_an_entry_that_gives_no_embeddings_is_an_error(cli: Cli):
    [error] = verdict(cli, {"provider": "mine"}, models={"providers": {"mine": {"api": "anthropic-messages"}}})
    assert "models.providers.mine gives no embeddings" in error["message"]


def test_one_default_for_several_agents_is_named_once_and_an_agents_own_by_its_key(cli: Cli):
    entries = {"a": {"default": True}, "b": {}, "c": {"memory": {"search": {"provider": "vojage"}}}}
    errors = verdict(cli, {"provider": "opnai"}, agents={"entries": entries})
    assert [one["keyPath"] for one in errors] == ["memory.search.provider", "agents.entries.c.memory.search.provider"]


def test_a_slot_that_names_nobody_is_an_error_with_the_nearest_plugin(cli: Cli):
    [error] = verdict(cli, {}, plugins={"slots": {"memory": "memory-coer"}})
    assert error["keyPath"] == "plugins.slots.memory"
    assert "no plugin 'memory-coer' is installed" in error["message"]
    assert error["hint"] == "did you mean 'memory-core'?"
    assert verdict(cli, {}, plugins={"slots": {"memory": "memory-coer"}, "enabled": False}) == []


def test_doctor_finds_an_unknown_fallback(notes: Cli):
    notes.configure({"memory": {"search": {"provider": "embedded", "fallback": "opnai"}}})
    run = notes("doctor")
    assert run.code == 1
    assert "memory.search.fallback: there is no embedding provider called 'opnai'" in run.out


def test_doctor_names_every_error_of_the_configuration(notes: Cli):
    notes.configure({"memory": {"search": {"model": 5, "query": {"maxResults": 0}}}})
    run = notes("doctor", "--json")
    assert run.code == 1
    [agent] = run.json("cli.doctor")["agents"]
    problems = [one for one in agent["checks"] if one["state"] == "problem"]
    assert [one["name"] for one in problems] == ["config", "config"]
    assert "memory.search.model: must be a string" in problems[0]["message"]
    assert "memory.search.query.maxResults" in problems[1]["message"]
    assert "openclaw-memory config validate" in notes("doctor").out
