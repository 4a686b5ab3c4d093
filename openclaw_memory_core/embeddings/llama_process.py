"""A GGUF model in a process of its own: a malformed one takes its process down, and that must not be the agent's."""

from __future__ import annotations

import logging
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from openclaw_memory_core.config.model import Secret
from openclaw_memory_core.embeddings.http import Http
from openclaw_memory_core.errors import (
    EmbeddingError,
    MissingExtraError,
    ProviderTimeoutError,
    ProviderUnavailableError,
)

log = logging.getLogger(__name__)

_POLL_SECONDS = 0.05
_STOP_SECONDS = 5.0


def backend(env: Mapping[str, str]) -> str:
    """What can run a model here: the path of a ``llama-server``, or ``python`` for xllamacpp or llama-cpp-python.

    :raises MissingExtraError: nothing can.
    """
    server = shutil.which("llama-server", path=env.get("PATH"))
    if server:
        return server
    if find_spec("xllamacpp") is not None or find_spec("llama_cpp") is not None:
        return "python"
    raise MissingExtraError(
        "the local provider needs llama-server or the package xllamacpp",
        hint='Install llama.cpp, or: pip install "openclaw-memory-core[local]"',
    )


class LlamaProcess:
    """Started at the first request, answers on a free port of 127.0.0.1 behind a random key, ends with us.

    Both backends speak the OpenAI shape.  The process watches its standard input and ends when that is closed, so it
    does not outlive a killed parent.
    """

    def __init__(self, runner: str, model: Path, *, context_size: int, env: Mapping[str, str]) -> None:
        self._runner = runner
        self._model = model
        self._context_size = context_size
        self._env = env
        self._key = Secret(secrets.token_urlsafe(24))
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Base URL of the running process."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def headers(self) -> dict[str, str]:
        """Headers for its requests."""
        return {"Authorization": f"Bearer {self._key.reveal()}"}

    def ensure(self, *, timeout: float) -> None:
        """Start the process if it is not running, and wait until it answers.

        :raises ProviderUnavailableError: it ended, most often because the file is no model it knows.
        :raises ProviderTimeoutError: it did not get ready in time.
        """
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._stop()
                self._start()
                self._wait_until_ready(time.monotonic() + timeout)

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._stop()

    def _start(self) -> None:
        self._port = _free_port()
        python = [sys.executable, "-m"]
        options = ["--model", str(self._model), "--port", str(self._port), "--ctx-size", str(self._context_size)]
        if self._runner == "python":
            command = [*python, "openclaw_memory_core.embeddings.llama_worker", *options]
        else:
            size = ["--batch-size", str(self._context_size), "--ubatch-size", str(self._context_size)]
            server = [self._runner, "--host", "127.0.0.1", "--embedding", *options, *size]
            command = [*python, "openclaw_memory_core.embeddings.llama_guard", *server]
        log.info("starting the local model %s", self._model.name)
        self._process = subprocess.Popen(  # noqa: S603  the command is ours
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**self._env, "LLAMA_API_KEY": self._key.reveal()},
        )

    def _wait_until_ready(self, deadline: float) -> None:
        assert self._process is not None  # noqa: S101  set by _start
        http = Http("local", [self._key.reveal()])
        while time.monotonic() < deadline:
            try:
                code = self._process.wait(_POLL_SECONDS)
            except subprocess.TimeoutExpired:
                pass
            else:
                self._stop()
                raise ProviderUnavailableError(
                    f"the process of the local model {self._model.name} ended with code {code}",
                    hint="Is the file a GGUF embedding model, and is there enough memory?",
                )
            try:
                http.send("GET", f"http://127.0.0.1:{self._port}/health", None, headers=self.headers, timeout=5)
            except EmbeddingError:
                continue
            return
        self._stop()
        raise ProviderTimeoutError(f"the local model {self._model.name} was not ready in time")

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def guarded(arguments: Sequence[str]) -> int:
    """Run a command until it ends or our standard input is closed; returns its exit code."""
    child = subprocess.Popen(arguments, stdin=subprocess.DEVNULL)  # noqa: S603  the command is ours
    watcher = threading.Thread(target=_end_with_input, args=(child,), daemon=True)
    watcher.start()
    return child.wait()


def _end_with_input(child: subprocess.Popen[bytes]) -> None:
    while sys.stdin.buffer.read(1):
        pass
    child.terminate()
    try:
        child.wait(_STOP_SECONDS / 2)
    except subprocess.TimeoutExpired:
        child.kill()
