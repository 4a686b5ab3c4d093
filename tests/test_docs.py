"""The documentation against the code: generated pages, links, and the README's example, which runs."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import openclaw_memory_core
import openclaw_memory_hookspecs
import openclaw_memory_schemas

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")])


def test_the_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"], capture_output=True, encoding="utf-8"
    )

    assert done.returncode == 0, f"{done.stdout}{done.stderr}\nrun: python docs/generate.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)

    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]

    assert missing == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    todo = [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in seen or page.suffix != ".md" or not page.is_file():
            continue
        seen.add(page)
        links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        todo += [(page.parent / link).resolve() for link in links if "://" not in link]

    assert set((ROOT / "docs").glob("*.md")) - seen == set()


def test_the_example_for_runtime_authors_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    assert block is not None
    memory = tmp_path / "state" / "workspace" / "memory"
    memory.mkdir(parents=True)
    (memory / "a.md").write_text("- heron\n", encoding="utf-8")
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "state"))
    names: dict[str, object] = {}

    exec(compile(block.group(1), "README.md", "exec"), names)

    assert names["flush"] is not None
    assert names["recalled"] is None
    assert len(block.group(1).strip().splitlines()) <= 18


@pytest.mark.parametrize("package", [openclaw_memory_core, openclaw_memory_hookspecs, openclaw_memory_schemas])
def test_public_names_are_sorted_and_exist(package: object) -> None:
    names = package.__all__  # type: ignore[attr-defined]

    assert names == sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))
    for name in names:
        assert hasattr(package, name)


def test_the_changelog_speaks_of_this_version_or_of_what_comes() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert "## [Unreleased]" in text or f"## [{openclaw_memory_core.__version__}]" in text


def test_every_name_that_the_package_loads_lazily_is_there() -> None:
    for name in openclaw_memory_core.__all__:
        assert getattr(importlib.import_module("openclaw_memory_core"), name) is not None
