"""A small real HTTP server on 127.0.0.1 that keeps a log, can be told to fail, and leaves nothing open behind it."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came in.  *at* is ``time.monotonic()`` at its arrival; header names are lower case."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes
    at: float

    def json(self) -> Any:
        """The decoded JSON body."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Response:
    """What to answer.

    :param body: bytes as they are, anything else as JSON.
    :param delay: seconds before the answer begins; ends early when the server closes.
    :param truncate: send only so many bytes of the body, then hang up.
    :param drip: seconds between single bytes of the body.
    :param hang_up: close the connection without an answer.
    """

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    truncate: int | None = None
    drip: float = 0.0
    hang_up: bool = False

    def encoded(self) -> bytes:
        """The body as bytes."""
        if isinstance(self.body, bytes):
            return self.body
        return json.dumps(self.body).encode()


@dataclass(slots=True)
class _Fault:
    matches: Callable[[Request], bool]
    response: Response | Callable[[Request], Response]
    left: float


class LocalServer:
    """Base of the fake services: subclasses implement :meth:`handle`."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.lock = threading.RLock()
        self.closing = threading.Event()
        self._faults: list[_Fault] = []
        self._sockets: set[socket.socket] = set()
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    def handle(self, request: Request) -> Response:
        """Answer a request that no fault has caught."""
        raise NotImplementedError

    def fail(
        self,
        status: int = 500,
        *,
        times: float = 1,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        retry_after: float | str | None = None,
        path: str = "",
        method: str = "",
        response: Response | Callable[[Request], Response] | None = None,
    ) -> None:
        """Let the next *times* requests (``math.inf``: all) whose path holds *path* fail with *status*."""
        headers = dict(headers or {})
        if retry_after is not None:
            headers["Retry-After"] = str(retry_after)
        body = {"error": {"message": f"scripted failure {status}"}} if body is None else body
        answer = response if response is not None else Response(status, body, headers)
        matches = lambda request: path in request.path and method in ("", request.method)  # noqa: E731
        with self.lock:
            self._faults.append(_Fault(matches, answer, times))

    def repair(self) -> None:
        """Forget all failures that were ordered."""
        with self.lock:
            self._faults.clear()

    @property
    def origin(self) -> str:
        """``http://127.0.0.1:<port>``."""
        assert self._server is not None, "use the server in a with block"
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        assert self._server is not None
        assert self._thread is not None
        self.closing.set()
        self._server.shutdown()
        self._thread.join(5)
        with self.lock:
            open_sockets = list(self._sockets)
        for connection in open_sockets:
            _shut(connection)
        self._server.server_close()

    def answer(self, request: Request) -> Response:
        """Log the request, then answer with a fault that is due or with :meth:`handle`."""
        with self.lock:
            self.requests.append(request)
            fault = next((fault for fault in self._faults if fault.left > 0 and fault.matches(request)), None)
            if fault is not None:
                fault.left -= 1
        if fault is None:
            return self.handle(request)
        return fault.response(request) if callable(fault.response) else fault.response

    def opened(self, connection: socket.socket) -> None:
        """Remember a connection so that closing the server closes it."""
        with self.lock:
            self._sockets.add(connection)

    def closed(self, connection: socket.socket) -> None:
        """Forget a connection."""
        with self.lock:
            self._sockets.discard(connection)


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    """Reads requests and writes answers for the :class:`LocalServer` in *owner*."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    owner: LocalServer

    def setup(self) -> None:
        super().setup()
        self.owner.opened(self.connection)

    def finish(self) -> None:
        self.owner.closed(self.connection)
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            super().handle()

    def serve(self) -> None:
        if "chunked" in (self.headers.get("Transfer-Encoding") or ""):
            body = self._chunked()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, parts.path, parse_qs(parts.query), headers, body, time.monotonic())
        self._reply(self.owner.answer(request))

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = serve  # noqa: N815

    def _chunked(self) -> bytes:
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _reply(self, response: Response) -> None:
        if response.delay:
            self.owner.closing.wait(response.delay)
        if response.hang_up:
            self.close_connection = True
            return
        body = response.encoded()
        self.send_response(response.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **response.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if response.truncate is not None:
            body = body[: response.truncate]
            self.close_connection = True
        if response.drip:
            self._drip(body, response.drip)
        else:
            self.wfile.write(body)

    def _drip(self, body: bytes, pause: float) -> None:
        for byte in body:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if self.owner.closing.wait(pause):
                self.close_connection = True
                return
