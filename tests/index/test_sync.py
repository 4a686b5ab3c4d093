"""Syncing: what is read, written, kept and published, and what is said about it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import apsw
import pytest
from support.faulty_vfs import FaultyVfs
from support.sync_bench import SyncBench, WordsProvider

from openclaw_memory_core.cancel import CancelToken
from openclaw_memory_core.config.model import ChunkingConfig
from openclaw_memory_core.errors import NoteReadError, ProviderAuthError, ProviderInputError, StoreError, StoreFullError
from openclaw_memory_core.index.report import SyncProgress
from openclaw_memory_core.index.store import SqliteStore, centres
from openclaw_memory_core.index.sync import LONGEST_PAUSE_SECONDS
from openclaw_memory_core.workspace.documents import Document, DocumentRef, Scan
from openclaw_memory_core.workspace.workspace import Workspace

DOWN = ProviderAuthError("the provider is down")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[SyncBench]:
    made = SyncBench(tmp_path, WordsProvider())
    yield made
    made.close()


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[SyncBench]:
    made = SyncBench(tmp_path)
    yield made
    made.close()


def test_first_sync_indexes_everything(bench: SyncBench) -> None:
    bench.write("MEMORY.md", "# People\n\n- Alice likes tea\n")
    bench.write("memory/2026-05-04.md", "berth heron is ours")
    report = bench.engine().sync(reason="cli")
    assert (report.added, report.changed, report.removed, report.complete, report.missing) == (2, 0, 0, True, 0)
    assert bench.found("heron") == {"memory/2026-05-04.md"}
    assert bench.found("alice") == {"MEMORY.md"}
    assert bench.found_by_vector("berth heron is ours")[0] == "memory/2026-05-04.md"
    assert report.embedded == len(bench.provider.texts) == bench.vectors() == 2


def test_second_sync_reads_nothing_and_sends_nothing(bench: SyncBench) -> None:
    note = bench.write("memory/a.md", "first")
    os.utime(note, (1_700_000_000, 1_700_000_000))
    engine = bench.engine(clock=lambda: 4_000_000_000.0)
    engine.sync(reason="cli")
    sent = list(bench.provider.texts)
    again = engine.sync(reason="cli")
    assert (again.unchanged, again.touched, again.added, again.changed) == (1, 0, 0, 0)
    assert bench.provider.texts == sent


def test_change_within_the_same_stamp_is_seen(bench: SyncBench) -> None:
    """The racy-git problem: same size, same times; only reading tells."""
    note = bench.write("memory/a.md", "aaaa")
    engine = bench.engine()
    engine.sync(reason="cli")
    note.write_text("bbbb", encoding="utf-8")
    assert engine.sync(reason="watch").changed == 1
    assert bench.found("bbbb") == {"memory/a.md"}
    assert bench.found("aaaa") == set()


def test_a_stamp_from_the_future_is_read_each_time_but_not_written(bench: SyncBench) -> None:
    bench.write("memory/a.md", "aaaa")
    engine = bench.engine(clock=lambda: 1_000_000_000.0)
    engine.sync(reason="cli")
    with bench.store.reader() as reader:
        before = reader.moment
    assert engine.sync(reason="cli").touched == 1
    with bench.store.reader() as reader:
        assert reader.moment == before


def test_changed_removed_and_renamed_notes(bench: SyncBench) -> None:
    bench.write("memory/a.md", "apple")
    old = bench.write("memory/b.md", "banana")
    bench.write("memory/c.md", "cherry")
    engine = bench.engine()
    engine.sync(reason="cli")
    bench.write("memory/a.md", "apricot")
    old.rename(bench.root / "memory" / "d.md")
    (bench.root / "memory" / "c.md").unlink()
    report = engine.sync(reason="cli")
    assert (report.added, report.changed, report.removed) == (1, 1, 2)
    assert [bench.found(w) for w in ("apricot", "banana", "cherry", "apple")] == [
        {"memory/a.md"},
        {"memory/d.md"},
        set(),
        set(),
    ]
    assert report.embedded == 1, "the renamed text was paid for already"


def test_only_named_paths_are_looked_at(plain: SyncBench) -> None:
    for name in "abc":
        plain.write(f"memory/{name}.md", f"old{name}")
    plain.write("memory/trips/x.md", "oldx")
    engine = plain.engine()
    engine.sync(reason="cli")
    for name in "abc":
        plain.write(f"memory/{name}.md", f"new{name}")
    (plain.root / "memory" / "c.md").unlink()
    plain.write("memory/trips/x.md", "newx")
    report = engine.sync(reason="watch", paths=["memory/a.md", "memory/trips"])
    assert (report.changed, report.removed) == (2, 0)
    assert [plain.found(word) for word in ("newa", "newx", "newb", "newc")] == [
        {"memory/a.md"},
        {"memory/trips/x.md"},
        set(),
        set(),
    ]
    assert plain.found("oldc") == {"memory/c.md"}
    assert engine.sync(reason="watch", paths=["memory/c.md"]).removed == 1


def test_newest_notes_come_first_and_curated_before_all(plain: SyncBench) -> None:
    for day in ("2026-05-01", "2026-05-03", "2026-05-02"):
        plain.write(f"memory/{day}.md", day)
    plain.write("MEMORY.md", "- fact")
    seen: list[str] = []
    engine = plain.engine()
    engine.sync(reason="cli", progress=lambda p: seen.append(p.path or "") if p.phase == "text" else None)
    assert seen == ["MEMORY.md", "memory/2026-05-03.md", "memory/2026-05-02.md", "memory/2026-05-01.md"]


class Unreliable(Workspace):
    """A workspace of which some files cannot be read, some folders not be seen."""

    unreadable: frozenset[str] = frozenset()
    unseen: tuple[str, ...] = ()
    broken = False

    def scan(self) -> Scan:
        if self.broken:
            raise RuntimeError("secret text of a note")
        found = super().scan()
        documents = tuple(d for d in found.documents if not d.path.startswith(self.unseen or ("\0",)))
        return Scan(documents, found.skipped, self.unseen)

    def load(self, ref: DocumentRef) -> Document:
        if ref.path in self.unreadable:
            raise NoteReadError(f"{ref.path} cannot be read")
        return super().load(ref)


def test_unreadable_file_keeps_its_rows_and_is_named(plain: SyncBench) -> None:
    for number in range(20):
        plain.write(f"memory/{number:02}.md", f"old{number}")
    source = Unreliable(plain.root)
    engine = plain.engine(sources=[source])
    engine.sync(reason="cli")
    for number in range(20):
        plain.write(f"memory/{number:02}.md", f"new{number}")
    source.unreadable = frozenset({"memory/07.md"})
    report = engine.sync(reason="cli")
    assert (report.changed, report.complete) == (19, False)
    assert report.failed["memory/07.md"].code == "note-unreadable"
    assert plain.found("old7") == {"memory/07.md"}
    assert plain.found("new8") == {"memory/08.md"}


def test_nothing_is_deleted_where_it_could_not_be_looked(plain: SyncBench) -> None:
    plain.write("memory/a.md", "apple")
    plain.write("memory/trips/b.md", "banana")
    plain.write("memory/tripsy.md", "cherry")
    source = Unreliable(plain.root)
    engine = plain.engine(sources=[source])
    engine.sync(reason="cli")
    source.unseen = ("memory/trips/",)
    (plain.root / "memory" / "tripsy.md").unlink()
    report = engine.sync(reason="cli")
    assert report.removed == 1
    assert report.unseen == ("memory/trips/",)
    assert plain.found("banana") == {"memory/trips/b.md"}


def test_a_source_that_breaks_loses_nothing(plain: SyncBench) -> None:
    plain.write("memory/a.md", "apple")
    source = Unreliable(plain.root)
    engine = plain.engine(sources=[source])
    engine.sync(reason="cli")
    source.broken = True
    for force in (False, True):
        report = engine.sync(reason="cli", force=force)
        assert not report.complete
        assert "secret" not in str(report.to_dict())
        assert plain.found("apple") == {"memory/a.md"}


def test_texts_are_searchable_before_the_provider_answers(bench: SyncBench) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        asked.set()
        assert go_on.wait(10)

    bench.provider.before = wait
    for number in range(30):
        bench.write(f"memory/{number}.md", f"word{number}")
    worker = threading.Thread(target=bench.engine().sync, kwargs={"reason": "start"})
    worker.start()
    try:
        assert asked.wait(10)
        assert bench.found("word29") == {"memory/29.md"}
        assert bench.vectors() == 0
    finally:
        go_on.set()
        worker.join()
    assert bench.vectors() == 30


def test_first_index_is_published_without_vectors_if_the_provider_fails(bench: SyncBench) -> None:
    bench.write("memory/a.md", "apple")
    bench.provider.fail = DOWN
    report = bench.engine().sync(reason="cli")
    assert report.provider_error is DOWN
    assert (report.complete, report.missing) == (True, 1)
    assert bench.found("apple") == {"memory/a.md"}
    bench.provider.fail = None
    later = bench.engine().sync(reason="cli")
    assert (later.embedded, later.missing, later.provider_error) == (1, 0, None)
    assert bench.found_by_vector("apple") == ["memory/a.md"]


def test_new_note_is_found_by_keywords_while_the_provider_is_down(bench: SyncBench) -> None:
    bench.write("memory/a.md", "apple")
    engine = bench.engine()
    engine.sync(reason="cli")
    bench.provider.fail = DOWN
    bench.write("memory/b.md", "banana")
    report = engine.sync(reason="watch")
    assert (report.added, report.missing) == (1, 1)
    assert bench.found("banana") == {"memory/b.md"}
    assert bench.found_by_vector("apple") == ["memory/a.md"]


def test_automatic_syncs_leave_a_failing_provider_alone_for_a_while(bench: SyncBench) -> None:
    now = [0.0]
    tries: list[int] = []
    bench.provider.fail = DOWN
    bench.provider.before = lambda: tries.append(1)
    engine = bench.engine(monotonic=lambda: now[0])
    bench.write("memory/a.md", "apple")
    engine.sync(reason="watch")
    first = len(tries)
    bench.write("memory/b.md", "banana")
    report = engine.sync(reason="watch")
    assert len(tries) == first
    assert report.provider_error is DOWN
    assert bench.found("banana")
    engine.sync(reason="cli")
    assert len(tries) > first, "who asks in person is answered"
    bench.provider.fail = None
    now[0] += LONGEST_PAUSE_SECONDS + 1
    assert engine.sync(reason="watch").missing == 0


def test_refused_text_does_not_stop_the_rest_and_is_named_and_not_paid_again(bench: SyncBench) -> None:
    for number in range(20):
        bench.write(f"memory/{number}.md", f"word{number}" + (" forbidden" if number == 7 else ""))
    bench.provider.refuse = {"forbidden": ProviderInputError("content refused")}
    engine = bench.engine()
    report = engine.sync(reason="cli")
    assert (report.embedded, report.missing) == (19, 1)
    assert report.unembedded["memory/7.md"].code == "provider-input"
    tries: list[int] = []
    bench.provider.before = lambda: tries.append(1)
    again = engine.sync(reason="cli")
    assert tries == []
    assert again.unembedded["memory/7.md"].code == "provider-input"
    bench.provider.refuse = {}
    assert engine.sync(reason="cli", force=True).missing == 0
    assert engine.sync(reason="cli").unembedded == {}


def test_force_rebuilds_without_paying_again(bench: SyncBench) -> None:
    for number in range(20):
        bench.write(f"memory/{number}.md", f"word{number}")
    engine = bench.engine()
    engine.sync(reason="cli")
    with bench.store.reader() as reader:
        before = reader.generation
    sent = len(bench.provider.texts)
    bench.provider.fail = DOWN
    report = engine.sync(reason="cli", force=True)
    assert (report.rebuilt, report.missing, report.cached) == (True, 0, 20)
    assert len(bench.provider.texts) == sent
    with bench.store.reader() as reader:
        assert reader.generation > before


def test_new_chunking_rebuilds(plain: SyncBench) -> None:
    plain.write("memory/a.md", "A sentence is here. " * 100)
    plain.engine().sync(reason="cli")
    few = len(plain.content())
    report = plain.engine(chunking=ChunkingConfig(100, 20)).sync(reason="cli")
    assert report.rebuilt
    assert len(plain.content()) > few


def test_vectors_are_never_replaced_by_keywords_because_a_provider_is_down(bench: SyncBench) -> None:
    bench.write("memory/a.md", "apple")
    bench.engine().sync(reason="cli")
    other = WordsProvider("birch", 12)
    other.fail = DOWN
    bench.write("memory/b.md", "banana")
    engine = bench.engine(other)
    report = engine.sync(reason="cli")
    assert (report.rebuilt, report.provider_error) == (False, DOWN)
    assert bench.found_by_vector("apple") == ["memory/a.md"]
    assert bench.found("banana") == {"memory/b.md"}, "new texts are found in the index that answers"
    bench.write("memory/c.md", "cherry")
    engine.sync(reason="cli")
    assert bench.found("cherry") == {"memory/c.md"}
    (bench.root / "memory" / "a.md").unlink()
    engine.sync(reason="watch")
    assert bench.found("apple") == set()
    other.fail = None
    done = engine.sync(reason="cli")
    assert (done.rebuilt, done.missing) == (True, 0)
    with bench.store.reader() as reader:
        assert reader.identity == bench.identity(other)


def test_work_paid_for_survives_a_failed_rebuild(bench: SyncBench) -> None:
    for number in range(100):
        bench.write(f"memory/{number}.md", f"word{number}")
    bench.engine().sync(reason="cli")
    other = WordsProvider("birch", 12, items=10, concurrency=1)
    other.fail, other.fail_after = DOWN, 60
    engine = bench.engine(other)
    engine.sync(reason="cli")
    assert len(other.texts) == 60
    other.fail = None
    assert engine.sync(reason="cli").rebuilt
    assert len(other.texts) == 100


def test_the_very_first_index_answers_before_it_is_complete(plain: SyncBench) -> None:
    for number in range(20):
        # So long that no two of them are written together.
        plain.write(f"memory/{number:02}.md", f"heron{number}\n\n" + "The marsh is quiet in winter.\n" * 1200)
    seconds = count()
    found: dict[int, int] = {}

    def look(progress: SyncProgress) -> None:
        if progress.phase == "text":
            found[progress.done] = sum(bool(plain.found(f"heron{number}")) for number in range(20))

    report = plain.engine(clock=lambda: float(next(seconds))).sync(reason="start", progress=look)
    assert report.rebuilt
    assert found[1] == 0
    assert 0 < found[15] < 20


def test_killed_rebuild_is_picked_up_where_it_was_left(bench: SyncBench) -> None:
    for number in range(60):
        bench.write(f"memory/{number}.md", f"word{number}")
    bench.engine().sync(reason="cli")
    other = WordsProvider("birch", 12)
    token = CancelToken()
    other.before = token.cancel
    stopped = bench.engine(other).sync(reason="start", cancel=token)
    assert (stopped.cancelled, stopped.rebuilt) == (True, False)
    assert bench.found("word7") == {"memory/7.md"}
    (half,) = bench.store.describe()["building"]
    done = bench.engine(other).sync(reason="start")
    assert (done.rebuilt, done.chunks) == (True, 0), "the texts are there already"
    with bench.store.reader() as reader:
        assert reader.generation == half


def test_full_disk_during_a_rebuild_drops_the_half_and_keeps_the_old(tmp_path: Path) -> None:
    with FaultyVfs("full") as disk:
        bench = SyncBench(tmp_path, WordsProvider())
        for number in range(60):
            bench.write(f"memory/{number}.md", f"word{number}")
        bench.engine().sync(reason="cli")
        bench.close()
        bench.store = SqliteStore(bench.index, vfs=disk.name)
        bench.store.open()

        def fill(progress: SyncProgress) -> None:
            if (progress.phase, progress.done) == ("text", 30):
                disk.fail_from = disk.calls

        with pytest.raises(StoreFullError):
            bench.engine(WordsProvider("birch", 12)).sync(reason="cli", progress=fill)
        assert bench.found("word7") == {"memory/7.md"}
        disk.fail_from = None
        report = bench.engine().sync(reason="cli")
        assert report.unchanged == 60
        assert bench.store.describe()["building"] == []
        assert bench.store.integrity_check(full=True) == []
        bench.close()


def test_cancel_keeps_what_was_done(bench: SyncBench) -> None:
    for number in range(100):
        bench.write(f"memory/{number}.md", f"word{number}")
    token = CancelToken()
    engine = bench.engine()
    report = engine.sync(
        reason="cli", cancel=token, progress=lambda p: token.cancel() if (p.phase, p.done) == ("text", 40) else None
    )
    assert (report.cancelled, report.complete) == (True, False)
    assert bench.provider.texts == [], "nothing more is asked of the provider"
    assert engine.sync(reason="cli").complete
    assert len(bench.content()) == 100
    assert len(set(bench.provider.texts)) == len(bench.provider.texts) == 100


def test_cancel_while_embedding(bench: SyncBench) -> None:
    for number in range(100):
        bench.write(f"memory/{number}.md", f"word{number}")
    token = CancelToken()
    bench.provider.before = token.cancel
    engine = bench.engine()
    assert engine.sync(reason="cli", cancel=token).cancelled
    assert engine.sync(reason="cli").missing == 0


def test_progress_goes_through_the_phases(bench: SyncBench) -> None:
    bench.write("memory/a.md", "apple")
    seen: list[SyncProgress] = []
    bench.engine().sync(reason="cli", progress=seen.append)
    phases = [progress.phase for progress in seen]
    assert phases[0] == "scan"
    assert set(phases) == {"scan", "text", "vectors", "publish"}


def test_two_syncs_at_once_one_is_busy(bench: SyncBench) -> None:
    bench.write("memory/a.md", "apple")
    asked, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        asked.set()
        assert go_on.wait(10)

    bench.provider.before = wait
    engine = bench.engine(lease_wait=0.05)
    worker = threading.Thread(target=engine.sync, kwargs={"reason": "start"})
    worker.start()
    try:
        assert asked.wait(10)
        for other in (engine, bench.engine(lease_wait=0.05)):
            report = other.sync(reason="cli")
            assert (report.busy, report.complete) == (True, False)
    finally:
        go_on.set()
        worker.join()


def test_last_sync_and_totals_are_kept_with_the_index(bench: SyncBench) -> None:
    bench.write("memory/a.md", "apple pie")
    engine = bench.engine()
    assert engine.last() is None
    engine.sync(reason="cli")
    bench.write("memory/b.md", "banana")
    engine.sync(reason="watch")
    again = bench.engine()
    last = again.last()
    assert last is not None
    assert (last["reason"], last["added"], last["complete"]) == ("watch", 1, True)
    assert again.totals()["texts"] == 2
    assert again.totals()["tokens"] >= 4


def test_blank_files_are_indexed_once_and_are_no_backlog(bench: SyncBench) -> None:
    bench.write("memory/2026-05-04.md", "")
    bench.write("memory/blank.md", "\n" * 50)
    bench.write("memory/real.md", "One sentence.")
    engine = bench.engine()
    report = engine.sync(reason="cli")
    assert (report.added, report.missing, report.chunks) == (3, 0, 1)
    assert bench.provider.texts == ["One sentence."]
    assert engine.sync(reason="cli").unchanged == 3


def test_note_that_becomes_curated_is_indexed_anew(plain: SyncBench) -> None:
    plain.write("memory.md", "- apple")
    main = plain.write("MEMORY.md", "- pear")
    if (plain.root / "memory.md").samefile(main):
        pytest.skip("names that differ in case only are one file here")
    engine = plain.engine()
    engine.sync(reason="cli")
    assert plain.found("apple") == set()
    main.unlink()
    engine.sync(reason="cli")
    assert plain.found("apple") == {"memory.md"}


def test_documents_of_a_source_that_is_switched_off_are_removed(plain: SyncBench) -> None:
    plain.write("memory/a.md", "apple")
    plain.engine().sync(reason="cli")
    assert plain.engine(sources=[]).sync(reason="cli").removed == 1
    assert plain.found("apple") == set()


def test_large_documents_are_all_written(plain: SyncBench) -> None:
    for number in range(12):
        plain.write(f"memory/{number:03}.md", f"word{number} " * 90_000)
    report = plain.engine().sync(reason="cli")
    assert report.added == 12
    assert report.chunks > 1000


class Odd(Workspace):
    """A workspace some of whose documents the store cannot take: their path is not valid text."""

    odd = 1

    def scan(self) -> Scan:
        found = super().scan()
        bad = tuple(DocumentRef(f"memory/{n}\ud800.md", "memory", (1, 1, 1, n, 1)) for n in range(self.odd))
        return Scan((*bad, *found.documents), found.skipped)

    def load(self, ref: DocumentRef) -> Document:
        return Document(ref, "odd", "hash") if "\ud800" in ref.path else super().load(ref)


@pytest.mark.parametrize("others", [0, 30], ids=["one by one", "a few together"])
def test_one_document_that_the_store_refuses_does_not_stop_the_rest(plain: SyncBench, others: int) -> None:
    plain.write("memory/a.md", "apple")
    for number in range(others):
        plain.write(f"memory/b{number}.md", f"pear{number}")
    source = Odd(plain.root)
    report = plain.engine(sources=[source]).sync(reason="cli")
    assert (report.added, report.chunks, report.complete) == (1 + others, 1 + others, False)
    assert [failed.code for failed in report.failed.values()] == ["store"]
    assert plain.found("apple") == {"memory/a.md"}


def test_a_store_that_refuses_one_document_after_the_other_ends_the_sync(plain: SyncBench) -> None:
    source = Odd(plain.root)
    source.odd = 10
    with pytest.raises(StoreError):
        plain.engine(sources=[source]).sync(reason="cli")


def test_after_the_first_sync_no_vector_lacks_its_code(bench: SyncBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors without a code are read and compared at every search."""
    monkeypatch.setattr(centres, "CODED_FROM", 16)
    for number in range(50):
        bench.write(f"memory/n{number}.md", f"note {number} of the heron\n")

    bench.engine().sync(reason="cli")

    db = apsw.Connection(str(bench.index), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        assert db.execute("SELECT count(*) FROM codes").get == db.execute("SELECT count(*) FROM vectors").get == 50
    finally:
        db.close()
