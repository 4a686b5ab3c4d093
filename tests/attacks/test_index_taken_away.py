"""Another process resets the index, or puts something else in its place, while this one is searching."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from support.store import Bench

from openclaw_memory_core.errors import StoreError, StoreForeignError
from openclaw_memory_core.index.store import opening


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
