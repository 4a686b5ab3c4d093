"""From ``openclaw.json`` to frozen dataclasses, with errors that name the key path."""

from __future__ import annotations

from openclaw_memory_core.config.agent_ids import normalize_agent_id
from openclaw_memory_core.config.load import CheckedConfig, check_config, load_config
from openclaw_memory_core.config.show import ShownValue, show

__all__ = ["CheckedConfig", "ShownValue", "check_config", "load_config", "normalize_agent_id", "show"]
