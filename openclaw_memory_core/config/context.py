"""What parsing needs besides the text itself: the environment, the base folders, where warnings go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from openclaw_memory_core.config.model import ConfigWarning
from openclaw_memory_core.errors import ConfigError


@dataclass(slots=True)
class Context:
    """State of one load.

    :param label: what to call the configuration in messages, usually its path.
    :param files: key path of each value that came from an included file, with that file.
    :param secret_stores: ``secrets.providers`` as written.
    :param errors: settings that are wrong; each was left at its default, so that all of them can be named at once.
    """

    env: Mapping[str, str]
    home: Path
    cwd: Path
    label: str = "config"
    files: Mapping[str, Path] = field(default_factory=dict)
    secret_stores: Mapping[str, object] = field(default_factory=dict)
    warnings: list[ConfigWarning] = field(default_factory=list)
    errors: list[ConfigError] = field(default_factory=list)

    def warn(self, key_path: str, message: str) -> None:
        """Note something that is not an error; the same note is kept once."""
        warning = ConfigWarning(key_path, message)
        if warning not in self.warnings:
            self.warnings.append(warning)

    def fail(self, key_path: str, problem: str, hint: str | None = None) -> NoReturn:
        """Raise a :class:`ConfigError` for the setting at *key_path*."""
        raise ConfigError(f"{self.origin(key_path)}: {problem}", key_path=key_path, hint=hint)

    def origin(self, key_path: str) -> str:
        """File and key of a setting, for people."""
        file = self.files.get(key_path)
        return f"{file if file is not None else self.label}: {key_path}"

    def mapping(self, value: object, key_path: str) -> Mapping[str, object]:
        """*value* as an object; unset is an empty one."""
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.fail(key_path, f"must be an object, not {type_name(value)}")
        return value


def join(prefix: str, key: str) -> str:
    """The key path of *key* inside *prefix*."""
    return f"{prefix}.{key}" if prefix else key


def type_name(value: object) -> str:
    """What a JSON value is called in messages, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    names: tuple[tuple[type, str], ...] = ((str, "a string"), (int, "a number"), (float, "a number"), (list, "a list"))
    return next((name for kind, name in names if isinstance(value, kind)), "an object")


def nearest(word: str, known: Iterable[str], cutoff: float) -> str | None:
    """The known name closest to *word*, None if none is close.

    Names are compared without case; of two equally close ones the first in order wins.
    """
    import difflib  # only a configuration with unknown keys needs it

    by_lower = {name.lower(): name for name in sorted(known, reverse=True)}
    found = difflib.get_close_matches(word.lower(), sorted(by_lower), n=1, cutoff=cutoff)
    return by_lower[found[0]] if found else None
