"""Cases tools-*: line ranges, passages, limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.bench import MAIN, Bench


def _get(bench: Bench, **arguments: Any) -> dict[str, Any]:
    with bench.slot() as slot:
        tool = next(tool for tool in slot.tools(MAIN) if tool.name == "memory_get")
        return tool.handler({"path": "memory/ten.md", **arguments})


def test_case_tools_01_line_ranges(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/ten.md", "\n".join(f"line {n}" for n in range(1, 11)))

    tail = _get(bench, **{"from": 8, "lines": 5})
    beyond = _get(bench, **{"from": 11})
    refused = [_get(bench, **{"from": 0}), _get(bench, **{"from": -2}), _get(bench, lines=0)]

    assert (tail["status"], tail["text"].splitlines(), tail["from"], tail["lines"]) == (
        "ok",
        ["line 8", "line 9", "line 10"],
        8,
        3,
    )
    assert (beyond["status"], beyond["text"], beyond["totalLines"]) == ("ok", "", 10)
    for answer in refused:
        assert (answer["status"], answer["code"], answer["text"]) == ("error", "usage", "")
        assert "at least 1" in answer["error"]


def test_case_tools_02_show_the_passage_not_the_top(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    lines = [f"Paragraph {n} says that the weather stays as it was." for n in range(1, 81)]
    lines[61] = "the beehive stand is in Odile's shed"
    bench.write("memory/long.md", "\n".join(lines) + "\n")
    bench.index()

    hit = bench.answer("beehive stand")["results"][0]

    assert "the beehive stand is in Odile's shed" in hit["snippet"]
    assert hit["startLine"] <= 62 <= hit["endLine"]
    assert hit["endLine"] - hit["startLine"] < 40
    assert len(hit["snippet"]) <= 700


def test_case_tools_03_configured_limit(tmp_path: Path) -> None:
    bench = Bench(tmp_path, search={"query": {"maxResults": 12}})
    for number in range(20):
        bench.write(f"memory/n{number:02d}.md", f"heron sighting number {number}, place {number * 7}\n")
    bench.index()

    assert len(bench.answer("heron sighting")["results"]) == 12
    assert len(bench.answer("heron sighting", max_results=3)["results"]) == 3
