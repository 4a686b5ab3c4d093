"""``bridge serve`` as OpenClaw's plugin runs it: a process, one JSON message a line."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

SECONDS = 30.0
"""An answer that takes longer is a failure; none should take a tenth of it."""


class BridgeClient:
    """Starts the program and talks to it.  :attr:`noise` holds lines on stdout that are no message."""

    def __init__(self, options: Sequence[str] = (), env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "openclaw_memory_core", *options, "bridge", "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        )
        self.noise: list[bytes] = []
        self.stderr = b""
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._early: dict[Any, dict[str, Any]] = {}
        self._last = 0
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._read_stderr)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(SECONDS)
        for thread in self._threads:
            thread.join(SECONDS)
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()

    def end(self) -> int:
        """Close the program's input, as a host that ends does; its exit code."""
        assert self.process.stdin
        if not self.process.stdin.closed:
            self.process.stdin.close()
        return self.process.wait(SECONDS)

    def send(self, method: str, params: Mapping[str, Any] | None = None, *, notify: bool = False) -> int:
        """Send a request and do not wait; its id."""
        self._last += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": dict(params or {})}
        if not notify:
            message["id"] = self._last
        self.send_raw(json.dumps(message).encode() + b"\n")
        return self._last

    def send_raw(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def next(self) -> dict[str, Any]:
        """The message that comes next."""
        return self._answers.get(timeout=SECONDS)

    def wait(self, identifier: Any) -> dict[str, Any]:
        """The message that answers a request."""
        while identifier not in self._early:
            message = self.next()
            self._early[message.get("id")] = message
        return self._early.pop(identifier)

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """The result of a request; an error fails the test."""
        message = self.wait(self.send(method, params))
        assert "error" not in message, message
        return message["result"]

    def error(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The error of a request that must fail."""
        message = self.wait(self.send(method, params))
        assert "result" not in message, message
        return dict(message["error"])

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            try:
                self._answers.put(json.loads(line))
            except ValueError:
                self.noise.append(line)

    def _read_stderr(self) -> None:
        assert self.process.stderr
        self.stderr = self.process.stderr.read()
