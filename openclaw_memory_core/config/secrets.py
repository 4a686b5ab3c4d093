"""Secrets in the configuration: plain text, or a reference to a variable or a file.

A reference that cannot be resolved is not an error here: the value may never be needed.  It gives a warning, and the
reason stands in the setting so that whoever needs the secret can say why there is none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from openclaw_memory_core.config.context import Context, type_name
from openclaw_memory_core.config.kinds import Schema, checked_text, unresolved_variables
from openclaw_memory_core.config.model import Secret
from openclaw_memory_core.config.paths import expand

_MAX_BYTES = 64 * 1024
# OpenClaw 2026.1 and 2026.2 read these two literal values of an API key as names of variables.
_VARIABLE_NAMES = frozenset({"GOOGLE_API_KEY", "GEMINI_API_KEY"})


class ResolvedSecret(NamedTuple):
    """A secret, or why there is none; both None when the setting is empty."""

    secret: Secret | None = None
    problem: str | None = None


def resolve_secret(value: Any, key_path: str, context: Context) -> ResolvedSecret:
    """The secret that *value* holds or refers to.

    :raises ConfigError: *value* is neither a string nor a well-formed reference.
    """
    if isinstance(value, dict):
        return _reported(_from_reference(value, key_path, context), key_path, context)
    if not isinstance(value, str):
        context.fail(key_path, f"must be a string or a secret reference, not {type_name(value)}")
    text = checked_text(value, key_path, context).strip()
    if text in _VARIABLE_NAMES:
        return _reported(_from_variable(text, context), key_path, context)
    missing = unresolved_variables(text)
    if missing:
        return ResolvedSecret(problem=f"the variable {missing[0]} is not set")
    return ResolvedSecret(Secret(text) if text else None)


def _reported(resolved: ResolvedSecret, key_path: str, context: Context) -> ResolvedSecret:
    if resolved.problem:
        context.warn(key_path, f"the secret is not available: {resolved.problem}")
    return resolved


def _from_reference(value: Mapping[str, Any], key_path: str, context: Context) -> ResolvedSecret:
    source = value.get("source")
    if source not in ("env", "file", "exec"):
        context.fail(
            key_path, 'a secret reference needs "source": "env", "file" or "exec"', 'e.g. {source: "env", id: "MY_KEY"}'
        )
    if source == "exec":
        return ResolvedSecret(problem='references with source "exec" are not run by this plugin')
    identifier = value.get("id")
    if not isinstance(identifier, str) or not identifier.strip():
        context.fail(f"{key_path}.id", "a secret reference needs an id", "the name of a variable, or a place in a file")
    if source == "env":
        return _from_variable(identifier.strip(), context)
    return _from_file(value, identifier.strip(), context)


def _from_variable(name: str, context: Context) -> ResolvedSecret:
    found = context.env.get(name, "").strip()
    return ResolvedSecret(Secret(found)) if found else ResolvedSecret(problem=f"the variable {name} is not set")


def _from_file(reference: Mapping[str, Any], identifier: str, context: Context) -> ResolvedSecret:
    store = context.secret_stores.get(str(reference.get("provider")))
    settings = store if isinstance(store, dict) else reference
    configured = settings.get("path")
    # Without a store the id itself is the file, as with container secrets.
    named = configured if isinstance(configured, str) and configured.strip() else identifier
    try:
        path = expand(named, context.home, context.cwd)
        text = _read(path)
        if settings.get("mode", "json") == "json" and named is configured:
            text = _pointed(text, identifier)
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        # The text of such an error may quote the file.
        return ResolvedSecret(problem=f"the secrets file could not be used ({type(error).__name__})")
    return ResolvedSecret(Secret(text.strip())) if text.strip() else ResolvedSecret(problem="the secrets file is empty")


def _read(path: Path) -> str:
    # A named pipe would block for ever.
    if not path.is_file():
        raise FileNotFoundError
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError
    return data.decode("utf-8-sig")


def _pointed(text: str, pointer: str) -> str:
    """The string at a JSON pointer (RFC 6901)."""
    value = json.loads(text)
    for part in pointer.lstrip("/").split("/"):
        value = value[part.replace("~1", "/").replace("~0", "~")]
    if not isinstance(value, str):
        raise TypeError
    return value


class SecretKind:
    """Kind of a setting that holds a secret."""

    label = "string or secret reference"

    def parse(self, value: Any, key_path: str, context: Context) -> ResolvedSecret:
        """The secret, or the reason why there is none."""
        return resolve_secret(value, key_path, context)

    def schema(self) -> Schema:
        """A string, or an object with ``source`` and ``id``."""
        return {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/secretReference"}]}


class Headers:
    """Kind of a map of HTTP headers; values may be secret references."""

    label = "map of strings"

    def parse(self, value: Any, key_path: str, context: Context) -> dict[str, str]:
        """Names and values; a header whose secret is not available is left out."""
        headers: dict[str, str] = {}
        for name, raw in context.mapping(value, key_path).items():
            resolved = resolve_secret(raw, f"{key_path}.{name}", context)
            text = resolved.secret.reveal() if resolved.secret else ""
            if not name.strip() or any(c in name + text for c in "\r\n"):
                context.fail(f"{key_path}.{name}", "is not a valid header", "use one line for name and value")
            if resolved.problem is None:
                headers[name.strip()] = text
        return headers

    def schema(self) -> Schema:
        """An object of strings or secret references."""
        return {"type": "object", "additionalProperties": SecretKind().schema()}
