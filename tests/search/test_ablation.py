"""The command that takes parts of the ranking out: which parts, and a table that fits."""

from __future__ import annotations

import pytest

from benchmarks import ablation
from benchmarks.ablation import COLUMNS, LEGEND, PARTS, choose, line


def test_parts_are_chosen_by_the_begin_of_their_names() -> None:
    assert choose(None) == list(PARTS)
    assert [part.name for part in choose("nearness, stop")] == ["nearness", "stop words"]


@pytest.mark.parametrize("only", ["foo", "nearness,foo", "", ","])
def test_a_name_without_a_part_is_a_usage_error_that_names_the_parts(
    only: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["ablation", "--only", only])

    with pytest.raises(SystemExit) as stopped:
        ablation.main()

    printed = capsys.readouterr()
    assert stopped.value.code == 2
    assert printed.out == ""
    assert "stop words" in printed.err


def test_lines_stay_under_150_columns() -> None:
    cell = "0.873 → 0.858 [-0.020, -0.005]"

    assert len(line("  LoCoMo, as dated", [cell] * len(COLUMNS))) < 150
    assert len(LEGEND) < 150
    assert f" {cell}" in line("", [cell])
