"""Kinds of settings: how a JSON value becomes a value of ours, and how the schema describes it.

Each kind has ``parse(value, key_path, context)``, which returns the value or fails naming the key path, and
``schema()``, its JSON Schema.  Numbers with a documented clamp are brought into range with a warning; others out of
range are errors.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Protocol

from openclaw_memory_core.config.context import Context, type_name

Schema = dict[str, Any]
LARGEST = 2**53
# Patterns are compiled at first use: most configurations need none of them, and start-up time counts.
_UNRESOLVED = r"\$\{([A-Z_][A-Z0-9_]*)\}"
_SIZE = r"\s*(\d{1,15}(?:\.\d{1,6})?)\s*([kmg]?)i?b?\s*"
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}


class Kind(Protocol):
    """One kind of setting."""

    @property
    def label(self) -> str:
        """What the documentation calls the type."""

    def parse(self, value: Any, key_path: str, context: Context) -> object:
        """*value* checked and converted."""

    def schema(self) -> Schema:
        """JSON Schema of what :meth:`parse` accepts."""


def unresolved_variables(text: str) -> list[str]:
    """Names of the variables that *text* still holds as ``${NAME}`` because they are not set."""
    return re.findall(_UNRESOLVED, text) if "${" in text else []


def checked_text(value: object, key_path: str, context: Context) -> str:
    """*value* as a string that can be encoded, without NUL."""
    if not isinstance(value, str):
        context.fail(key_path, f"must be a string, not {type_name(value)}")
    text = value.replace("\0", "")
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        context.fail(key_path, "holds a character that is not valid Unicode (half of a surrogate pair)")
    return text


class Bool:
    """``true`` or ``false``."""

    label = "boolean"

    def parse(self, value: Any, key_path: str, context: Context) -> bool:
        """No string and no number counts as a boolean."""
        if not isinstance(value, bool):
            context.fail(key_path, f"must be true or false, not {type_name(value)}")
        return value

    def schema(self) -> Schema:
        """A JSON boolean."""
        return {"type": "boolean"}


class Text:
    """A string, trimmed.

    :param required: an empty string is an error; else it counts as not set.
    :param fold: words that are recognised in any case.
    """

    label = "string"

    def __init__(self, *, required: bool = False, fold: tuple[str, ...] = ()) -> None:
        self.required = required
        self.fold = fold

    def parse(self, value: Any, key_path: str, context: Context) -> str | None:
        """The trimmed string, None for an empty one."""
        text = checked_text(value, key_path, context).strip()
        if not text and self.required:
            context.fail(key_path, "must not be empty")
        return (text.lower() if text.lower() in self.fold else text) or None

    def schema(self) -> Schema:
        """A JSON string."""
        return {"type": "string", "pattern": r"\S"} if self.required else {"type": "string"}


class Prompt:
    """A string kept as it is; blank counts as not set."""

    label = "string"

    def parse(self, value: Any, key_path: str, context: Context) -> str | None:
        """The string, None for a blank one."""
        text = checked_text(value, key_path, context)
        return text if text.strip() else None

    def schema(self) -> Schema:
        """A JSON string."""
        return {"type": "string"}


class Url:
    """An ``http`` or ``https`` address without trailing slash; empty counts as not set."""

    label = "string (URL)"

    def parse(self, value: Any, key_path: str, context: Context) -> str | None:
        """The address, None for an empty one."""
        text = checked_text(value, key_path, context).strip()
        if not text:
            return None
        if not unresolved_variables(text) and not re.match(r"https?://[^\s/]", text, re.IGNORECASE):
            context.fail(key_path, "must be an address that starts with http:// or https://")
        return text.rstrip("/")

    def schema(self) -> Schema:
        """An address, the empty string, or a variable."""
        return {"type": "string", "pattern": r"^\s*$|^\s*[hH][tT][tT][pP][sS]?://[^\s/]|\$\{"}


class Choice:
    """One of a few words.

    :param lenient: an unknown word gives a warning and the default, because another program owns the setting.
    """

    def __init__(self, words: tuple[str, ...], *, lenient: bool = False) -> None:
        self.words = words
        self.lenient = lenient
        self.label = " \\| ".join(f"`{word}`" for word in words)

    def parse(self, value: Any, key_path: str, context: Context) -> str | None:
        """The word; None for an unknown one of a lenient choice."""
        text = checked_text(value, key_path, context).strip()
        if text in self.words:
            return text
        known = ", ".join(self.words)
        if not self.lenient:
            context.fail(key_path, f'"{text}" is none of {known}', f"use one of {known}")
        context.warn(key_path, f'"{text}" is none of {known}; the default is used')
        return None

    def schema(self) -> Schema:
        """An enumeration."""
        return {"enum": list(self.words)}


def _number(value: object, key_path: str, context: Context) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        context.fail(key_path, f"must be a number, not {type_name(value)}")
    if not -LARGEST <= value <= LARGEST:
        context.fail(key_path, "is not a usable number", "use a finite number")
    return value


class Number:
    """A number, whole or not.

    :param clamp: bring a value out of range to the nearest bound instead of refusing it.
    :param above: *low* itself is out of range.
    """

    label = "number"

    def __init__(
        self, *, low: float = -LARGEST, high: float = LARGEST, clamp: bool = False, above: bool = False
    ) -> None:
        self.low = low
        self.high = high
        self.clamp = clamp
        self.above = above

    def parse(self, value: Any, key_path: str, context: Context) -> float:
        """The number in range."""
        return _bounded(_number(value, key_path, context), self, key_path, context)

    def schema(self) -> Schema:
        """A JSON number with the bounds that are enforced."""
        return {"type": "number", **_bounds(self)}


class Integer:
    """A whole number; with *clamp* a fraction is cut off, else it is an error."""

    label = "integer"

    def __init__(self, *, low: int = -LARGEST, high: int = LARGEST, clamp: bool = False, above: bool = False) -> None:
        self.low = low
        self.high = high
        self.clamp = clamp
        self.above = above

    def parse(self, value: Any, key_path: str, context: Context) -> int:
        """The whole number in range."""
        number = _number(value, key_path, context)
        whole = math.floor(number)
        if whole != number and not self.clamp:
            context.fail(key_path, "must be a whole number", f"use {whole} or {whole + 1}")
        return int(_bounded(whole, self, key_path, context))

    def schema(self) -> Schema:
        """A JSON integer with the bounds that are enforced."""
        return {"type": "number" if self.clamp else "integer", **_bounds(self)}


class IntegerOrAuto:
    """A whole number, or ``auto`` for the built-in choice."""

    label = "integer \\| `auto`"

    def __init__(self, *, low: int) -> None:
        self.number = Integer(low=low)

    def parse(self, value: Any, key_path: str, context: Context) -> int | None:
        """The number, None for ``auto``."""
        return None if value == "auto" else self.number.parse(value, key_path, context)

    def schema(self) -> Schema:
        """An integer or the word."""
        return {"anyOf": [self.number.schema(), {"const": "auto"}]}


def _bounded(number: float, kind: Number | Integer, key_path: str, context: Context) -> float:
    if kind.low <= number <= kind.high and not (kind.above and number == kind.low):
        return number
    allowed = _range_text(kind)
    if not kind.clamp:
        context.fail(key_path, f"{number} is out of range", f"use a number {allowed}")
    inside = min(max(number, kind.low), kind.high)
    context.warn(key_path, f"{number} is out of range ({allowed}); {inside} is used")
    return inside


def _range_text(kind: Number | Integer) -> str:
    if kind.high == LARGEST:
        return f"{'above' if kind.above else 'from'} {kind.low}{'' if kind.above else ' upwards'}"
    return f"from {kind.low} to {kind.high}"


def _bounds(kind: Number | Integer) -> Schema:
    if kind.clamp:
        return {}
    low: Schema = {} if kind.low == -LARGEST else {"exclusiveMinimum" if kind.above else "minimum": kind.low}
    return low if kind.high == LARGEST else {**low, "maximum": kind.high}


class Size:
    """A number of bytes, also as text such as ``"2mb"`` (units of 1024)."""

    label = "integer or size"

    def __init__(self, *, low: int = 0) -> None:
        self.low = low

    def parse(self, value: Any, key_path: str, context: Context) -> int:
        """The number of bytes."""
        if isinstance(value, str):
            match = re.fullmatch(_SIZE, value, re.IGNORECASE)
            if match is None:
                context.fail(key_path, "is not a size", 'use a number of bytes or text such as "512kb" or "2mb"')
            value = math.floor(float(match[1]) * _UNITS[match[2].lower()])
        return Integer(low=self.low).parse(value, key_path, context)

    def schema(self) -> Schema:
        """An integer, or a number with a unit."""
        text = {"type": "string", "pattern": r"^\s*\d{1,15}(\.\d{1,6})?\s*[kKmMgG]?[iI]?[bB]?\s*$"}
        return {"anyOf": [Integer(low=self.low).schema(), text]}


class Texts:
    """A list of strings; blanks and repetitions are dropped.

    :param words: what each may be; empty for anything.
    """

    def __init__(self, words: tuple[str, ...] = ()) -> None:
        self.words = words
        self.label = "list of " + (" \\| ".join(f"`{word}`" for word in words) or "string")

    def parse(self, value: Any, key_path: str, context: Context) -> tuple[str, ...]:
        """The strings in order."""
        if not isinstance(value, list):
            context.fail(key_path, f"must be a list, not {type_name(value)}", 'use a list such as ["a", "b"]')
        texts = [checked_text(item, f"{key_path}[{i}]", context).strip() for i, item in enumerate(value)]
        for i, text in enumerate(texts):
            if self.words and text not in self.words:
                context.fail(f"{key_path}[{i}]", f'"{text}" is none of {", ".join(self.words)}')
        return tuple(dict.fromkeys(text for text in texts if text))

    def schema(self) -> Schema:
        """An array of strings."""
        return {"type": "array", "items": {"enum": list(self.words)} if self.words else {"type": "string"}}


class Converted:
    """Another kind, with a function applied to its result."""

    def __init__(self, kind: Kind, convert: Callable[[Any], object]) -> None:
        self.kind = kind
        self.convert = convert
        self.label = kind.label

    def parse(self, value: Any, key_path: str, context: Context) -> object:
        """The converted value."""
        return self.convert(self.kind.parse(value, key_path, context))

    def schema(self) -> Schema:
        """As of the inner kind."""
        return self.kind.schema()
