"""Real prose of any machine: paragraphs of the docstrings and comments of Python's standard library."""

from __future__ import annotations

import ast
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

_SHORTEST = 60
_LONGEST = 1200
_BLANK = re.compile(r"\n\s*\n")


def paragraphs(most: int) -> list[str]:
    """At most so many different paragraphs, always in the same order on the same Python."""
    found: dict[str, None] = {}
    folder = Path(sysconfig.get_paths()["stdlib"])
    for file in sorted(folder.rglob("*.py")):
        if "site-packages" in file.parts:
            continue
        for text in _texts(file):
            if _SHORTEST <= len(text) <= _LONGEST:
                found[text] = None
                if len(found) == most:
                    return list(found)
    return list(found)


def _texts(file: Path) -> Iterator[str]:
    try:
        source = file.read_text(encoding="utf-8")
        tree = ast.parse(source)
    except (OSError, ValueError, SyntaxError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for part in _BLANK.split(ast.get_docstring(node) or ""):
                yield " ".join(part.split())
    for block in re.findall(r"(?:^[ \t]*#.*\n){2,}", source, flags=re.MULTILINE):
        yield " ".join(line.strip().lstrip("#").strip() for line in block.splitlines()).strip()
