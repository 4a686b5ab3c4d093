"""Writes docs/demo.svg: the real output of ``openclaw-memory demo`` as a picture.  ``python docs/demo_picture.py``."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from openclaw_memory_core.cli.demo import Demo

TARGET = Path(__file__).with_name("demo.svg")


def main() -> None:
    """Run the demo and draw what it said."""
    lines: list[str] = ["$ openclaw-memory demo"]
    with tempfile.TemporaryDirectory() as folder:
        Demo(Path(folder), lines.append).run()
    console = Console(record=True, width=130, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi("\n".join(lines)))
    TARGET.write_text(console.export_svg(title="openclaw-memory demo"), encoding="utf-8")


if __name__ == "__main__":
    main()
