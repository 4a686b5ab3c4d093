"""Running the server: on stdin and stdout, or over HTTP on this machine only."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from openclaw_memory_core.errors import UsageError
from openclaw_memory_core.integrations.door import Door
from openclaw_memory_core.integrations.mcp_server.guard import Guard, loopback_names
from openclaw_memory_core.integrations.mcp_server.server import build_ending_server, build_server

if TYPE_CHECKING:
    import socket

    from anyio import AsyncFile
    from mcp.server import Server

_READ_SIZE: Final = 65536
_END_SECONDS: Final = 2


def serve_stdio(door: Door) -> None:
    """Serve one client until it closes our stdin, or until SIGINT or SIGTERM.

    :raises MissingExtraError: the SDK is not installed.
    """
    server = build_server(door)
    asyncio.run(_serve_stdio(server))


async def _serve_stdio(server: Server[Any]) -> None:
    from mcp.server.stdio import stdio_server

    lines = _StdinLines(sys.stdin.fileno())
    with _on_signals(lines.end):
        # The SDK takes stdout over: whatever else prints goes to stderr.
        async with stdio_server(stdin=cast("AsyncFile[str]", lines)) as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())


class _StdinLines:
    """Lines of a file descriptor, read in a thread that need not end: a signal can stop the reader while it waits."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        threading.Thread(target=self._read, name="mcp-stdin", daemon=True).start()

    def end(self) -> None:
        """Behave as if the input had ended."""
        self._queue.put_nowait(None)

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._queue.get()) is not None:
            yield line

    def _read(self) -> None:
        rest = b""
        while piece := self._piece():
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                self._put(line.decode("utf-8", errors="replace"))
        if rest.strip():
            self._put(rest.decode("utf-8", errors="replace"))
        self._put(None)

    def _piece(self) -> bytes:
        try:
            return os.read(self._descriptor, _READ_SIZE)
        except OSError:
            return b""

    def _put(self, line: str | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)


@contextmanager
def _on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call *stop* on SIGINT and SIGTERM, where the event loop can do so."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)
    for one in signals:
        loop.add_signal_handler(one, stop)
    try:
        yield
    finally:
        for one in signals:
            loop.remove_signal_handler(one)


def serve_http(
    door: Door,
    *,
    host: str,
    port: int,
    token: str,
    origins: Sequence[str] = (),
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve clients over streamable HTTP until SIGINT or SIGTERM.

    :param host: a name or address of this machine's loopback.
    :param port: 0 takes any free one.
    :param token: what every request must bring as ``Authorization: Bearer …``.
    :param origins: origins besides our own that a request may name.
    :param ready: called with the URL once connections are accepted.
    :raises MissingExtraError: the SDK is not installed.
    :raises UsageError: the address is not on the loopback, or taken.
    """
    server, end_streams = build_ending_server(door)
    names = loopback_names(host)
    bound = _bind(names[0], port)
    with bound:
        address = bound.getsockname()[1]
        shown = f"[{names[0]}]" if ":" in names[0] else names[0]
        app = guarded_app(server, names, address, token=token, origins=origins)
        asyncio.run(_serve_http(app, bound, lambda: ready(f"http://{shown}:{address}/mcp"), end_streams))


def guarded_app(server: Server[Any], names: Sequence[str], port: int, *, token: str, origins: Sequence[str]) -> Guard:
    """The server as an ASGI application behind its guard."""
    from mcp.server.transport_security import TransportSecuritySettings

    # The guard has looked at Host and Origin of every request already, and more strictly.
    checked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(streamable_http_path="/mcp", transport_security=checked)
    return Guard(app, names=names, port=port, token=token, origins=origins)


async def _serve_http(
    app: Guard, bound: socket.socket, ready: Callable[[], None], end_streams: Callable[[], None]
) -> None:
    import uvicorn

    class HttpServer(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            # The original raises the signal again at the end, which would kill us before the memory is closed.
            def stop() -> None:
                self.should_exit = True
                end_streams()
                # Streams of older clients stay open until they are cut off, which is nothing to report.
                log.disabled = True

            with _on_signals(stop):
                yield

    log = logging.getLogger("uvicorn.error")
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=_END_SECONDS)
    try:
        await HttpServer(config).serve(sockets=[bound])
    finally:
        log.disabled = False


def _bind(host: str, port: int) -> socket.socket:
    import socket

    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise UsageError(f"cannot listen on {host}:{port}: {error.strerror}", hint="choose another port") from error
    return bound
