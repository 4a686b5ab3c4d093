"""Fixtures for every test: no test sees this machine's home, keys or configuration."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

_FOREIGN = ("OPENCLAW_", "CLAWDBOT_", "OPENAI_", "GEMINI_", "GOOGLE_", "VOYAGE_", "MISTRAL_", "AWS_", "COPILOT_")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


# A test says what is right, not how fast this machine is at the moment.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A job in the background of a shell inherits this, and so would the programs that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in list(os.environ):
        if name.startswith(_FOREIGN) or name in _PROXIES:
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes minutes runs when its marker is asked for (``make torture``, ``make openclaw``)."""
    asked = config.getoption("markexpr") or ""
    for marker in ("torture", "openclaw"):
        long = [item for item in items if item.get_closest_marker(marker) is not None]
        if long and marker not in asked:
            config.hook.pytest_deselected(items=long)
            items[:] = [item for item in items if item not in long]


def pytest_report_header() -> str:
    import apsw

    return f"SQLite {apsw.sqlite_lib_version()} (apsw {apsw.apsw_version()})"


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Half a surrogate pair, which tests try, may be in a log; xdist would end the worker over it."""
    return _sendable((yield))


def _sendable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_sendable(key): _sendable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_sendable(one) for one in value)
    return value


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty workspace with a ``memory`` folder."""
    root = tmp_path / "workspace"
    (root / "memory").mkdir(parents=True)
    return root
