from __future__ import annotations

from pathlib import Path

import pytest
from support.cli import Cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.fixture
def notes(cli: Cli) -> Cli:
    """An installation with two notes that are not indexed yet."""
    cli.note("MEMORY.md", "- door code 4417\n")
    cli.note("memory/2026-05-04.md", "# Monday\n\nThe ferry to Porto leaves on Friday.\n")
    return cli
