"""What ``memory_search`` says about itself: every answer that is less than it could be has a field that says so."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.bench import GROUP, MAIN, Bench, remote
from support.fake_embeddings import FakeEmbeddings

from openclaw_memory_core.core.freshness import Gap, freshness_of
from openclaw_memory_schemas import load

UNREACHABLE = "http://127.0.0.1:9/v1"


def _valid(answer: dict[str, Any]) -> dict[str, Any]:
    Draft202012Validator(load("tool.memory_search.output")).validate(answer)
    json.dumps(answer)
    return answer


def test_a_fresh_index_answers_without_any_reservation(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()

    answer = _valid(bench.answer("heron"))

    assert set(answer) == {"results", "provider", "model", "mode"}
    assert answer["mode"] == "keyword"
    assert answer["results"][0]["citation"] == "memory/a.md#L1"


def test_a_correction_is_said(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the dashboard stays blank\n")
    bench.index()

    answer = _valid(bench.answer("dashbord blnak"))

    assert [hit["path"] for hit in answer["results"]] == ["memory/a.md"]
    assert answer["warning"] == 'No note holds "dashbord" or "blnak"; looked for dashboard, blank instead.'
    assert "partial" not in answer


def test_what_no_note_holds_is_said_where_there_are_results(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.write("MEMORY.md", "the safe is QX-9999\n")
    bench.index()

    said = 'No note holds "QX-9998"; these are the nearest others.'
    assert _valid(bench.answer("heron QX-9998"))["warning"] == said
    assert "warning" not in bench.answer("heron QX-9999")
    assert "warning" not in bench.answer("QX-9998")
    said = 'No note holds "grey owl", "A-1" or "A-2"; these are the nearest others.'
    assert bench.answer('heron A-1 A-2 A-3 "grey owl"')["warning"] == said
    # In a group the hidden note is as if it were not there.
    said = 'No note holds "QX-9999"; these are the nearest others.'
    assert bench.answer("heron QX-9999", session=GROUP)["warning"] == said


def test_a_warning_about_the_index_follows(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()
    bench.write("memory/b.md", "QX-9999\n")

    warning = bench.answer("heron QX-9999")["warning"]

    assert warning.startswith('No note holds "QX-9999"; these are the nearest others. ')
    assert "memory/b.md" in warning


def test_a_note_that_is_not_indexed_yet_makes_the_answer_stale(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()
    bench.write("memory/b.md", "the walrus sleeps\n")

    answer = _valid(bench.answer("walrus"))

    assert answer["results"] == []
    assert answer["stale"] is True
    assert "memory/b.md" in answer["warning"]
    assert "openclaw-memory index" in answer["action"]


def test_a_note_that_changed_is_told_from_one_that_is_new(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.write("memory/c.md", "the cat sleeps\n")
    bench.index()
    bench.write("memory/a.md", "the heron moved to the lake\n")

    one = bench.answer("heron")["warning"]
    bench.write("memory/b.md", "the walrus sleeps\n")
    bench.write("memory/c.md", "the cat is awake\n")
    both = bench.answer("heron")["warning"]

    assert one == "1 note has changed since it was indexed: memory/a.md."
    assert "1 note is not in the index yet: memory/b.md." in both
    assert "2 notes have changed since they were indexed: " in both


def test_a_deleted_note_makes_the_answer_stale(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    gone = bench.write("memory/b.md", "the walrus sleeps\n")
    bench.index()
    gone.unlink()

    assert _valid(bench.answer("heron"))["stale"] is True


def test_waiting_brings_the_index_up_to_date_first(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()
    bench.write("memory/b.md", "the walrus sleeps\n")

    answer = bench.answer("walrus", wait=10)

    assert [hit["path"] for hit in answer["results"]] == ["memory/b.md"]
    assert "stale" not in answer


def test_a_named_provider_that_is_down_makes_search_unavailable(tmp_path: Path) -> None:
    bench = Bench(tmp_path, search=remote(UNREACHABLE))
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()

    answer = _valid(bench.answer("heron"))

    assert answer["results"] == []
    assert answer["unavailable"] is True
    assert answer["debug"]["embeddingBootstrap"]["degradedTo"] == "unavailable"
    assert "127.0.0.1:9" in answer["error"]


def test_a_fallback_takes_over_and_says_so(tmp_path: Path) -> None:
    bench = Bench(tmp_path, search={**remote(UNREACHABLE), "fallback": "embedded"})
    bench.write("memory/a.md", "the heron nests by the mill\n")
    report = bench.index()

    answer = _valid(bench.answer("bird beside the river wheel"))

    assert report.embedded == 1
    assert answer["provider"] == "embedded"
    assert answer["fallback"]["from"] == "openai-compatible"
    assert [hit["path"] for hit in answer["results"]] == ["memory/a.md"]


def test_an_index_with_vectors_survives_a_provider_that_is_down(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        bench.write("memory/a.md", "the heron nests by the mill\n")
        bench.index()
        sent = len(fs.inputs)
        fs.fail(500, times=1000)
        bench.write("memory/b.md", "the walrus sleeps\n")
        report = bench.index()
        assert report.provider_error is not None
        assert bench.status()["vectors"] == 1
        fs.repair()
        bench.index()

        assert bench.status()["vectors"] == 2
        assert sum("heron" in text for text in fs.inputs[sent:]) == 0


def test_after_a_failed_query_the_dead_server_is_left_alone_for_a_while(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        bench.write("memory/a.md", "the heron nests by the mill\n")
        bench.index()
        fs.fail(401, times=1000)
        with bench.core() as core:
            assert core.search("heron")["unavailable"] is True
            calls = len(fs.requests)
            assert core.search("heron again")["unavailable"] is True
            assert len(fs.requests) == calls


def test_a_damaged_index_is_set_aside_and_the_answer_says_so(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    note = bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()
    path = Path(bench.status()["dbPath"])
    path.write_bytes(random.Random(1).randbytes(8192) + path.read_bytes()[8192:])

    answer = _valid(bench.answer("heron", wait=10))

    assert [hit["path"] for hit in answer["results"]] == ["memory/a.md"]
    assert "damaged" in answer["warning"]
    assert list(path.parent.glob("*.corrupt-*"))
    assert note.read_text(encoding="utf-8") == "the heron nests by the mill\n"


def test_a_foreign_file_at_the_place_of_the_index_is_left_alone(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    path = bench.state / "memory" / "main.sqlite"
    path.parent.mkdir()
    path.write_bytes(b"a diary of somebody else, long enough to be no empty file\n" * 100)
    before = path.read_bytes()

    answer = _valid(bench.answer("heron"))

    assert answer["unavailable"] is True
    assert str(path) in answer["error"]
    assert path.read_bytes() == before


def test_disabled_search_says_disabled_and_offers_no_tool(tmp_path: Path) -> None:
    bench = Bench(tmp_path, search={"enabled": False})

    assert _valid(bench.answer("heron"))["disabled"] is True
    with bench.slot() as slot:
        assert [tool.name for tool in slot.tools(MAIN)] == ["memory_append"]
        assert "memory_search" not in slot.prompt_section(MAIN)


def test_asking_for_transcripts_that_are_not_indexed_says_so(tmp_path: Path) -> None:
    answer = _valid(Bench(tmp_path).answer("heron", corpus="sessions"))

    assert answer["disabled"] is True
    assert "sessionMemory" in answer["action"]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": ""},
        {"query": "   "},
        {"query": 7},
        {"query": "x", "maxResults": 0},
        {"query": "x", "maxResults": "many"},
        {"query": "x", "minScore": 2},
        {"query": "x", "minScore": float("nan")},
        {"query": "x", "corpus": "wiki"},
        {"query": "x", "limit": 3},
        {"query": "x" * 5000},
    ],
)
def test_bad_arguments_give_an_answer_with_an_error(tmp_path: Path, arguments: dict[str, Any]) -> None:
    bench = Bench(tmp_path)
    with bench.slot() as slot:
        search = next(tool for tool in slot.tools(MAIN) if tool.name == "memory_search")
        answer = _valid(search.handler(arguments))

    assert answer["results"] == []
    assert answer["code"] == "usage"
    assert answer["error"]


def test_withheld_is_said_only_where_something_is_withheld(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()

    assert "withheld" not in bench.answer("heron", session=GROUP)
    bench.write("USER.md", "- name: Marta\n")
    assert "USER.md" in _valid(bench.answer("heron", session=GROUP))["withheld"][0]
    assert "withheld" not in bench.answer("heron")


def test_citations_are_left_out_in_groups(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()

    assert "citation" not in bench.answer("heron", session=GROUP)["results"][0]
    assert "citation" in bench.answer("heron")["results"][0]


def test_explain_fills_debug_with_the_numbers_of_every_result(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()

    answer = _valid(bench.answer("heron", explain=True))

    assert answer["results"][0]["debug"]["keyword"]
    assert answer["debug"]["terms"] == ["heron"]


def _settled(bench: Bench) -> Any:
    core = bench.core(background=True)
    core.search("heron")
    if core.index.scheduler is not None:
        assert core.index.scheduler.wait(10)
    return core


def test_a_note_saved_just_before_a_search_is_never_missed_silently(tmp_path: Path) -> None:
    bench = Bench(tmp_path, search={"provider": "none", "sync": {"onSearch": False, "watch": False}})
    note = bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.write("memory/deep/b.md", "the otter swims\n")
    bench.index()
    with _settled(bench) as core:
        for round_ in range(20):
            assert "stale" not in core.search("heron")
            if round_ % 2:
                bench.write(f"memory/deep/new{round_}.md", f"walrus number {round_}\n")
            else:
                with note.open("a", encoding="utf-8") as file:
                    file.write(f"walrus number {round_}\n")

            assert core.search("heron")["stale"] is True

            core.sync()


def test_a_search_of_an_unchanged_workspace_looks_at_its_files_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, search={"provider": "none", "sync": {"onSearch": False, "watch": False}})
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()
    with _settled(bench) as core:
        scan, scans = core.workspace.scan, []
        monkeypatch.setattr(core.workspace, "scan", lambda: scans.append(1) or scan())
        if core.index.changes() is None:
            pytest.skip("this system cannot tell at once what has changed")
        for _ in range(5):
            assert core.search("heron")["results"]

        assert len(scans) <= 1

        bench.write("memory/b.md", "another heron\n")
        core.search("heron")
        assert len(scans) >= 1


def test_changes_that_no_event_tells_of_are_found_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, search={"provider": "none", "sync": {"onSearch": False, "watch": False}})
    bench.write("memory/a.md", "the heron nests by the mill\n")
    bench.index()
    with _settled(bench) as core:
        monkeypatch.setattr(core.index, "changes", lambda: 0)
        assert "stale" not in core.search("heron")
        bench.write("memory/b.md", "another heron\n")
        monkeypatch.setattr("openclaw_memory_core.core.query.LOOK_AGAIN_SECONDS", 0.0)

        assert core.search("heron")["stale"] is True


@pytest.mark.parametrize(
    ("missing", "indexed", "said"),
    [
        (1, 1, "1 of 1 note is found by keywords only so far."),
        (1, 3, "1 of 3 notes is found by keywords only so far."),
        (2, 3, "2 of 3 notes are found by keywords only so far."),
    ],
)
def test_notes_without_vectors_are_counted(missing: int, indexed: int, said: str) -> None:
    assert freshness_of(Gap(indexed=indexed, missing_vectors=missing)).reason == said
