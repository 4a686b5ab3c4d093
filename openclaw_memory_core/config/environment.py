"""Environment variables: the process, ``.env`` files, the ``env`` block, and ``${NAME}`` in strings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from openclaw_memory_core.config.context import Context, join

_MAX_BYTES = 1024 * 1024
# What says where things are or what programs load; a file that came with some folder must not decide that.
_NEVER_FROM_HERE = ("OPENCLAW_", "CLAWDBOT_", "LD_", "DYLD_", "HF_", "PYTHON", "PATH", "HOME", "USERPROFILE")
_LINE = r"""^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*
        (?: "((?:\\.|[^"\\])*)" | '([^']*)' | ([^\r\n]*) )"""
_COMMENT = r"(?:^|[ \t])#.*"
_VARIABLE = r"\$?\$\{([A-Z_][A-Z0-9_]*)\}"
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def parse_env_file(text: str) -> dict[str, str]:
    """The variables of a ``.env`` file: ``NAME=value``, quotes, ``export``, comments.  The first one of a name wins."""
    found: dict[str, str] = {}
    for match in re.finditer(_LINE, text, re.MULTILINE | re.VERBOSE | re.DOTALL):
        name, double, single, bare = match.groups()
        if double is not None:
            value = re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), double, flags=re.DOTALL)
        else:
            value = single if single is not None else re.sub(_COMMENT, "", bare).strip()
        found.setdefault(name, value)
    return found


def environment(process: Mapping[str, str], cwd: Path, state_dir: Path, context: Context) -> dict[str, str]:
    """The process's variables, then those of ``.env`` in *cwd* and in *state_dir* that are not set yet.

    The file in *cwd* is not trusted with variables that say where things are.
    """
    merged = dict(process)
    for folder in (cwd, state_dir):
        for name, value in parse_env_file(_read(folder / ".env", context)).items():
            if folder == state_dir or not name.upper().startswith(_NEVER_FROM_HERE):
                merged.setdefault(name, value)
    return merged


def _read(path: Path, context: Context) -> str:
    # A folder of that name is a virtual environment, a named pipe would block.
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(_MAX_BYTES).decode("utf-8-sig", "surrogateescape")
    except (OSError, ValueError) as error:
        context.warn("", f"{path} could not be read ({type(error).__name__}); its variables are missing")
        return ""


def apply_env_block(block: object, env: dict[str, str], context: Context) -> None:
    """Add the variables of the ``env`` block that the environment lacks or has empty."""
    settings = context.mapping(block, "env")
    for prefix, entries in (("env.vars", context.mapping(settings.get("vars"), "env.vars")), ("env", settings)):
        for name, value in entries.items():
            if prefix == "env" and name in ("vars", "shellEnv"):
                continue
            if not isinstance(value, str):
                context.warn(join(prefix, name), "is not a string and is ignored")
            elif value and not env.get(name, "").strip():
                env[name] = value


def substitute(value: object, context: Context, key_path: str = "") -> object:
    """*value* with ``${NAME}`` replaced in every string.

    ``$${NAME}`` gives a literal ``${NAME}``.  A variable that is unset or empty stays as written, with a warning.
    """
    if isinstance(value, str):
        return _replace(value, context, key_path) if "${" in value else value
    if isinstance(value, dict):
        return {key: substitute(item, context, join(key_path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [substitute(item, context, f"{key_path}[{i}]") for i, item in enumerate(value)]
    return value


def _replace(text: str, context: Context, key_path: str) -> str:
    def one(match: re.Match[str]) -> str:
        if match[0].startswith("$$"):
            return match[0][1:]
        value = context.env.get(match[1])
        if value:
            return value
        context.warn(key_path, f"the environment variable {match[1]} is not set; the text stays as it is")
        return match[0]

    return re.sub(_VARIABLE, one, text)
