"""Bar charts as SVG, readable on a light and on a dark page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

_STYLE = """text { font: 13px sans-serif; fill: #1f2328 } .axis { stroke: #8c959f } .bar { fill: #4c8bf5 }
.first { fill: #1a5fd0 } .range { stroke: #1f2328; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .range { stroke: #e6edf3 } }"""
_ROW, _BAR, _NAME, _WIDTH, _VALUE, _TOP = 26, 16, 170, 380, 180, 34


class Bar(NamedTuple):
    """One bar; *low* and *high* are the ends of its interval, if it has one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


def bars(title: str, rows: Sequence[Bar], *, top: float | None = None, unit: str = "", digits: int = 3) -> str:
    """A horizontal bar for each row, the first in a stronger colour.

    :param top: the value at the right end; the largest one when None.
    """
    end = top or max(row.high or row.value for row in rows) or 1.0
    height = _TOP + _ROW * len(rows) + 8
    width = _NAME + _WIDTH + _VALUE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<style>{_STYLE}</style>",
        f'<text x="0" y="18" font-weight="bold">{escape(title)}</text>',
        f'<line class="axis" x1="{_NAME}" x2="{_NAME}" y1="{_TOP - 6}" y2="{height - 6}"/>',
    ]
    for number, row in enumerate(rows):
        parts += _row(row, _TOP + number * _ROW, end, unit, digits, "first" if number == 0 else "bar")
    return "\n".join([*parts, "</svg>", ""])


def _row(row: Bar, y: int, end: float, unit: str, digits: int, kind: str) -> list[str]:
    def x(value: float) -> float:
        return round(_NAME + _WIDTH * value / end, 1)

    middle = y + _BAR / 2
    label = f"{row.value:.{digits}f}{unit}"
    parts = [
        f'<text x="{_NAME - 8}" y="{middle + 4}" text-anchor="end">{escape(row.name)}</text>',
        f'<rect class="{kind}" x="{_NAME}" y="{y}" width="{x(row.value) - _NAME:.1f}" height="{_BAR}"/>',
    ]
    if row.low is not None and row.high is not None:
        parts.append(f'<line class="range" x1="{x(row.low)}" x2="{x(row.high)}" y1="{middle}" y2="{middle}"/>')
        label += f" [{row.low:.{digits}f}, {row.high:.{digits}f}]"
    parts.append(f'<text x="{max(x(row.value), x(row.high or 0)) + 6}" y="{middle + 4}">{label}</text>')
    return parts
