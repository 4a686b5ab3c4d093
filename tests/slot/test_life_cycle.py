"""A working day through the slot: turns, compactions, restarts and two sessions at once, with a reader looking on."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from support.bench import GROUP, MAIN, Bench

from openclaw_memory_core import MemorySlot
from openclaw_memory_hookspecs import FlushOutcome, Session, TokenUsage

TURNS = 40
COMPACTED_AT = (10, 20, 30, 40)


def _turn(slot: MemorySlot, session: Session, number: int) -> int:
    """One turn; the context grows and is compacted every ten turns.  Returns the flushes that were run."""
    slot.before_turn(session, f"message {number}")
    total = 100_000 + (number % 10 or 10) * 9_000
    request = slot.tokens_counted(session, TokenUsage(total=total))
    flushed = 0
    if request is not None:
        append = next(tool for tool in request.tools if tool.name == "memory_append")
        assert append.handler({"text": f"{session.session_id} saved at turn {number}"})["status"] == "ok"
        assert slot.flush_finished(session, request, FlushOutcome(reply="NO_REPLY")) is None
        flushed = 1
    if number in COMPACTED_AT:
        slot.compacted(session)
    return flushed


def test_forty_turns_four_compactions_restarts_and_two_sessions_give_four_flushes_each(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/2026-05-05.md", "# 2026-05-05\n\n- what was there before\n")
    store = bench.state / "agents" / "main" / "sessions" / "sessions.json"
    flushes = {MAIN.key: 0, GROUP.key: 0}
    done = threading.Event()
    broken: list[str] = []

    def read() -> None:
        while not done.is_set():
            try:
                assert isinstance(json.loads(store.read_text(encoding="utf-8")), dict)
            except FileNotFoundError:
                pass
            except (ValueError, AssertionError) as error:
                broken.append(str(error))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for first in range(1, TURNS + 1, 7):  # a restart after every seventh turn
            with bench.slot() as slot:
                for session in (MAIN, GROUP):
                    slot.session_start(session)
                for number in range(first, min(first + 7, TURNS + 1)):
                    for session in (MAIN, GROUP):
                        flushes[session.key] += _turn(slot, session, number)
    finally:
        done.set()
        reader.join()

    note = (bench.workspace / "memory" / "2026-05-05.md").read_text(encoding="utf-8")
    entries = json.loads(store.read_text(encoding="utf-8"))
    assert broken == []
    assert flushes == {MAIN.key: 4, GROUP.key: 4}
    assert note.startswith("# 2026-05-05\n\n- what was there before\n")
    assert note.count("s-main saved") == 4
    assert note.count("s-group saved") == 4
    assert {entries[key]["compactionCount"] for key in flushes} == {4}
