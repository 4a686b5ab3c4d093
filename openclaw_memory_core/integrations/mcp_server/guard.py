"""Who may talk to the HTTP server: programs of this machine that know the token, and no web page of anybody else."""

from __future__ import annotations

import hmac
import ipaddress
import json
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, Final

from openclaw_memory_core.errors import UsageError

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_App = Callable[[_Scope, _Receive, _Send], Awaitable[None]]

HTTP_PORT: Final = 80
_LOCAL_NAMES: Final = ("127.0.0.1", "localhost")


def loopback_names(host: str) -> tuple[str, ...]:
    """The names by which a server on *host* may be called, the address to bind first.

    :raises UsageError: *host* is not on the loopback of this machine.
    """
    if host.strip().lower() == "localhost":
        return _LOCAL_NAMES
    try:
        address = ipaddress.ip_address(host.strip().strip("[]"))
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise UsageError(
            f"{host} is not an address of this machine's loopback",
            hint="use 127.0.0.1; to reach the server from elsewhere, forward the port through ssh",
        )
    text = str(address)
    return (text, "localhost") if text in {"127.0.0.1", "::1"} else (text,)


class Guard:
    """An ASGI application before another: refuses by Host, by Origin and by token, in this order.

    :param names: host names and addresses by which the server may be called.
    :param origins: origins that are allowed besides the server's own.
    """

    def __init__(self, app: _App, *, names: Sequence[str], port: int, token: str, origins: Sequence[str] = ()) -> None:
        self._app = app
        bare = [f"[{name}]" if ":" in name else name for name in names]
        # A client leaves the port out where it is the usual one.
        hosts = {f"{name}:{port}" for name in bare} | (set(bare) if port == HTTP_PORT else set())
        self._hosts = hosts
        self._origins = {f"http://{host}" for host in hosts} | {origin.rstrip("/").lower() for origin in origins}
        self._token = token.encode()

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        """Answer with a refusal, or let the request through."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if scope["type"] == "websocket":
            return
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await _refuse(send, *refusal)

    def _refusal(self, scope: _Scope) -> tuple[int, str] | None:
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(bytes(name).lower(), []).append(bytes(value))
        hosts = [value.decode("latin-1").lower() for value in headers.get(b"host", [])]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, "this host name is not served here"
        for origin in headers.get(b"origin", []):
            if origin.decode("latin-1").lower() not in self._origins:
                return 403, "requests from this origin are not allowed"
        given = headers.get(b"authorization", [])
        if len(given) != 1 or not self._knows(given[0]):
            return 401, "a valid token is needed: Authorization: Bearer <token>"
        return None

    def _knows(self, header: bytes) -> bool:
        kind, _, token = header.partition(b" ")
        return kind.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token)


async def _refuse(send: _Send, status: int, message: str) -> None:
    body = json.dumps({"error": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
