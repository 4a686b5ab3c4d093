from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.store import Bench

from openclaw_memory_core.errors import StoreBusyError, StoreError
from openclaw_memory_core.index.store import lease as lease_module
from openclaw_memory_core.index.store.lease import STALE_SECONDS, Lease, is_alive

_HOLDER = """
import sys
from pathlib import Path
from openclaw_memory_core.index.store import SqliteStore
store = SqliteStore(Path(sys.argv[1]))
store.open()
with store.lease("the holder", wait=5):
    print("held", flush=True)
    sys.stdin.read()
store.close()
"""


def _hold(path: Path) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", _HOLDER, str(path)], encoding="utf-8", **pipes)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_two_cannot_hold_it_in_one_process(bench: Bench) -> None:
    with bench.store.lease("one", wait=0):
        with pytest.raises(StoreBusyError, match="one"), bench.store.lease("two", wait=0):
            pass
        with Bench(bench.path) as other, pytest.raises(StoreBusyError), other.store.lease("two", wait=0):
            pass
    with bench.store.lease("two", wait=0):
        assert bench.store.describe()["lease"]["owner"] == "two"
    assert bench.store.describe()["lease"] is None


def test_it_is_given_back_when_the_work_fails(bench: Bench) -> None:
    with pytest.raises(ZeroDivisionError), bench.store.lease("one", wait=0):
        raise ZeroDivisionError
    with bench.store.lease("two", wait=0):
        pass


def test_waiting_gets_it_as_soon_as_it_is_free(bench: Bench) -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with bench.store.lease("one", wait=0):
            held.set()
            done.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)
    threading.Timer(0.1, done.set).start()
    with bench.store.lease("two", wait=10):
        pass
    thread.join()


def test_another_process_holds_it_and_is_named(bench: Bench) -> None:
    process = _hold(bench.path)
    try:
        with pytest.raises(StoreBusyError) as caught, bench.store.lease("me", wait=0.1):
            pass
        assert "the holder" in caught.value.message
        assert str(process.pid) in caught.value.message
        lease = bench.store.describe()["lease"]
        assert (lease["owner"], lease["pid"], lease["host"]) == ("the holder", process.pid, socket.gethostname())
    finally:
        process.communicate("")
    with bench.store.lease("me", wait=0):
        pass


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_a_killed_owner_is_taken_over_at_once_and_leaves_nothing(bench: Bench) -> None:
    process = _hold(bench.path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert bench.store.describe()["lease"] is None
    with Bench(bench.path):
        assert not list(bench.path.parent.glob("*.lock"))
    with bench.store.lease("me", wait=0):
        pass
    assert not list(bench.path.parent.glob("*.lock"))


def test_only_one_of_many_threads_holds_it_at_a_time(bench: Bench) -> None:
    inside, most = 0, 0
    guard = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        for _ in range(10):
            with bench.store.lease("thread", wait=30):
                with guard:
                    inside += 1
                    most = max(most, inside)
                with guard:
                    inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def _note(path: Path, **fields: object) -> None:
    note = {"owner": "other", "pid": 1, "host": "elsewhere", "since": 0.0}
    path.write_text(json.dumps(note | fields), encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be deleted there")
def test_a_file_deleted_between_opening_and_locking_is_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.lock"
    real, calls = lease_module._lock, []

    def delete_and_lock(handle: int) -> bool:
        if not calls:
            path.unlink()
        calls.append(handle)
        return real(handle)

    monkeypatch.setattr(lease_module, "_lock", delete_and_lock)
    with Lease(path, lambda: 0.0).hold("me", 0):
        assert json.loads(path.read_text(encoding="utf-8"))["owner"] == "me"
    assert len(calls) == 2


def test_an_owner_killed_before_it_signed_leaves_nothing(bench: Bench) -> None:
    path = bench.path.with_name("main.sqlite.lock")
    path.write_bytes(b"")
    assert bench.store.describe()["lease"] is None
    bench.store.close()
    bench.store.open()
    assert not path.exists()


class TestWithoutFileLocks:
    """On a file system without locks the file itself is the lock."""

    def test_it_excludes_and_is_given_back(self, tmp_path: Path) -> None:
        lease = Lease(tmp_path / "x.lock", lambda: 0.0, file_locks=False)
        with lease.hold("one", 0), pytest.raises(StoreBusyError), lease.hold("two", 0):
            pass
        assert not list(tmp_path.iterdir())

    def test_a_dead_process_of_this_host_is_taken_over(self, tmp_path: Path) -> None:
        dead = subprocess.Popen([sys.executable, "-c", ""])
        dead.wait()
        path = tmp_path / "x.lock"
        _note(path, pid=dead.pid, host=socket.gethostname())
        with Lease(path, lambda: path.stat().st_mtime, file_locks=False).hold("me", 0):
            pass

    def test_a_living_process_of_this_host_keeps_it_however_old_it_is(self, tmp_path: Path) -> None:
        path = tmp_path / "x.lock"
        _note(path, pid=os.getpid(), host=socket.gethostname())
        late = path.stat().st_mtime + 10 * STALE_SECONDS
        with pytest.raises(StoreBusyError), Lease(path, lambda: late, file_locks=False).hold("me", 0):
            pass

    def test_another_host_keeps_it_as_long_as_it_is_renewed(self, tmp_path: Path) -> None:
        path = tmp_path / "x.lock"
        _note(path)
        now = path.stat().st_mtime
        with pytest.raises(StoreBusyError), Lease(path, lambda: now + 1, file_locks=False).hold("me", 0):
            pass
        with Lease(path, lambda: now + STALE_SECONDS + 1, file_locks=False).hold("me", 0):
            pass

    def test_the_owner_renews_it(self, tmp_path: Path) -> None:
        path = tmp_path / "x.lock"
        now = 1_700_000_000.0
        lease = Lease(path, lambda: now, file_locks=False)
        with lease.hold("one", 0):
            now += 1000
            lease.renew()
            assert path.stat().st_mtime == now

    def test_a_note_that_cannot_be_read_counts_by_its_age(self, tmp_path: Path) -> None:
        path = tmp_path / "x.lock"
        path.write_bytes(b"\xff{")
        now = path.stat().st_mtime
        with (
            pytest.raises(StoreBusyError, match="another process"),
            Lease(path, lambda: now, file_locks=False).hold("me", 0),
        ):
            pass


def test_a_folder_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(StoreError), Lease(tmp_path / "absent" / "x.lock", lambda: 0.0).hold("me", 0):
        pass


def test_this_process_is_alive() -> None:
    assert is_alive(os.getpid())
