"""Which memory plugins are installed.  Looking does not import them; only the selected one is loaded."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import pluggy

from openclaw_memory_core.config.context import nearest
from openclaw_memory_core.errors import PluginLoadError, UnknownPluginError
from openclaw_memory_hookspecs import ENTRY_POINT_GROUP, PROJECT_NAME, specifications

DEFAULT_PLUGIN: Final = "memory-core"

BRIDGE_PLUGIN: Final = "openclaw-memory"
"""What the slot says in the configuration of an OpenClaw that has our bridge: the same memory by its name there."""

_REPAIR: Final = 'repair or remove it, or set plugins.slots.memory to another id or "none"'

# Found without reading the metadata of every installed distribution (40 ms).
_BUILT_IN: Final = dict.fromkeys((DEFAULT_PLUGIN, BRIDGE_PLUGIN), "openclaw_memory_core.plugin:MemoryCorePlugin")


@dataclass(frozen=True, slots=True)
class PluginSource:
    """Where a plugin comes from.

    :param plugin_id: name of the entry point, value of ``plugins.slots.memory``.
    :param target: ``module`` or ``module:attribute``; empty for an object given by the host.
    :param distribution: name and version of the distribution, when known.
    """

    plugin_id: str
    target: str
    distribution: str | None = None


def is_ours(plugin_id: str | None) -> bool:
    """Whether the plugin called *plugin_id* is this memory."""
    return plugin_id in _BUILT_IN


def installed_plugins(given: Mapping[str, object] | None = None) -> dict[str, PluginSource]:
    """All plugins that the slot may name, by id.  Objects given by the host win over entry points of the same id."""
    from importlib.metadata import entry_points

    found = {name: PluginSource(name, target) for name, target in _BUILT_IN.items()}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        dist = point.dist
        label = f"{dist.name} {dist.version}" if dist is not None else None
        if point.name in _BUILT_IN:
            found[point.name] = PluginSource(point.name, _BUILT_IN[point.name], label)
        else:
            found[point.name] = PluginSource(point.name, point.value, label)
    found.update({name: PluginSource(name, "") for name in given or {}})
    return found


def load_plugin(plugin_id: str, given: Mapping[str, object] | None = None) -> object:
    """Import the plugin called *plugin_id*; a class is instantiated, so that each slot has its own.

    :raises UnknownPluginError: no such plugin is installed.
    :raises PluginLoadError: it cannot be imported.
    """
    if given and plugin_id in given:
        plugin: Any = given[plugin_id]
    else:
        plugin = _import(plugin_id, _target_of(plugin_id))
    if not inspect.isclass(plugin):
        return plugin
    try:
        return plugin()
    except (Exception, SystemExit) as error:
        raise PluginLoadError(f"memory plugin {plugin_id!r} cannot be created: {error!r}", hint=_REPAIR) from error


def new_manager(plugin_id: str, plugin: object) -> pluggy.PluginManager:
    """A plugin manager with our hook specifications and this one plugin, whose hooks are checked against them.

    :raises PluginLoadError: a hook does not exist or has arguments that the specification lacks.
    """
    manager = pluggy.PluginManager(PROJECT_NAME)
    manager.add_hookspecs(specifications)
    try:
        manager.register(plugin, name=plugin_id)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise PluginLoadError(
            f"memory plugin {plugin_id!r} does not fit the contract: {error}",
            hint="compare its hooks with openclaw_memory_hookspecs.specifications",
        ) from error
    return manager


def unknown_plugin(plugin_id: str, installed: Iterable[str]) -> UnknownPluginError:
    """The error for an id in the slot that is not among the *installed* ones; its hint names the closest."""
    near = nearest(plugin_id, installed, 0.6)
    return UnknownPluginError(
        f"plugins.slots.memory names {plugin_id!r}, which is not installed (there are: {', '.join(sorted(installed))})",
        hint=f"did you mean {near!r}?"
        if near
        else f'install a distribution with an entry point {plugin_id!r} in the group "{ENTRY_POINT_GROUP}", '
        'choose an installed id, or "none" to switch memory off',
    )


def _target_of(plugin_id: str) -> str:
    if plugin_id in _BUILT_IN:
        return _BUILT_IN[plugin_id]
    installed = installed_plugins()
    if plugin_id not in installed:
        raise unknown_plugin(plugin_id, installed)
    return installed[plugin_id].target


def _import(plugin_id: str, target: str) -> Any:
    module_name, _, attribute = target.partition(":")
    try:
        plugin: Any = import_module(module_name.strip())
        for part in filter(None, attribute.strip().split(".")):
            plugin = getattr(plugin, part)
    except SystemExit as error:
        message = f"memory plugin {plugin_id!r} ({target}) ended the program while it was imported"
        raise PluginLoadError(message, hint=_REPAIR) from error
    except Exception as error:  # a plugin is foreign code: whatever it raises becomes one named error
        message = f"memory plugin {plugin_id!r} ({target}) cannot be imported: {error!r}"
        raise PluginLoadError(message, hint=_REPAIR) from error
    return plugin
