"""Where the key of a provider comes from, and which of several is used next."""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from openclaw_memory_core.config.model import Secret
from openclaw_memory_core.errors import ProviderRateLimitError

log = logging.getLogger(__name__)

T = TypeVar("T")

_SENSITIVE_HEADER = re.compile(r"(?i)authorization|key|token|secret|cookie|password|credential")
_MAX_PROFILE_BYTES = 1_000_000


class Keyring:
    """The keys of one provider, in order of preference.  Thread-safe."""

    def __init__(self, keys: Iterable[Secret] = ()) -> None:
        self._keys = list(dict.fromkeys(key for key in keys if key))
        self._lock = threading.Lock()
        self._current = 0

    def __len__(self) -> int:
        return len(self._keys)

    def values(self) -> list[str]:
        """Every key in the clear, for redaction only."""
        return [key.reveal() for key in self._keys]

    def each(self, request: Callable[[Secret | None], T]) -> T:
        """Run *request* with the present key, and with the next ones while the provider says one is used too often.

        :raises EmbeddingError: what the last try raised.
        """
        for _ in range(len(self._keys) - 1):
            used, key = self._present()
            try:
                return request(key)
            except ProviderRateLimitError:
                self._move_on(used)
        return request(self._present()[1])

    def _present(self) -> tuple[int, Secret | None]:
        with self._lock:
            return self._current, (self._keys[self._current] if self._keys else None)

    def _move_on(self, used: int) -> None:
        with self._lock:
            if self._current == used:
                self._current = (used + 1) % len(self._keys)


def sensitive_values(headers: Mapping[str, str]) -> list[str]:
    """Values of headers that hold a secret, as far as their names tell; of ``Bearer x`` also the ``x``."""
    found: list[str] = []
    for name, value in headers.items():
        if _SENSITIVE_HEADER.search(name):
            found += [value, *value.split()]
    return [value for value in found if len(value) >= 6]


def profile_keys(agent_dir: Path, provider: str, *aliases: str) -> list[Secret]:
    """Keys of a provider in ``<agentDir>/auth-profiles.json``, best first; an unreadable file counts as empty.

    Profiles of type ``oauth`` are logins for chat and never count for embeddings.
    """
    data = _profiles(agent_dir / "auth-profiles.json")
    names = {provider, *aliases}
    profiles = data.get("profiles")
    if not isinstance(profiles, dict):
        return []
    wanted = {
        name: profile
        for name, profile in profiles.items()
        if isinstance(profile, dict) and profile.get("provider", str(name).partition(":")[0]) in names
    }
    ordered = sorted(wanted, key=lambda name: _rank(name, data, names))
    keys = (_profile_key(wanted[name]) for name in ordered)
    return [Secret(key) for key in keys if key]


def _profiles(path: Path) -> dict[str, Any]:
    try:
        if not path.is_file() or path.stat().st_size > _MAX_PROFILE_BYTES:
            return {}
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        log.warning("%s cannot be read (%s); its keys are not used", path.name, type(error).__name__)
        return {}
    return data if isinstance(data, dict) else {}


def _profile_key(profile: Mapping[str, Any]) -> str | None:
    field = {"api_key": "key", "token": "token"}.get(str(profile.get("type")))
    value = profile.get(field) if field else None
    return value.strip() if isinstance(value, str) and value.strip() else None


def _rank(name: str, data: Mapping[str, Any], providers: set[str]) -> tuple[int, str]:
    """Place in the user's own order, then the one that worked last, then the default, then by name."""
    for provider in providers:
        order = (data.get("order") or {}).get(provider) if isinstance(data.get("order"), dict) else None
        if isinstance(order, list) and name in order:
            return order.index(name), name
        last = data.get("lastGood")
        if isinstance(last, dict) and last.get(provider) == name:
            return 1000, name
    return (1001 if name.endswith(":default") else 1002), name


def rotation_keys(prefix: str, env: Mapping[str, str], *also: str) -> list[Secret]:
    """Keys that the environment offers beside the first, for providers where rotation is documented.

    ``OPENCLAW_LIVE_<P>_KEY`` alone if it is set, else ``<P>_API_KEYS``, ``<P>_API_KEY``, ``<P>_API_KEY_*`` and *also*.
    """
    live = env.get(f"OPENCLAW_LIVE_{prefix}_KEY", "").strip()
    if live:
        return [Secret(live)]
    found = re.split(r"[\s,;]+", env.get(f"{prefix}_API_KEYS", ""))
    found.append(env.get(f"{prefix}_API_KEY", ""))
    found += [env[name] for name in sorted(env) if name.startswith(f"{prefix}_API_KEY_")]
    found += [env.get(name, "") for name in also]
    return [Secret(key.strip()) for key in found if key.strip()]
