"""Figures of a search, and the command that prints them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.cli.eval import command
from openclaw_memory_core.cli.settings import Settings
from openclaw_memory_core.errors import NoteNotFoundError, UsageError
from openclaw_memory_core.search.evaluation import Question, differences, estimate, judge, read_questions

LINES = {("memory/a.md", 3): "the kiln  is hot", ("memory/b.md", 1): "the boat is blue <!-- importance: 4 -->"}


def hit(path: str, first: int, last: int, snippet: str = "") -> dict[str, Any]:
    return {"path": path, "startLine": first, "endLine": last, "snippet": snippet}


def line_text(path: str, line: int) -> str | None:
    return LINES.get((path, line))


def question(*evidence: tuple[str, int], superseded: tuple[tuple[str, int], ...] = ()) -> Question:
    return Question("1", "?", evidence, superseded)


def test_a_line_is_found_by_its_range_and_shown_by_its_text() -> None:
    asked = question(("memory/a.md", 3))

    covered = judge(asked, [hit("memory/a.md", 1, 5, "something else")], line_text)
    shown = judge(asked, [hit("memory/a.md", 3, 3, "so: the kiln is hot\nindeed")], line_text)
    elsewhere = judge(asked, [hit("memory/b.md", 1, 5, "the kiln is hot")], line_text)

    assert (covered["recall@6"], covered["shown@6"]) == (1.0, 0.0)
    assert (shown["recall@6"], shown["shown@6"]) == (1.0, 1.0)
    assert (elsewhere["recall@6"], elsewhere["shown@6"]) == (0.0, 0.0)


def test_annotations_need_not_be_shown() -> None:
    assert (
        judge(question(("memory/b.md", 1)), [hit("memory/b.md", 1, 1, "the boat is blue")], line_text)["shown@1"] == 1
    )


def test_rank_recall_and_gain() -> None:
    results = [hit("memory/x.md", 1, 9), hit("memory/a.md", 3, 3), hit("memory/b.md", 1, 1)]

    figures = judge(question(("memory/a.md", 3), ("memory/b.md", 1)), results, line_text)

    assert figures["mrr@10"] == 0.5
    assert figures["recall@1"] == 0.0
    assert figures["recall@5"] == 1.0
    assert figures["ndcg@10"] == pytest.approx((1 / 1.58496 + 1 / 2) / (1 + 1 / 1.58496), abs=1e-4)


def test_newer_first_is_judged_where_a_line_is_superseded() -> None:
    asked = question(("memory/a.md", 3), superseded=(("memory/b.md", 1),))
    new, old = hit("memory/a.md", 3, 3), hit("memory/b.md", 1, 1)

    assert judge(asked, [new, old], line_text)["newer first"] == 1.0
    assert judge(asked, [old, new], line_text)["newer first"] == 0.0
    assert judge(asked, [old], line_text)["newer first"] == 0.0
    assert "newer first" not in judge(question(("memory/a.md", 3)), [new], line_text)


def test_rows_of_both_forms_are_read_and_those_without_evidence_left_out() -> None:
    rows = [
        '{"question": "q1", "evidence": [{"path": "memory/a.md", "line": 3}]}',
        "",
        '{"question": "q2", "path": "memory/b.md", "lines": [1, 2]}',
        '{"question": "q3", "evidence": []}',
    ]

    found = read_questions(rows)

    assert [one.evidence for one in found] == [
        (("memory/a.md", 3),),
        (("memory/b.md", 1), ("memory/b.md", 2)),
    ]


@pytest.mark.parametrize("row", ["{", "[]", '{"evidence": []}', '{"question": "q", "evidence": [{"path": "a"}]}'])
def test_a_wrong_row_is_named(row: str) -> None:
    with pytest.raises(UsageError, match=r"line 2 of mine\.jsonl"):
        read_questions(["", row], where="mine.jsonl")


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("{", "it is not JSON"),
        ("[22]", r"expected an object, not \[22\]"),
        ('{"evidence": []}', '"question" is missing'),
        ('{"question": 7}', '"question" must be text, not 7'),
        ('{"question": "q", "evidence": "a.md:3"}', 'must be a list .*, not "a.md:3"'),
        ('{"question": "q", "evidence": [{"path": "a"}]}', r'"line": number\}, not \{"path": "a"\}'),
        ('{"question": "q", "path": "a", "lines": [22]}', r"must be \[first, last\], two line numbers, not \[22\]"),
        ('{"question": "q", "path": "a", "lines": [4, 3]}', r"not \[4, 3\]"),
        ('{"question": "q", "path": "a"}', '"lines" .* is missing'),
        ('{"question": "q", "lines": [1, 2]}', '"lines" needs a "path"'),
    ],
)
def test_a_wrong_row_is_told_with_what_was_expected_and_what_stands_there(row: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as failure:
        read_questions([row])

    assert "[first, last]" in failure.value.hint


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_an_interval_holds_only_possible_means_and_is_the_same_each_time(values: list[float]) -> None:
    found = estimate(values, rounds=50)

    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert estimate(values, rounds=50) == found


def test_differences_are_paired() -> None:
    gained = differences([{"recall@6": 0.0}, {"recall@6": 1.0}], [{"recall@6": 1.0}, {"recall@6": 1.0}])

    assert gained["recall@6"].mean == 0.5


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    notes = tmp_path / "workspace" / "memory"
    notes.mkdir(parents=True)
    (notes / "kiln.md").write_text("# Kiln\n\n- the thermostat is new\n", encoding="utf-8")
    (notes / "cat.md").write_text("# Cat\n\n- the cat sleeps\n", encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(
        '{"question": "which thermostat", "evidence": [{"path": "memory/kiln.md", "line": 3}]}\n', encoding="utf-8"
    )
    for name, results in (("one", 6), ("two", 3)):
        config = {
            "agents": {"defaults": {"workspace": str(tmp_path / "workspace")}},
            "memory": {"search": {"provider": "none", "query": {"maxResults": results}}},
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(config), encoding="utf-8")
    return tmp_path


def invoke(workspace: Path, *arguments: str, as_json: bool = False, verbose: int = 0) -> Result:
    settings = Settings()
    settings.config, settings.state_dir, settings.json = str(workspace / "one.json"), str(workspace / "state"), as_json
    settings.verbose = verbose
    return CliRunner().invoke(
        command, [str(workspace / "questions.jsonl"), *arguments], obj=settings, catch_exceptions=False
    )


def run(workspace: Path, *arguments: str, as_json: bool = False, verbose: int = 0) -> str:
    return invoke(workspace, *arguments, as_json=as_json, verbose=verbose).stdout


def ask(workspace: Path, *rows: dict[str, Any]) -> None:
    (workspace / "questions.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")


def about(question: str, *evidence: tuple[str, int], **fields: Any) -> dict[str, Any]:
    return {"question": question, "evidence": [{"path": path, "line": line} for path, line in evidence], **fields}


def test_evidence_that_does_not_exist_is_named_and_not_counted(workspace: Path) -> None:
    ask(
        workspace,
        about("which thermostat", ("memory/kiln.md", 3), ("memory/kiln.md", 33), id="k"),
        about("which cat", ("memory/nope.md", 1), id="c"),
    )

    result = invoke(workspace)
    report = json.loads(run(workspace, as_json=True))

    assert "question k: memory/kiln.md:33 does not exist" in result.stderr
    assert "question c: memory/nope.md:1 does not exist" in result.stderr
    assert "1 question;" in result.stdout
    assert report["questions"] == 1
    assert report["runs"]["configured"]["recall@6"]["mean"] == 1.0
    assert report["unknownEvidence"] == [
        {"question": "k", "path": "memory/kiln.md", "line": 33},
        {"question": "c", "path": "memory/nope.md", "line": 1},
    ]


def test_blank_evidence_lines_are_not_counted(workspace: Path) -> None:
    ask(workspace, {"question": "which thermostat", "path": "memory/kiln.md", "lines": [2, 3]})

    assert json.loads(run(workspace, as_json=True))["runs"]["configured"]["shown@6"]["mean"] == 1.0


def test_questions_without_evidence_that_counts_are_named_with_the_reason(workspace: Path) -> None:
    ask(
        workspace,
        about("which thermostat", ("memory/kiln.md", 3), id="k"),
        about("which zebra", id="z"),
        about("what is white", ("memory/cat.md", 2), id="w"),
        about("where", ("memory/nope.md", 1), id="n"),
    )

    result = invoke(workspace)
    report = json.loads(run(workspace, as_json=True))

    assert "3 questions left out: z (it has no evidence); w (its evidence is blank);" in result.stderr
    assert "1 question;" in result.stdout
    assert report["questions"] == 1
    assert report["leftOut"] == [
        {"question": "z", "reason": "it has no evidence"},
        {"question": "w", "reason": "its evidence is blank"},
        {"question": "n", "reason": "its evidence does not exist"},
    ]


def test_what_only_the_places_after_the_sixth_find_is_said_to_be_not_found_in_six(workspace: Path) -> None:
    notes = workspace / "workspace" / "memory"
    for number in range(8):
        (notes / f"{number}.md").write_text(f"# Pump {number}\n\n- pump pump {number}\n", encoding="utf-8")
    asked = [about("pump", (f"memory/{number}.md", 3), id=str(number)) for number in range(8)]
    ask(workspace, *asked)

    printed = run(workspace, verbose=1)

    assert "; not found in six results, but in ten)" in printed
    assert "0% in six" not in printed


@pytest.mark.parametrize("evidence", [("memory/nope.md", 1), ("memory/cat.md", 99), ("memory/cat.md", 0)])
def test_a_file_in_which_nothing_can_be_judged_is_a_failure(workspace: Path, evidence: tuple[str, int]) -> None:
    ask(workspace, about("which cat", evidence))

    with pytest.raises(NoteNotFoundError) as failure:
        run(workspace)

    assert failure.value.exit_code == 1
    assert failure.value.hint


def test_failed_questions_are_listed_on_request(workspace: Path) -> None:
    ask(
        workspace,
        about("which thermostat", ("memory/kiln.md", 3), id="k"),
        about("which zebra", ("memory/cat.md", 3), id="z"),
    )

    quiet, printed = run(workspace), run(workspace, verbose=1)
    report = json.loads(run(workspace, as_json=True, verbose=1))

    assert "zebra" not in quiet
    assert "configured: 1 question failed" in printed
    assert "z  which zebra  (memory/cat.md:3; not found)" in printed
    assert "thermostat" not in printed
    assert [one["id"] for one in report["failed"]["configured"]] == ["z"]


def test_eval_prints_figures_with_intervals(workspace: Path) -> None:
    printed = run(workspace)

    assert "1 question" in printed
    assert "shown@6" in printed
    assert "1.000  [1.000, 1.000]" in printed


def test_eval_compares_legs_and_configurations(workspace: Path) -> None:
    report = json.loads(run(workspace, "--legs", "--compare", str(workspace / "two.json"), as_json=True))

    assert report["questions"] == 1
    assert list(report["runs"]) == ["configured", "keywords", "vectors", str(workspace / "two.json")]
    assert report["runs"]["configured"]["shown@6"]["mean"] == 1.0
    assert report["differences"]["shown@6"] == {"mean": 0.0, "low": 0.0, "high": 0.0}


def test_eval_refuses_a_file_without_questions(workspace: Path) -> None:
    (workspace / "questions.jsonl").write_text("\n", encoding="utf-8")

    with pytest.raises(UsageError, match="no question with evidence"):
        run(workspace)
