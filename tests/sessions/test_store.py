from __future__ import annotations

import json
import logging
import os
import stat
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory_core.errors import SessionStoreError
from openclaw_memory_core.sessions.lockfile import LockFile
from openclaw_memory_core.sessions.store import SessionStore

NOW = datetime(2026, 5, 5, 9, 0, tzinfo=UTC)
NOW_MS = int(NOW.timestamp() * 1000)
KEY = "agent:main:main"


def make_store(path: Path, **options: Any) -> SessionStore:
    return SessionStore(path, clock=lambda: NOW, **options)


def write(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data, indent=2), encoding="utf-8")


def test_a_missing_file_is_an_empty_store(tmp_path: Path) -> None:
    store = make_store(tmp_path / "sessions.json")
    assert store.read() == {}
    assert store.entry(KEY) is None


def test_the_first_update_creates_the_file_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "agents" / "main" / "sessions" / "sessions.json"
    entry = make_store(path).update(KEY, {"memoryFlushAt": 5})
    assert entry == {"memoryFlushAt": 5, "updatedAt": NOW_MS}
    assert path.read_text(encoding="utf-8") == json.dumps({KEY: entry}, indent=2)
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(p.name for p in path.parent.iterdir()) == ["sessions.json"]


def test_an_update_keeps_other_entries_unknown_fields_text_and_mode(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"
    others = {
        "agent:main:telegram:group:-1009": {"subject": "Dach & Söhne 屋根", "origin": {"label": "x", "from": None}},
        "global": {"updatedAt": 1.5, "future": [{"a": [1, 2, {"b": "c"}]}]},
        "odd": "not an entry",
    }
    write(path, {KEY: {"sessionId": "s1", "updatedAt": 7, "custom": {"deep": [True, None]}}, **others})
    path.chmod(0o640)
    make_store(path).update(KEY, {"memoryFlushAt": 9})
    after = json.loads(path.read_text(encoding="utf-8"))
    assert {key: after[key] for key in others} == others
    assert after[KEY] == {"sessionId": "s1", "updatedAt": NOW_MS, "custom": {"deep": [True, None]}, "memoryFlushAt": 9}
    assert list(after) == [KEY, *others]
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("old", "given_", "expected"), [(1, 2, NOW_MS), (NOW_MS + 5, 2, NOW_MS + 5), (1, NOW_MS + 9, NOW_MS + 9)]
)
def test_updated_at_never_goes_back(tmp_path: Path, old: int, given_: int, expected: int) -> None:
    path = tmp_path / "sessions.json"
    write(path, {KEY: {"updatedAt": old}})
    assert make_store(path).update(KEY, {"updatedAt": given_})["updatedAt"] == expected


