"""``$include``: parts of the configuration in other files, within limits."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from openclaw_memory_core.config.context import join, type_name
from openclaw_memory_core.config.read import plain, read_config_file
from openclaw_memory_core.errors import ConfigError

_KEY = "$include"
_MAX_DEPTH = 10
_MAX_FILES = 256
_MAX_PATH = 4096


class Includes:
    """Resolves the includes of one configuration.

    :param root: the main file; what it includes must lie in its folder or in one of *extra_roots*.
    """

    def __init__(self, root: Path, extra_roots: tuple[Path, ...] = ()) -> None:
        self._root = root
        self._allowed = tuple(Path(os.path.realpath(folder)) for folder in (root.parent, *extra_roots))
        self._count = 0
        self.files: dict[str, Path] = {}

    def resolve(self, value: object) -> object:
        """*value* with every include replaced; :attr:`files` then says which key came from which file."""
        return self._walk(value, "", (Path(os.path.realpath(self._root)),))

    def _walk(self, value: object, key_path: str, stack: tuple[Path, ...]) -> object:
        if isinstance(value, list):
            self._note(key_path, stack)
            return [self._walk(item, f"{key_path}[{i}]", stack) for i, item in enumerate(value)]
        if not isinstance(value, dict):
            self._note(key_path, stack)
            return value
        if _KEY not in value:
            return {key: self._walk(item, join(key_path, key), stack) for key, item in value.items()}
        included = self._included(value[_KEY], key_path, stack)
        own = {key: item for key, item in value.items() if key != _KEY}
        if not own:
            return included
        if not isinstance(included, dict):
            raise _error(key_path, "a file included beside other keys must hold an object")
        return merge(included, {key: self._walk(item, join(key_path, key), stack) for key, item in own.items()})

    def _note(self, key_path: str, stack: tuple[Path, ...]) -> None:
        if len(stack) > 1:
            self.files[key_path] = stack[-1]
        else:
            self.files.pop(key_path, None)

    def _included(self, names: object, key_path: str, stack: tuple[Path, ...]) -> object:
        if isinstance(names, str):
            return self._one(names, key_path, stack)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise _error(key_path, f"$include must be a path or a list of paths, not {type_name(names)}")
        result: object = {}
        for name in names:
            result = merge(result, self._one(name, key_path, stack))
        return result

    def _one(self, name: str, key_path: str, stack: tuple[Path, ...]) -> object:
        path = self._checked(name, key_path, stack)
        content = read_config_file(path)
        if content is None:
            raise _error(key_path, f"the included file {path} does not exist")
        return self._walk(plain(content), key_path, (*stack, path))

    def _checked(self, name: str, key_path: str, stack: tuple[Path, ...]) -> Path:
        if not name.strip() or "\0" in name or len(name) >= _MAX_PATH:
            raise _error(key_path, "the included path is empty, too long, or holds a NUL")
        try:
            path = Path(os.path.realpath(stack[-1].parent / name))
        except (OSError, ValueError) as error:
            raise _error(key_path, "the included path cannot be resolved") from error
        if not any(path.is_relative_to(folder) for folder in self._allowed):
            hint = "keep included files beside the configuration, or list their folder in OPENCLAW_INCLUDE_ROOTS"
            raise _error(key_path, f"the included file {name} lies outside the configuration folder", hint)
        if path in stack:
            raise _error(key_path, f"{path} includes itself")
        if len(stack) > _MAX_DEPTH:
            raise _error(key_path, f"includes are nested more than {_MAX_DEPTH} deep")
        self._count += 1
        if self._count > _MAX_FILES:
            raise _error(key_path, f"more than {_MAX_FILES} files are included")
        return path


def _error(key_path: str, problem: str, hint: str | None = None) -> ConfigError:
    where = join(key_path, _KEY)
    return ConfigError(f"{where}: {problem}", key_path=where, hint=hint)


def merge(base: object, over: object) -> object:
    """*over* on top of *base*: objects merge key by key, lists are joined, anything else is replaced."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        merged = dict(base)
        for key, value in over.items():
            merged[key] = merge(merged[key], value) if key in merged else value
        return merged
    if isinstance(base, list) and isinstance(over, list):
        return [*base, *over]
    return over
