"""``plugins``: what could be in the slot, and what is."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, NamedTuple

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

    Every plugin is imported to see its hooks; one that cannot be is named with the reason. Exit code 1 if it is the one
    in the slot.
    """
    from openclaw_memory_core.plugin_registry import installed_plugins, unknown_plugin
    from openclaw_memory_core.slot import why_disabled

    config = settings.load()
    reason = why_disabled(config.slot)
    selected = config.slot.memory
    installed = installed_plugins()
    found = [_describe(source, selected=source.plugin_id == selected) for source in installed.values()]
    problem: PluginError | None = None
    if reason is None and selected is not None:
        problem = look_at(selected).error if selected in installed else unknown_plugin(selected, installed)
    origin = config.origins.get("plugins.slots.memory", "default")
    if problem is not None:
        reason = problem.message
    if settings.json:
        slot = {"selected": selected, "origin": origin, "enabled": reason is None, "reason": reason}
        output.document({"slot": slot, "plugins": found})
    else:
        for one in found:
            _print(one)
        output.data(
            f"Slot: {selected or 'none'} ({origin}){'' if reason is None else f', off: {output.visible(reason)}'}"
        )
        if problem is not None and problem.hint:
            output.note(f"Hint: {problem.hint}")
    return 0 if problem is None else 1


class Look(NamedTuple):
    """What can be seen of a plugin: its hooks, or why there are none."""

    hooks: tuple[str, ...] = ()
    error: PluginError | None = None


def look_at(plugin_id: str) -> Look:
    """Import an installed plugin, check it against the contract, and name its hooks."""
    from openclaw_memory_core.plugin_registry import load_plugin, new_manager

    try:
        # What a plugin prints while it is imported must not get into the answer.
        with redirect_stdout(sys.stderr):
            plugin = load_plugin(plugin_id)
        callers = new_manager(plugin_id, plugin).get_hookcallers(plugin)
    except PluginError as error:
        return Look(error=error)
    return Look(tuple(sorted(caller.name for caller in callers or ())))


def _describe(source: PluginSource, *, selected: bool) -> dict[str, Any]:
    seen = look_at(source.plugin_id)
    described: dict[str, Any] = {
        "id": source.plugin_id,
        "distribution": source.distribution,
        "target": source.target,
        "selected": selected,
        "hooks": list(seen.hooks),
    }
    return described if seen.error is None else {**described, "error": seen.error.message}


def _print(one: dict[str, Any]) -> None:
    mark = output.styled("*", "good") if one["selected"] else " "
    output.data(f"{mark} {output.styled(one['id'], 'head')} {one['distribution'] or ''}".rstrip())
    output.data(f"    {one['target']}")
    if "error" in one:
        # In the slot it is the reason why nothing works, which is named below.
        if not one["selected"]:
            output.data(f"    {output.styled('warning', 'bad')}: {output.visible(one['error'])}")
    else:
        output.data(f"    hooks: {', '.join(hook.removeprefix('openclaw_memory_') for hook in one['hooks'])}")
