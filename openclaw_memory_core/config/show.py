"""Every effective setting with its value and where it came from; secrets stay hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from openclaw_memory_core.config.agent_table import AGENT, GLOBAL, PROVIDER
from openclaw_memory_core.config.model import AgentConfig, ExtraPath, MemoryConfig, Secret
from openclaw_memory_core.config.search_table import SEARCH

DEFAULT = "default"
_MASK = "***"
_USER_INFO = r"(?<=//)[^/@\s]+(?=@)"


class ShownValue(NamedTuple):
    """One setting.

    :param value: as JSON would hold it.
    :param origin: ``default``, or file and key.
    """

    key_path: str
    value: object
    origin: str


def show(config: MemoryConfig, agent_id: str | None = None) -> list[ShownValue]:
    """The settings of the installation and of one agent, the default agent if None.

    :raises ConfigError: there is no such agent.
    """
    agent = config.agent(agent_id)
    return [*_of_installation(config), *_of_agent(config, agent)]


def _of_installation(config: MemoryConfig) -> Iterator[ShownValue]:
    yield ShownValue("stateDir", str(config.state_dir), DEFAULT)
    for setting in GLOBAL.settings:
        if setting.field:
            value = attrgetter(setting.field)(config)
            yield ShownValue(setting.key, _shown(value), config.origins.get(setting.key, DEFAULT))
        else:
            value = config.slot.memory or "none"
            yield ShownValue(setting.key, value, config.origins.get(setting.key, DEFAULT))
    for name, entry in config.providers.items():
        for setting in PROVIDER.settings:
            value = _shown(attrgetter(setting.field)(entry), hidden=setting.key == "headers")
            key = f"models.providers.{name}.{setting.key}"
            yield ShownValue(key, value, config.origins.get(key, DEFAULT))


def _of_agent(config: MemoryConfig, agent: AgentConfig) -> Iterator[ShownValue]:
    prefix = f"agents.entries.{agent.id}"
    visibility = config.sessions.sandbox_visibility
    special: dict[str, object] = {"workspace": agent.workspace, "sandbox.sessionToolsVisibility": visibility}
    for setting in AGENT.settings:
        value = attrgetter(setting.field)(agent) if setting.field else special[setting.key]
        key = f"{prefix}.{setting.key}"
        yield ShownValue(key, _shown(value), config.origins.get(key, DEFAULT))
    for setting in SEARCH.settings:
        value = attrgetter(setting.field)(agent.search)
        key = f"{prefix}.memory.search.{setting.key}"
        yield ShownValue(key, _shown(value, hidden=setting.key == "remote.headers"), config.origins.get(key, DEFAULT))


def _shown(value: Any, *, hidden: bool = False) -> object:
    if isinstance(value, Secret):
        return _MASK
    if isinstance(value, ExtraPath):
        return {"path": str(value.path), **({"pattern": value.pattern} if value.pattern else {})}
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, tuple):
        return [_shown(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _MASK if hidden else _shown(item) for name, item in value.items()}
    if isinstance(value, str):
        return re.sub(_USER_INFO, _MASK, value)
    return value
