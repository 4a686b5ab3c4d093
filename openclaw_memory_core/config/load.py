"""From a file or a mapping to :class:`MemoryConfig`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from openclaw_memory_core.config.agent_table import GLOBAL, PROVIDER
from openclaw_memory_core.config.agents import Agents, read_agents
from openclaw_memory_core.config.context import Context, join
from openclaw_memory_core.config.environment import apply_env_block, environment, substitute
from openclaw_memory_core.config.include import Includes
from openclaw_memory_core.config.model import MemoryConfig, ProviderEntry, SlotConfig
from openclaw_memory_core.config.paths import Locations, expand, find_locations
from openclaw_memory_core.config.read import plain, read_config_file
from openclaw_memory_core.config.table import Found, fill

if TYPE_CHECKING:
    from openclaw_memory_core.errors import ConfigError


class CheckedConfig(NamedTuple):
    """A configuration and what is wrong with it; wrong settings have their defaults."""

    config: MemoryConfig
    errors: tuple[ConfigError, ...]


def load_config(
    config: Mapping[str, Any] | None = None,
    *,
    path: Path | None = None,
    state_dir: Path | None = None,
    env: Mapping[str, str] | None = None,
    home: Path | None = None,
    cwd: Path | None = None,
) -> MemoryConfig:
    """The whole configuration, every default filled in.

    :param config: an already parsed configuration; None reads the file.
    :param path: the file, instead of ``$OPENCLAW_CONFIG_PATH`` or ``<state>/openclaw.json``.  A file that does not
        exist is an empty configuration.
    :param state_dir: instead of ``$OPENCLAW_STATE_DIR`` or ``~/.openclaw``.
    :param env: the environment, the process's own if None.
    :raises ConfigError: a file cannot be read or a setting is wrong; names the key path.
    """
    checked = check_config(config, path=path, state_dir=state_dir, env=env, home=home, cwd=cwd)
    if checked.errors:
        raise checked.errors[0]
    return checked.config


def check_config(
    config: Mapping[str, Any] | None = None,
    *,
    path: Path | None = None,
    state_dir: Path | None = None,
    env: Mapping[str, str] | None = None,
    home: Path | None = None,
    cwd: Path | None = None,
) -> CheckedConfig:
    """As :func:`load_config`, with every wrong setting named instead of the first one.

    :raises ConfigError: a file cannot be read, or the configuration has the wrong shape.
    """
    process = os.environ if env is None else env
    places = find_locations(process, path=path, state_dir=state_dir, home=home, cwd=cwd)
    context = Context(env={}, home=places.home, cwd=places.cwd)
    variables = environment(process, places.cwd, places.state_dir, context)
    context.env = variables
    if config is None:
        raw, file = _read(places, process, context)
    else:
        raw, file = plain(config), None
    section = context.mapping(raw, "")
    apply_env_block(section.get("env"), variables, context)
    built = _build(context.mapping(substitute(section, context), ""), file, places, context)
    return CheckedConfig(built, tuple(context.errors))


def _read(places: Locations, process: Mapping[str, str], context: Context) -> tuple[object, Path | None]:
    path = places.config_file
    context.label = str(path)
    content = read_config_file(path)
    if content is None:
        if places.config_named:
            context.warn("", f"{path} does not exist; the defaults are used")
        return {}, None
    listed = process.get("OPENCLAW_INCLUDE_ROOTS", "")
    roots = tuple(expand(part, places.home, places.cwd) for part in listed.split(os.pathsep) if part.strip())
    includes = Includes(path, roots)
    resolved = includes.resolve(plain(content))
    context.files = includes.files
    return resolved, path


def _build(raw: Mapping[str, object], file: Path | None, places: Locations, context: Context) -> MemoryConfig:
    secrets = context.mapping(raw.get("secrets"), "secrets")
    context.secret_stores = context.mapping(secrets.get("providers"), "secrets.providers")
    found = {key: value for key, value in GLOBAL.read(raw, "", context).items() if value.value is not None}
    agents = read_agents(raw, places, context)
    providers, provider_origins = _providers(raw, context)
    base = MemoryConfig(
        path=file,
        state_dir=places.state_dir,
        home=places.home,
        agents=agents.by_id,
        default_agent=agents.default,
        slot=_slot(raw, found.get("plugins.slots.memory"), context),
        providers=providers,
        env=context.env,
        origins=_origins(found, agents, context) | provider_origins,
    )
    values = {s.field: found[s.key].value for s in GLOBAL.settings if s.field and s.key in found}
    visibility = agents.defaults.get("sandbox.sessionToolsVisibility")
    if visibility is not None and visibility.value is not None:
        values["sessions.sandbox_visibility"] = visibility.value
    if "sessions.store" in values:
        values["sessions.store"] = str(expand(values["sessions.store"], places.home, places.cwd))
    return replace(fill(base, values), warnings=tuple(context.warnings))


def _slot(raw: Mapping[str, object], found: Found | None, context: Context) -> SlotConfig:
    plugins = context.mapping(raw.get("plugins"), "plugins")
    entries = context.mapping(plugins.get("entries"), "plugins.entries")
    disabled = []
    for name, value in entries.items():
        key_path = f"plugins.entries.{name}"
        enabled = context.mapping(value, key_path).get("enabled")
        if enabled is not None and not isinstance(enabled, bool):
            context.fail(join(key_path, "enabled"), "must be true or false")
        if enabled is False:
            disabled.append(name)
    slot = SlotConfig(disabled_entries=tuple(disabled))
    if found is None:
        return slot
    return replace(slot, memory=None if found.value == "none" else found.value)


def _providers(raw: Mapping[str, object], context: Context) -> tuple[dict[str, ProviderEntry], dict[str, str]]:
    models = context.mapping(raw.get("models"), "models")
    entries: dict[str, ProviderEntry] = {}
    origins: dict[str, str] = {}
    for name, value in context.mapping(models.get("providers"), "models.providers").items():
        key_path = f"models.providers.{name}"
        found = PROVIDER.read(context.mapping(value, key_path), key_path, context)
        values = {s.field: found[s.key].value for s in PROVIDER.settings if s.key in found}
        if "api_key" in values:
            resolved = values["api_key"]
            values |= {"api_key": resolved.secret, "api_key_problem": resolved.problem}
        entries[name] = fill(ProviderEntry(name), {key: v for key, v in values.items() if v is not None})
        origins |= {one.key_path: context.origin(one.key_path) for one in found.values()}
    return entries, origins


def _origins(found: Mapping[str, Found], agents: Agents, context: Context) -> dict[str, str]:
    origins = {key: context.origin(value.key_path) for key, value in found.items()}
    for agent_id, used in agents.used.items():
        for key, value in used.items():
            name = f"memory.{key}" if key.startswith("search.") else key
            origins[f"agents.entries.{agent_id}.{name}"] = context.origin(value.key_path)
    return origins
