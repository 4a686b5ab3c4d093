"""What goes where: data on stdout, everything else on stderr; with ``--json`` one document on stdout."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

import click

_CONTROLS = {*range(0x20), *range(0x7F, 0xA0)} - {0x09, 0x0A}
# Marks that turn the direction of writing make a terminal show something else than what is there.
_TURNING = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_SHOWN = {code: f"\\x{code:02x}" for code in _CONTROLS} | {code: f"\\u{code:04x}" for code in _TURNING}
_IN_JSON = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *_TURNING)}
_STYLES: dict[str, dict[str, Any]] = {
    "head": {"bold": True},
    "path": {"fg": "cyan"},
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
    "dim": {"dim": True},
}


def use_utf8() -> None:
    """Let the three streams take any text, whatever the locale says."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")


def help_width() -> int:
    """Columns for the help.  Click would ask shutil, whose import takes a tenth of the time of ``--help``."""
    try:
        columns = int(os.environ.get("COLUMNS", "")) or 80
    except ValueError:
        try:
            columns = os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns
        except (OSError, ValueError):
            columns = 80
    return max(50, min(columns or 80, 100) - 2)


def is_terminal(stream: TextIO) -> bool:
    """Whether a person looks at *stream* and may be shown colours and progress."""
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def visible(text: object, *, note: bool = False) -> str:
    """*text* that cannot steer a terminal: notes and file names may hold control characters.

    Line ends and tabs stay.  Where no terminal is, the text stays as it is.

    :param note: it goes to stderr, not to stdout.
    """
    stream = sys.stderr if note else sys.stdout
    return str(text).translate(_SHOWN) if stream.isatty() else str(text)


def data(text: str = "") -> None:
    """A line of the answer."""
    click.echo(text, color=is_terminal(sys.stdout))


def document(value: Any) -> None:
    """The one JSON document of a run."""
    import json  # --help does without

    # Outside of strings JSON has no such characters, so escaping them here changes no value.
    click.echo(json.dumps(value, ensure_ascii=False, indent=2).translate(_IN_JSON))


def note(text: str) -> None:
    """A line about the run, on stderr."""
    click.echo(text, err=True, color=is_terminal(sys.stderr))


def failed(error: Mapping[str, Any], code: int, *, as_json: bool) -> int:
    """Say that the command failed, and return *code*.

    :param error: ``code``, ``message`` and ``hint``.
    """
    if as_json:
        document({"ok": False, "error": dict(error)})
        return code
    complain("Error", error)
    return code


def complain(what: str, error: Mapping[str, Any]) -> None:
    """Name an error on stderr, with its hint and the code under which the documentation has it."""
    note(f"{styled(f'{what}:', 'bad')} {visible(error['message'], note=True)} [{error['code']}]")
    if error["hint"]:
        note(f"Hint: {visible(error['hint'], note=True)}")


def styled(text: object, style: str) -> str:
    """*text* with a colour, which is left out where no terminal is."""
    return click.style(visible(text), **_STYLES[style])


def lines(pairs: Iterable[tuple[str, object]]) -> None:
    """Lines of ``name: value``; what is None is left out."""
    for name, value in pairs:
        if value is not None:
            data(f"{styled(name + ':', 'dim')} {visible(value)}")


def count(number: int, noun: str) -> str:
    """*number* with its noun: ``1 note``, ``2 notes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def yes(value: object) -> str:
    """``yes`` or ``no``."""
    return "yes" if value else "no"
