"""OpenClaw's program: found, asked for its version, and run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from openclaw_memory_core.errors import PluginError, UsageError
from openclaw_memory_core.integrations.openclaw_bridge.folder import OLDEST_HOST

_SECONDS: Final = 180.0
_VERSION: Final = re.compile(r"(\d{4})\.(\d{1,2})\.(\d{1,3})")
_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command of OpenClaw ended.  *out* and *err* are the whole streams, without colours."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Both streams, for looking for a word."""
        return f"{self.out}\n{self.err}"

    def last_line(self) -> str:
        """The line that most likely says what went wrong."""
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        told = [line for line in lines if "Reason:" in line or line.startswith("Error")]
        return (told or lines or [f"exit code {self.code}"])[-1][:300]


class OpenClaw:
    """OpenClaw's command line.

    :param executable: path or name of the program; None for ``openclaw`` on the ``PATH``.
    :param env: environment for it; None for our own.
    :raises UsageError: there is no such program.
    """

    def __init__(self, executable: str | None = None, *, env: Mapping[str, str] | None = None) -> None:
        self._env = dict(os.environ if env is None else env)
        found = shutil.which(executable or "openclaw", path=self._env.get("PATH"))
        if found is None:
            raise UsageError(
                f"there is no program {executable or 'openclaw'!r}", hint="install OpenClaw, or name it with --openclaw"
            )
        self.path = found

    def run(self, *arguments: str) -> Outcome:
        """Run a command to its end.

        :raises PluginError: it cannot be started or does not end.
        """
        try:
            done = subprocess.run(  # noqa: S603 - the user named the program
                [self.path, *arguments],
                env=self._env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise PluginError(f"openclaw {' '.join(arguments[:2])} did not end within {_SECONDS:.0f} s") from error
        except OSError as error:
            raise PluginError(f"{self.path} cannot be started: {error.strerror}") from error
        return Outcome(done.returncode, _ANSI.sub("", done.stdout), _ANSI.sub("", done.stderr))

    def must(self, *arguments: str) -> Outcome:
        """Run a command that has to succeed.

        :raises PluginError: it did not.
        """
        outcome = self.run(*arguments)
        if outcome.code != 0:
            shown = " ".join(arguments[:3])
            raise PluginError(
                f"openclaw {shown} failed: {outcome.last_line()}", hint=f"run it yourself: openclaw {shown}"
            )
        return outcome

    def version(self) -> str:
        """Its version.

        :raises PluginError: it is too old for the plugin, or no OpenClaw.
        """
        match = _VERSION.search(self.must("--version").out)
        if match is None:
            raise PluginError(f"{self.path} does not say its version", hint="name OpenClaw's program with --openclaw")
        if _numbers(match[0]) < _numbers(OLDEST_HOST):
            raise PluginError(
                f"OpenClaw {match[0]} is too old for the bridge, which needs {OLDEST_HOST} or later",
                hint="update OpenClaw",
            )
        return match[0]

    def plugins(self) -> dict[str, Any]:
        """The ``plugins`` section of its configuration, defaults filled in; empty if there is none."""
        outcome = self.run("config", "get", "plugins", "--json")
        return _json_object(outcome.out) if outcome.code == 0 else {}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _json_object(text: str) -> dict[str, Any]:
    start = text.find("{")
    try:
        value = json.loads(text[start:]) if start >= 0 else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def json_object(outcome: Outcome) -> dict[str, Any]:
    """The JSON object on stdout; empty if there is none."""
    return _json_object(outcome.out)


def program_answers(command: Sequence[str], request: str, *, seconds: float = 20.0) -> Outcome:
    """Run *command* with one line of input.

    :raises PluginError: it cannot be started or does not end.
    """
    try:
        done = subprocess.run(  # noqa: S603 - the command that OpenClaw would run
            list(command),
            input=request + "\n",
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise PluginError(f"{command[0]} did not answer within {seconds:.0f} s") from error
    except OSError as error:
        raise PluginError(f"{command[0]} cannot be started: {error.strerror}") from error
    return Outcome(done.returncode, done.stdout, done.stderr)
