"""Fixtures for every test: no test sees this machine's home, keys or configuration."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_FOREIGN = ("OPENCLAW_", "CLAWDBOT_", "OPENAI_", "GEMINI_", "GOOGLE_", "VOYAGE_", "MISTRAL_", "AWS_", "COPILOT_")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in list(os.environ):
        if name.startswith(_FOREIGN) or name in _PROXIES:
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))


def pytest_report_header() -> str:
    import apsw

    return f"SQLite {apsw.sqlite_lib_version()} (apsw {apsw.apsw_version()})"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty workspace with a ``memory`` folder."""
    root = tmp_path / "workspace"
    (root / "memory").mkdir(parents=True)
    return root
