"""Watching: whatever happens below the roots marks it dirty; nothing else does; refusal leads to polling."""

from __future__ import annotations

import errno
import logging
import os
import queue
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from openclaw_memory_core.index.watch import FileWatcher
from openclaw_memory_core.index.watches import Emits, Observes, system_observer

WAIT = 10.0
QUIET = 0.2
"""Longer than debounce and delivery of events on a busy machine."""


class Watched:
    """A watcher over the usual roots and what it told."""

    def __init__(
        self,
        root: Path,
        *,
        observer: Callable[[], Observes] = system_observer,
        debounce: float = 0.05,
        verify: float = 60.0,
    ) -> None:
        self.root = root
        self.told: queue.Queue[set[str]] = queue.Queue()
        self.watcher = FileWatcher(
            lambda: [str(root / name) for name in ("MEMORY.md", "USER.md", "memory")],
            self.told.put,
            debounce_s=debounce,
            poll_s=0.05,
            verify_s=verify,
            observer_factory=observer,
        )
        self.watcher.start()

    def next(self) -> set[str]:
        """The next dirty set, relative to the root."""
        return {os.path.relpath(path, self.root) for path in self.told.get(timeout=WAIT)}

    def until(self, *paths: str) -> set[str]:
        """Everything told until all of *paths* were."""
        told: set[str] = set()
        while not told.issuperset(paths):
            told |= self.next()
        return told

    def notices(self, path: str) -> bool:
        """True once *path* was told, or that something unknown changed."""
        while (told := self.next()) and path not in told:
            pass
        return True

    def settle(self) -> None:
        """Take everything until it is quiet."""
        while True:
            try:
                self.told.get(timeout=QUIET)
            except queue.Empty:
                return

    def is_quiet(self) -> bool:
        try:
            self.told.get(timeout=QUIET)
        except queue.Empty:
            return True
        return False


@pytest.fixture
def watched(workspace: Path) -> Iterator[Watched]:
    made = Watched(workspace)
    made.settle()
    yield made
    made.watcher.close()


def test_new_changed_and_deleted_notes_are_told(watched: Watched) -> None:
    note = watched.root / "memory" / "a.md"
    note.write_text("one", encoding="utf-8")
    assert watched.until("memory/a.md") == {"memory/a.md"}
    with note.open("a", encoding="utf-8") as file:
        file.write("two")
    assert watched.until("memory/a.md") == {"memory/a.md"}
    note.unlink()
    assert watched.until("memory/a.md") == {"memory/a.md"}


def test_root_files_are_told_and_their_neighbours_are_not(watched: Watched) -> None:
    (watched.root / "MEMORY.md").write_text("- fact", encoding="utf-8")
    assert watched.until("MEMORY.md") == {"MEMORY.md"}
    (watched.root / "main.py").write_text("print()", encoding="utf-8")
    assert watched.is_quiet()


def test_atomic_save_tells_the_name_that_was_replaced(watched: Watched) -> None:
    temporary = watched.root / "memory" / ".a.md.tmp123"
    temporary.write_text("text", encoding="utf-8")
    temporary.replace(watched.root / "memory" / "a.md")
    assert watched.until("memory/a.md") == {"memory/a.md"}


def test_rename_tells_both_names(watched: Watched) -> None:
    (watched.root / "memory" / "a.md").write_text("text", encoding="utf-8")
    watched.settle()
    (watched.root / "memory" / "a.md").rename(watched.root / "memory" / "b.md")
    assert watched.until("memory/a.md", "memory/b.md") == {"memory/a.md", "memory/b.md"}


@pytest.mark.parametrize("name", [".a.md.swp", "a.md~", "4913", ".#a.md.lock", "a.md.tmp", "#a.md#"])
def test_temporary_files_of_editors_are_not_told(watched: Watched, name: str) -> None:
    (watched.root / "memory" / name).write_text("text", encoding="utf-8")
    assert watched.is_quiet()


def test_reading_is_not_told(watched: Watched) -> None:
    note = watched.root / "memory" / "a.md"
    note.write_text("text", encoding="utf-8")
    watched.settle()
    note.read_text(encoding="utf-8")
    assert watched.is_quiet()


def test_storm_is_told_once_or_twice(watched: Watched) -> None:
    for number in range(300):
        (watched.root / "memory" / f"{number}.md").write_text("text", encoding="utf-8")
    told = [watched.next()]
    while not watched.told.empty() or not watched.is_quiet():
        if not watched.told.empty():
            told.append(watched.next())
    assert len(told) <= 4


def test_new_sub_folders_are_watched(watched: Watched) -> None:
    deep = watched.root / "memory" / "trips" / "2026"
    deep.mkdir(parents=True)
    watched.settle()
    (deep / "lisbon.md").write_text("text", encoding="utf-8")
    assert watched.notices("memory/trips/2026/lisbon.md")


def test_folder_that_comes_later_is_watched(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "home" / "workspace")
    try:
        watched.settle()
        folder = watched.root / "memory" / "trips"
        folder.mkdir(parents=True)
        (folder / "a.md").write_text("text", encoding="utf-8")
        watched.settle()
        (folder / "b.md").write_text("text", encoding="utf-8")
        assert watched.notices("memory/trips/b.md")
        watched.settle()
        (watched.root / "USER.md").write_text("text", encoding="utf-8")
        assert watched.notices("USER.md")
    finally:
        watched.watcher.close()


