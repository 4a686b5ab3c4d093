"""The background worker: coalescing, waiting, trying again, ending."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator

import pytest

from openclaw_memory_core.cancel import CancelToken
from openclaw_memory_core.errors import ProviderAuthError, StoreFullError
from openclaw_memory_core.index.report import Failure, OnProgress, SyncProgress, SyncReport
from openclaw_memory_core.index.scheduler import FIRST_RETRY_SECONDS, IndexScheduler

WAIT = 10.0


class Engine:
    """Does what the test says and remembers what it was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, frozenset[str] | None, bool]] = []
        self.called = threading.Semaphore(0)
        self.script: Callable[[str, CancelToken | None], SyncReport] = lambda reason, _: SyncReport(
            reason=reason, complete=True
        )

    def sync(
        self,
        *,
        reason: str,
        force: bool = False,
        paths: Collection[str] | None = None,
        progress: OnProgress | None = None,
        cancel: CancelToken | None = None,
    ) -> SyncReport:
        self.calls.append((reason, None if paths is None else frozenset(paths), force))
        self.called.release()
        if progress is not None:
            progress(SyncProgress("text", 1, 2))
        return self.script(reason, cancel)


class Held:
    """Makes a sync wait until it is let go or cancelled."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def __call__(self, reason: str, cancel: CancelToken | None) -> SyncReport:
        assert cancel is not None
        while not self.go_on.is_set():
            if cancel.wait(0.01):
                return SyncReport(reason=reason, cancelled=True)
        return SyncReport(reason=reason, complete=True)


class Time:
    """A clock that a test moves; the worker is woken by a request."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def scheduler(engine: Engine) -> Iterator[IndexScheduler]:
    made = IndexScheduler(engine, debounce=0.05)
    yield made
    made.close()


def test_nothing_runs_before_it_is_asked_for(scheduler: IndexScheduler, engine: Engine) -> None:
    assert scheduler.dirty
    assert scheduler.wait(0)
    assert engine.calls == []


def test_request_returns_at_once_and_wait_sees_the_end(scheduler: IndexScheduler, engine: Engine) -> None:
    held = Held()
    engine.script = held
    scheduler.request("start")
    assert engine.called.acquire(timeout=WAIT)
    assert not scheduler.wait(0.01)
    assert scheduler.dirty
    facts = scheduler.describe()
    assert (facts["running"], facts["reason"], facts["progress"]["phase"]) == (True, "start", "text")
    held.go_on.set()
    assert scheduler.wait(WAIT)
    assert not scheduler.dirty
    assert scheduler.describe()["lastReport"] == SyncReport(reason="start", complete=True).to_dict()


def test_requests_during_a_sync_are_served_by_one_more(scheduler: IndexScheduler, engine: Engine) -> None:
    held = Held()
    engine.script = held
    scheduler.request("start")
    assert engine.called.acquire(timeout=WAIT)
    for reason in ("search", "search", "session-start", "search"):
        scheduler.request(reason)
    assert scheduler.pending() == ("search", "session-start")
    held.go_on.set()
    assert scheduler.wait(WAIT)
    assert [reason for reason, _, _ in engine.calls] == ["start", "search+session-start"]


def test_first_sync_is_full_and_later_ones_join_their_paths(scheduler: IndexScheduler, engine: Engine) -> None:
    scheduler.request("append", ["memory/a.md"])
    assert scheduler.wait(WAIT)
    held = Held()
    engine.script = held
    scheduler.request("append", ["memory/a.md"])
    assert engine.called.acquire(timeout=WAIT)
    assert engine.called.acquire(timeout=WAIT)
    scheduler.request("append", ["memory/b.md"])
    scheduler.request("append", ["memory/c.md"])
    held.go_on.set()
    assert scheduler.wait(WAIT)
    assert [paths for _, paths, _ in engine.calls] == [
        None,
        frozenset({"memory/a.md"}),
        frozenset({"memory/b.md", "memory/c.md"}),
    ]


def test_settling_requests_wait_for_quiet(engine: Engine) -> None:
    time = Time()
    scheduler = IndexScheduler(engine, debounce=1.0, clock=time)
    try:
        for _ in range(3):
            scheduler.request("watch", settle=True)
            time.now += 0.5
        assert engine.calls == []
        time.now += 1.0
        scheduler.request("watch", settle=True)
        assert scheduler.wait(WAIT)
        assert len(engine.calls) == 1
    finally:
        scheduler.close()


