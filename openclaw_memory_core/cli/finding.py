"""What ``doctor`` has to say about one thing that it looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from openclaw_memory_core.errors import OpenClawMemoryError

State = Literal["ok", "note", "problem"]


class Finding(NamedTuple):
    """One thing that was looked at.

    :param state: ``note`` is worth knowing, ``problem`` makes the command fail.
    :param fix: repairs it without a risk and says what it did; None if there is nothing to repair.
    :param code: of the error behind it, under which docs/errors.md has it.
    """

    name: str
    state: State
    message: str
    hint: str | None = None
    fix: Callable[[], str] | None = None
    code: str | None = None

    @classmethod
    def of(cls, name: str, error: OpenClawMemoryError) -> Finding:
        """The problem that an error is."""
        return cls(name, "problem", error.message, error.hint, code=error.code)
