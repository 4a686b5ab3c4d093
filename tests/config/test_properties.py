"""Whatever the configuration holds: a result or an error of ours, the same each time, no secret in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openclaw_memory_core.config import load_config, show
from openclaw_memory_core.config.agent_table import AGENT, GLOBAL
from openclaw_memory_core.config.search_table import SEARCH
from openclaw_memory_core.errors import ConfigError

KEYS = sorted({part for table in (SEARCH, AGENT, GLOBAL) for s in table.settings for part in s.key.split(".")})
NAMES = st.sampled_from([*KEYS, "memory", "search", "memorySearch", "agents", "entries", "defaults", "env", "$include"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.sampled_from(["${X}", "~", "../x"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
SEARCH_KEYS = st.sampled_from([s.key for s in SEARCH.settings])


def nest(key: str, value: Any) -> dict[str, Any]:
    for part in reversed(key.split(".")):
        value = {part: value}
    return value


def outcome(config: Any) -> Any:
    try:
        loaded = load_config(config, env={"X": "x"}, home=HOME, cwd=HOME)
    except ConfigError as error:
        return error.message, error.key_path
    for agent_id in loaded.agents:
        show(loaded, agent_id)
    return loaded


def places() -> st.SearchStrategy[str]:
    return st.sampled_from(
        [
            "memory.search",
            "agents.defaults.memorySearch",
            "agents.entries.A.memory",
            "agents.defaults",
            "agents",
            "plugins",
        ]
    )


HOME = Path("/nowhere/at/all")
MANY = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(st.dictionaries(NAMES, JSON, max_size=4))
@MANY
def test_any_json_loads_or_fails_as_a_configuration_error(config: Any):
    assert repr(outcome(config)) == repr(outcome(config))


@given(places(), JSON)
@MANY
def test_any_json_in_any_section_of_ours(place: str, value: Any):
    outcome(nest(place, value))


@given(SEARCH_KEYS, JSON)
@MANY
def test_any_json_in_any_search_setting(key: str, value: Any):
    outcome({"memory": {"search": nest(key, value)}})


@given(st.floats(0, 1), st.floats(0, 1))
def test_weights_always_sum_to_one(vector: float, text: float):
    weights = {"query": {"hybrid": {"vectorWeight": vector, "textWeight": text}}}
    hybrid = outcome({"memory": {"search": weights}}).agent().search.query.hybrid
    assert abs(hybrid.vector_weight + hybrid.text_weight - 1) < 1e-9
    assert 0 <= hybrid.vector_weight <= 1
