"""Cases of the area fts."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.search_bench import SearchBench

LINK = (
    "The link runs at 40 GB/s on port eth-7; call ops-hotline, can't wait; C++ build v2.14.3; "
    "key net.retry.max; due 2026-03-31"
)


@pytest.mark.parametrize("query", ["can't", "GB/s", "ops-hotline", "C++", "v2.14.3", "net.retry.max", "2026-03-31"])
def test_case_fts_01_everyday_punctuation_in_a_query(tmp_path: Path, query: str) -> None:
    with SearchBench(tmp_path) as bench:
        bench.put({"memory/link.md": LINK, "memory/other.md": "The cat sleeps on the sofa"})
        assert bench.paths(query)[0] == "memory/link.md"


def test_case_fts_02_a_question_in_plain_words(tmp_path: Path) -> None:
    others = [
        "Bought paint for the fence",
        "The month began with rain",
        "We should decide on a holiday soon",
        "What a week",
        "Lunch with Rosa about the budget",
        "The bike needs new brakes",
        "Called the bank about the card",
        "Last chapter of the book was dull",
        "Did the dishes, then slept",
    ]
    notes = {f"memory/n{number}.md": text for number, text in enumerate(others)}
    with SearchBench(tmp_path) as bench:
        bench.put({**notes, "memory/kiln.md": "Kiln thermostat replaced with a K-type probe"})
        assert bench.paths("what did we decide about the kiln thermostat last month?")[0] == "memory/kiln.md"
