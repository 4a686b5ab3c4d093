from __future__ import annotations

import errno
from pathlib import Path

import apsw
import pytest

from openclaw_memory_core.errors import (
    OpenClawMemoryError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
)
from openclaw_memory_core.index.store.faults import MAPPING, mapped, translate

APSW_ERRORS = [
    kind
    for name in dir(apsw)
    if isinstance(kind := getattr(apsw, name), type) and issubclass(kind, apsw.Error) and kind is not apsw.Error
]


@pytest.mark.parametrize("kind", APSW_ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_of_apsw_becomes_one_of_ours_with_path_and_hint(kind: type[apsw.Error]) -> None:
    assert kind in MAPPING
    with pytest.raises(OpenClawMemoryError) as caught, mapped(Path("/state/main.sqlite")):
        raise kind("some words")
    assert "/state/main.sqlite" in caught.value.message
    assert caught.value.hint
    assert isinstance(caught.value.__cause__, kind)


def test_an_error_that_apsw_may_add_later_is_still_one_of_ours() -> None:
    class NewError(apsw.Error):
        pass

    assert type(translate(NewError("x"), Path("p"))) is StoreError


def test_the_ones_that_callers_tell_apart() -> None:
    def becomes(kind: type[apsw.Error]) -> type[OpenClawMemoryError]:
        return type(translate(kind("x"), Path("p")))

    assert becomes(apsw.BusyError) is StoreBusyError
    assert becomes(apsw.FullError) is StoreFullError
    assert becomes(apsw.CorruptError) is becomes(apsw.NotADBError) is StoreCorruptError


def test_the_text_of_a_note_stays_out_of_the_message() -> None:
    with pytest.raises(StoreError) as caught, mapped(Path("p")):
        "secret \ud800".encode()
    assert "secret" not in caught.value.message


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_a_full_disk_whoever_meets_it(number: int) -> None:
    assert type(translate(OSError(number, "no room"), Path("p"))) is StoreFullError


def test_other_errors_of_the_system_are_about_permission() -> None:
    assert type(translate(PermissionError(errno.EACCES, "no"), Path("p"))) is StoreReadOnlyError
