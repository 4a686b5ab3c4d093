"""Runs a test's steps without root's right to ignore permissions, which is a right of each thread of its own."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from typing import TypeVar

import pytest

_T = TypeVar("_T")
_VERSION_3 = 0x20080522
_IGNORES_MODES = 0b110
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def bound(work: Callable[[], _T]) -> _T:
    """The result of *work*, done in a thread that permissions bind; skips the test where there is no such thread."""
    if os.name != "posix":
        pytest.skip("permissions of POSIX")
    if os.geteuid() != 0:
        return work()
    results: list[_T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            if _give_up_powers():
                results.append(work())
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
    if not results:
        pytest.skip("root's powers cannot be given up here")
    return results[0]


def _give_up_powers() -> bool:
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "capset"):
        return False
    header, sets = _Header(_VERSION_3, 0), (_Sets * 2)()
    if libc.capget(ctypes.byref(header), sets) != 0:
        return False
    for name in ("effective", "permitted", "inheritable"):
        setattr(sets[0], name, getattr(sets[0], name) & ~_IGNORES_MODES)
    return bool(libc.capset(ctypes.byref(header), sets) == 0)
