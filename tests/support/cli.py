"""Runs the command line in this process, as a user would, and checks its JSON against the schemas."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
from referencing import Registry, Resource

import openclaw_memory_schemas
from openclaw_memory_core.cli import main

_REGISTRY: Registry[Any] = Registry().with_resources(
    (f"{name}.schema.json", Resource.from_contents(openclaw_memory_schemas.load(name)))
    for name in openclaw_memory_schemas.names()
)


def check_schema(value: object, name: str) -> None:
    """Fail unless *value* is what the schema called *name* says."""
    jsonschema.Draft202012Validator(openclaw_memory_schemas.load(name), registry=_REGISTRY).validate(value)


@dataclass(frozen=True)
class Run:
    """How a run ended.  *out* and *err* are the whole streams."""

    code: int
    out: str
    err: str

    def json(self, schema: str) -> Any:
        """The one document on stdout, checked."""
        document = json.loads(self.out)
        check_schema(document, schema)
        return document


class Cli:
    """One installation: state folder, workspace, configuration."""

    def __init__(self, folder: Path, config: Mapping[str, Any] | None = None) -> None:
        self.state = folder / "state"
        self.workspace = folder / "workspace"
        self.configure(config or {})

    def configure(self, config: Mapping[str, Any]) -> None:
        """Write the configuration; keywords only and no watcher unless it says otherwise."""
        search = {"provider": "none", **config.get("memory", {}).get("search", {})}
        agents = {"defaults": {"workspace": str(self.workspace)}, **config.get("agents", {})}
        whole = {**config, "memory": {**config.get("memory", {}), "search": search}, "agents": agents}
        self.state.mkdir(parents=True, exist_ok=True)
        (self.state / "openclaw.json").write_text(json.dumps(whole), encoding="utf-8")
        (self.state / "openclaw.json").chmod(0o600)

    def note(self, path: str, text: str) -> Path:
        """Write a note of the workspace."""
        file = self.workspace / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def __call__(self, *arguments: str, stdin: str = "") -> Run:
        """Run one command."""
        before = sys.stdin, sys.stdout, sys.stderr
        streams = [io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (stdin.encode(), b"", b"")]
        sys.stdin, sys.stdout, sys.stderr = streams
        try:
            code = main(["--state-dir", str(self.state), *arguments])
            for stream in streams[1:]:
                stream.flush()
            out, err = (stream.buffer.getvalue().decode() for stream in streams[1:])  # type: ignore[attr-defined]
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
        return Run(code, out.replace(os.linesep, "\n"), err.replace(os.linesep, "\n"))