def test_folder_that_is_replaced_is_watched_again(watched: Watched) -> None:
    shutil.rmtree(watched.root / "memory")
    (watched.root / "memory").mkdir()
    watched.settle()
    (watched.root / "memory" / "a.md").write_text("text", encoding="utf-8")
    assert watched.notices("memory/a.md")


class Deaf:
    """An observer that never has anything to tell."""

    def __init__(self) -> None:
        self.emitters: list[Emits] = []
        self.alive = False

    def schedule(self, event_handler: object, path: str, *, recursive: bool = False) -> object:
        return path

    def unschedule(self, watch: object) -> None:
        """Nothing was scheduled."""

    def start(self) -> None:
        self.alive = True

    def stop(self) -> None:
        self.alive = False

    def join(self, timeout: float | None = None) -> None:
        """Nothing to wait for."""

    def is_alive(self) -> bool:
        return self.alive


class Refusing(Deaf):
    """An observer whose system has no watches left."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code

    def schedule(self, event_handler: object, path: str, *, recursive: bool = False) -> object:
        raise OSError(self.code, os.strerror(self.code))


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENOSPC])
def test_refusal_leads_to_polling_with_one_warning(
    workspace: Path, caplog: pytest.LogCaptureFixture, code: int
) -> None:
    with caplog.at_level(logging.WARNING):
        watched = Watched(workspace, observer=lambda: Refusing(code))
        try:
            watched.settle()
            assert watched.watcher.mode == "polling"
            assert watched.watcher.describe()["reason"] == os.strerror(code)
            (workspace / "memory" / "a.md").write_text("text", encoding="utf-8")
            assert watched.next() == set()
            watched.settle()
            assert watched.is_quiet()
            (workspace / "memory" / "a.md").unlink()
            assert watched.next() == set()
        finally:
            watched.watcher.close()
    assert len(caplog.records) == 1
    assert "polled" in caplog.records[0].message


def test_watch_that_dies_later_leads_to_polling(workspace: Path, caplog: pytest.LogCaptureFixture) -> None:
    made: list[Observes] = []

    def observer() -> Observes:
        made.append(system_observer())
        return made[0]

    watched = Watched(workspace, observer=observer)
    try:
        watched.settle()
        made[0].stop()
        made[0].join()
        with caplog.at_level(logging.WARNING):
            watched.watcher.look()
        assert watched.watcher.mode == "polling"
        watched.settle()
        (workspace / "memory" / "a.md").write_text("text", encoding="utf-8")
        assert watched.next() == set()
    finally:
        watched.watcher.close()


def test_changes_without_events_are_found_all_the_same(workspace: Path, caplog: pytest.LogCaptureFixture) -> None:
    watched = Watched(workspace, observer=Deaf, verify=0.0)
    try:
        for number in range(3):
            watched.settle()
            (workspace / "memory" / "a.md").write_text(f"text {number}", encoding="utf-8")
            watched.watcher.look()
            assert watched.next() == set()
        assert watched.watcher.mode == "polling"
        assert watched.watcher.describe()["reason"] == "files change without events"
    finally:
        watched.watcher.close()


def test_watch_whose_thread_ended_is_set_again(workspace: Path) -> None:
    made: list[Observes] = []

    def observer() -> Observes:
        made.append(system_observer())
        return made[0]

    watched = Watched(workspace, observer=observer)
    try:
        watched.settle()
        for emitter in list(made[0].emitters):
            emitter.stop()
            emitter.join()
        watched.watcher.look()
        assert watched.watcher.mode == "events"
        watched.settle()
        (workspace / "memory" / "a.md").write_text("text", encoding="utf-8")
        assert watched.until("memory/a.md") == {"memory/a.md"}
    finally:
        watched.watcher.close()


def test_missing_library_leads_to_polling(workspace: Path, caplog: pytest.LogCaptureFixture) -> None:
    def observer() -> Observes:
        raise ImportError("No module named 'watchdog'")

    with caplog.at_level(logging.WARNING):
        watched = Watched(workspace, observer=observer)
        watched.watcher.close()
    assert len(caplog.records) == 1


def test_close_ends_all_threads(workspace: Path) -> None:
    before = set(threading.enumerate())
    watched = Watched(workspace)
    assert watched.watcher.mode == "events"
    watched.watcher.start()
    watched.watcher.close()
    assert set(threading.enumerate()) <= before
    assert watched.watcher.mode == "off"
    watched.watcher.close()


def test_listener_that_fails_does_not_end_the_watch(workspace: Path, caplog: pytest.LogCaptureFixture) -> None:
    told: queue.Queue[int] = queue.Queue()

    def listen(_: set[str]) -> None:
        told.put(1)
        raise ValueError("no")

    watcher = FileWatcher(lambda: [str(workspace / "memory")], listen, debounce_s=0.01)
    watcher.start()
    try:
        watcher.mark("a")
        assert told.get(timeout=WAIT)
        watcher.mark("b")
        assert told.get(timeout=WAIT)
    finally:
        watcher.close()
