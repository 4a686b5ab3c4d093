"""Plugins that are installed for one test: a module, and a distribution with an entry point for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


def install_plugins(folder: Path, monkeypatch: pytest.MonkeyPatch, **sources: str) -> None:
    """Install a plugin of each name, from the source text of its module."""
    info = folder / "some_plugins-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-plugins\nVersion: 1.0\n", encoding="utf-8")
    points = "".join(f"{name} = {name}_plugin\n" for name in sources)
    (info / "entry_points.txt").write_text(f"[openclaw.memory]\n{points}", encoding="utf-8")
    for name, source in sources.items():
        (folder / f"{name}_plugin.py").write_text(source, encoding="utf-8")
        # What another test has imported under this name is not this plugin.
        monkeypatch.delitem(sys.modules, f"{name}_plugin", raising=False)
    monkeypatch.syspath_prepend(str(folder))
