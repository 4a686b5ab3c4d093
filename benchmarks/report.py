"""Figures as rows, a table for people, JSON for programs, a plot of cost against size."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One figure.

    :param what: what was measured.
    :param chunks: size of the index, 0 where it does not matter.
    :param dimensions: of the vectors, 0 without.
    :param reference: what it is compared with.
    :param ratio: how many times the reference it is, or how many times faster (*what* says which).
    :param target: what it should be.
    :param reached: None without a target.
    """

    what: str
    value: float
    unit: str
    chunks: int = 0
    dimensions: int = 0
    reference: str = ""
    ratio: float | None = None
    target: str = ""
    reached: bool | None = None


def at_most(what: str, value: float, unit: str, most: float, **fields: Any) -> Row:
    """A figure that should not be larger than *most*."""
    return Row(what, value, unit, target=f"≤ {most:g} {unit}".strip(), reached=value <= most, **fields)


def at_least(what: str, value: float, unit: str, least: float, **fields: Any) -> Row:
    """A figure that should not be smaller than *least*."""
    return Row(what, value, unit, target=f"≥ {least:g} {unit}".strip(), reached=value >= least, **fields)


def table(rows: Iterable[Row]) -> str:
    """All rows, one a line."""
    lines = [f"{'':<44}{'chunks':>8}{'dims':>6}{'value':>11} {'unit':<7}{'target':<14}reference"]
    for row in rows:
        mark = {True: "  ", False: "! ", None: "  "}[row.reached]
        against = f"{row.ratio:.2f} × {row.reference}" if row.ratio is not None else row.reference
        size, dims = row.chunks or "", row.dimensions or ""
        lines.append(f"{mark}{row.what:<42}{size:>8}{dims:>6}{row.value:>11.2f} {row.unit:<7}{row.target:<14}{against}")
    return "\n".join(lines)


def write_json(path: Path, rows: Iterable[Row], facts: Mapping[str, Any]) -> None:
    """Everything, with the facts about the machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {"machine": dict(facts), "rows": [asdict(row) for row in rows]}
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


PLOTTED = ("search p95", "search p50", "keyword leg p50", "vector leg p50", "sqlite-vec exact scan", "sync of nothing")


def plot(path: Path, rows: Iterable[Row]) -> str:
    """Milliseconds against chunks, for the largest vectors measured; returns what there is to say about it."""
    try:
        import matplotlib as mpl

        mpl.use("Agg")
        from matplotlib import pyplot as plt
    except ImportError:
        return "no plot: pip install matplotlib"
    rows = [row for row in rows if row.chunks and row.what in PLOTTED]
    if not rows:
        return "no plot: nothing in it depends on the size"
    largest = max((row.dimensions for row in rows), default=0)
    figure, axes = plt.subplots(figsize=(7, 4.5))
    for what in PLOTTED:
        points = sorted((row.chunks, row.value) for row in rows if row.what == what and row.dimensions in (0, largest))
        if points:
            axes.loglog(*zip(*points, strict=True), marker="o", label=what)
    axes.set_xlabel("chunks")
    axes.set_ylabel(f"milliseconds ({largest} dimensions)")
    axes.grid(visible=True, which="both", alpha=0.3)
    if axes.lines:
        axes.legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, bbox_inches="tight")
    return f"plot: {path}"
