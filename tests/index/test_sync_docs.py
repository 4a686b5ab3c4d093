"""The figures of docs/sync.md are those of the code."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from openclaw_memory_core.config.model import SyncConfig
from openclaw_memory_core.index import job, plan, run, scheduler, sync, watch

PAGE = " ".join((Path(__file__).parents[2] / "docs" / "sync.md").read_text(encoding="utf-8").split())
WATCHER = inspect.signature(watch.FileWatcher).parameters


@pytest.mark.parametrize(
    ("words", "figure", "expected"),
    [
        ("`watchDebounceMs` (1500)", SyncConfig().watch_debounce_ms, 1500),
        ("`intervalMinutes` (default 0, off)", SyncConfig().interval_minutes, 0),
        ("less than two seconds old", plan.RACY_SECONDS, 2.0),
        ("after 1, 2, 4 … 30 minutes; after one second", scheduler.FIRST_RETRY_SECONDS, 60.0),
        ("after 1, 2, 4 … 30 minutes; after one second", scheduler.LONGEST_RETRY_SECONDS, 1800.0),
        ("after 1, 2, 4 … 30 minutes; after one second", scheduler.BUSY_RETRY_SECONDS, 1.0),
        ("leave it alone for 1, 2, 4 … 30 minutes", sync.FIRST_PAUSE_SECONDS, 60.0),
        ("leave it alone for 1, 2, 4 … 30 minutes", sync.LONGEST_PAUSE_SECONDS, 1800.0),
        ("or after two seconds if that takes longer", job.FIRST_PUBLISH_SECONDS, 2.0),
        ("after four in a row", run.MOST_IN_A_ROW + 1, 4),
        ("polled every ten seconds", WATCHER["poll_s"].default, 10.0),
        ("looked at once a minute", WATCHER["verify_s"].default, 60.0),
        ("(`.md`, `.jsonl`)", WATCHER["suffixes"].default, (".md", ".jsonl")),
    ],
)
def test_figure(words: str, figure: object, expected: object) -> None:
    assert words in PAGE
    assert figure == expected


@pytest.mark.parametrize("name", ["watch", "onSessionStart", "onSearch"])
def test_default_is_on(name: str) -> None:
    assert f"`{name}` (default on)" in PAGE
    snake = "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
    assert getattr(SyncConfig(), snake) is True


@pytest.mark.parametrize("name", ["failed", "unseen", "unembedded", "missing", "busy", "providerError"])
def test_field_of_the_report(name: str) -> None:
    assert f"`{name}`" in PAGE
    snake = "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
    assert snake in inspect.signature(sync.SyncReport).parameters
