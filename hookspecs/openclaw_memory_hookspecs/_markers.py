"""One marker pair for the whole project."""

from __future__ import annotations

from pluggy import HookimplMarker, HookspecMarker

from openclaw_memory_hookspecs._names import PROJECT_NAME

hookspec = HookspecMarker(PROJECT_NAME)
hookimpl = HookimplMarker(PROJECT_NAME)
