"""Reading a tool's arguments: what a model sends is checked by hand, so that no schema library is loaded for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openclaw_memory_core.errors import UsageError


class Arguments:
    """The arguments of one call.

    :raises UsageError: from every method, when the value is of the wrong type or out of range; null counts as absent.
    """

    def __init__(self, values: Mapping[str, Any], known: Sequence[str]) -> None:
        if not isinstance(values, Mapping):
            raise UsageError(f"arguments must be an object, not {_kind(values)}")
        unknown = sorted(str(name) for name in values if name not in known)
        if unknown:
            raise UsageError(f"unknown argument {unknown[0]!r}", hint=f"known arguments: {', '.join(known)}")
        self._values = values

    def text(self, name: str, *, longest: int) -> str | None:
        """A string of at most *longest* characters."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise UsageError(f"{name} must be a string, not {_kind(value)}")
        if len(value) > longest:
            raise UsageError(f"{name} has {len(value)} characters; at most {longest} are allowed")
        return value

    def required_text(self, name: str, *, longest: int) -> str:
        """A string that must be there and hold more than white space."""
        value = self.text(name, longest=longest)
        if value is None or not value.strip():
            raise UsageError(f"{name} is required and must not be empty")
        return value

    def integer(self, name: str, *, lowest: int, highest: int | None = None) -> int | None:
        """A whole number in a range; 3.0 counts as 3."""
        value = self._values.get(name)
        if value is None:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"{name} must be a whole number, not {_kind(value)}")
        _check_range(name, value, lowest, highest)
        return value

    def number(self, name: str, *, lowest: float, highest: float) -> float | None:
        """A number in a range."""
        value = self._values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            raise UsageError(f"{name} must be a number, not {_kind(value)}")
        _check_range(name, value, lowest, highest)
        return float(value)

    def flag(self, name: str) -> bool:
        """True or false; false if absent."""
        value = self._values.get(name)
        if value is not None and not isinstance(value, bool):
            raise UsageError(f"{name} must be true or false, not {_kind(value)}")
        return bool(value)

    def choice(self, name: str, options: Sequence[str]) -> str | None:
        """One of a few words."""
        value = self._values.get(name)
        if value is None:
            return None
        if value not in options:
            raise UsageError(f"{name} must be one of {', '.join(options)}")
        return str(value)


def _check_range(name: str, value: float, lowest: float, highest: float | None) -> None:
    if value < lowest:
        raise UsageError(f"{name} is {value}; it must be at least {lowest}")
    if highest is not None and value > highest:
        raise UsageError(f"{name} is {value}; it must be at most {highest}")


def _kind(value: object) -> str:
    names = {bool: "a boolean", str: "a string", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)
