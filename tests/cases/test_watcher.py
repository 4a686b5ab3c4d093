"""Cases watcher-*: changes are noticed, however they are made and whatever the system refuses."""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.bench import MAIN, Bench

from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.index import watches

FAST = {"sync": {"watchDebounceMs": 100}}


def paths(core: MemoryCore, query: str) -> list[str]:
    return [hit["path"] for hit in core.search(query)["results"]]


def until(condition: Callable[[], bool], seconds: float = 15.0) -> bool:
    """Look again and again, for at most so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def syncs(core: MemoryCore) -> bool:
    """Wait for the worker; only watching may have asked it."""
    return core.index.catch_up(15)


def test_case_watcher_01_folder_that_does_not_exist_yet(tmp_path: Path) -> None:
    bench = Bench(tmp_path, search={"sync": {"watchDebounceMs": 100, "onSearch": False}})
    with bench.core(background=True) as core:
        core.session_start(MAIN)
        assert syncs(core)
        bench.write("memory/trips/lisbon.md", "the tram to Belém\n")
        assert until(lambda: paths(core, "tram") == ["memory/trips/lisbon.md"])
        bench.write("memory/houses/porto/roof.md", "new tiles\n")
        assert until(lambda: paths(core, "tiles") == ["memory/houses/porto/roof.md"])


def test_case_watcher_02_how_editors_save(tmp_path: Path) -> None:
    bench = Bench(tmp_path, search={"sync": {"watchDebounceMs": 400, "onSearch": False}})
    bench.write("memory/a.md", "first text\n")
    with bench.core(background=True) as core:
        core.session_start(MAIN)
        assert syncs(core)
        assert until(lambda: paths(core, "first") == ["memory/a.md"])
        runs: list[str] = []
        engine = core.index.engine
        plain = engine.sync

        def counted(**options: object) -> object:
            runs.append(str(options["reason"]))
            return plain(**options)  # type: ignore[arg-type]

        engine.sync = counted  # type: ignore[assignment,method-assign]
        time.sleep(0.5)
        runs.clear()
        for number in range(5):
            bench.write("memory/.a.md.swp", "swap")
            temporary = bench.write("memory/a.md.tmp", f"text number{number}\n")
            bench.write("memory/a.md~", (bench.workspace / "memory" / "a.md").read_bytes())
            temporary.replace(bench.workspace / "memory" / "a.md")
            time.sleep(0.05)
        (bench.workspace / "memory" / ".a.md.swp").unlink()
        assert until(lambda: paths(core, "number4") == ["memory/a.md"])
        assert len(runs) <= 2
        for query in ("number4", "number3", "first", "swap"):
            assert set(paths(core, query)) <= {"memory/a.md"}


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENOSPC])
def test_case_watcher_03_no_watch_handles_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, code: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, "injected")

    monkeypatch.setattr(watches.Watches, "start", refuse)
    bench = Bench(tmp_path, search=FAST)
    bench.write("memory/a.md", "first text\n")
    with caplog.at_level(logging.WARNING), bench.core(background=True) as core:
        core.session_start(MAIN)
        assert syncs(core)
        bench.write("memory/a.md", "second words\n")
        assert until(lambda: paths(core, "second") == ["memory/a.md"])
        watch = core.status()["watch"]
        assert watch["mode"] == "polling"
        assert watch["reason"]
    warnings = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(warnings) == 1
    assert "polled" in warnings[0]