def test_changes_that_never_end_are_synced_all_the_same(engine: Engine) -> None:
    time = Time()
    scheduler = IndexScheduler(engine, debounce=1.0, clock=time)
    try:
        for _ in range(25):
            scheduler.request("watch", settle=True)
            time.now += 0.5
        assert engine.called.acquire(timeout=WAIT)
    finally:
        scheduler.close()


def test_a_search_does_not_wait_for_the_debounce(engine: Engine) -> None:
    scheduler = IndexScheduler(engine, debounce=1000.0)
    try:
        scheduler.request("watch", settle=True)
        assert not scheduler.wait(0.01)
        scheduler.request("search")
        assert scheduler.wait(WAIT)
    finally:
        scheduler.close()


def test_worker_survives_an_error_and_says_so(scheduler: IndexScheduler, engine: Engine) -> None:
    def full(reason: str, _: CancelToken | None) -> SyncReport:
        raise StoreFullError("no space left on /state")

    engine.script = full
    scheduler.request("start")
    assert scheduler.wait(WAIT)
    assert isinstance(scheduler.last_error, StoreFullError)
    assert scheduler.dirty
    assert scheduler.describe()["lastError"]["code"] == "store-full"
    engine.script = lambda reason, _: SyncReport(reason=reason, complete=True)
    scheduler.request("search")
    assert scheduler.wait(WAIT)
    assert scheduler.last_error is None
    assert not scheduler.dirty


@pytest.mark.parametrize(
    "report",
    [
        SyncReport(reason="start", provider_error=ProviderAuthError("no"), complete=True),
        SyncReport(reason="start", failed={"memory/a.md": Failure("note-unreadable", "no")}),
    ],
)
def test_what_failed_is_tried_again_later(engine: Engine, report: SyncReport) -> None:
    time = Time()
    scheduler = IndexScheduler(engine, clock=time)
    try:
        engine.script = lambda *_: report
        scheduler.request("start")
        assert scheduler.wait(WAIT)
        assert scheduler.describe()["retryInSeconds"] == FIRST_RETRY_SECONDS
        engine.script = lambda reason, _: SyncReport(reason=reason, complete=True)
        time.now += FIRST_RETRY_SECONDS
        scheduler.request("search")
        assert scheduler.wait(WAIT)
        assert engine.calls[1][0] == "search+retry"
        assert "retryInSeconds" not in scheduler.describe()
    finally:
        scheduler.close()


def test_busy_store_is_tried_again_soon_and_a_forced_sync_stays_forced(engine: Engine) -> None:
    time = Time()
    scheduler = IndexScheduler(engine, clock=time)
    try:
        engine.script = lambda reason, _: SyncReport(reason=reason, busy=True)
        scheduler.request("tool", force=True)
        assert scheduler.wait(WAIT)
        assert scheduler.dirty
        engine.script = lambda reason, _: SyncReport(reason=reason, complete=True)
        time.now += 5
        scheduler.request("search")
        assert scheduler.wait(WAIT)
        assert [force for _, _, force in engine.calls] == [True, True]
    finally:
        scheduler.close()


def test_interval_syncs_without_being_asked(engine: Engine) -> None:
    scheduler = IndexScheduler(engine, interval=0.02)
    try:
        scheduler.request("start")
        for _ in range(3):
            assert engine.called.acquire(timeout=WAIT)
        assert engine.calls[-1][0] == "interval"
    finally:
        scheduler.close()


def test_cancel_stops_the_running_sync_and_forgets_the_queue(scheduler: IndexScheduler, engine: Engine) -> None:
    engine.script = Held()
    scheduler.request("start")
    assert engine.called.acquire(timeout=WAIT)
    scheduler.request("search")
    scheduler.cancel()
    assert scheduler.wait(WAIT)
    assert [reason for reason, _, _ in engine.calls] == ["start"]
    assert scheduler.describe()["lastReport"]["cancelled"] is True


def test_close_joins_the_worker_and_later_requests_do_nothing(engine: Engine) -> None:
    scheduler = IndexScheduler(engine)
    engine.script = Held()
    scheduler.request("start")
    assert engine.called.acquire(timeout=WAIT)
    scheduler.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "memory-index"]
    scheduler.request("search")
    assert len(engine.calls) == 1


def test_reports_are_passed_on(engine: Engine) -> None:
    seen: list[SyncReport] = []
    scheduler = IndexScheduler(engine, on_report=seen.append)
    try:
        scheduler.request("start")
        assert scheduler.wait(WAIT)
        assert [report.reason for report in seen] == ["start"]
    finally:
        scheduler.close()
