"""Reading a transcript file line by line while its owner may be writing to it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from openclaw_memory_core.records import record
from openclaw_memory_core.workspace.fs import opened

_LONGEST_LINE = 16_777_216


@record
class Event:
    """One line of a transcript.

    :param line: 1-based number in the file.
    :param data: the decoded object.
    """

    line: int
    data: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """Value of ``type``; empty if there is none."""
        value = self.data.get("type")
        return value if isinstance(value, str) else ""

    @property
    def message(self) -> Mapping[str, Any] | None:
        """The message of a ``message`` event."""
        value = self.data.get("message")
        return value if self.kind == "message" and isinstance(value, dict) else None


def read_events(path: Path) -> Iterator[Event]:
    """Every line that is a JSON object, in order.

    A line that is not one is passed over: a half-written last line, a damaged one, one above 16 MiB.

    :raises OSError: the file cannot be opened, is a link or not a regular file.
    """
    with opened(str(path.parent), [path.name]) as (descriptor, _), os.fdopen(os.dup(descriptor), "rb") as file:
        number = 0
        while raw := file.readline(_LONGEST_LINE + 1):
            number += 1
            if len(raw) > _LONGEST_LINE and not raw.endswith(b"\n"):
                _skip_line(file)
                continue
            data = _decode(raw)
            if data is not None:
                yield Event(number, data)


def _skip_line(file: BinaryIO) -> None:
    while (rest := file.readline(_LONGEST_LINE)) and not rest.endswith(b"\n"):
        pass


def _decode(raw: bytes) -> Mapping[str, Any] | None:
    try:
        data: Any = json.loads(raw.decode("utf-8", "replace").lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None
