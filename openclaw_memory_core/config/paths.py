"""Where things are: home, state folder, configuration file, default workspace.

The variables that decide this are read from the process only, never from a ``.env`` file: a file in the current folder
must not move an agent's memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from openclaw_memory_core.errors import ConfigError

_PROFILE = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_LEGACY_STATE = (".clawdbot", ".moltbot", ".moldbot")
_LEGACY_CONFIG = ("clawdbot.json", "moltbot.json", "moldbot.json")


class Locations(NamedTuple):
    """The folders of one installation, all absolute.

    :param config_named: the configuration file was asked for by name, so its absence is worth a warning.
    :param default_workspace: workspace of the default agent where none is configured.
    """

    home: Path
    cwd: Path
    state_dir: Path
    config_file: Path
    config_named: bool
    default_workspace: Path


def expand(text: str, home: Path, base: Path) -> Path:
    """*text* as an absolute path: ``~`` is *home*, a relative path is below *base*.  ``~user`` is an ordinary name."""
    text = text.replace("\0", "").strip()
    if text == "~":
        return home
    if text[:2] in ("~/", "~\\"):
        return Path(os.path.abspath(home / text[2:].lstrip("/\\")))  # noqa: PTH100  links must stay as they are
    return Path(os.path.abspath(base / text))  # noqa: PTH100


def find_locations(
    env: Mapping[str, str],
    *,
    path: Path | None = None,
    state_dir: Path | None = None,
    home: Path | None = None,
    cwd: Path | None = None,
) -> Locations:
    """All folders, from arguments first, then the environment, then the defaults."""
    here = absolute(cwd) if cwd is not None else _current_folder()
    house = absolute(home, here) if home is not None else _home(env, here)
    profile = _profile(env)
    given = state_dir if state_dir is not None else _first(env, "OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR")
    state = expand(str(given), house, here) if given is not None else _default_state(house, profile)
    named = path if path is not None else _first(env, "OPENCLAW_CONFIG_PATH", "CLAWDBOT_CONFIG_PATH")
    config = expand(str(named), house, here) if named is not None else _default_config(state)
    workspace = _default_workspace(env, house, here, state if given is not None else None, profile)
    return Locations(house, here, state, config, named is not None, workspace)


def absolute(path: Path, base: Path | None = None) -> Path:
    """*path* made absolute without following links."""
    return Path(os.path.abspath(base / path if base is not None else path))  # noqa: PTH100


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        message = "the current folder does not exist any more"
        raise ConfigError(message, hint="change to a folder that exists") from error


def _first(env: Mapping[str, str], *names: str) -> str | None:
    return next((env[name] for name in names if env.get(name, "").strip()), None)


def _home(env: Mapping[str, str], cwd: Path) -> Path:
    system = _first(env, "HOME", "USERPROFILE") or _system_home(cwd)
    base = Path(os.path.abspath(cwd / system))  # noqa: PTH100
    own = _first(env, "OPENCLAW_HOME")
    return expand(own, base, cwd) if own is not None else base


def _system_home(cwd: Path) -> str:
    try:
        return str(Path.home())
    except RuntimeError:
        return str(cwd)


def _profile(env: Mapping[str, str]) -> str | None:
    profile = env.get("OPENCLAW_PROFILE", "").strip()
    if not profile or profile.lower() == "default":
        return None
    if not re.fullmatch(_PROFILE, profile):
        message = "OPENCLAW_PROFILE is not a valid profile name"
        raise ConfigError(message, hint="use letters, digits, - and _, at most 64")
    return profile


def _default_state(home: Path, profile: str | None) -> Path:
    state = home / (f".openclaw-{profile}" if profile else ".openclaw")
    if profile or state.exists():
        return state
    return next((home / name for name in _LEGACY_STATE if (home / name).is_dir()), state)


def _default_config(state: Path) -> Path:
    primary = state / "openclaw.json"
    if primary.exists():
        return primary
    return next((state / name for name in _LEGACY_CONFIG if (state / name).is_file()), primary)


def _default_workspace(
    env: Mapping[str, str], home: Path, cwd: Path, given_state: Path | None, profile: str | None
) -> Path:
    own = _first(env, "OPENCLAW_WORKSPACE_DIR")
    if own is not None:
        return expand(own, home, cwd)
    if given_state is not None:
        return given_state / "workspace"
    if profile is None:
        return home / ".openclaw" / "workspace"
    older = home / ".openclaw" / f"workspace-{profile}"
    newer = home / f".openclaw-{profile}" / "workspace"
    return older if older.is_dir() and not newer.exists() else newer
