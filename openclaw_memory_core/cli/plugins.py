"""``plugins``: what could be in the slot, and what is."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.settings import Settings
from openclaw_memory_core.errors import PluginError

if TYPE_CHECKING:
    from openclaw_memory_core.plugin_registry import PluginSource


@click.command(name="plugins", cls=Command)
@click.pass_obj
def command(settings: Settings) -> int:
    """List the memory plugins and which one is in the slot.

    Every plugin is imported to see its hooks; one that cannot be is named with the reason.
    """
    from openclaw_memory_core.plugin_registry import installed_plugins
    from openclaw_memory_core.slot import why_disabled

    config = settings.load()
    reason = why_disabled(config.slot)
    selected = config.slot.memory
    found = [_describe(source, selected=source.plugin_id == selected) for source in installed_plugins().values()]
    missing = selected is not None and selected not in {one["id"] for one in found}
    if missing:
        reason = f"{selected} is not installed"
    origin = config.origins.get("plugins.slots.memory", "default")
    if settings.json:
        slot = {"selected": selected, "origin": origin, "enabled": reason is None, "reason": reason}
        output.document({"slot": slot, "plugins": found})
    else:
        for one in found:
            _print(one)
        output.data(f"Slot: {selected or 'none'} ({origin}){'' if reason is None else f', off: {reason}'}")
    return 1 if missing else 0


def _describe(source: PluginSource, *, selected: bool) -> dict[str, Any]:
    from openclaw_memory_core.plugin_registry import load_plugin, new_manager

    described: dict[str, Any] = {
        "id": source.plugin_id,
        "distribution": source.distribution,
        "target": source.target,
        "selected": selected,
        "hooks": [],
    }
    try:
        # What a plugin prints while it is imported must not get into the answer.
        with redirect_stdout(sys.stderr):
            plugin = load_plugin(source.plugin_id)
        manager = new_manager(source.plugin_id, plugin)
        described["hooks"] = sorted(caller.name for caller in manager.get_hookcallers(plugin) or ())
    except PluginError as error:
        described["error"] = error.message
    except SystemExit:
        described["error"] = f"memory plugin {source.plugin_id!r} ended the program while it was imported"
    return described


def _print(one: dict[str, Any]) -> None:
    mark = output.styled("*", "good") if one["selected"] else " "
    output.data(f"{mark} {output.styled(one['id'], 'head')} {one['distribution'] or ''}".rstrip())
    output.data(f"    {one['target']}")
    if "error" in one:
        output.data(f"    {output.styled('broken', 'bad')}: {one['error']}")
    else:
        output.data(f"    hooks: {', '.join(hook.removeprefix('openclaw_memory_') for hook in one['hooks'])}")