def test_keys_are_found_in_any_case_and_the_newest_variant_wins(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"
    write(path, {"Agent:Main:MAIN": {"updatedAt": 5, "v": "new"}, KEY: {"updatedAt": 4, "v": "old"}})
    store = make_store(path)
    found = store.entry("AGENT:main:main ")
    assert found is not None
    assert found["v"] == "new"
    store.update(KEY, {"x": 1})
    after = json.loads(path.read_text(encoding="utf-8"))
    assert after["Agent:Main:MAIN"]["x"] == 1
    assert after[KEY] == {"updatedAt": 4, "v": "old"}


def test_a_patch_function_sees_the_present_entry_and_may_decline(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"
    write(path, {KEY: {"n": 1}})
    store = make_store(path)
    assert store.update(KEY, lambda entry: {"n": entry["n"] + 1})["n"] == 2
    before = path.read_bytes()
    assert store.update(KEY, lambda entry: None)["n"] == 2
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"a": NaN}', b"\xff\xfe\x00", b'{"a": {}} trailing'])
def test_a_file_that_cannot_be_understood_reads_as_empty_and_is_never_overwritten(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    path = tmp_path / "sessions.json"
    path.write_bytes(content)
    store = make_store(path)
    with caplog.at_level(logging.WARNING):
        assert store.read() == {}
        assert store.entry(KEY) is None
    assert len(caplog.records) == 1
    with pytest.raises(SessionStoreError) as caught:
        store.update(KEY, {"a": 1})
    assert str(path) in caught.value.message
    assert caught.value.hint
    assert path.read_bytes() == content
    assert [p.name for p in tmp_path.iterdir()] == ["sessions.json"]


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({KEY: {"a": 1}}).encode())
    assert make_store(path).read() == {KEY: {"a": 1}}


def test_what_is_returned_is_a_copy(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"
    write(path, {KEY: {"a": [1]}})
    store = make_store(path)
    entry = store.entry(KEY)
    assert entry is not None
    entry["a"].append(2)
    store.read()[KEY]["a"].append(3)
    assert store.entry(KEY) == {"a": [1]}


def test_a_change_by_another_program_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"
    write(path, {KEY: {"a": 1}})
    store = make_store(path)
    store.read()
    write(path, {KEY: {"a": 22}})
    assert store.entry(KEY) == {"a": 22}


def test_a_writer_that_ignores_the_lock_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"
    write(path, {KEY: {"a": 1}})
    interruptions = iter([True, True, False])

    def patch(entry: dict[str, Any]) -> dict[str, Any]:
        if next(interruptions):
            write(path, {KEY: {"a": entry["a"] + 10}, "agent:main:other": {"b": entry["a"]}})
        return {"mine": entry["a"]}

    make_store(path).update(KEY, patch)
    after = json.loads(path.read_text(encoding="utf-8"))
    assert after["agent:main:other"] == {"b": 11}
    assert after[KEY]["a"] == 21
    assert after[KEY]["mine"] == 21


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_linked_store_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "sessions.json"
    write(real, {})
    link.symlink_to(real)
    make_store(link).update(KEY, {"a": 1})
    assert link.is_symlink()
    assert json.loads(real.read_text(encoding="utf-8"))[KEY]["a"] == 1


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs permissions that bind")
def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(SessionStoreError, match="lock"):
            make_store(tmp_path / "sessions.json").update(KEY, {})
    finally:
        tmp_path.chmod(0o700)


def test_lone_surrogates_survive(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"
    path.write_text('{"agent:main:main": {"label": "\\ud83d 夜"}}', encoding="ascii", errors="backslashreplace")
    make_store(path).update(KEY, {"a": 1})
    assert json.loads(path.read_bytes())[KEY]["label"] == "\ud83d 夜"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=6), children, max_size=3),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(
    others=st.dictionaries(st.text(min_size=1, max_size=8), JSON_VALUES, max_size=4),
    entry=st.dictionaries(st.text(max_size=6), JSON_VALUES, max_size=3),
)
def test_whatever_else_is_in_the_file_comes_back_equal(
    tmp_path_factory: pytest.TempPathFactory, others: dict[str, Any], entry: dict[str, Any]
) -> None:
    path = tmp_path_factory.mktemp("store") / "sessions.json"
    path.write_text(json.dumps({**others, KEY: entry}), encoding="utf-8")
    make_store(path).update(KEY, {"memoryFlushAt": 1})
    after = json.loads(path.read_bytes())
    mine = after.pop(KEY)
    others.pop(KEY, None)
    assert after == others
    assert {k: v for k, v in mine.items() if k not in {"memoryFlushAt", "updatedAt"}} == {
        k: v for k, v in entry.items() if k not in {"memoryFlushAt", "updatedAt"}
    }


# --- the lock file


def lock_payload(pid: int, created: float) -> str:
    return json.dumps(
        {"pid": pid, "createdAt": datetime.fromtimestamp(created, UTC).isoformat().replace("+00:00", "Z")}
    )


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait()
    return process.pid


def test_a_lock_is_what_openclaw_writes_and_is_gone_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json.lock"
    with LockFile(path) as lock:
        data = json.loads(path.read_text(encoding="utf-8"))
        assert data["pid"] == os.getpid()
        assert datetime.fromisoformat(data["createdAt"]).tzinfo is not None
        assert lock.held()
    assert not path.exists()


def test_a_live_lock_is_waited_for_and_then_reported(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json.lock"
    path.write_text(lock_payload(os.getpid(), time.time()), encoding="utf-8")
    slept: list[float] = []
    with pytest.raises(SessionStoreError, match="held by another process"), LockFile(path, sleep=slept.append):
        pass
    assert 10 <= sum(slept) < 11
    assert path.exists()


def test_a_lock_that_is_released_while_waiting_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json.lock"
    path.write_text(lock_payload(os.getpid(), time.time()), encoding="utf-8")
    with LockFile(path, sleep=lambda _: path.unlink()) as lock:
        assert lock.held()


@pytest.mark.skipif(os.name != "posix", reason="process ids can only be asked about on POSIX")
def test_a_dead_owners_lock_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json.lock"
    path.write_text(lock_payload(dead_pid(), time.time()), encoding="utf-8")
    with LockFile(path) as lock:
        assert lock.held()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("age", [29.0, 31.0])
def test_a_lock_is_stale_after_thirty_seconds(tmp_path: Path, age: float) -> None:
    path = tmp_path / "sessions.json.lock"
    now = 1_800_000_000.0
    path.write_text(lock_payload(os.getpid(), now - age), encoding="utf-8")
    lock = LockFile(path, now=lambda: now, sleep=lambda _: None)
    if age > 30:
        with lock:
            assert lock.held()
    else:
        with pytest.raises(SessionStoreError), lock:
            pass


@pytest.mark.parametrize("age", [29.0, 31.0])
def test_an_unreadable_lock_is_judged_by_its_time(tmp_path: Path, age: float) -> None:
    path = tmp_path / "sessions.json.lock"
    path.write_bytes(b"")
    changed = path.stat().st_mtime
    lock = LockFile(path, now=lambda: changed + age, sleep=lambda _: None)
    if age > 30:
        with lock:
            assert lock.held()
    else:
        with pytest.raises(SessionStoreError), lock:
            pass


def test_a_holder_notices_that_its_lock_was_taken_and_leaves_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json.lock"
    with LockFile(path) as lock:
        path.write_text(lock_payload(1, time.time()), encoding="utf-8")
        assert not lock.held()
    assert path.exists()


# --- many writers


def test_threads_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"

    def work(name: str) -> None:
        store = make_store(path)
        for _ in range(10):
            store.update(f"agent:main:{name}", lambda entry: {"n": entry.get("n", 0) + 1})
            store.update(KEY, lambda entry: {"n": entry.get("n", 0) + 1})

    threads = [threading.Thread(target=work, args=(f"s{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    after = make_store(path).read()
    assert after[KEY]["n"] == 40
    assert [after[f"agent:main:s{i}"]["n"] for i in range(4)] == [10] * 4


WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from openclaw_memory_core.sessions.store import SessionStore
store = SessionStore(Path(sys.argv[1]), clock=lambda: datetime.now(UTC))
for _ in range(int(sys.argv[3])):
    store.update("agent:main:main", lambda entry: {"n": entry.get("n", 0) + 1})
    store.update(f"agent:main:{sys.argv[2]}", lambda entry: {"n": entry.get("n", 0) + 1})
"""


@pytest.mark.slow
def test_processes_lose_nothing_and_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"
    write(path, {"keep": {"x": "y" * 5000}})
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), f"p{i}", "20"]) for i in range(3)]
    reads = 0
    while any(writer.poll() is None for writer in writers):
        assert json.loads(path.read_bytes())["keep"] == {"x": "y" * 5000}
        reads += 1
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    after = json.loads(path.read_bytes())
    assert after[KEY]["n"] == 60
    assert [after[f"agent:main:p{i}"]["n"] for i in range(3)] == [20, 20, 20]
    assert reads > 10
    assert [p.name for p in tmp_path.iterdir()] == ["sessions.json"]
