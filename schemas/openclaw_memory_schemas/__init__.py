"""JSON Schemas (draft 2020-12) of everything that crosses a border: configuration, tools, CLI output, sessions.json.

The files stand beside this module as ``<name>.schema.json``; :func:`load` reads one, :func:`names` lists them.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

__all__ = ["load", "names"]

_SUFFIX = ".schema.json"


def load(name: str) -> dict[str, Any]:
    """The schema called *name*, for example ``"tool.memory_search.input"``.

    :raises KeyError: there is no schema of that name.
    """
    resource = files(__name__).joinpath(name + _SUFFIX)
    if not resource.is_file():
        raise KeyError(name)
    schema: dict[str, Any] = json.loads(resource.read_text(encoding="utf-8"))
    return schema


def names() -> list[str]:
    """Names of all schemas, sorted."""
    return sorted(f.name.removesuffix(_SUFFIX) for f in files(__name__).iterdir() if f.name.endswith(_SUFFIX))
