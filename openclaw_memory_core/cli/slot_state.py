"""Whose memory is in the slot, for commands that work on ours."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.cli import output
from openclaw_memory_core.config.model import SlotConfig
from openclaw_memory_core.errors import PluginError

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import MemoryConfig

_SWITCH_ON = 'set plugins.slots.memory to "memory-core" and take away what switches it off; see openclaw-memory plugins'


def require_our_slot(config: MemoryConfig) -> None:
    """Refuse where memory is switched off; where another plugin has the slot, say on stderr that we do not.

    :raises PluginError: the slot is off.
    """
    reason, taken = _state(config)
    if reason is not None:
        raise PluginError(f"memory is switched off: {reason}", hint=_SWITCH_ON)
    if taken is not None:
        from openclaw_memory_core.plugin_registry import installed_plugins

        missing = "" if taken in installed_plugins() else ", which is not installed"
        output.note(
            f"The memory slot names {output.visible(taken, note=True)}{missing}; this command works on the notes and "
            "the index of memory-core, which agents do not use now."
        )


def slot_report(config: MemoryConfig, agent_id: str, *, deep: bool) -> dict[str, Any]:
    """What is in the slot, for ``status``; with another plugin, its answer is under ``status``.

    :returns: ``plugin`` (None where none answers), ``selected``, ``enabled``, ``reason``.
    """
    reason, taken = _state(config)
    selected = config.slot.memory
    if reason is not None or taken is None:
        plugin = selected if reason is None else None
        return {"plugin": plugin, "selected": selected, "enabled": reason is None, "reason": reason}
    try:
        answer = _ask(config, agent_id, deep=deep)
    except PluginError as error:
        return {"plugin": None, "selected": selected, "enabled": False, "reason": error.message}
    slot: dict[str, Any] = answer.pop("slot")
    return {**slot, "status": answer}


def _state(config: MemoryConfig) -> tuple[str | None, str | None]:
    """Why the slot is off, and the id of another plugin that is in it."""
    if config.slot == SlotConfig():
        return None, None
    from openclaw_memory_core.plugin_registry import is_ours
    from openclaw_memory_core.slot import why_disabled

    return why_disabled(config.slot), None if is_ours(config.slot.memory) else config.slot.memory


def _ask(config: MemoryConfig, agent_id: str, *, deep: bool) -> dict[str, Any]:
    """What the plugin in the slot says of itself, as JSON has it."""
    from openclaw_memory_core.slot import load_memory_slot

    # What a plugin prints must not get into our answer.
    with redirect_stdout(sys.stderr), load_memory_slot(config_path=config.path, state_dir=config.state_dir) as slot:
        answer = slot.status(agent_id, deep=deep)
    plain: dict[str, Any] = json.loads(json.dumps(answer, default=str, skipkeys=True))
    return plain
