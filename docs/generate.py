"""Writes the generated pages: hooks.md from the hook specifications, cli.md from the commands' help.

``python docs/generate.py`` writes them, ``--check`` fails if one is out of date (a test does so, too).
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType

from openclaw_memory_hookspecs import _session, _types, specifications

DOCS = Path(__file__).parent
HOOKS_HEAD = """# Hooks

Generated from `openclaw_memory_hookspecs` by `docs/generate.py`; do not edit.

pluggy project name `openclaw`, entry-point group `openclaw.memory`. All arguments are keywords, all hooks are
synchronous and may be called from a worker thread. An implementation may accept fewer arguments than the specification
has, so a new argument never breaks a plugin. A host calls them through `load_memory_slot()`, which returns a
[`MemorySlot`](../openclaw_memory_core/slot.py) with one typed method for each hook.
"""


def hooks_page() -> str:
    """docs/hooks.md."""
    parts = [HOOKS_HEAD]
    for name, hook in vars(specifications).items():
        if name.startswith("openclaw_memory_") and isinstance(hook, FunctionType):
            parts += [f"## `{name}`", f"```python\n{signature(hook)}\n```", markdown(hook)]
    parts.append("# Value types")
    for name, kind in [*vars(_session).items(), *vars(_types).items()]:
        if inspect.isclass(kind) and kind.__module__ in (_session.__name__, _types.__name__):
            fields = "\n".join(f"    {field}: {_default(kind, field, type_)}" for field, type_ in _fields(kind))
            parts += [f"## `{name}`", f"```python\nclass {name}:\n{fields}\n```", markdown(kind)]
    return "\n\n".join(parts) + "\n"


def markdown(documented: object) -> str:
    """A docstring in reStructuredText as Markdown."""
    text = inspect.getdoc(documented) or ""
    text = re.sub(r"^:param (\w+):", r"- `\1`:", text, flags=re.MULTILINE)
    text = re.sub(r"^:returns:", "- returns:", text, flags=re.MULTILINE)
    text = re.sub(r":(?:class|attr|func|meth):`~?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")


def signature(hook: FunctionType) -> str:
    """The hook's signature as it stands in the specification."""
    return f"{hook.__name__}{inspect.signature(hook)}".replace("'", "")


def _fields(kind: type) -> list[tuple[str, str]]:
    return [(name, str(type_)) for name, type_ in inspect.get_annotations(kind).items()]


def _default(kind: type, field: str, type_: str) -> str:
    parameter = inspect.signature(kind).parameters[field]
    if parameter.default is inspect.Parameter.empty or callable(parameter.default):
        return type_
    value = json.dumps(parameter.default) if isinstance(parameter.default, str) else repr(parameter.default)
    return f"{type_} = {value}"


def cli_page() -> str:
    """docs/cli.md."""
    parts = ["# Command line", "Generated from `openclaw-memory --help` by `docs/generate.py`; do not edit."]
    for command in [[], *([name] for name in _commands())]:
        parts += [f"## `{' '.join(['openclaw-memory', *command])}`", f"```text\n{_help(command)}\n```"]
    return "\n\n".join(parts) + "\n"


def _commands() -> list[str]:
    text = _help([])
    lines = text.split("Commands:", 1)[1].splitlines() if "Commands:" in text else []
    return [line.split()[0] for line in lines if line.startswith("  ") and not line.startswith("   ")]


def _help(command: list[str]) -> str:
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    call = [sys.executable, "-m", "openclaw_memory_core", *command, "--help"]
    done = subprocess.run(call, capture_output=True, check=True, env=environment, encoding="utf-8")  # noqa: S603 - our own
    return done.stdout.rstrip()


PAGES = {"hooks.md": hooks_page, "cli.md": cli_page}


def main() -> int:
    """Write or check the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a page is out of date")
    check = parser.parse_args().check
    stale = []
    for name, make in PAGES.items():
        path, text = DOCS / name, make()
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not check:
                path.write_text(text, encoding="utf-8")
    print(f"{'out of date' if check else 'written'}: {', '.join(stale) or 'nothing'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
