"""What ``doctor`` looks at in the index and its place."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.cli.finding import Finding
from openclaw_memory_core.cli.output import count

if TYPE_CHECKING:
    from openclaw_memory_core.core import MemoryCore

_OTHERS = 0o077
_SPARE = 64 * 1024 * 1024
"""Unused bytes of an index that are worth giving back, if they are more than half of it."""


def index(core: MemoryCore, *, report: Mapping[str, Any], full: bool) -> Iterator[Finding]:
    """Whether the index can be read and written, is whole and up to date.

    :param full: check the whole file.
    """
    for path in report.get("damagedFiles", ()):
        yield Finding("index", "note", f"a damaged index was moved to {path}", "delete it if nobody needs it")
    if "indexError" in report:
        error = report["indexError"]
        fix = partial(_aside, core) if error["code"] == "store-corrupt" else None
        yield Finding("index", "problem", error["message"], error["hint"], fix, error["code"])
        return
    if "writeError" in report:
        error = report["writeError"]
        yield Finding("index", "problem", error["message"], error["hint"], code=error["code"])
    if not report["indexExists"]:
        yield Finding("index", "note", f"there is no index at {report['dbPath']}", "run: openclaw-memory index")
        return
    for notice in report["notices"]:
        yield Finding("index", "note", notice)
    broken = core.index.look().integrity_check(full=full)
    if broken:
        yield Finding(
            "index", "problem", f"the index is damaged: {broken[0]}", "it can be built anew", partial(_aside, core)
        )
        return
    for path, failed in ((report["lastSync"] or {}).get("failed") or {}).items():
        yield Finding("index", "problem", f"{path}: {failed['message']}", code=failed["code"])
    if report["dirty"]:
        reason = report.get("dirtyReason") or "the index is not up to date"
        yield Finding("index", "note", reason, None if "writeError" in report else report.get("dirtyAction"))
    file = report["store"]
    if file["reusableBytes"] > max(_SPARE, file["bytes"] // 2):
        text = f"{file['reusableBytes'] >> 20} of the {file['bytes'] >> 20} MB of the index are unused"
        yield Finding("index", "note", text, None, partial(_shrink, core))
    yield Finding("index", "ok", f"{count(report['files'], 'file')}, {count(report['chunks'], 'chunk')}, no damage")


def _shrink(core: MemoryCore) -> str:
    core.index.store.vacuum()
    return "the index gave its unused space back"


def _aside(core: MemoryCore) -> str:
    return f"the damaged index was moved to {core.index.set_damaged_aside()}; run: openclaw-memory index"


def permissions(core: MemoryCore, *, report: Mapping[str, Any]) -> Iterator[Finding]:
    """Who else can read the index and the configuration.  Another program's file is that program's affair."""
    if os.name != "posix":
        return
    store = core.agent.search.store.path
    files = [store, *(store.with_name(store.name + suffix) for suffix in ("-wal", "-shm"))]
    foreign = report.get("indexError", {}).get("code") == "store-foreign"
    open_files = [] if foreign else [file for file in files if _mode(file) & _OTHERS]
    for file in open_files:
        yield Finding("permissions", "note", f"{file} can be read by others", None, partial(_close, file))
    config = core.config.path
    if config is not None and _mode(config) & _OTHERS and _holds_secret(config):
        message = f"{config} holds a credential and can be read by others"
        yield Finding("permissions", "problem", message, None, partial(_close, config))
    elif not open_files:
        yield Finding("permissions", "ok", "index and configuration are private")


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0


def _holds_secret(path: Path) -> bool:
    from openclaw_memory_core.sessions.redact import redact

    text = path.read_text(encoding="utf-8", errors="replace")
    return redact(text) != text


def _close(path: Path) -> str:
    path.chmod(_mode(path) & ~_OTHERS)
    return f"{path} is private now"
