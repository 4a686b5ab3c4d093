"""An SQLite file layer that fails where it is told to: at the n-th write, sync or truncation of any file."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import TracebackType
from typing import Any, Literal, Self

import apsw

Fault = Literal["full", "io", "read-only"]
_NAMES = (f"faulty-{number}" for number in itertools.count())


def _error(fault: Fault) -> apsw.Error:
    code = {"full": apsw.SQLITE_FULL, "io": apsw.SQLITE_IOERR_WRITE, "read-only": apsw.SQLITE_READONLY}[fault]
    return apsw.exception_for(code)


class _File(apsw.VFSFile):
    def __init__(self, before: Callable[[], None], name: Any, flags: list[int]) -> None:
        self._before = before
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        self._before()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._before()
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._before()
        super().xTruncate(newsize)


class FaultyVfs(apsw.VFS):
    """Registered inside a ``with`` block under :attr:`name`.

    :param wal: False refuses to open a write-ahead log, as some network file systems do.
    """

    def __init__(self, fault: Fault = "full", *, wal: bool = True) -> None:
        self.wal = wal
        self.name = next(_NAMES)
        self.calls = 0
        self.fail_from: int | None = None
        self.fault: Fault = fault
        super().__init__(self.name, "")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.unregister()

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if not self.wal and flags[0] & apsw.SQLITE_OPEN_WAL:
            raise apsw.exception_for(apsw.SQLITE_CANTOPEN)
        return _File(self._before, name, flags)

    def _before(self) -> None:
        self.calls += 1
        if self.fail_from is not None and self.calls >= self.fail_from:
            raise _error(self.fault)
