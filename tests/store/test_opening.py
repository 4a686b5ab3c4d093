from __future__ import annotations

import os
import stat
from pathlib import Path

import apsw
import pytest
from support.powers import bound
from support.store import Bench, digest, identity

from openclaw_memory_core.errors import StoreCorruptError, StoreError, StoreForeignError, StoreReadOnlyError
from openclaw_memory_core.index.store import SqliteStore
from openclaw_memory_core.index.store.schema import APPLICATION_ID, FORMAT

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")


@posix
def test_file_and_new_folder_belong_to_their_owner_alone(tmp_path: Path) -> None:
    with Bench(tmp_path / "state" / "memory" / "main.sqlite") as bench:
        bench.fill({"memory/a.md": "kiln"})
        for path in bench.path.parent.iterdir():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
        assert stat.S_IMODE(bench.path.parent.stat().st_mode) == 0o700


@posix
def test_an_existing_folder_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with Bench(tmp_path / "main.sqlite"):
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_the_file_carries_our_mark_and_the_number_of_its_format(bench: Bench) -> None:
    head = bench.path.read_bytes()[:100]
    assert int.from_bytes(head[68:72], "big") == APPLICATION_ID
    assert int.from_bytes(head[60:64], "big") == FORMAT
    assert bench.store.describe()["journalMode"] == "wal"


