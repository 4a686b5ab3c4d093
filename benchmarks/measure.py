"""Clocks: CPU time of programs, times of calls, the largest memory of a child, and what machine this is."""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Child:
    """How a child process went.

    :param cpu: seconds of user and system time.
    :param peak: largest resident memory, in MB.
    """

    wall: float
    cpu: float
    peak: float
    output: str


def run(command: Sequence[str], env: Mapping[str, str] | None = None) -> Child:
    """Run a program to its end.

    :raises RuntimeError: it failed; the message has the end of what it said.
    """
    # Cached bytecode is how installed programs start.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | dict(env or {})
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)}: {err.read().decode(errors='replace')[-2000:]}")
        return Child(wall, usage.ru_utime + usage.ru_stime, _megabytes(usage), out.read().decode())


def peak_so_far() -> float:
    """Largest resident memory of this process until now, in MB."""
    return _megabytes(resource.getrusage(resource.RUSAGE_SELF))


def _megabytes(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)


def child(part: str, **arguments: Any) -> tuple[dict[str, Any], Child]:
    """Run one function of :mod:`benchmarks.parts` in a process of its own, so that its memory is its own."""
    went = run([sys.executable, "-m", "benchmarks.parts", part, json.dumps(arguments)])
    return json.loads(went.output.strip().splitlines()[-1]), went


def alternate(
    commands: Mapping[str, Sequence[str]], rounds: int, env: Mapping[str, str] | None = None
) -> dict[str, float]:
    """Median CPU seconds of each program; they take turns, so that a busy moment of the machine meets all of them."""
    for command in commands.values():
        run(command, env)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(run(command, env).cpu)
    return {name: statistics.median(found) for name, found in times.items()}


def times_of(call: Callable[[int], object], rounds: int) -> dict[str, float]:
    """Milliseconds of *rounds* calls: median and 95th percentile of the wall time, mean of the CPU time."""
    walls = []
    cpu = time.process_time()
    for number in range(rounds):
        begun = time.perf_counter()
        call(number)
        walls.append((time.perf_counter() - begun) * 1e3)
    used = (time.process_time() - cpu) * 1e3 / rounds
    walls.sort()
    return {"p50": walls[rounds // 2], "p95": walls[min(rounds - 1, int(rounds * 0.95))], "cpu": used}


def machine() -> dict[str, Any]:
    """Facts that the figures depend on."""
    import apsw
    import numpy as np

    return {
        "processors": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "numpy": np.__version__,
    }
