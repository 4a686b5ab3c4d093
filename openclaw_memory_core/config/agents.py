"""The agents of an installation: who there is, where their files are, how each one's memory is set."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from openclaw_memory_core.config.agent_ids import DEFAULT_AGENT, normalize_agent_id
from openclaw_memory_core.config.agent_table import AGENT
from openclaw_memory_core.config.context import Context, join
from openclaw_memory_core.config.kinds import checked_text
from openclaw_memory_core.config.model import AgentConfig, SearchConfig, StoreConfig
from openclaw_memory_core.config.paths import Locations, expand
from openclaw_memory_core.config.search_build import build_search
from openclaw_memory_core.config.search_table import SEARCH
from openclaw_memory_core.config.table import Found, Layer, fill, first
from openclaw_memory_core.records import record


@dataclass(slots=True)
class _Entry:
    """What is written about one agent, strongest first."""

    id: str
    sections: list[tuple[Mapping[str, object], str]] = field(default_factory=list)


class Agents(NamedTuple):
    """All agents.

    :param used: by agent and key, the configured values that count, with their places; ``search.`` stands before the
        keys of the search settings.
    :param defaults: what stands in ``agents.defaults``.
    """

    by_id: Mapping[str, AgentConfig]
    default: str
    used: Mapping[str, Mapping[str, Found]]
    defaults: Layer


def read_agents(raw: Mapping[str, object], places: Locations, context: Context) -> Agents:
    """Every configured agent, or ``main`` alone.

    :raises ConfigError: a setting of an agent is wrong, or two agents would share one index file.
    """
    agents = context.mapping(raw.get("agents"), "agents")
    entries = _entries(agents, context)
    default = _default_agent(entries, context)
    common = context.mapping(agents.get("defaults"), "agents.defaults")
    defaults = AGENT.read(common, "agents.defaults", context)
    if "memory" in common:
        context.warn("agents.defaults.memory", "is not a known key and is ignored; the place is memory.search")
    builder = _Builder(places, context, defaults, _default_search(raw, common, context), default)
    built = [builder.build(entry) for entry in entries]
    _refuse_shared_stores([agent for agent, _ in built], {agent.id: used for agent, used in built}, context)
    return Agents({agent.id: agent for agent, _ in built}, default, {a.id: used for a, used in built}, defaults)


def _entries(agents: Mapping[str, object], context: Context) -> list[_Entry]:
    found: dict[str, _Entry] = {}
    for name, value in context.mapping(agents.get("entries"), "agents.entries").items():
        key_path = f"agents.entries.{name}"
        _add(found, name, context.mapping(value, key_path), key_path, context)
    in_entries = set(found)
    listed = agents.get("list")
    if listed is not None and not isinstance(listed, list):
        context.fail("agents.list", "must be a list of agents")
    seen: set[str] = set()
    for i, value in enumerate(listed or ()):
        key_path = f"agents.list[{i}]"
        section = context.mapping(value, key_path)
        name = checked_text(section.get("id", ""), f"{key_path}.id", context)
        agent_id = normalize_agent_id(name)
        if agent_id in seen:
            context.warn(key_path, f'the agent "{agent_id}" is listed already; this one is ignored')
            continue
        seen.add(agent_id)
        _add(found, name, section, key_path, context, again=agent_id in in_entries)
    return list(found.values()) or [_Entry(DEFAULT_AGENT)]


def _add(
    found: dict[str, _Entry],
    name: str,
    section: Mapping[str, object],
    key_path: str,
    context: Context,
    *,
    again: bool = False,
) -> None:
    agent_id = normalize_agent_id(name)
    if agent_id in found and not again:
        context.warn(key_path, f'the agent "{agent_id}" is configured already; this one is ignored')
        return
    found.setdefault(agent_id, _Entry(agent_id)).sections.append((section, key_path))


def _default_agent(entries: Sequence[_Entry], context: Context) -> str:
    for entry in entries:
        for section, key_path in entry.sections:
            flag = section.get("default")
            if flag is not None and not isinstance(flag, bool):
                context.fail(f"{key_path}.default", "must be true or false")
            if flag:
                return entry.id
    return entries[0].id


def _default_search(raw: Mapping[str, object], common: Mapping[str, object], context: Context) -> tuple[Layer, ...]:
    memory = context.mapping(raw.get("memory"), "memory")
    places = (
        (memory.get("search"), "memory.search"),
        (common.get("memorySearch"), "agents.defaults.memorySearch"),
        (raw.get("memorySearch"), "memorySearch"),
    )
    return tuple(SEARCH.read(context.mapping(section, key), key, context) for section, key in places)


def _own_search(entry: _Entry, context: Context) -> tuple[Layer, ...]:
    newer = []
    older = []
    for section, key_path in entry.sections:
        inside = f"{key_path}.memory.search"
        memory = context.mapping(section.get("memory"), f"{key_path}.memory")
        for name in memory.keys() - {"search"}:
            context.warn(f"{key_path}.memory.{name}", "is not a known key and is ignored")
        newer.append(SEARCH.read(context.mapping(memory.get("search"), inside), inside, context))
        flat = f"{key_path}.memorySearch"
        older.append(SEARCH.read(context.mapping(section.get("memorySearch"), flat), flat, context))
    return (*newer, *older)


@record
class _Builder:
    """What all agents have in common while they are built."""

    places: Locations
    context: Context
    defaults: Layer
    default_search: tuple[Layer, ...]
    default_agent: str

    def build(self, entry: _Entry) -> tuple[AgentConfig, dict[str, Found]]:
        own = [AGENT.read(section, key_path, self.context) for section, key_path in entry.sections]
        layers = [*own, self.defaults]
        used = {s.key: found for s in AGENT.settings if (found := first(layers, s.key)) and found.value is not None}
        values: dict[str, Any] = {s.field: used[s.key].value for s in AGENT.settings if s.field and s.key in used}
        values["timezone"] = self._timezone(used.get("userTimezone"))
        workspace = self._workspace(entry, first(own, "workspace"))
        search, search_used = build_search(
            _own_search(entry, self.context),
            self.default_search,
            agent_id=entry.id,
            state_dir=self.places.state_dir,
            workspace=workspace,
            context=self.context,
        )
        agent = replace(self._base(entry, workspace), search=search)
        used |= {f"search.{key}": found for key, found in search_used.items()}
        return _with_sandbox(fill(agent, values)), used

    def _base(self, entry: _Entry, workspace: Path) -> AgentConfig:
        folder = self.places.state_dir / "agents" / entry.id
        return AgentConfig(
            id=entry.id,
            workspace=workspace,
            agent_dir=self._agent_dir(entry) or folder / "agent",
            sessions_dir=folder / "sessions",
            search=SearchConfig(store=StoreConfig(path=Path())),
            is_default=entry.id == self.default_agent,
        )

    def _agent_dir(self, entry: _Entry) -> Path | None:
        for section, key_path in entry.sections:
            text = section.get("agentDir")
            if text is not None and checked_text(text, join(key_path, "agentDir"), self.context).strip():
                return expand(str(text), self.places.home, self.places.cwd)
        return None

    def _workspace(self, entry: _Entry, own: Found | None) -> Path:
        places = self.places
        if own is not None and own.value is not None:
            return expand(own.value, places.home, places.cwd)
        common = self.defaults.get("workspace")
        shared = expand(common.value, places.home, places.cwd) if common is not None and common.value else None
        if entry.id == self.default_agent:
            return shared or places.default_workspace
        older = places.state_dir / f"workspace-{entry.id}"
        if shared is None:
            return older
        newer = shared / entry.id
        return older if os.path.isdir(older) and not os.path.exists(newer) else newer  # noqa: PTH110, PTH112

    def _timezone(self, found: Found | None) -> str | None:
        if found is None:
            return None
        from zoneinfo import ZoneInfo

        try:
            ZoneInfo(found.value)
        except (ValueError, LookupError, OSError):
            self.context.warn(found.key_path, f'"{found.value}" is not a known time zone; that of the machine is used')
            return None
        return str(found.value)


def _with_sandbox(agent: AgentConfig) -> AgentConfig:
    """No sandbox, no restriction; a sandbox without a setting has no access, as in OpenClaw."""
    access = None if agent.sandbox_mode == "off" else agent.sandbox_workspace_access or "none"
    return replace(agent, sandbox_workspace_access=access)


def _refuse_shared_stores(
    agents: Sequence[AgentConfig], used: Mapping[str, Mapping[str, Found]], context: Context
) -> None:
    owners: dict[str, str] = {}
    for agent in agents:
        key = os.path.normcase(agent.search.store.path)
        other = owners.setdefault(key, agent.id)
        if other != agent.id:
            found = used[agent.id].get("search.store.path") or used[other]["search.store.path"]
            context.fail(
                found.key_path,
                f'the agents "{other}" and "{agent.id}" would share one index file',
                "put {agentId} into the path, so that each agent has its own index",
            )
