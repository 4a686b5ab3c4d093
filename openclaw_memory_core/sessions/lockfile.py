"""The lock file that OpenClaw puts beside ``sessions.json``: ``<store>.lock`` holding ``{"pid", "createdAt"}``.

Whoever creates the file holds the lock.  It is stale, and may be taken over, when its process is dead or when it is
older than :data:`STALE_SECONDS`.  A holder that was suspended that long can lose it: ask :meth:`LockFile.held`
just before the decisive step.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from openclaw_memory_core.errors import SessionStoreError

STALE_SECONDS = 30.0
WAIT_SECONDS = 10.0
_FIRST_DELAY, _LONGEST_DELAY = 0.005, 0.1
_WINDOWS = os.name == "nt"


class LockFile:
    """Context manager around one lock file.

    :param path: the lock file itself, for example ``sessions.json.lock``.
    :param wait: seconds to wait at most.
    :param stale_after: age in seconds at which a lock counts as left behind.
    :param now: seconds since the epoch; ages are compared with what other processes wrote, so this is wall time.
    :param sleep: waits between two tries.
    """

    def __init__(
        self,
        path: Path,
        *,
        wait: float = WAIT_SECONDS,
        stale_after: float = STALE_SECONDS,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._path = path
        self._wait = wait
        self._stale_after = stale_after
        self._now = now
        self._sleep = sleep
        self._payload = b""

    def __enter__(self) -> Self:
        waited, delay = 0.0, _FIRST_DELAY
        while not self._create():
            if self._break_stale():
                continue
            if waited >= self._wait:
                raise SessionStoreError(
                    f"{self._path} is held by another process for more than {self._wait:g} s.",
                    hint="If no host is running, delete the lock file.",
                )
            # Jitter keeps two waiters from colliding again and again.
            pause = delay * (0.5 + os.urandom(1)[0] / 255)
            self._sleep(pause)
            waited += pause
            delay = min(_LONGEST_DELAY, delay * 1.5)
        return self

    def __exit__(self, *_: object) -> None:
        if self.held():
            with contextlib.suppress(OSError):
                self._path.unlink()
        self._payload = b""

    def held(self) -> bool:
        """True while the file on disk is the one that this object wrote."""
        return bool(self._payload) and _read(self._path) == self._payload

    def _create(self) -> bool:
        try:
            descriptor = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            return False
        except OSError as error:
            # Windows answers so while the previous lock is being deleted.
            if _WINDOWS and isinstance(error, PermissionError):
                return False
            raise _cannot_lock(self._path, error) from error
        payload = self._new_payload()
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(payload)
        except OSError as error:
            with contextlib.suppress(OSError):
                self._path.unlink()
            raise _cannot_lock(self._path, error) from error
        self._payload = payload
        return True

    def _new_payload(self) -> bytes:
        created = datetime.fromtimestamp(self._now(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return json.dumps({"pid": os.getpid(), "createdAt": created, "token": os.urandom(16).hex()}).encode("utf-8")

    def _break_stale(self) -> bool:
        """Remove the lock if it was left behind; True if it is worth trying again at once."""
        try:
            seen, changed = self._path.read_bytes(), self._path.stat().st_mtime
        except FileNotFoundError:
            return True
        except OSError:
            return False
        if not self._is_stale(seen, changed):
            return False
        aside = self._path.with_name(f"{self._path.name}.{os.getpid()}.{os.urandom(16).hex()}.stale")
        try:
            self._path.rename(aside)
        except OSError:
            return not self._path.exists()
        # Between the look and the rename somebody may have taken over: then it is a live lock, and it goes back.
        if _read(aside) != seen:
            with contextlib.suppress(OSError):
                self._path.hardlink_to(aside)
        with contextlib.suppress(OSError):
            aside.unlink()
        return True

    def _is_stale(self, payload: bytes, changed: float) -> bool:
        pid, created = _parse(payload)
        if pid is not None and not _alive(pid):
            return True
        # A lock from the future was made before the clock was put back; its age is unknown, and it may be for ever.
        return abs(self._now() - (created if created is not None else changed)) > self._stale_after


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _parse(payload: bytes) -> tuple[int | None, float | None]:
    try:
        data: Any = json.loads(payload)
        pid, created = data["pid"], datetime.fromisoformat(data["createdAt"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, None
    if created.tzinfo is None:
        created = created.replace(tzinfo=UTC)
    return (pid if isinstance(pid, int) and pid > 0 else None), created.timestamp()


def _alive(pid: int) -> bool:
    # On Windows os.kill() would end the process instead of asking about it; there only the age counts.
    if _WINDOWS:
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _cannot_lock(path: Path, error: OSError) -> SessionStoreError:
    return SessionStoreError(
        f"Cannot create the lock file {path}: {error.strerror or error}.",
        hint="Check that the sessions folder exists and can be written.",
    )
