"""The names by which a host and a plugin find each other."""

from __future__ import annotations

from typing import Final

PROJECT_NAME: Final = "openclaw"
"""pluggy project name; hook names begin with it."""

ENTRY_POINT_GROUP: Final = "openclaw.memory"
"""Entry-point group of memory plugins: name = plugin id, value = module or object with hook implementations."""
