"""``sessions.json``: one JSON object, session key → entry, shared with the host.

We read all of it and write a handful of fields.  A write happens under the host's own lock-file scheme, replaces the
file in one step and keeps every entry and every field that is not ours.  A file that cannot be understood is never
written to.
"""

from __future__ import annotations

import contextlib
import copy
import json
import logging
import math
import os
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from openclaw_memory_core.errors import SessionStoreError
from openclaw_memory_core.sessions.lockfile import LockFile

__all__ = ["Entry", "Patch", "SessionStore"]

Entry = dict[str, Any]
Patch = Mapping[str, Any] | Callable[[Entry], Mapping[str, Any] | None]
"""Fields to set, or a function from the present entry to the fields to set (None: leave everything as it is)."""

T = TypeVar("T")
_Stamp = tuple[int, int, int, int] | None

logger = logging.getLogger(__name__)
_ATTEMPTS = 8
_thread_locks: dict[str, threading.Lock] = {}
_thread_locks_guard = threading.Lock()


class SessionStore:
    """Reads and updates one ``sessions.json``.

    :param path: the file; it need not exist yet.
    :param clock: current time, for ``updatedAt``.
    :param sleep: waits for the lock.
    """

    def __init__(
        self, path: Path, *, clock: Callable[[], datetime], sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.path = path
        self._clock = clock
        self._sleep = sleep
        self._cache: tuple[_Stamp, dict[str, Any]] | None = None
        self._derived: tuple[_Stamp, dict[Hashable, object]] = (None, {})
        self._warned: _Stamp = None

    def read(self) -> dict[str, Entry]:
        """All entries, as a copy.  A missing or unusable file counts as empty; the latter is logged."""
        return {key: copy.deepcopy(entry) for key, entry in self._tolerant().items() if isinstance(entry, dict)}

    def view(self) -> dict[str, Mapping[str, Any]]:
        """All entries without copying them; they must not be changed.  Otherwise as :meth:`read`."""
        return {key: entry for key, entry in self._tolerant().items() if isinstance(entry, dict)}

    def derived(self, name: Hashable, make: Callable[[Mapping[str, Mapping[str, Any]]], T]) -> T:
        """What *make* says of :meth:`view`, kept under *name* until the file changes; it must not be changed."""
        stamp = _stamp(self.path)
        kept_for, values = self._derived
        if kept_for != stamp:
            values = {}
            self._derived = (stamp, values)
        if name not in values:
            values[name] = make(self.view())
        return cast("T", values[name])

    def entry(self, key: str) -> Entry | None:
        """The entry of *key* as a copy; case does not matter, among case variants the newest ``updatedAt`` wins."""
        data = self._tolerant()
        actual = _actual_key(data, key)
        return copy.deepcopy(data[actual]) if actual is not None else None

    def update(self, key: str, patch: Patch) -> Entry:
        """Set fields of one entry, creating it if need be; returns the entry as it is now.

        ``updatedAt`` becomes the greatest of the old value, the given one and now.

        :raises SessionStoreError: the file cannot be understood or written, or its lock cannot be had; it is as before.
        """
        for _ in range(_ATTEMPTS):
            with _thread_lock(self.path), self._lock() as lock:
                entry = self._update_once(key, patch, lock)
            if entry is not None:
                return entry
        raise SessionStoreError(
            f"{self.path} kept changing while it was being updated.", hint="A host that writes without a lock is busy."
        )

    def _lock(self) -> LockFile:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise SessionStoreError(f"Cannot create the folder {self.path.parent}: {error.strerror}.") from error
        return LockFile(self.path.with_name(self.path.name + ".lock"), sleep=self._sleep)

    def _update_once(self, key: str, patch: Patch, lock: LockFile) -> Entry | None:
        """One attempt; None if somebody else wrote in between (some versions of the host take no lock)."""
        stamp, data = _stamp(self.path), self._strict()
        actual = _actual_key(data, key)
        existing: Entry = copy.deepcopy(data[actual]) if actual is not None else {}
        changes = patch(copy.deepcopy(existing)) if callable(patch) else patch
        if changes is None:
            return existing
        merged = {**existing, **changes}
        now = int(self._clock().timestamp() * 1000)
        merged["updatedAt"] = max(_millis(existing), _millis(changes), now)
        data[actual if actual is not None else key.strip().lower()] = merged
        if not self._replace(_encode(data, self.path), stamp, lock):
            return None
        return copy.deepcopy(merged)

    def _replace(self, payload: bytes, stamp: _Stamp, lock: LockFile) -> bool:
        # A linked store stays a link: the file behind it is replaced.
        target = Path(os.path.realpath(self.path))
        temporary = target.with_name(f"{target.name}.{os.getpid()}.{os.urandom(16).hex()}.tmp")
        try:
            _write_durably(temporary, payload, mode=_mode(target))
            if _stamp(self.path) != stamp or not lock.held():
                return False
            temporary.replace(target)
            _sync_folder(target.parent)
        except OSError as error:
            # Windows refuses to replace a file that somebody is reading at this moment.
            if os.name == "nt" and isinstance(error, PermissionError):
                return False
            raise SessionStoreError(
                f"Cannot write {self.path}: {error.strerror or error}.",
                hint="Check free space and permissions; the file is as it was.",
            ) from error
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        return True

    def _tolerant(self) -> dict[str, Any]:
        stamp = _stamp(self.path)
        if self._cache is not None and self._cache[0] == stamp:
            return self._cache[1]
        try:
            data = self._strict()
        except SessionStoreError as error:
            if stamp != self._warned:
                logger.warning("%s It is treated as empty.", error.message)
                self._warned = stamp
            return {}
        self._cache = (stamp, data)
        return data

    def _strict(self) -> dict[str, Any]:
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise SessionStoreError(
                f"Cannot read {self.path}: {error.strerror or error}.", hint="Check its permissions."
            ) from error
        try:
            data: Any = json.loads(raw.decode("utf-8-sig"), parse_constant=_refuse_constant, parse_float=_finite)
        except (ValueError, RecursionError) as error:
            raise _invalid(self.path, "not valid JSON") from error
        if not isinstance(data, dict):
            raise _invalid(self.path, "not a JSON object")
        return data


def _invalid(path: Path, what: str) -> SessionStoreError:
    return SessionStoreError(f"{path} is {what}.", hint="Repair it or move it away; it is not overwritten.")


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _finite(digits: str) -> float:
    """The number; 1e999 is good JSON, but could not be written back as it is."""
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(digits)
    return number


def _actual_key(data: Mapping[str, Any], key: str) -> str | None:
    wanted = key.strip().lower()
    variants = [name for name, entry in data.items() if name.lower() == wanted and isinstance(entry, dict)]
    return max(variants, key=lambda name: (_millis(data[name]), name == wanted), default=None)


def _millis(entry: Mapping[str, Any]) -> int:
    value = entry.get("updatedAt")
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0


def _encode(data: Mapping[str, Any], path: Path) -> bytes:
    try:
        text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError) as error:
        raise _invalid(path, "holding a value that JSON cannot express") from error
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # A lone surrogate can only be written as an escape.
        return json.dumps(data, indent=2, ensure_ascii=True).encode("utf-8")


def _stamp(path: Path) -> _Stamp:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino, stat.st_ctime_ns


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode & 0o7777
    except FileNotFoundError:
        return 0o600


def _write_durably(path: Path, payload: bytes, *, mode: int) -> None:
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(payload)
        file.flush()
        os.fsync(file.fileno())
    path.chmod(mode)


def _sync_folder(folder: Path) -> None:
    # Windows cannot open a folder; there the rename is as durable as it gets.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _thread_lock(path: Path) -> threading.Lock:
    """Threads of this process queue here instead of polling the lock file."""
    with _thread_locks_guard:
        return _thread_locks.setdefault(str(path.absolute()), threading.Lock())
