"""The mixed set of questions: whole, and answered by the keyword leg where it must be."""

from __future__ import annotations

import collections
import json
from pathlib import Path

from support.search_bench import SearchBench, settings

from openclaw_memory_core.search.evaluation import judge, read_questions

DATA = Path(__file__).parents[2] / "benchmarks" / "data" / "mixed"


def lines(path: str) -> list[str]:
    return (DATA / path).read_text(encoding="utf-8").split("\n")


def line_text(path: str, number: int) -> str | None:
    return lines(path)[number - 1]


def test_every_question_names_lines_that_exist() -> None:
    with (DATA / "queries.jsonl").open(encoding="utf-8") as rows:
        found = read_questions(rows)

    assert len(found) >= 120
    assert len({question.text for question in found}) == len(found)
    for question in found:
        assert all(lines(path)[number - 1].strip() for path, number in (*question.evidence, *question.superseded))


def test_identifiers_code_and_other_scripts_are_found_and_shown_by_keywords_alone(tmp_path: Path) -> None:
    kinds = {"identifier", "code", "german", "chinese", "japanese"}
    with (DATA / "queries.jsonl").open(encoding="utf-8") as rows:
        asked = [question for question in read_questions(rows) if question.kind in kinds]
    notes = {p.relative_to(DATA).as_posix(): p.read_text(encoding="utf-8") for p in sorted(DATA.rglob("*.md"))}
    missed: dict[str, list[str]] = collections.defaultdict(list)
    with SearchBench(tmp_path) as bench:
        bench.put(notes)
        for question in asked:
            hits = [
                {"path": hit.path, "startLine": hit.start_line, "endLine": hit.end_line, "snippet": hit.snippet}
                for hit in bench.hits(question.text, settings(mmr=0.7))
            ]
            if judge(question, hits, line_text)["shown@6"] < 1:
                missed[question.kind].append(question.text)

    assert json.dumps(missed, ensure_ascii=False) == "{}"
