"""Small workspaces for tests."""

from __future__ import annotations

from pathlib import Path

from openclaw_memory_core.config.model import ExtraPath
from openclaw_memory_core.workspace.workspace import Workspace


def write(root: Path, path: str, text: str | bytes = "text\n") -> Path:
    """Write a file below *root*, making its folders; text goes out as UTF-8 with line ends as given."""
    full = root / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return full


def with_extra(root: Path, *paths: Path, pattern: str | None = None) -> Workspace:
    """A workspace with extra paths."""
    return Workspace(root, [ExtraPath(path, pattern, str(path)) for path in paths])


def found(workspace: Workspace) -> list[str]:
    """Paths of all notes."""
    return [ref.path for ref in workspace.scan().documents]


def skipped(workspace: Workspace) -> dict[str, str]:
    """Path and code of everything that was left out."""
    return {one.path: one.code for one in workspace.scan().skipped}
