"""The page that ``make report`` writes, from figures that are there."""

from __future__ import annotations

import importlib
import json
import xml.dom.minidom
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    module = importlib.import_module("benchmarks.page")
    for name, path in {"RESULTS": "results", "PICTURES": "report", "PAGE": "report.md", "ROOT": ""}.items():
        monkeypatch.setattr(module, name, tmp_path / path)
    (tmp_path / "results").mkdir()
    return module


def run(shown: float) -> dict[str, Any]:
    one = {"mean": shown, "low": shown - 0.1, "high": shown + 0.1}
    kinds = {"date": {"questions": 4, "shown@6": shown, "recall@10": shown, "mrr@10": shown}}
    return {"figures": {"shown@6": one}, "kinds": kinds, "milliseconds": {"p50": 2.0, "p95": 5.0}}


def test_figures_become_a_page_with_tables_and_plots(
    page: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"what": "search p95", "value": 7.25, "unit": "ms", "chunks": 1000, "dimensions": 384, "target": "≤ 5 ms"}
    rows = [{**row, "reference": "a scan", "ratio": 2.0, "reached": False}]
    results = {"mixed": {"default": run(0.8), "rrf & more": run(0.7)}, "speed": {"machine": {}, "rows": rows}}
    for name, figures in results.items():
        (tmp_path / "results" / f"{name}.json").write_text(json.dumps(figures), encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["page", "--keep"])

    page.main()

    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| default | 0.800 [0.700, 0.900] |" in text
    assert "| date | 4 | 0.8 | 0.8 | 0.8 |" in text
    assert "| ! search p95 | 1,000 | 384 | 7.25 ms | ≤ 5 ms | 2.00 × a scan |" in text
    for name in ("shown-mixed", "search"):
        assert f"(report/{name}.svg)" in text
        picture = xml.dom.minidom.parse(str(tmp_path / "report" / f"{name}.svg"))
        assert picture.getElementsByTagName("rect")
