"""Names in the configuration that only mean something elsewhere: of embedding providers, and of the plugin in the slot.

The parser cannot know them, it stands below both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from openclaw_memory_core.errors import ConfigError

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import MemoryConfig

_CHOICES = frozenset({"", "auto", "none"})


def unknown_names(config: MemoryConfig) -> list[ConfigError]:
    """An error for each name that nothing has, with the nearest one that something has."""
    return [*unknown_providers(config), *_unknown_plugin(config)]


def unknown_providers(config: MemoryConfig, setting: str | None = None) -> list[ConfigError]:
    """As :func:`unknown_names`, for ``provider`` and ``fallback`` of every agent, or for one of the two."""
    found: dict[str, ConfigError] = {}
    for agent in config.agents.values():
        for name in ("provider", "fallback") if setting is None else (setting,):
            value = str(getattr(agent.search, name)).strip()
            key = f"memory.search.{name}"
            origin = config.origins.get(f"agents.entries.{agent.id}.{key}", key)
            error = _unknown_provider(config, value, origin)
            if error is not None:
                found.setdefault(error.message, error)
    return list(found.values())


def _unknown_provider(config: MemoryConfig, name: str, origin: str) -> ConfigError | None:
    from openclaw_memory_core.embeddings.registry import PROVIDERS, spec_for_api, unknown_provider

    if name in _CHOICES or name in PROVIDERS:
        return None
    key_path = origin.rpartition(": ")[2]
    entry = config.providers.get(name)
    if entry is None:
        error = unknown_provider(name, config.providers)
        return ConfigError(f"{origin}: {error.message}", key_path=key_path, hint=error.hint)
    if spec_for_api(entry.api, bool(entry.base_url)) is None:
        message = f"{origin}: models.providers.{name} gives no embeddings"
        return ConfigError(message, key_path=key_path, hint='set its baseUrl, and its api to "openai-completions"')
    return None


def _unknown_plugin(config: MemoryConfig) -> Iterator[ConfigError]:
    from openclaw_memory_core.plugin_registry import installed_plugins, is_ours, unknown_plugin
    from openclaw_memory_core.slot import why_disabled

    selected = config.slot.memory
    if selected is None or is_ours(selected) or why_disabled(config.slot) is not None:
        return
    installed = installed_plugins()
    if selected not in installed:
        error = unknown_plugin(selected, installed)
        key = "plugins.slots.memory"
        origin = config.origins.get(key, key)
        known = f"there are: {', '.join(sorted(installed))}"
        yield ConfigError(f"{origin}: no plugin {selected!r} is installed ({known})", key_path=key, hint=error.hint)
