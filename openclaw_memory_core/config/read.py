"""One configuration file: read, decoded and parsed, as JSON first and as JSON5 where that fails.

Parsed files are kept for the life of the process by path, modification time and size; json5 is slow enough to matter.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from openclaw_memory_core.config.context import type_name
from openclaw_memory_core.errors import ConfigError

MAX_BYTES = 2 * 1024 * 1024
MAX_DEPTH = 100
_Stamp = tuple[int, int, int]
_parsed: dict[Path, tuple[_Stamp, object]] = {}


class _DuplicateKeyError(Exception):
    """A key stands twice in one object; its text is the key.  No ValueError: json5 turns those into its own."""


def read_config_file(path: Path) -> object:
    """The parsed content of *path*; None if there is no such file.  The caller must not change it.

    :raises ConfigError: it cannot be read, is too large, or is neither JSON nor JSON5.
    """
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if not stat.S_ISREG(status.st_mode):
        message = f"{path} is not a regular file"
        raise ConfigError(message, hint="name a JSON file")
    stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
    known = _parsed.get(path)
    if known is None or known[0] != stamp:
        known = (stamp, _parse(path, _text(path)))
        _parsed[path] = known
    return known[1]


def _unreadable(path: Path, error: Exception) -> ConfigError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
    return ConfigError(f"{path} cannot be read: {reason}", hint="check the file and its permissions")


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            message = f"{path} is larger than 2 MB"
            raise ConfigError(message, hint="split it with $include, or remove what is not configuration")
        return data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _parse(path: Path, text: str) -> object:
    if not text.strip():
        return {}
    try:
        try:
            return json.loads(text, object_pairs_hook=_unique)
        except ValueError:
            import json5

            return json5.loads(text, object_pairs_hook=_unique)
    except _DuplicateKeyError as error:
        raise _twice(path, text, str(error)) from error
    except ValueError as error:
        problem = str(error).removeprefix("<string>:")
        raise ConfigError(f"{path}: line {problem}", hint="the file must be JSON or JSON5") from error
    except RecursionError as error:
        raise ConfigError(f"{path} is nested too deeply", hint=f"use at most {MAX_DEPTH} levels") from error


def _twice(path: Path, text: str, key: str) -> ConfigError:
    from openclaw_memory_core.config.duplicates import duplicate_lines

    lines = duplicate_lines(text, key)
    where = "" if lines is None else f"line {lines[1]}: "
    first = "" if lines is None or lines[0] == lines[1] else f", first in line {lines[0]}"
    message = f'{path}: {where}the key "{key}" stands twice in one object{first}'
    return ConfigError(message, hint="merge the two, or remove one of them")


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _DuplicateKeyError(key)
        found[key] = value
    return found


def plain(value: object, key_path: str = "", depth: int = 0) -> object:
    """A copy of *value* made of dict, list, str, numbers, bool and None only.

    :raises ConfigError: it holds something else, a key that is no string, or is nested too deeply.
    """
    if depth > MAX_DEPTH:
        message = f"{key_path[:80]}…: nested too deeply"
        raise ConfigError(message, key_path=key_path, hint=f"use at most {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                message = f"{key_path or 'config'}: every key must be a string, not {type_name(key)}"
                raise ConfigError(message, key_path=key_path)
        return {key: plain(item, f"{key_path}.{key}" if key_path else key, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, f"{key_path}[{i}]", depth + 1) for i, item in enumerate(value)]
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if value is None or isinstance(value, str | int | float):
        return value
    message = f"{key_path or 'config'}: a {type(value).__name__} is no configuration value"
    raise ConfigError(message, key_path=key_path, hint="use strings, numbers, booleans, lists and objects")
