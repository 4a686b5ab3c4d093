"""What happens to a lock file in the moments between looking and acting."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory_core.errors import SessionStoreError
from openclaw_memory_core.sessions.lockfile import LockFile


def payload(age: float = 0.0, pid: int | None = None, *, zone: bool = True) -> str:
    created = datetime.now(UTC) - timedelta(seconds=age)
    stamp = created if zone else created.replace(tzinfo=None)
    return json.dumps({"pid": pid or os.getpid(), "createdAt": stamp.isoformat()})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions.json.lock"


def test_a_stale_lock_that_is_taken_over_in_the_same_moment_is_given_back(path: Path) -> None:
    path.write_text(payload(age=100), encoding="utf-8")
    live = payload()

    def now() -> float:  # Called between the look at the old lock and its removal.
        path.write_text(live, encoding="utf-8")
        return time.time()

    with pytest.raises(SessionStoreError, match="held by another process"), LockFile(path, wait=0, now=now):
        pass

    assert path.read_text(encoding="utf-8") == live
    assert list(path.parent.iterdir()) == [path]


def test_a_stale_lock_that_somebody_else_removes_first_is_no_hindrance(path: Path) -> None:
    path.write_text(payload(age=100), encoding="utf-8")

    def now() -> float:
        path.unlink(missing_ok=True)
        return time.time()

    with LockFile(path, wait=0, now=now):
        pass

    assert not path.exists()


def test_a_lock_that_could_not_be_written_is_not_left_behind(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextlib.contextmanager
    def full(descriptor: int, *_: Any) -> Iterator[None]:
        os.close(descriptor)
        raise OSError(errno.ENOSPC, "No space left on device")
        yield

    monkeypatch.setattr(os, "fdopen", full)

    with pytest.raises(SessionStoreError, match="No space left"), LockFile(path):
        pass

    assert not path.exists()


def test_a_time_without_a_zone_is_utc(path: Path) -> None:
    path.write_text(payload(age=20, zone=False), encoding="utf-8")
    with pytest.raises(SessionStoreError), LockFile(path, wait=0):
        pass

    path.write_text(payload(age=40, zone=False), encoding="utf-8")
    with LockFile(path, wait=0) as lock:
        assert lock.held()
