"""Cases plugin-slot-*: the slot is off, taken by another plugin, or has a broken neighbour."""

from __future__ import annotations

import logging
import sys
import threading
from pathlib import Path

import pytest
from support.bench import MAIN, Bench
from support.cli import Cli
from support.plugins import install_plugins

from openclaw_memory_core import load_memory_slot
from openclaw_memory_core.plugin_registry import installed_plugins


class OtherMemory:
    """Has no hooks at all: the emptiest plugin there is."""


def test_case_plugin_slot_01_slot_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    threads = set(threading.enumerate())
    for value in ("none", "other"):
        bench = Bench(tmp_path / value, plugins={"slots": {"memory": value}})
        bench.write("memory/a.md", "heron\n")
        with caplog.at_level(logging.WARNING), bench.slot(other=OtherMemory) as slot:
            for _ in range(3):
                slot.session_start(MAIN)
                assert slot.before_turn(MAIN, "heron") is None
            assert slot.tools(MAIN) == ()
        assert set(threading.enumerate()) <= threads
        assert not list(bench.state.rglob("*.sqlite"))
    assert caplog.records == []

    bench = Bench(tmp_path / "ours", plugins={"slots": {"memory": "memory-core"}})
    with bench.slot(other=OtherMemory) as slot:
        names = [tool.name for tool in slot.tools(MAIN)]
    assert names.count("memory_search") == 1
    assert names.count("memory_get") == 1


def test_case_plugin_slot_02_a_broken_neighbour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The neighbour is never imported, so that it can break nothing; who lists the plugins is warned of it, once."""
    install_plugins(tmp_path / "site", monkeypatch, broken="raise RuntimeError('broken on import')\n")
    bench = Bench(tmp_path / "bench")
    bench.write("memory/a.md", "heron\n")
    bench.index()

    with load_memory_slot(runtime=bench.runtime, strict=True) as slot:
        search = next(tool for tool in slot.tools(MAIN) if tool.name == "memory_search")
        found = search.handler({"query": "heron"})["results"]

    assert [hit["path"] for hit in found] == ["memory/a.md"]
    assert "broken_plugin" not in sys.modules
    assert "broken" in installed_plugins()

    cli = Cli(tmp_path / "cli")
    cli.note("memory/a.md", "heron\n")
    for command in ("plugins", "doctor"):
        run = cli(command)
        assert run.code == 0
        assert (run.out + run.err).count("broken on import") == 1
    assert "note    plugins: memory plugin 'broken'" in cli("doctor").out
    assert "    warning: memory plugin 'broken'" in cli("plugins").out
