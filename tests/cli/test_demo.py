"""The first command that anybody runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli import Cli

pytestmark = pytest.mark.slow


def test_the_demo_shows_a_whole_life_offline(cli: Cli) -> None:
    run = cli("demo", "--json")

    record = json.loads(run.out)
    assert run.code == 0
    assert "MEMORY.md" in record["sessionStart"]["agent:main:main"]["files"]
    assert "MEMORY.md" not in record["sessionStart"]["agent:main:telegram:group:-1009"]["files"]
    assert record["recall"]["main"]
    assert record["recall"]["group"] == []
    assert all(one["answer"]["results"] for one in record["search"][:3])
    assert record["search"][3]["answer"]["withheld"]
    assert record["flush"]["delivered"] is None
    assert record["flush"]["secondCycle"] is True
    assert record["none"] == {"enabled": False, "reason": record["none"]["reason"], "tools": 0}
    assert not Path(record["folder"]).exists()


def test_the_demo_is_told_in_words_and_can_be_kept(cli: Cli, tmp_path: Path) -> None:
    kept = tmp_path / "kept"

    run = cli("demo", "--keep", str(kept))

    assert run.code == 0
    assert [f"{number}. " in run.out for number in range(1, 8)] == [True] * 7
    assert "the user sees: nothing" in run.out
    assert (kept / "workspace" / "MEMORY.md").is_file()

    again = cli("demo", "--keep", str(kept))

    assert again.code == 2
    assert "is not empty" in again.err
