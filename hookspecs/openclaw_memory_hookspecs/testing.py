"""Checks that a memory plugin, or a host, runs in its own tests.  Needs no test framework.

A plugin::

    from openclaw_memory_hookspecs.testing import check_plugin


    def test_my_plugin_keeps_to_the_contract(tmp_path):
        check_plugin(MyMemory, Runtime(state_dir=tmp_path))

A host puts a :class:`HostProbe` into its slot, runs a scenario, looks for the probe's texts in what it sent to the
model, and calls :meth:`HostProbe.check` at the end.
"""

from __future__ import annotations

from openclaw_memory_hookspecs._host_probe import (
    CONTEXT_TEXT,
    FLUSH_PROMPT,
    FLUSH_SYSTEM,
    FLUSH_TARGET,
    RECALL_TEXT,
    SAVE_NAME,
    SECTION_TEXT,
    TOOL_NAME,
    HookCall,
    HostProbe,
)
from openclaw_memory_hookspecs._plugin_checks import GROUP, PRIVATE, REASONS, ConformanceError, check_plugin

__all__ = [
    "CONTEXT_TEXT",
    "FLUSH_PROMPT",
    "FLUSH_SYSTEM",
    "FLUSH_TARGET",
    "GROUP",
    "PRIVATE",
    "REASONS",
    "RECALL_TEXT",
    "SAVE_NAME",
    "SECTION_TEXT",
    "TOOL_NAME",
    "ConformanceError",
    "HookCall",
    "HostProbe",
    "check_plugin",
]
