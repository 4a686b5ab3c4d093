"""Schema, documentation and code say the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.config_reference import CONFIG_FOLDER, DOCS_FILE, SCHEMA_FILE, build_schema, with_tables

import openclaw_memory_schemas
from openclaw_memory_core.config.agent_table import AGENT, GLOBAL, PROVIDER
from openclaw_memory_core.config.search_table import SEARCH
from openclaw_memory_core.config.table import Setting

HOW = "run python tests/support/config_reference.py"


def test_the_schema_file_is_what_the_tables_say():
    assert json.loads(SCHEMA_FILE.read_text(encoding="utf-8")) == build_schema(), HOW


def test_the_documented_tables_are_what_the_code_says():
    text = DOCS_FILE.read_text(encoding="utf-8")
    assert with_tables(text) == text, HOW


def test_every_documented_variable_is_read_and_every_variable_read_is_documented():
    text = DOCS_FILE.read_text(encoding="utf-8")
    section = text.split("## Environment variables")[1].split("\n\n")[1]
    documented = set(re.findall(r"`([A-Z_]+)`", section)) - {"PATH"}
    sources = [path.read_text(encoding="utf-8") for path in CONFIG_FOLDER.glob("*.py")]
    read = set(re.findall(r"\"((?:OPENCLAW|CLAWDBOT)_[A-Z_]*[A-Z])\"", "".join(sources))) | {"HOME", "USERPROFILE"}
    assert documented == read


def test_the_schema_is_a_valid_schema_and_loads_by_name():
    jsonschema.Draft202012Validator.check_schema(openclaw_memory_schemas.load("config"))


VALUES: dict[str, Any] = {
    "sources": ["memory"],
    "extraPaths": ["/x"],
    "remote.baseUrl": "http://h/v1",
    "remote.headers": {"A": "b"},
    "multimodal.modalities": ["audio"],
    "userTimezone": "Europe/Berlin",
    "baseUrl": "http://h/v1",
    "headers": {"A": "b"},
}


def value_for(setting: Setting) -> Any:
    """A value that the schema of the setting allows."""
    schema = setting.kind.schema()
    schema = schema.get("anyOf", [schema])[0]
    if setting.key in VALUES:
        return VALUES[setting.key]
    if "enum" in schema:
        return schema["enum"][-1]
    return {"boolean": True, "string": "x", "array": ["x"], "integer": 3, "number": 1}[schema["type"]]


def nest(key: str, value: Any) -> dict[str, Any]:
    for part in reversed(key.split(".")):
        value = {part: value}
    return value


def cases() -> Iterator[tuple[str, dict[str, Any], str]]:
    for setting in SEARCH.settings:
        value = value_for(setting)
        effective = f"agents.entries.main.memory.search.{setting.key}"
        yield f"new {setting.key}", {"memory": {"search": nest(setting.key, value)}}, effective
        yield f"old {setting.key}", {"agents": {"defaults": {"memorySearch": nest(setting.key, value)}}}, effective
    for setting in AGENT.settings:
        effective = f"agents.entries.main.{setting.key}"
        yield f"agent {setting.key}", {"agents": {"defaults": nest(setting.key, value_for(setting))}}, effective
    for setting in GLOBAL.settings:
        yield setting.key, nest(setting.key, value_for(setting)), setting.key


@pytest.mark.parametrize(("config", "effective"), [pytest.param(c, e, id=i) for i, c, e in cases()])
def test_every_setting_of_the_schema_is_read(config: dict, effective: str, load):
    jsonschema.validate(config, openclaw_memory_schemas.load("config"))
    loaded = load(config)
    assert loaded.warnings == ()
    assert effective in loaded.origins


def test_every_setting_of_a_provider_is_read(load):
    entry = {setting.key: value_for(setting) for setting in PROVIDER.settings}
    provider = load({"models": {"providers": {"p": entry}}}).providers["p"]
    assert all(getattr(provider, setting.field) for setting in PROVIDER.settings)


@st.composite
def numbers_for(draw: st.DrawFn) -> tuple[str, Any]:
    key = draw(st.sampled_from([s.key for s in SEARCH.settings]))
    value = draw(
        st.none()
        | st.booleans()
        | st.integers(-10, 10**6)
        | st.floats(-10, 10**6)
        | st.text(st.characters(codec="utf-8"), max_size=8)
        | st.lists(st.sampled_from(["memory", "image", "x"]), max_size=2)
        | st.dictionaries(st.sampled_from(["source", "id", "x"]), st.sampled_from(["env", "file", "A"]), max_size=2)
    )
    return key, value


@given(numbers_for())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
def test_what_the_schema_allows_can_be_loaded(load, pair: tuple[str, Any]):
    config = {"memory": {"search": nest(*pair)}}
    if jsonschema.Draft202012Validator(build_schema()).is_valid(config):
        load(config)
