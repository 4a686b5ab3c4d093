from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.faulty_vfs import Fault, FaultyVfs
from support.store import Bench, identity, vector_of

from openclaw_memory_core.errors import StoreError, StoreFullError, StoreReadOnlyError

OLD = {f"memory/{n}.md": f"old kiln {n}" for n in range(4)}
NEW = {f"memory/{n}.md": f"new kiln {n} " + "with more words " * 40 for n in range(4)}


def rebuild(bench: Bench) -> None:
    writer = bench.store.writer(identity(), rebuild=True)
    for path, text in NEW.items():
        bench.put(writer, path, text)
    writer.finish()


def answers(bench: Bench) -> str:
    """Which index answers, whole: every note by every leg."""
    which = "new" if bench.found("new") else "old"
    assert sorted(bench.found(which)) == sorted(OLD)
    assert sorted(bench.near(vector_of("kiln"))) == sorted(OLD)
    return which


def test_without_a_write_ahead_log_everything_works_and_status_says_so(tmp_path: Path) -> None:
    with FaultyVfs(wal=False) as vfs, Bench(tmp_path / "main.sqlite", vfs=vfs.name) as bench:
        bench.fill(OLD)
        facts = bench.store.describe()
        assert facts["journalMode"] == "delete"
        assert "write-ahead log" in facts["journalReason"]
        assert answers(bench) == "old"
        rebuild(bench)
        assert answers(bench) == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["main.sqlite"]


@pytest.mark.parametrize("wal", [True, False], ids=["wal", "journal"])
@pytest.mark.parametrize("fault", ["full", "io"])
@pytest.mark.parametrize("points", [16, pytest.param(10_000, marks=pytest.mark.torture)], ids=["some", "every"])
def test_every_write_of_a_rebuild_may_fail_and_the_index_stays_whole(
    tmp_path: Path, fault: Fault, wal: bool, points: int
) -> None:
    total = _writes_of_a_rebuild(tmp_path / "count", wal=wal)
    outcomes = set()
    for number in range(1, total + 1, max(1, total // points)):
        with FaultyVfs(fault, wal=wal) as vfs, Bench(tmp_path / f"{number}" / "main.sqlite", vfs=vfs.name) as bench:
            bench.fill(OLD)
            vfs.fail_from = vfs.calls + number
            error = _error_of_a_rebuild(bench)
            if error is not None:
                outcomes.add(type(error))
                assert str(bench.path) in error.message
                assert error.hint
            which = _answers_while_failing(bench, vfs)
            vfs.fail_from = None
            assert answers(bench) == which
            assert bench.store.integrity_check(full=True) == []
            rebuild(bench)
            assert answers(bench) == "new"
            assert bench.store.describe()["building"] == []
    assert outcomes == ({StoreFullError} if fault == "full" else {StoreError})


def _error_of_a_rebuild(bench: Bench) -> StoreError | None:
    try:
        rebuild(bench)
    except StoreError as error:
        return error
    return None


def _writes_of_a_rebuild(folder: Path, *, wal: bool) -> int:
    with FaultyVfs(wal=wal) as vfs, Bench(folder / "main.sqlite", vfs=vfs.name) as bench:
        bench.fill(OLD)
        before = vfs.calls
        rebuild(bench)
        return vfs.calls - before


def _answers_while_failing(bench: Bench, vfs: FaultyVfs) -> str:
    """A disk that stays full cannot roll back a broken transaction on disk; that is done once it has space again."""
    try:
        return answers(bench)
    except StoreError:
        vfs.fail_from = None
        return answers(bench)


def test_a_full_disk_under_the_write_ahead_log_leaves_the_old_index(bench: Bench) -> None:
    bench.fill(OLD)
    with bench.store._database.outside() as db:
        pages = db.pragma("page_count")
    failed = 0
    for spare in range(200):
        with bench.store._database.outside() as db:
            db.pragma("max_page_count", pages + spare)
        error = _error_of_a_rebuild(bench)
        if error is None:
            break
        failed += 1
        assert isinstance(error, StoreFullError)
        assert "no space left" in error.message
        assert answers(bench) == "old"
    assert failed > 3
    assert answers(bench) == "new"
    assert bench.store.integrity_check(full=True) == []


_LIMITED = """
import resource, signal, sys
from pathlib import Path
sys.path[:0] = [sys.argv[2], sys.argv[2] + "/store"]
from support.store import Bench
from test_faults import answers, rebuild
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Bench(Path(sys.argv[1])) as bench:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
    try:
        rebuild(bench)
    except Exception as error:
        print(type(error).__name__)
    print(answers(bench))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""


@pytest.mark.skipif(os.name == "nt", reason="RLIMIT_FSIZE")
@pytest.mark.parametrize("kilobytes", [40, 100, 200])
def test_a_file_that_may_not_grow_leaves_the_old_index(bench: Bench, kilobytes: int) -> None:
    bench.fill(OLD)
    bench.store.close()
    tests = Path(__file__).parents[1]
    call = [sys.executable, "-c", _LIMITED, str(bench.path), str(tests), str(kilobytes * 1024)]
    done = subprocess.run(call, capture_output=True, encoding="utf-8", timeout=60)
    assert (done.stdout.split(), done.stderr) in [((["StoreError", "old"]), ""), ((["StoreFullError", "old"]), "")]
    bench.store.open()
    assert answers(bench) == "old"
    assert bench.store.integrity_check(full=True) == []
    rebuild(bench)
    assert answers(bench) == "new"


def test_an_index_that_cannot_be_written_still_answers(tmp_path: Path) -> None:
    with FaultyVfs("read-only") as vfs, Bench(tmp_path / "main.sqlite", vfs=vfs.name) as bench:
        bench.fill(OLD)
        vfs.fail_from = 0
        with pytest.raises(StoreReadOnlyError, match=r"main\.sqlite") as caught:
            rebuild(bench)
        assert "store.path" in (caught.value.hint or "")
        vfs.fail_from = None
        assert answers(bench) == "old"
