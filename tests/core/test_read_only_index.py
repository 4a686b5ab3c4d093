"""An index that cannot be written still answers, and says that it is behind, why, and what to do about it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from support.bench import Bench
from support.powers import bound

from openclaw_memory_core.errors import StoreFullError, StoreReadOnlyError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """One note in the index, and one that came later."""
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()
    bench.write("memory/b.md", "the walrus sleeps\n")
    return bench


def _folder(bench: Bench) -> Path:
    return bench.state / "memory"


@pytest.mark.parametrize(("name", "mode", "usual"), [("", 0o500, 0o700), ("main.sqlite", 0o400, 0o600)])
@pytest.mark.parametrize("wait", [0.0, 10.0])
def test_it_answers_and_names_the_place_and_the_cure(
    bench: Bench, name: str, mode: int, usual: int, wait: float
) -> None:
    place = _folder(bench) / name
    place.chmod(mode)
    try:
        answer = bound(lambda: bench.answer("heron", wait=wait))
    finally:
        place.chmod(usual)

    assert [hit["path"] for hit in answer["results"]] == ["memory/a.md"]
    assert answer["stale"] is True
    assert f"{_folder(bench) / 'main.sqlite'} cannot be written" in answer["warning"]
    assert str(place) in answer["warning"]
    assert "memory/b.md" in answer["warning"]
    assert "chmod" in answer["action"]
    assert "memory.search.store.path" in answer["action"]


def test_without_a_change_there_is_nothing_to_warn_of(bench: Bench) -> None:
    bench.index()
    _folder(bench).chmod(0o500)
    try:
        answer = bound(lambda: bench.answer("heron", wait=10))
    finally:
        _folder(bench).chmod(0o700)

    assert answer["results"]
    assert not {"stale", "warning"} & set(answer)


def test_a_host_with_a_worker_says_it_as_well(bench: Bench) -> None:
    def ask() -> dict[str, Any]:
        with bench.core(background=True) as core:
            return core.search("heron")

    _folder(bench).chmod(0o500)
    try:
        answer = bound(ask)
    finally:
        _folder(bench).chmod(0o700)

    assert [hit["path"] for hit in answer["results"]] == ["memory/a.md"]
    assert "cannot be written" in answer["warning"]


def test_an_index_that_cannot_be_made_is_an_error_that_names_the_folder(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    _folder(bench).mkdir(mode=0o500)
    try:
        answer = bound(lambda: bench.answer("heron", wait=10))
        with pytest.raises(StoreReadOnlyError) as caught:
            bound(bench.index)
    finally:
        _folder(bench).chmod(0o700)

    assert answer["unavailable"] is True
    assert answer["code"] == "store-read-only"
    assert str(_folder(bench)) in answer["error"] == caught.value.message
    assert f"chmod u+rwx {_folder(bench)}" in answer["action"]


def test_an_index_folder_that_may_not_be_entered_is_named(bench: Bench) -> None:
    _folder(bench).chmod(0o000)
    try:
        answer = bound(lambda: bench.answer("heron"))
        status = bound(bench.status)
    finally:
        _folder(bench).chmod(0o700)

    assert answer["code"] == status["indexError"]["code"] == "store-read-only"
    assert str(_folder(bench)) in answer["error"]
    assert status["indexExists"] is True


def test_a_full_disk_leaves_the_answer_too(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> object:
        raise StoreFullError("The index cannot grow", hint="Free some space.")

    monkeypatch.setattr("openclaw_memory_core.index.sync.SyncEngine.sync", full)
    answer = bench.answer("heron", wait=10)

    assert [hit["path"] for hit in answer["results"]] == ["memory/a.md"]
    assert answer["stale"] is True
    assert "cannot grow" in answer["warning"]
    assert answer["action"] == "Free some space."
