"""Base URLs: one spelling for each address, so that a slash never costs a full re-embedding."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

from openclaw_memory_core.errors import ProviderUnavailableError

_DEFAULT_PORTS = {"http": 80, "https": 443}
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def normalise_url(url: str | None, default: str | None, *, key_path: str = "remote.baseUrl") -> str:
    """*url*, or *default* where it is unset or blank: no trailing slash, no operation, lower-case host.

    :raises ProviderUnavailableError: neither is an http or https address.
    """
    given = (url or "").strip() or (default or "").strip()
    parts = urlsplit(given)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme.lower() not in _DEFAULT_PORTS or not parts.hostname or port == -1:
        raise ProviderUnavailableError(
            f"{key_path} is not an http or https address" if given else f"{key_path} is not set",
            hint="Give an address such as https://api.example.com/v1.",
        )
    scheme = parts.scheme.lower()
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if port is not None and port != _DEFAULT_PORTS[scheme]:
        host = f"{host}:{port}"
    user, at, _ = parts.netloc.rpartition("@")
    path = re.sub(r"/+(?:embeddings/*)?$", "", re.sub(r"/{2,}", "/", parts.path))
    return urlunsplit((scheme, user + at + host, path, parts.query, ""))


def public_url(url: str) -> str:
    """The address without user, password and query: fit for messages and for an identity."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def is_loopback(url: str) -> bool:
    """True if the address is on this machine."""
    host = urlsplit(url).hostname or ""
    return host in _LOOPBACK or host.startswith("127.")


def same_place(one: str, other: str) -> bool:
    """True if a key meant for *one* may be sent to *other*: same scheme, host, port and path."""
    return public_url(one) == public_url(other)
