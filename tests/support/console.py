"""Runs the ``console`` blocks of a page in one shell, as a reader would, and compares what is printed.

A line that begins with ``$`` is a command, one with ``>`` goes on with it, every other one is its output. ``…`` in an
output stands for anything within a line, ``…`` alone on a line for any number of lines.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

_MARK = "=====step====="


@dataclass
class Step:
    """A command and the lines it should print."""

    command: str
    expected: list[str] = field(default_factory=list)

    def fits(self, printed: str) -> bool:
        """Whether *printed* is what the page says."""
        parts = []
        for line in self.expected:
            pattern = ".*".join(re.escape(part.strip()) for part in line.split("…"))
            parts.append(r"(?:.*\n)*" if line.strip() == "…" else rf"\s*{pattern}\s*\n")
        return re.fullmatch("".join(parts), printed) is not None


def steps(page: str) -> list[Step]:
    """The commands of a page's console blocks in their order."""
    found: list[Step] = []
    for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Step(line[2:]))
            elif line.startswith(">"):
                found[-1].command += "\n" + line[2:]
            else:
                found[-1].expected.append(line)
    return found


def run(commands: list[Step], home: Path) -> list[str]:
    """Run all commands in one bash at *home*; returns what each printed, on either stream."""
    bin_folder = home / "bin"
    bin_folder.mkdir(exist_ok=True)
    for name, call in {
        "python": sys.executable,
        "openclaw-memory": f"{sys.executable} -m openclaw_memory_core",
    }.items():
        (bin_folder / name).write_text(f'#!/bin/sh\nexec {call} "$@"\n', encoding="utf-8")
        (bin_folder / name).chmod(0o755)
    script = "\n".join(f"{step.command}\necho {_MARK}" for step in commands)
    env = {**os.environ, "HOME": str(home), "PATH": f"{bin_folder}:{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=home,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
    )
    return done.stdout.split(f"{_MARK}\n")[:-1]
