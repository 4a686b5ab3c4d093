"""Another process resets the index, or puts something else in its place, while this one is searching."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.bench import Bench as Machine
from support.store import Bench

from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.core.query import LOOKS, QueryService
from openclaw_memory_core.errors import StoreBusyError, StoreError, StoreForeignError
from openclaw_memory_core.index.store import opening
from openclaw_memory_core.index.store.connection import _TRIES


def test_a_process_that_could_not_open_the_new_index_tries_again(tmp_path: Path) -> None:
    with Bench(tmp_path / "index.sqlite") as bench:
        bench.fill({"a.md": "the heron nests"})
        whole = tmp_path / "whole.sqlite"
        bench.path.rename(whole)
        bench.path.write_text("a letter", encoding="utf-8")
        for _ in range(2):
            with pytest.raises(StoreForeignError):
                bench.found("heron")
        bench.path.unlink()
        whole.rename(bench.path)

        assert bench.found("heron") == ["a.md"]


def test_what_is_closed_on_purpose_stays_closed(tmp_path: Path) -> None:
    with Bench(tmp_path / "index.sqlite") as bench:
        bench.fill({"a.md": "the heron nests"})
        bench.store.close()
        with pytest.raises(StoreError, match="is closed"):
            bench.found("heron")
        bench.store.open()
        assert bench.found("heron") == ["a.md"]


def test_threads_that_meet_a_new_index_together_all_get_an_answer(tmp_path: Path) -> None:
    failed: list[BaseException] = []

    def ask(bench: Bench, gate: threading.Barrier) -> None:
        gate.wait(20)
        try:
            bench.found("heron")
        except StoreError as error:
            failed.append(error)

    with Bench(tmp_path / "index.sqlite") as bench:
        bench.fill({"a.md": "the heron nests"})
        for _ in range(20):
            other = tmp_path / "other.sqlite"
            with Bench(other) as second:
                second.fill({"a.md": "the heron nests"})
            other.replace(bench.path)
            gate = threading.Barrier(6)
            threads = [threading.Thread(target=ask, args=(bench, gate)) for _ in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(20)
    assert failed == []


def test_the_log_goes_before_the_index_for_the_next_index_has_one_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "index.sqlite"
    gone: list[str] = []
    unlink = Path.unlink

    def watched(self: Path, missing_ok: bool = False) -> None:
        gone.append(self.name.removeprefix(path.name))
        unlink(self, missing_ok=missing_ok)

    path.touch()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", watched)
        opening.remove(path)

    assert not path.exists()
    assert sorted(gone) == sorted((*opening.COMPANIONS, ""))
    assert gone[-1] == ""


def replace_with_an_empty_one(path: Path) -> None:
    """What a reset in another process does, before that one has made its tables."""
    opening.remove(path)
    opening.prepare(path)


@pytest.mark.parametrize(
    ("last_step", "times"),
    [("check_header", 1), ("set_up", 1), ("use_wal", 1), ("set_up", _TRIES), ("use_wal", _TRIES)],
)
def test_what_is_written_goes_into_the_file_that_is_there_if_it_is_replaced_while_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last_step: str, times: int
) -> None:
    left = [times]
    finish = getattr(opening, last_step)

    def raced(*args: Any) -> Any:
        done = finish(*args)
        if left[0]:
            left[0] -= 1
            replace_with_an_empty_one(tmp_path / "index.sqlite")
        return done

    monkeypatch.setattr(opening, last_step, raced)
    bench = Bench(tmp_path / "index.sqlite")
    if times == _TRIES:
        with pytest.raises(StoreBusyError, match="again and again"):
            bench.store.open()
        return
    with bench, Bench(bench.path) as other:
        bench.fill({"a.md": "the heron nests"})
        assert other.found("heron") == ["a.md"]


def searched_with(
    core: MemoryCore, monkeypatch: pytest.MonkeyPatch, act: Callable[[], None], times: int
) -> dict[str, Any]:
    """The answer if something happens between the look at the index and the search of it."""
    left = [times]
    run = QueryService._run

    def raced(*args: Any) -> Any:
        if left[0]:
            left[0] -= 1
            act()
        return run(*args)

    with monkeypatch.context() as patch:
        patch.setattr(QueryService, "_run", raced)
        return core.search("heron")


def test_an_index_that_is_emptied_between_the_look_and_the_search_is_not_called_fresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(tmp_path, search={"sync": {"onSearch": False}})
    machine.write("memory/a.md", "the heron nests by the mill\n")
    machine.index()
    path = next(machine.state.rglob("*.sqlite"))

    def reset() -> None:
        with Bench(path) as other:
            other.store.reset()
            other.store.open()

    with machine.core() as core:
        assert core.search("heron")["results"]
        # The second look finds no index, and makes one as any first search does.
        assert searched_with(core, monkeypatch, reset, 1)["results"]
        answer = searched_with(core, monkeypatch, reset, 1)
        assert (answer["results"], answer["stale"], answer["partial"]) == ([], True, True)


def test_an_index_that_is_made_between_the_look_and_the_search_answers_as_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(tmp_path)
    machine.write("memory/a.md", "the heron nests by the mill\n")
    machine.index()

    def rebuilt() -> None:
        with machine.core() as other:
            other.sync(force=True)

    with machine.core() as core:
        for times, said in ((1, None), (LOOKS, True)):
            answer = searched_with(core, monkeypatch, rebuilt, times)
            assert [hit["path"] for hit in answer["results"]] == ["memory/a.md"]
            assert answer.get("stale") is said


def test_a_file_without_tables_is_tried_again_and_not_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that was about to connect meets the file that another process is just making."""
    machine = Machine(tmp_path)
    machine.write("memory/a.md", "the heron nests by the mill\n")
    machine.index()
    path = next(machine.state.rglob("*.sqlite"))

    with machine.core() as core:
        database = core.index.store._database
        connect = database._connect

        def raced() -> Any:
            monkeypatch.setattr(database, "_connect", connect)
            replace_with_an_empty_one(path)
            return connect()

        monkeypatch.setattr(database, "_connect", raced)
        answer = core.search("heron")

    assert "unavailable" not in answer
    assert answer["results"] or answer["stale"]


RESET_AND_INDEX = """
import sys
from pathlib import Path
from support.bench import Bench

machine = Bench(Path(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    with machine.core() as core:
        core.index.store.reset()
    with machine.core() as core:
        core.sync()
print("done")
"""


def test_every_search_beside_resets_in_another_process_is_right_or_says_that_it_is_behind(tmp_path: Path) -> None:
    machine = Machine(tmp_path, search={"sync": {"onSearch": False}})
    machine.write("memory/a.md", "the heron nests by the mill\n")
    machine.index()
    wrong: list[dict[str, Any]] = []
    program = [sys.executable, "-c", RESET_AND_INDEX, str(tmp_path), "40"]
    with (
        machine.core() as core,
        subprocess.Popen(
            program, env={"PYTHONPATH": ":".join(sys.path), "PATH": ""}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as child,
    ):
        while child.poll() is None:
            answer = core.search("heron")
            if not answer["results"] and not answer.get("stale"):
                wrong.append(answer)
        assert child.communicate() == (b"done\n", b"")

    assert wrong == []