def test_closing_leaves_one_file(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    bench.store.close()
    assert [path.name for path in bench.path.parent.iterdir()] == ["main.sqlite"]


def test_what_was_written_is_there_after_opening_again(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    bench.store.set_state("last-sync", {"at": 12.5})
    bench.store.close()
    with Bench(bench.path) as again:
        assert again.found("kiln") == ["memory/a.md"]
        assert again.store.state("last-sync") == {"at": 12.5}
        assert again.store.state("never") is None


def test_a_closed_store_says_so(bench: Bench) -> None:
    bench.store.close()
    with pytest.raises(StoreError, match="closed"), bench.store.reader():
        pass
    with pytest.raises(StoreError, match="closed"):
        bench.store.writer(identity())
    bench.store.close()


def test_opening_twice_and_closing_twice_is_harmless(bench: Bench) -> None:
    bench.store.open()
    bench.fill({"memory/a.md": "kiln"})
    bench.store.close()
    bench.store.close()
    bench.store.open()
    assert bench.found("kiln") == ["memory/a.md"]


@pytest.mark.parametrize("mark", [0, 0x12345678])
def test_another_programs_database_is_refused_and_untouched(tmp_path: Path, mark: int) -> None:
    path = tmp_path / "main.sqlite"
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE chunks(id)")
    db.pragma("application_id", mark)
    db.close()
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    with pytest.raises(StoreForeignError, match=r"main\.sqlite"):
        SqliteStore(path).open()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_note_in_place_of_the_index_is_refused_and_neither_moved_nor_reset(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("# Memory\n\nDie Küche wird blau.\n" * 300, encoding="utf-8")
    before = path.read_bytes()
    store = SqliteStore(path)
    with pytest.raises(StoreForeignError):
        store.open()
    with pytest.raises(StoreForeignError):
        store.reset()
    with pytest.raises(StoreForeignError):
        store.set_aside()
    assert path.read_bytes() == before


@pytest.mark.parametrize("junk", [bytes(8192), os.urandom(64) + b"\xff\xfe\x00" * 2700, b"SQLite format 3\0"])
def test_a_file_that_is_no_database_is_damaged(tmp_path: Path, junk: bytes) -> None:
    path = tmp_path / "main.sqlite"
    path.write_bytes(junk)
    with pytest.raises(StoreCorruptError) as caught:
        SqliteStore(path).open()
    assert str(path) in caught.value.message
    assert caught.value.hint


def test_random_bytes_over_the_beginning_are_found_when_opening(bench: Bench) -> None:
    bench.fill({f"memory/{n}.md": f"kiln {n}" for n in range(50)})
    bench.store.close()
    with bench.path.open("r+b") as file:
        file.write(b"\xff" + os.urandom(8191))
    with pytest.raises(StoreCorruptError):
        bench.store.open()


def test_damage_inside_is_an_error_of_ours_when_it_is_met(bench: Bench) -> None:
    bench.fill({f"memory/{n}.md": f"kiln {n} " * 200 for n in range(50)})
    bench.store.close()
    size = bench.path.stat().st_size
    with bench.path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xa5" * (size - 8192))
    with pytest.raises(StoreCorruptError):
        _open_and_search(bench)


def _open_and_search(bench: Bench) -> None:
    bench.store.open()
    bench.found("kiln")


def test_a_damaged_file_is_set_aside_and_a_new_one_begun(bench: Bench) -> None:
    bench.store.close()
    bench.path.write_bytes(bytes(8192))
    target = Path(bench.store.set_aside())
    assert target.name == "main.sqlite.corrupt-20231114T221320Z"
    assert target.read_bytes() == bytes(8192)
    bench.store.open()
    bench.fill({"memory/a.md": "kiln"})
    assert bench.found("kiln") == ["memory/a.md"]


def test_only_the_newest_damaged_file_is_kept(bench: Bench) -> None:
    for seconds in (0, 0, 60):
        bench.now += seconds
        bench.store.close()
        bench.path.write_bytes(bytes(8192))
        Path(f"{bench.path}-wal").write_bytes(b"x")
        last = bench.store.set_aside()
    names = sorted(path.name for path in bench.path.parent.iterdir())
    assert names == [Path(last).name, Path(last).name + "-wal"]


def test_a_file_that_is_not_damaged_is_not_set_aside(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    assert bench.store.set_aside() == str(bench.path)
    assert bench.found("kiln") == ["memory/a.md"]


def test_the_second_thread_that_meets_the_damage_keeps_what_the_first_one_began(bench: Bench) -> None:
    bench.store.close()
    bench.path.write_bytes(bytes(8192))
    for _ in range(2):
        with pytest.raises(StoreCorruptError):
            bench.store.open()
    first = bench.store.set_aside()
    bench.store.open()
    bench.fill({"memory/a.md": "kiln"})
    assert bench.store.set_aside() == first
    assert bench.found("kiln") == ["memory/a.md"]


def test_what_the_check_finds_may_be_set_aside(bench: Bench) -> None:
    bench.fill({f"memory/{n}.md": f"kiln {n} " * 200 for n in range(50)})
    bench.store.close()
    with bench.path.open("r+b") as file:
        file.seek(bench.path.stat().st_size - 8192)
        file.write(b"\xa5" * 8192)
    bench.store.open()
    assert bench.store.integrity_check()
    assert ".corrupt-" in bench.store.set_aside()


def test_a_newer_format_is_refused_with_the_way_out(bench: Bench) -> None:
    bench.store.close()
    db = apsw.Connection(str(bench.path))
    db.pragma("user_version", FORMAT + 1)
    db.close()
    with pytest.raises(StoreError, match=f"format {FORMAT + 1}") as caught:
        bench.store.open()
    assert "reset" in (caught.value.hint or "")


def test_an_older_format_gives_up_its_texts_and_keeps_its_vectors(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln", "memory/b.md": "oven"})
    writer = bench.store.writer(identity(), rebuild=True)
    bench.put(writer, "memory/a.md", "kiln")
    make_older(bench)
    bench.store.open()
    with bench.store.reader() as reader:
        assert (reader.files(), reader.generation) == ({}, 0)
    assert bench.store.describe()["building"] == []
    writer = bench.store.writer(identity())
    assert writer.files() == {}
    assert writer.known_hashes([digest("kiln"), digest("oven")]) == {digest("kiln"), digest("oven")}
    bench.put(writer, "memory/a.md", "kiln")
    writer.finish()
    assert bench.found("kiln") == ["memory/a.md"]
    assert not any("triggers" in column for column in columns(bench))
    assert bench.store.integrity_check(full=True) == []
    bench.store.close()
    assert bench.path.read_bytes()[60:64] == FORMAT.to_bytes(4, "big")


def make_older(bench: Bench) -> None:
    """Close the store and make its file what the format before wrote."""
    bench.store.close()
    db = apsw.Connection(str(bench.path))
    for number in (1, 2):
        db.execute(f"ALTER TABLE g{number}_chunks ADD COLUMN triggers TEXT")
        db.execute(f"CREATE INDEX g{number}_chunks_triggers ON g{number}_chunks(id) WHERE triggers IS NOT NULL")
    db.pragma("user_version", FORMAT - 1)
    db.close()


def columns(bench: Bench) -> list[str]:
    db = apsw.Connection(str(bench.path))
    found = [str(row[0]) for row in db.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")]
    db.close()
    return found


def test_two_that_open_an_older_format_at_once_agree(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    bench.store.writer(identity(), rebuild=True)
    make_older(bench)
    bench.store.open()
    with Bench(bench.path) as other:
        other.fill({"memory/a.md": "kiln"})
        assert bench.found("kiln") == ["memory/a.md"]


@posix
def test_an_older_format_that_cannot_be_written_is_named_and_left_alone(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    bench.store.writer(identity(), rebuild=True)
    make_older(bench)
    before = bench.path.read_bytes()
    bench.path.chmod(0o400)
    try:
        with pytest.raises(StoreReadOnlyError, match=f"format {FORMAT - 1}"):
            bound(bench.store.open)
    finally:
        bench.path.chmod(0o600)
    assert bench.path.read_bytes() == before


@pytest.mark.parametrize("version", [0, -1])
def test_a_format_that_never_was_is_refused_and_untouched(bench: Bench, version: int) -> None:
    bench.store.close()
    db = apsw.Connection(str(bench.path))
    db.pragma("user_version", version)
    db.close()
    before = bench.path.read_bytes()
    with pytest.raises(StoreError, match=f"format {version}"):
        bench.store.open()
    assert bench.path.read_bytes() == before


def test_reset_removes_the_index_and_nothing_else(bench: Bench) -> None:
    bench.fill({"memory/a.md": "kiln"})
    neighbour = bench.path.with_name("other.sqlite")
    neighbour.write_bytes(b"x")
    bench.store.reset()
    assert list(bench.path.parent.iterdir()) == [neighbour]
    bench.store.reset()


def test_reset_of_another_programs_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "main.sqlite"
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE other(id)")
    db.close()
    with pytest.raises(StoreForeignError):
        SqliteStore(path).reset()
    assert path.exists()


def test_a_store_follows_when_another_process_replaces_the_file(bench: Bench) -> None:
    bench.fill({"memory/a.md": "old kiln"})
    assert bench.found("kiln") == ["memory/a.md"]
    with Bench(bench.path) as other:
        other.store.reset()
        other.store.open()
        other.fill({"memory/b.md": "new kiln"})
        assert bench.found("kiln") == ["memory/b.md"]
    bench.fill({"memory/c.md": "third kiln"})
    assert len(bench.found("kiln")) == 2


def test_a_reader_that_outlives_the_file_does_not_come_back(bench: Bench) -> None:
    bench.fill({"memory/a.md": "old kiln"})
    with bench.store.reader() as reader:
        bench.store.reset()
        bench.store.open()
        bench.fill({"memory/b.md": "new kiln"})
        assert [one.path for one in reader.chunks([1]).values()] == ["memory/a.md"]
    assert bench.found("kiln") == ["memory/b.md"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_no_file_descriptor_is_left_open(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        with Bench(tmp_path / "main.sqlite") as bench:
            bench.fill({"memory/a.md": "kiln"})
            with bench.store.reader(), bench.store.reader(), bench.store.lease("test", wait=0):
                pass
            bench.store.describe()
    for _ in range(3):
        (tmp_path / "main.sqlite").write_bytes(bytes(8192))
        with pytest.raises(StoreCorruptError):
            SqliteStore(tmp_path / "main.sqlite").open()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_folder_in_place_of_the_file_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "main.sqlite").mkdir()
    with pytest.raises(StoreError, match=r"main\.sqlite"):
        SqliteStore(tmp_path / "main.sqlite").open()


def test_a_file_in_place_of_the_folder_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "memory").write_bytes(b"")
    with pytest.raises(StoreReadOnlyError, match=r"main\.sqlite"):
        SqliteStore(tmp_path / "memory" / "main.sqlite").open()


def test_integrity_check_finds_nothing_wrong_with_a_used_store(bench: Bench) -> None:
    bench.fill({f"memory/{n}.md": f"kiln {n}" for n in range(20)})
    bench.store.writer(identity()).remove(["memory/3.md"])
    assert bench.store.integrity_check() == []
    assert bench.store.integrity_check(full=True) == []


def test_integrity_check_is_not_misled_by_what_was_read_before(bench: Bench) -> None:
    bench.fill({f"memory/{n}.md": f"kiln {n}" for n in range(40)})
    bench.found("kiln")
    for _ in range(7):
        bench.fill({f"memory/{n}.md": f"kiln {n}" for n in range(40)})
    assert bench.store.integrity_check(full=True) == []


def test_vacuum_gives_space_back(bench: Bench) -> None:
    bench.fill({f"memory/{n}.md": f"kiln {n} " * 400 for n in range(50)})
    bench.store.writer(identity()).remove([f"memory/{n}.md" for n in range(50)])
    before = bench.store.describe()
    assert before["reusableBytes"] > 0
    bench.store.vacuum()
    assert bench.store.describe()["reusableBytes"] == 0
