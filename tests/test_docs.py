"""The documentation against the code: generated pages, links, and the README's example, which runs."""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import json5
import pytest

import openclaw_memory_core
import openclaw_memory_hookspecs
import openclaw_memory_schemas
from openclaw_memory_core import errors
from openclaw_memory_core.cli.app import app
from openclaw_memory_core.config import load_config
from openclaw_memory_core.errors import OpenClawMemoryError

ROOT = Path(__file__).parents[1]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [*(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")), *DOCS]


def test_the_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"], capture_output=True, encoding="utf-8"
    )

    assert done.returncode == 0, f"{done.stdout}{done.stderr}\nrun: python docs/generate.py"


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def prose(page: Path) -> str:
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def place_of(path: Path) -> Path:
    """Where a linked file is: links into the package lead to the installed one."""
    inside = path.resolve().relative_to(ROOT) if path.resolve().is_relative_to(ROOT) else path
    package = Path(openclaw_memory_core.__file__).parent
    return package.parent / inside if inside.parts[0] == package.name else path


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to headings."""
    heads = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    missing = []
    for link, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", prose(page)):
        target = place_of(page.parent / link) if link else page
        if "://" not in link and not (target.exists() and (not anchor or anchor in anchors(target))):
            missing.append(f"{link}#{anchor}")

    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_of_a_page_has_the_options_it_is_given(page: Path) -> None:
    lines = re.findall(r"^(?:\$ )?(openclaw-memory .+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines += [line for line in re.findall(r"`(openclaw-memory [^`]+)`", prose(page)) if "…" not in line]

    for line in lines:
        words = shlex.split(line.split(" && ")[0], comments=True)[1:]
        words = ["x" if word.isupper() and words[0] != "COMMAND" else word for word in words]
        parse(words)


def parse(words: list[str]) -> None:
    """Let click read the words without running anything; values are not looked at."""
    command: click.Command = app
    context = click.Context(app, info_name="openclaw-memory")
    while isinstance(command, click.Group):
        name = next((word for word in words if not word.startswith("-")), None)
        if name is None or name == "COMMAND":
            return
        found = command.get_command(context, name)
        assert found is not None, f"there is no command {name}"
        words = words[words.index(name) + 1 :]
        command, context = found, click.Context(found, parent=context, info_name=name)
    try:
        command.make_context("x", words, parent=context.parent)
    except click.exceptions.Exit:
        pass
    except click.MissingParameter:
        pass  # A command that is only named.
    except click.BadParameter as error:
        if "does not exist" not in error.message:
            raise AssertionError(f"{words}: {error.message}") from error


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_configuration_of_a_page_is_valid(page: Path, tmp_path: Path) -> None:
    whole = r"```json5\n(\{\s*(?:agents|memory|models|plugins|session|tools): .*?)```"
    for block in re.findall(whole, page.read_text(encoding="utf-8"), flags=re.DOTALL):
        config = load_config(json5.loads(block), state_dir=tmp_path, env={"HOME": str(tmp_path), "GPU_BOX_KEY": "k"})

        assert [str(warning) for warning in config.warnings] == [], block


def test_every_error_code_has_a_cause_and_a_cure() -> None:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| (.+?) \| (.+?) \|$", text, flags=re.MULTILINE)

    assert sorted(code for code, _, _ in rows) == sorted({"internal", *codes(OpenClawMemoryError)})


def codes(error: type[OpenClawMemoryError]) -> set[str]:
    found = {error.code} if error.__module__ == "openclaw_memory_core.errors" else set()
    return found.union(*(codes(one) for one in error.__subclasses__()))


def test_no_two_errors_share_a_code() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, OpenClawMemoryError)]

    assert len({kind.code for kind in kinds}) == len(kinds)


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

    assert set(DOCS) - seen == set()


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
