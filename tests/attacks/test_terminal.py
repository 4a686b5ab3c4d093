"""Notes that try to steer the terminal they are shown on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.bench import Bench

HOSTILE = "\x9b31m and \u202egnp.exe\u202c and \x85 and \u2066x\u2069"


def _on_a_terminal(bench: Bench, *arguments: str) -> bytes:
    pty = pytest.importorskip("pty")
    bench.config_file()
    person, child = pty.openpty()
    program = [sys.executable, "-m", "openclaw_memory_core", "--state-dir", str(bench.state), *arguments]
    with subprocess.Popen(program, stdout=child, stderr=subprocess.DEVNULL, env=os.environ | bench.env) as process:
        os.close(child)
        seen = b""
        try:
            while block := os.read(person, 65_536):
                seen += block
        except OSError:
            pass  # Linux says so when the other end is closed.
        process.wait(timeout=60)
    os.close(person)
    return seen


@pytest.mark.parametrize("arguments", [("get", "memory/a.md"), ("search", "harbour"), ("--json", "search", "harbour")])
def test_what_steers_a_terminal_is_spelled_out_there(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", f"the harbour {HOSTILE}\n")

    seen = _on_a_terminal(bench, *arguments).decode()

    assert "harbour" in seen
    assert not {"\x9b", "\x85", "\u202e", "\u202c", "\u2066", "\u2069"} & set(seen)


def test_json_on_a_terminal_still_holds_every_character(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", f"the harbour {HOSTILE}\n")

    answer = json.loads(_on_a_terminal(bench, "--json", "get", "memory/a.md"))

    assert answer["text"] == f"the harbour {HOSTILE}"
