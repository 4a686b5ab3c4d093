"""The real OpenClaw from npm in a home of its own, with a model that is ours.

The packages are fetched once and kept in ``~/.cache/openclaw-memory-tests`` or ``$OPENCLAW_MEMORY_TEST_CACHE``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

VERSION: Final = "2026.9.6"
NODE: Final = "24"
PLUGIN: Final = "openclaw-memory"

# Taken before any test changes them: npm needs the user's own settings.
_ENV: Final = dict(os.environ)
_CACHE: Final = Path(_ENV.get("OPENCLAW_MEMORY_TEST_CACHE") or Path.home() / ".cache" / "openclaw-memory-tests")
_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "PATHEXT", "COMSPEC")


class NotInstallableError(Exception):
    """OpenClaw cannot be had here; the text says why."""


@dataclass(frozen=True)
class Program:
    """OpenClaw and the Node that it needs."""

    openclaw: Path
    node_bin: Path


def program() -> Program:
    """OpenClaw, fetched if it is not there yet.

    :raises NotInstallableError: there is no npm, or it fails.
    """
    root = _CACHE / f"openclaw-{VERSION}"
    found = Program(root / "node_modules" / ".bin" / "openclaw", root / "node" / "node_modules" / "node" / "bin")
    ready = root / "ready"
    if ready.is_file():
        return found
    npm = shutil.which("npm", path=_ENV.get("PATH"))
    if npm is None:
        raise NotInstallableError("npm is not on the PATH")
    # Node first: OpenClaw's own install scripts refuse an older one.
    _npm(npm, root / "node", f"node@{NODE}", _ENV)
    _npm(npm, root, f"openclaw@{VERSION}", {**_ENV, "PATH": f"{found.node_bin}{os.pathsep}{_ENV['PATH']}"})
    ready.touch()
    return found


def _npm(npm: str, folder: Path, package: str, env: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
    command = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", package]
    try:
        done = subprocess.run(command, cwd=folder, env=dict(env), capture_output=True, text=True, timeout=900)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstallableError(f"npm install {package}: {error}") from error
    if done.returncode != 0:
        raise NotInstallableError(f"npm install {package} failed: {done.stderr.strip()[-300:]}")


@dataclass(frozen=True)
class Run:
    """How a command ended; streams without colours."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return f"{self.out}\n{self.err}"

    def json(self) -> Any:
        """The JSON object on stdout; a title may stand before it."""
        return json.loads(self.out[self.out.index("{") :])


class OpenClawHome:
    """A home folder, its configuration, and commands in it."""

    def __init__(self, program: Program, folder: Path, model_url: str) -> None:
        self.program = program
        self.folder = folder
        self.state = folder / ".openclaw"
        self.workspace = self.state / "workspace"
        self.config_path = self.state / "openclaw.json"
        self.port = _free_port()
        self.log = folder / "gateway.log"
        self.env = {
            **{name: _ENV[name] for name in _KEPT if name in _ENV},
            "PATH": os.pathsep.join([str(program.node_bin), str(program.openclaw.parent), _ENV["PATH"]]),
            "HOME": str(folder),
            "USERPROFILE": str(folder),
            "NO_COLOR": "1",
        }
        self.workspace.mkdir(parents=True)
        self.config_path.write_text(json.dumps(self._config(model_url)), encoding="utf-8")

    def _config(self, model_url: str) -> dict[str, Any]:
        model = {
            "id": "m",
            "name": "m",
            "contextWindow": 128_000,
            "maxTokens": 4096,
            "reasoning": False,
            "input": ["text"],
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
        }
        provider = {"baseUrl": model_url, "apiKey": "sk-fake", "api": "openai-completions", "models": [model]}
        return {
            "models": {"providers": {"fake": provider}},
            "agents": {"defaults": {"model": {"primary": "fake/m"}, "userTimezone": "UTC"}},
            "gateway": {"mode": "local", "port": self.port, "bind": "loopback", "auth": {"mode": "none"}},
            "memory": {"search": {"provider": "none", "rememberAcrossConversations": True}},
        }

    def note(self, path: str, text: str) -> None:
        """Write a note."""
        file = self.workspace / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run(self, *arguments: str) -> Run:
        """A command of OpenClaw."""
        return self._run([str(self.program.openclaw), *arguments])

    def bridge(self, *arguments: str) -> Run:
        """A command of ours."""
        return self._run([sys.executable, "-P", "-m", "openclaw_memory_core", "bridge", *arguments])

    def _run(self, command: Sequence[str]) -> Run:
        done = subprocess.run(
            command, env=self.env, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=240
        )
        out, err = (_ANSI.sub("", one.decode("utf-8", "replace")) for one in (done.stdout, done.stderr))
        return Run(done.returncode, out, err)

    def set(self, **values: Any) -> None:
        """Set configuration values, ``__`` for a dot, by OpenClaw's own command."""
        batch = [{"path": path.replace("__", "."), "value": value} for path, value in values.items()]
        done = self.run("config", "set", "--batch-json", json.dumps(batch))
        assert done.code == 0, done.text

    def config(self) -> dict[str, Any]:
        """The configuration as written."""
        return dict(json.loads(self.config_path.read_text(encoding="utf-8")))

    def say(self, message: str, *, session: str = "agent:main:main") -> Run:
        """One turn through the gateway."""
        return self.run("agent", "--agent", "main", "--session-key", session, "--message", message)

    def call(self, method: str, **params: Any) -> Run:
        """One call of the gateway's RPC."""
        return self.run("gateway", "call", method, "--params", json.dumps(params))

    @contextmanager
    def gateway(self) -> Iterator[subprocess.Popen[bytes]]:
        """A running gateway."""
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                [str(self.program.openclaw), "gateway", "run", "--port", str(self.port)],
                env=self.env,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            try:
                until(lambda: re.search(r"\[gateway\] ready", self.gateway_log()) or process.poll() is not None, 180)
                assert process.poll() is None, self.gateway_log()[-3000:]
                yield process
            finally:
                process.terminate()
                try:
                    process.wait(60)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait(60)

    def gateway_log(self) -> str:
        """What the gateway has said so far."""
        return _ANSI.sub("", self.log.read_text(encoding="utf-8", errors="replace"))

    def servers(self) -> list[int]:
        """Process ids of every ``bridge serve`` that was started from this home (Linux)."""
        home = f"HOME={self.folder}".encode()
        found: list[int] = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if b"bridge" in words and b"serve" in words and home in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found


def until(condition: Any, seconds: float = 60) -> Any:
    """Wait until *condition* gives something true; that."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, f"not reached within {seconds} s"
        time.sleep(0.25)
    return value


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
