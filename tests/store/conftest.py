from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.store import Bench, Form


@pytest.fixture(params=["extension", "no-extension", "no-fts5"])
def form(request: pytest.FixtureRequest) -> Form:
    return request.param


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with Bench(tmp_path / "state" / "main.sqlite") as bench:
        yield bench


@pytest.fixture
def any_bench(tmp_path: Path, form: Form) -> Iterator[Bench]:
    with Bench(tmp_path / "state" / "main.sqlite", form) as bench:
        yield bench
