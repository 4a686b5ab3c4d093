from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.store import ALL, Bench, chunk, identity, vector_of

from openclaw_memory_core.errors import StoreBusyError
from openclaw_memory_core.index.model import Term
from openclaw_memory_core.index.store import generations

NOTES = 40


def test_eight_threads_search_while_a_ninth_writes(bench: Bench) -> None:
    bench.fill({f"memory/{n}.md": f"kiln number{n}" for n in range(NOTES)})
    stop = threading.Event()
    problems: list[BaseException] = []

    def search() -> None:
        try:
            for turn in range(25):
                with bench.store.reader() as reader:
                    found = reader.keyword([Term("kiln")], ALL, 100)
                    chunks = reader.chunks([hit.chunk_id for hit in found])
                    near = reader.vector(vector_of(f"kiln number{turn}"), ALL, 5)
                    counts = reader.counts()
                assert len(found) == len(chunks) == counts.chunks["memory"] == NOTES
                assert len(near) == 5
        except BaseException as error:
            problems.append(error)

    def write() -> None:
        try:
            turn = 0
            while not stop.is_set():
                turn += 1
                writer = bench.store.writer(identity(), rebuild=turn % 3 == 0)
                for number in range(NOTES):
                    bench.put(writer, f"memory/{number}.md", f"kiln number{number}")
                writer.finish()
        except BaseException as error:
            problems.append(error)

    searchers = [threading.Thread(target=search) for _ in range(8)]
    writer = threading.Thread(target=write)
    for thread in (*searchers, writer):
        thread.start()
    for thread in searchers:
        thread.join(60)
    stop.set()
    writer.join(60)
    assert problems == []
    assert bench.store.integrity_check(full=True) == []


def test_a_transaction_of_another_process_that_does_not_end_is_an_error_after_the_wait(tmp_path: Path) -> None:
    with Bench(tmp_path / "main.sqlite", busy_timeout=0.05) as bench, Bench(bench.path) as other:
        bench.fill({"memory/a.md": "kiln"})
        with other.store._database.write():
            with pytest.raises(StoreBusyError, match=r"main\.sqlite"):
                bench.fill({"memory/b.md": "kiln"})
            assert bench.found("kiln") == ["memory/a.md"]
        bench.fill({"memory/b.md": "kiln"})
        assert len(bench.found("kiln")) == 2


def test_dropping_that_was_interrupted_is_taken_up_by_the_next_writer(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.fill({f"memory/{n}.md": f"old kiln {n}" for n in range(5)})
    writer = bench.store.writer(identity(), rebuild=True)
    bench.put(writer, "memory/new.md", "new kiln")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(generations, "drop_step", die)
        with pytest.raises(KeyboardInterrupt):
            writer.finish()
    assert bench.found("kiln") == ["memory/new.md"]
    bench.store.close()
    bench.store.open()
    bench.store.writer(identity())
    with bench.store._database.read() as db:
        assert [row[0] for row in db.execute("SELECT state FROM generations")] == ["active"]
        assert db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'g1_chunks'").get is None


_REBUILD = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from support.store import Bench, identity
bench = Bench(Path(sys.argv[1])).__enter__()
print("ready", flush=True)
while True:
    writer = bench.store.writer(identity(), rebuild=True)
    for number in range(40):
        bench.put(writer, f"memory/{number}.md", f"kiln number{number} " + "and more words " * 50)
    writer.finish()
    print("round", flush=True)
"""


@contextlib.contextmanager
def rebuilding(path: Path):  # type: ignore[no-untyped-def]
    tests = Path(__file__).parents[1]
    call = [sys.executable, "-c", _REBUILD, str(path), str(tests)]
    process = subprocess.Popen(call, stdout=subprocess.PIPE, encoding="utf-8")
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_another_process_answers_from_a_whole_index_during_rebuilds(bench: Bench) -> None:
    with rebuilding(bench.path) as process:
        lines = [process.stdout.readline() for _ in range(2)]
        assert lines == ["ready\n", "round\n"]
        seen = set()
        for _ in range(50):
            with bench.store.reader() as reader:
                seen.add(reader.generation)
                assert len(reader.keyword([Term("kiln")], ALL, 100)) == NOTES
                assert len(reader.vector(vector_of("x"), ALL, 100)) == NOTES
            process.stdout.readline() if len(seen) < 3 else None
    assert len(seen) >= 2


_FORK = """
import os, sys
from pathlib import Path
from openclaw_memory_core.errors import StoreError
from openclaw_memory_core.index.store import SqliteStore
store = SqliteStore(Path(sys.argv[1]))
store.open()
child = os.fork()
if child == 0:
    try:
        with store.reader():
            os._exit(1)
    except StoreError as error:
        os._exit(7 if "fork" in error.message else 2)
with store.reader() as reader:
    assert reader.counts().files == {}
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
store.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_forked_child_is_told_to_open_its_own(tmp_path: Path) -> None:
    call = [sys.executable, "-c", _FORK, str(tmp_path / "main.sqlite")]
    done = subprocess.run(call, capture_output=True, encoding="utf-8", timeout=60, check=True)
    assert done.stdout == "7\n"


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_a_kill_in_the_middle_of_writing_leaves_a_whole_index(tmp_path: Path) -> None:
    path = tmp_path / "main.sqlite"
    for turn in range(6):
        with rebuilding(path) as process:
            assert [process.stdout.readline() for _ in range(2)] == ["ready\n", "round\n"]
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.01 + 0.023 * turn)
            process.send_signal(signal.SIGKILL)
            process.wait()
        with Bench(path) as bench:
            assert len(bench.found("kiln", limit=100)) == NOTES
            assert len(bench.near(vector_of("x"), limit=100)) == NOTES
            assert bench.store.integrity_check(full=True) == []
            writer = bench.store.writer(identity())
            assert len(writer.files()) == NOTES
            bench.put(writer, "memory/0.md", [chunk("kiln after the crash")])
            writer.finish()
            assert bench.store.describe()["building"] == []
            assert len(bench.found("kiln", limit=100)) == NOTES
        assert list(tmp_path.iterdir()) == [path]
