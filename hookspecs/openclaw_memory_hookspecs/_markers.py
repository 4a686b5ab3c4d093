"""One name constant and one marker pair for the whole project."""

from __future__ import annotations

from typing import Final

from pluggy import HookimplMarker, HookspecMarker

PROJECT_NAME: Final = "openclaw"
"""pluggy project name; hook names begin with it."""

ENTRY_POINT_GROUP: Final = "openclaw.memory"
"""Entry-point group of memory plugins: name = plugin id, value = module or object with hook implementations."""

hookspec = HookspecMarker(PROJECT_NAME)
hookimpl = HookimplMarker(PROJECT_NAME)
