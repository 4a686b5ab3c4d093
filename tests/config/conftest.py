from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory_core.config import load_config
from openclaw_memory_core.config.model import MemoryConfig

Load = Callable[..., MemoryConfig]
Write = Callable[..., Path]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def load(home: Path, tmp_path: Path) -> Load:
    """Loads with a home and a current folder of the test's own, and no environment but the given one."""
    here = tmp_path / "here"
    here.mkdir()

    def run(
        config: Mapping[str, Any] | None = None, *, env: Mapping[str, str] | None = None, **more: Any
    ) -> MemoryConfig:
        return load_config(config, env={"HOME": str(home), **(env or {})}, **{"cwd": here, **more})

    return run


@pytest.fixture
def write(home: Path) -> Write:
    """Writes a file below ``~/.openclaw``, a mapping as JSON."""

    def run(content: str | bytes | Mapping[str, Any], name: str = "openclaw.json") -> Path:
        path = home / ".openclaw" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str | bytes) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return run
