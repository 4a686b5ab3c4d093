"""Two sessions at once, forty turns each, four compactions each, restarts in between, a reader in a tight loop."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from support.sessions import FlushWorld

from openclaw_memory_core.workspace.append import append_entry
from openclaw_memory_hookspecs import FlushOutcome
from openclaw_memory_schemas import load

KEYS = {"agent:main:main": "s-main", "agent:main:telegram:group:-1009": "s-group"}
TURNS, COMPACTION_EVERY, GROWTH = 40, 10, 21_000


class Reader(threading.Thread):
    """Parses the file over and over until it is stopped; remembers the first thing that went wrong."""

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True)
        self.path, self.reads, self.problem = path, 0, ""
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.is_set():
            try:
                data = json.loads(self.path.read_bytes())
                if not all(key in data for key in KEYS):
                    self.problem = f"a session is missing: {sorted(data)}"
            except (OSError, ValueError) as error:
                self.problem = repr(error)
            self.reads += 1


@pytest.mark.parametrize("host_counts", [True, False])
def test_exactly_one_flush_a_cycle_through_restarts(tmp_path: Path, host_counts: bool) -> None:
    world = FlushWorld(tmp_path)
    world.write_store({key: {"sessionId": name, "custom": {"n": [1]}} for key, name in KEYS.items()})
    reader = Reader(world.store_path)
    reader.start()
    flushed: dict[str, list[int]] = {key: [] for key in KEYS}
    totals = dict.fromkeys(KEYS, 0)
    saved: list[str] = []
    try:
        for turn in range(1, TURNS + 1):
            for key, name in KEYS.items():
                session = world.session(key, session_id=name)
                totals[key] += GROWTH
                request = world.tokens(min(totals[key], 199_000), session)
                if request is not None:
                    text = f"{name} turn {turn}"
                    append_entry(world.agent.workspace, request.target_path, text)
                    saved.append(text)
                    flushed[key].append(turn)
                    world.flushed(request, FlushOutcome(reply="Saved.\nNO_REPLY"), session)
                if turn % COMPACTION_EVERY == 0:
                    totals[key] = 0
                    if host_counts:
                        world.store.update(key, lambda entry: {"compactionCount": entry.get("compactionCount", 0) + 1})
                    world.controller.on_compacted(session)
            if turn % 7 == 0:
                world.restart()
            world.clock.advance(minutes=10)
    finally:
        reader.stopped.set()
        reader.join(10)
    assert reader.problem == ""
    assert reader.reads > 0
    assert flushed == {key: [9, 19, 29, 39] for key in KEYS}
    note = (world.agent.workspace / "memory" / "2026-05-05.md").read_text(encoding="utf-8")
    assert [line for line in note.splitlines() if line.startswith("- ")] == [f"- {text}" for text in saved]
    for key, name in KEYS.items():
        entry = world.entry(key)
        assert (entry["sessionId"], entry["custom"]) == (name, {"n": [1]})
        assert (entry["compactionCount"], entry["memoryFlushCompactionCount"]) == (4, 3)
        Draft202012Validator(load("sessions-entry")).validate(entry)
