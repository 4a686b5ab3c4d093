"""Cases plugin-slot-*: the slot is off, taken by another plugin, or has a broken neighbour."""

from __future__ import annotations

import logging
import sys
import threading
from pathlib import Path

import pytest
from support.bench import MAIN, Bench

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
    """The neighbour is never imported, so that it can break nothing; it is listed like every other."""
    site = tmp_path / "site"
    meta = site / "broken_memory-1.0.dist-info"
    meta.mkdir(parents=True)
    (site / "broken_memory.py").write_text("raise RuntimeError('broken on import')\n", encoding="utf-8")
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-memory\nVersion: 1.0\n", encoding="utf-8")
    (meta / "entry_points.txt").write_text("[openclaw.memory]\nbroken = broken_memory\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    bench = Bench(tmp_path / "bench")
    bench.write("memory/a.md", "heron\n")
    bench.index()

    with load_memory_slot(runtime=bench.runtime, strict=True) as slot:
        search = next(tool for tool in slot.tools(MAIN) if tool.name == "memory_search")
        found = search.handler({"query": "heron"})["results"]

    assert [hit["path"] for hit in found] == ["memory/a.md"]
    assert "broken_memory" not in sys.modules
    assert "broken" in installed_plugins()
