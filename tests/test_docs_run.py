"""The tutorial and the how-tos as a reader meets them: their commands run, and print what the page says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from support import console

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bash") is None, reason="the pages' commands are for a Unix shell"),
]
DOCS = Path(__file__).parents[1] / "docs"
TUTORIAL = DOCS / "tutorial.md"
HOW_TO = [path for path in sorted((DOCS / "howto").glob("*.md")) if "```console" in path.read_text(encoding="utf-8")]


def save_files(page: str, home: Path) -> None:
    """Blocks that the page tells to save: the file's name stands in the text before."""
    for name, text in re.findall(r"[Ss]ave this as `([^`]+)`[^`]*```\w+\n(.*?)```", page, re.DOTALL):
        (home / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("path", [TUTORIAL, *HOW_TO], ids=lambda path: path.name)
def test_the_commands_of_a_page_print_what_it_says(path: Path, tmp_path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    save_files(page, tmp_path)
    if path != TUTORIAL:
        memory = tmp_path / ".openclaw" / "workspace" / "memory"
        memory.mkdir(parents=True)
        (memory.parent / "MEMORY.md").write_text("- The gate code is 4471.\n", encoding="utf-8")
        (memory / "boat.md").write_text("# Boat\n\n- Fuel filter: Volvo 3581078\n", encoding="utf-8")
    asked = console.steps(page)

    printed = console.run(asked, tmp_path)

    wrong = [
        f"$ {step.command}\nexpected:\n{chr(10).join(step.expected)}\nprinted:\n{text}"
        for step, text in zip(asked, printed, strict=True)
        if not step.fits(text)
    ]
    assert wrong == []


def test_the_comparison_can_fail() -> None:
    step = console.steps("```console\n$ echo a\nfirst … last\n…\nend\n```")[0]

    assert step.fits("first and last\nx\ny\nend\n")
    assert step.fits("first  last\nend\n")
    assert not step.fits("first and then\nend\n")
    assert not step.fits("first and last\n")
