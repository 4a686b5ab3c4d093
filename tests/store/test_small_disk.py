"""Real file systems, where this process may mount them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.store import Bench, identity

from openclaw_memory_core.errors import StoreFullError, StoreReadOnlyError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="tmpfs")

Remount = Callable[[str], None]


def _mount(*arguments: str) -> bool:
    try:
        return subprocess.run(["mount", *arguments], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if not _mount("-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)):
        pytest.skip("this process may not mount a file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_keeps_the_old_index_names_the_file_and_heals_with_space(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(1_000_000))
    with Bench(small_disk / "main.sqlite") as bench:
        bench.fill({"memory/a.md": "old kiln"})
        writer = bench.store.writer(identity(), rebuild=True)

        def fill_the_disk() -> None:
            for number in range(1000):
                bench.put(writer, f"memory/{number}.md", f"new kiln {number} " + "with more words " * 200)

        with pytest.raises(StoreFullError, match=r"main\.sqlite"):
            fill_the_disk()
        assert bench.found("kiln") == ["memory/a.md"]
        bench.store.writer(identity()).finish()
        assert bench.found("kiln") == ["memory/a.md"]
        ballast.unlink()
        bench.store.writer(identity()).finish()
        assert bench.store.describe()["building"] == []
        assert bench.found("kiln") == ["memory/a.md"]
        assert bench.store.integrity_check(full=True) == []


def test_an_index_on_a_read_only_disk_answers_and_refuses_to_be_written(small_disk: Path) -> None:
    path = small_disk / "main.sqlite"
    with Bench(path) as bench:
        bench.fill({"memory/a.md": "kiln"})
    assert _mount("-o", "remount,ro", str(small_disk))
    with Bench(path) as bench:
        assert bench.found("kiln") == ["memory/a.md"]
        assert bench.store.describe()["readOnly"] is True
        with pytest.raises(StoreReadOnlyError, match=r"main\.sqlite"):
            bench.store.writer(identity("birch"))
        with pytest.raises(StoreReadOnlyError), bench.store.lease("me", wait=0):
            pass
        with pytest.raises(StoreReadOnlyError):
            bench.store.reset()


def test_a_new_index_on_a_read_only_disk_is_refused(small_disk: Path) -> None:
    assert _mount("-o", "remount,ro", str(small_disk))
    with pytest.raises(StoreReadOnlyError, match=r"main\.sqlite"), Bench(small_disk / "main.sqlite"):
        pass
