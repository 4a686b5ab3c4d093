"""The loop of ``bridge serve``: reads requests, answers each when it is done, in whatever order.

The thread that reads answers ``hello`` and ``ping`` itself, so both come at once however busy the rest is.  Everything
else runs in worker threads; what may take minutes has a lane of its own and never keeps a search waiting.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, Final, Protocol

from openclaw_memory_core import __version__
from openclaw_memory_core.cancel import CancelToken
from openclaw_memory_core.errors import CancelledError, OpenClawMemoryError
from openclaw_memory_core.integrations.openclaw_bridge import protocol

_log = logging.getLogger(__name__)

_WORKERS: Final = 6
_SLOW: Final = frozenset({"sync"})


class Service(Protocol):
    """Who does the work.  Made at the first request that needs it, in a worker thread."""

    def methods(self) -> frozenset[str]:
        """Names of the methods that :meth:`call` knows."""

    def call(self, method: str, params: Mapping[str, Any], cancel: CancelToken) -> Any:
        """Answer one request.

        :raises OpenClawMemoryError: it cannot be answered.
        """

    def close(self) -> None:
        """Stop everything."""


class BridgeServer:
    """Serves one client over two binary streams until the first one ends.

    :param service: makes the service.
    :param prepare: work to begin right after ``hello`` was answered, for example slow imports.
    :param on_end: called when the input has ended, before the running work is waited for.
    """

    def __init__(
        self,
        reader: BinaryIO,
        writer: BinaryIO,
        service: Callable[[], Service],
        *,
        prepare: Callable[[], None] | None = None,
        on_end: Callable[[], None] | None = None,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._make = service
        self._prepare = prepare
        self._on_end = on_end
        self._service: Service | None = None
        self._making = threading.Lock()
        self._writing = threading.Lock()
        self._running: dict[Any, CancelToken] = {}
        self._state = threading.Lock()
        self._fast = ThreadPoolExecutor(_WORKERS, thread_name_prefix="bridge")
        self._slow = ThreadPoolExecutor(1, thread_name_prefix="bridge-slow")

    def serve(self) -> None:
        """Answer until the client closes its end; then stop what runs and close the service."""
        try:
            while (line := self._reader.readline(protocol.LONGEST_LINE + 1)) != b"":
                if len(line) > protocol.LONGEST_LINE:
                    self._pass_over()
                elif line.strip():
                    self._take(line)
        finally:
            self._stop()

    def _pass_over(self) -> None:
        while (rest := self._reader.readline(protocol.LONGEST_LINE)) and not rest.endswith(b"\n"):
            pass
        self._send(protocol.failure(None, protocol.INVALID_REQUEST, "the message is too long"))

    def _take(self, line: bytes) -> None:
        try:
            message: Any = json.loads(line)
        except (ValueError, RecursionError):
            self._send(protocol.failure(None, protocol.PARSE_ERROR, "the line is not JSON"))
            return
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            self._send(protocol.failure(None, protocol.INVALID_REQUEST, "the line is not a JSON-RPC request"))
            return
        params = message.get("params")
        self._dispatch(message.get("id"), message["method"], params if isinstance(params, dict) else {})

    def _dispatch(self, identifier: Any, method: str, params: Mapping[str, Any]) -> None:
        if method == "$/cancel":
            self._cancel(params.get("id"))
        elif method == "ping":
            self._send(protocol.answer(identifier, "pong"))
        elif method == "hello":
            self._hello(identifier, params)
        elif isinstance(identifier, int | str) and not isinstance(identifier, bool):
            token = CancelToken()
            with self._state:
                self._running[identifier] = token
            lane = self._slow if method in _SLOW else self._fast
            lane.submit(self._work, identifier, method, params, token)
        else:
            self._send(protocol.failure(None, protocol.INVALID_REQUEST, "the request has no id"))

    def _hello(self, identifier: Any, params: Mapping[str, Any]) -> None:
        if params.get("protocol") != protocol.PROTOCOL:
            self._send(
                protocol.failure(
                    identifier,
                    protocol.WRONG_PROTOCOL,
                    f"this program speaks protocol {protocol.PROTOCOL}, the plugin {params.get('protocol')!r}; "
                    "run: openclaw-memory bridge install",
                )
            )
            return
        facts = {"protocol": protocol.PROTOCOL, "version": __version__, "pid": os.getpid()}
        self._send(protocol.answer(identifier, facts))
        if self._prepare is not None:
            self._fast.submit(self._prepare)

    def _cancel(self, identifier: Any) -> None:
        with self._state:
            token = self._running.get(identifier) if isinstance(identifier, int | str) else None
        if token is not None:
            token.cancel()

    def _work(self, identifier: Any, method: str, params: Mapping[str, Any], token: CancelToken) -> None:
        try:
            token.raise_if_cancelled()
            reply = self._answer(identifier, method, params, token)
        except CancelledError as error:
            reply = protocol.failure(identifier, protocol.CANCELLED, error.message)
        except OpenClawMemoryError as error:
            reply = protocol.failure(identifier, protocol.REFUSED, error.message, error.to_dict())
        except Exception as error:  # one broken answer must not end the others
            _log.exception("%s failed", method)
            # Its text may quote a note.
            reply = protocol.failure(identifier, protocol.INTERNAL_ERROR, f"unexpected {type(error).__name__}")
        with self._state:
            self._running.pop(identifier, None)
        self._send(reply)

    def _answer(self, identifier: Any, method: str, params: Mapping[str, Any], token: CancelToken) -> dict[str, Any]:
        with self._making:
            if self._service is None:
                self._service = self._make()
            service = self._service
        if method not in service.methods():
            return protocol.failure(identifier, protocol.METHOD_NOT_FOUND, f"there is no method {method!r}")
        return protocol.answer(identifier, service.call(method, params, token))

    def _send(self, message: Mapping[str, Any]) -> None:
        # ASCII, so that neither line separators nor lone surrogates in a note can break a line.
        data = json.dumps(message, ensure_ascii=True, default=str).encode("ascii") + b"\n"
        with self._writing:
            try:
                self._writer.write(data)
                self._writer.flush()
            except (OSError, ValueError):
                # The client is gone; the end of its stream will say so, too.
                _log.debug("an answer could not be delivered")

    def _stop(self) -> None:
        if self._on_end is not None:
            self._on_end()
        with self._state:
            tokens = list(self._running.values())
        for token in tokens:
            token.cancel()
        self._slow.shutdown(wait=True, cancel_futures=True)
        self._fast.shutdown(wait=True, cancel_futures=True)
        if self._service is not None:
            self._service.close()
