"""GitHub Copilot: a GitHub token is exchanged for a short-lived one, which also says where the service is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.config.model import Secret
from openclaw_memory_core.embeddings.address import is_loopback, normalise_url
from openclaw_memory_core.embeddings.http import Http
from openclaw_memory_core.embeddings.keys import Keyring
from openclaw_memory_core.embeddings.vectors import normalised, ordered
from openclaw_memory_core.embeddings.wire import OpenAIWire
from openclaw_memory_core.errors import ProviderAuthError, ProviderReplyError

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import InputKind, ProviderInfo
    from openclaw_memory_core.embeddings.settings import ProviderSettings

_EXCHANGE_PATH = "/copilot_internal/v2/token"
_SERVICE = "https://api.individual.githubcopilot.com"
_HEADERS = {"Copilot-Integration-Id": "vscode-chat", "Editor-Version": "vscode/1.107.0"}
_SPARE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _Access:
    wire: OpenAIWire
    expires_at: float


class CopilotProvider:
    """The GitHub token goes to GitHub only, the short-lived one to the service only."""

    def __init__(self, settings: ProviderSettings, *, clock: Callable[[], float] = time.time) -> None:
        self._settings = settings
        self._info = settings.info()
        self._github = settings.keyring()
        self._http = Http(settings.name, self._github.values())
        self._clock = clock
        self._lock = threading.Lock()
        self._access: _Access | None = None

    @property
    def info(self) -> ProviderInfo:
        """Static facts."""
        return self._info

    def embed(self, texts: Sequence[str], kind: InputKind, *, timeout: float) -> list[Sequence[float]]:  # noqa: ARG002
        """One vector a text, in order; a token that has ended early is renewed once."""
        body: dict[str, Any] = {"model": self._info.model, "input": list(texts)}
        if self._settings.dimensions:
            body["dimensions"] = self._settings.dimensions
        deadline = time.monotonic() + timeout
        wire = self._wire(timeout)
        try:
            data = wire.embeddings(body, timeout=max(0.001, deadline - time.monotonic()))
        except ProviderAuthError:
            self._forget(wire)
            data = self._wire(timeout).embeddings(body, timeout=max(0.001, deadline - time.monotonic()))
        return [normalised(vector) for vector in ordered(data, len(texts))]

    def close(self) -> None:
        """Close the connections and forget the token."""
        with self._lock:
            access, self._access = self._access, None
        if access is not None:
            access.wire.close()

    def _wire(self, timeout: float) -> OpenAIWire:
        with self._lock:
            if self._access is None or self._access.expires_at - _SPARE_SECONDS <= self._clock():
                if self._access is not None:
                    self._access.wire.close()
                self._access = self._exchange(timeout)
            return self._access.wire

    def _forget(self, wire: OpenAIWire) -> None:
        with self._lock:
            if self._access is not None and self._access.wire is wire:
                self._access = None
        wire.close()

    def _exchange(self, timeout: float) -> _Access:
        url = self._settings.base_url() + _EXCHANGE_PATH
        reply = self._github.each(
            lambda key: self._http.get(
                url, headers={"Authorization": f"token {key.reveal() if key else ''}", **_HEADERS}, timeout=timeout
            )
        )
        token = reply.get("token") if isinstance(reply, dict) else None
        if not isinstance(token, str) or not token:
            raise ProviderReplyError("github-copilot gave no token in exchange")
        expires = reply.get("expires_at")
        headers = _HEADERS | dict(self._settings.headers())
        wire = OpenAIWire(self._settings.name, _service(reply, url), Keyring([Secret(token)]), headers)
        return _Access(wire, float(expires) if isinstance(expires, (int, float)) else self._clock() + 600)


def _service(reply: dict[str, Any], exchange_url: str) -> str:
    """Address of the service; only an encrypted one is believed, unless all of this is on one machine."""
    endpoints = reply.get("endpoints")
    named = endpoints.get("api") if isinstance(endpoints, dict) else None
    url = normalise_url(named if isinstance(named, str) else None, _SERVICE, key_path="endpoints.api")
    if not url.startswith("https:") and not (is_loopback(url) and is_loopback(exchange_url)):
        raise ProviderReplyError("github-copilot names an address that is not encrypted")
    return url


def create(settings: ProviderSettings) -> CopilotProvider:
    """The provider of *settings*; makes no request."""
    return CopilotProvider(settings)
