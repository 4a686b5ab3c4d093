"""What ``doctor`` looks at.  Each check yields findings and changes nothing."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from openclaw_memory_core.cli.output import count
from openclaw_memory_core.errors import OpenClawMemoryError

if TYPE_CHECKING:
    from openclaw_memory_core.config import CheckedConfig
    from openclaw_memory_core.config.model import MemoryConfig
    from openclaw_memory_core.core import MemoryCore

State = Literal["ok", "note", "problem"]
_WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")
_OTHERS = 0o077
_SPARE = 64 * 1024 * 1024
"""Unused bytes of an index that are worth giving back, if they are more than half of it."""


class Finding(NamedTuple):
    """One thing that was looked at.

    :param state: ``note`` is worth knowing, ``problem`` makes the command fail.
    :param fix: repairs it without a risk and says what it did; None if there is nothing to repair.
    :param code: of the error behind it, under which docs/errors.md has it.
    """

    name: str
    state: State
    message: str
    hint: str | None = None
    fix: Callable[[], str] | None = None
    code: str | None = None

    @classmethod
    def of(cls, name: str, error: OpenClawMemoryError) -> Finding:
        """The problem that an error is."""
        return cls(name, "problem", error.message, error.hint, code=error.code)


def examine_configuration(checked: CheckedConfig, *, verbose: bool) -> Iterator[Finding]:
    """What all agents share: the configuration and the memory slot.

    :param verbose: also say what could be better and is no trouble.
    """
    from openclaw_memory_core.cli.config_names import unknown_providers

    config = checked.config
    # An unknown provider is a finding of its agent.
    errors = [*checked.errors, *unknown_providers(config, "fallback")]
    for error in errors:
        yield Finding.of("config", error)
    for warning in config.warnings:
        yield Finding("config", "note", str(warning))
    if checked.errors:
        hint = "check it with: openclaw-memory config validate"
        yield Finding("config", "note", "nothing else is looked at until the configuration is right", hint)
        return
    if not errors and not config.warnings:
        file = config.path
        yield Finding("config", "ok", f"{file} is valid" if file else "no configuration file; the defaults are used")
    yield from _slot(config)
    yield from _tokens(config, verbose=verbose)


def examine(core: MemoryCore, *, deep: bool) -> Iterator[Finding]:
    """Everything about one agent's memory.  A check that cannot be made is a problem, and the others go on.

    :param deep: also ask the provider for a vector, and check the whole index file.
    """
    checks: list[Callable[[MemoryCore], Iterator[Finding]]] = [_workspace]
    if core.agent.search.enabled:
        report = core.status(deep=deep)
        checks += [_sqlite, partial(_index, report=report, full=deep), partial(_provider, report=report)]
        checks += [_permissions, _watch]
    else:
        yield Finding("search", "note", "memory search is switched off", "set memory.search.enabled to true")
    for check in checks:
        try:
            yield from check(core)
        except OpenClawMemoryError as error:
            yield Finding.of("doctor", error)
        except OSError as error:
            yield Finding("doctor", "problem", f"{error.filename}: {error.strerror or type(error).__name__}")


def _slot(config: MemoryConfig) -> Iterator[Finding]:
    from openclaw_memory_core.cli.plugins import look_at
    from openclaw_memory_core.plugin_registry import installed_plugins, is_ours, unknown_plugin
    from openclaw_memory_core.slot import why_disabled

    selected = config.slot.memory
    reason = why_disabled(config.slot)
    installed = installed_plugins()
    problems = {name: error for name in installed if (error := look_at(name).error) is not None}
    if reason is not None:
        yield Finding("slot", "note", f"the memory slot is off: {reason}")
    elif selected not in installed:
        yield Finding.of("slot", unknown_plugin(str(selected), installed))
    elif selected in problems:
        yield Finding.of("slot", problems[selected])
    elif not is_ours(selected):
        yield Finding("slot", "note", f"another plugin is in the slot: {selected}")
    else:
        yield Finding("slot", "ok", f"{selected} is in the slot")
    for name, error in problems.items():
        if name != selected:
            yield Finding("plugins", "note", error.message, "it is not in the slot and stops nothing", code=error.code)


def _workspace(core: MemoryCore) -> Iterator[Finding]:
    root = core.workspace.root
    if not root.is_dir():
        hint = "check agents.defaults.workspace, or write a first note with openclaw-memory append"
        yield Finding("workspace", "problem", f"{root} does not exist", hint)
        return
    if not os.access(root, os.W_OK):
        yield Finding("workspace", "note", f"{root} cannot be written; nothing can be remembered")
    scan = core.workspace.scan()
    for one in scan.skipped:
        yield Finding("notes", "problem" if one.code == "unreadable" else "note", f"{one.path}: {one.reason}")
    yield from _notes(core, [ref.path for ref in scan.documents if ref.curated], [ref.path for ref in scan.documents])


def _notes(core: MemoryCore, curated: list[str], paths: list[str]) -> Iterator[Finding]:
    from openclaw_memory_core.sessions.redact import redact

    limit = core.agent.startup.max_file_chars
    readable = 0
    for path in paths:
        try:
            text = core.workspace.text(path)
        except OpenClawMemoryError as error:
            yield Finding.of("notes", error)
            continue
        readable += 1
        if path in curated and len(text) > limit:
            message = f"{path} has {len(text)} characters; sessions load {limit} of them"
            yield Finding("notes", "note", message, "shorten it, or raise agents.defaults.bootstrapMaxChars")
        if redact(text) != text:
            lines = [str(i) for i, line in enumerate(text.splitlines(), 1) if redact(line) != line]
            where = f"{path}, line {', '.join(lines[:5])}" if lines else path
            yield Finding("secrets", "note", f"{where}: looks like a credential", "keep credentials out of notes")
    yield Finding("notes", "ok", f"{count(readable, 'note')} in {core.workspace.root}")


def _sqlite(core: MemoryCore) -> Iterator[Finding]:
    """What SQLite can do here, tried on a file of our own."""
    from openclaw_memory_core.index.store import SqliteStore

    settings = core.agent.search.store
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(
            Path(folder) / "probe.sqlite",
            vector_enabled=settings.vector_enabled,
            extension_path=settings.extension_path,
            fts_tokenizer=settings.fts_tokenizer,
        )
        try:
            store.open()
            found = store.describe()
        except OpenClawMemoryError as error:
            yield Finding.of("sqlite", error)
            return
        finally:
            store.close()
    yield Finding("sqlite", "ok", f"SQLite {found['sqliteVersion']}, keyword index with {found['fts']['tokenizer']}")
    vector = found["vector"]
    if vector["extension"]:
        yield Finding("vectors", "ok", f"sqlite-vec from {vector['extensionPath']}")
    else:
        yield Finding("vectors", "note", f"vectors are compared without sqlite-vec: {vector['reason']}")


def _index(core: MemoryCore, *, report: Mapping[str, Any], full: bool) -> Iterator[Finding]:
    if "indexError" in report:
        error = report["indexError"]
        yield Finding("index", "problem", error["message"], error["hint"], code=error["code"])
        return
    if not report["indexExists"]:
        yield Finding("index", "note", f"there is no index at {report['dbPath']}", "run: openclaw-memory index")
        return
    for notice in report["notices"]:
        yield Finding("index", "note", notice)
    broken = core.index.store.integrity_check(full=full)
    if broken:
        yield Finding(
            "index", "problem", f"the index is damaged: {broken[0]}", "it can be built anew", partial(_aside, core)
        )
        return
    for path, failed in ((report["lastSync"] or {}).get("failed") or {}).items():
        yield Finding("index", "problem", f"{path}: {failed['message']}", code=failed["code"])
    if report["dirty"]:
        reason = report.get("dirtyReason") or "the index is not up to date"
        yield Finding("index", "note", reason, "run: openclaw-memory index")
    file = report["store"]
    if file["reusableBytes"] > max(_SPARE, file["bytes"] // 2):
        text = f"{file['reusableBytes'] >> 20} of the {file['bytes'] >> 20} MB of the index are unused"
        yield Finding("index", "note", text, None, partial(_shrink, core))
    yield Finding("index", "ok", f"{count(report['files'], 'file')}, {count(report['chunks'], 'chunk')}, no damage")


def _shrink(core: MemoryCore) -> str:
    core.index.store.vacuum()
    return "the index gave its unused space back"


def _aside(core: MemoryCore) -> str:
    return f"the damaged index was moved to {core.index.store.set_aside()}; run: openclaw-memory index"


def _provider(core: MemoryCore, *, report: Mapping[str, Any]) -> Iterator[Finding]:
    name = f"{report['provider']} ({report['model']})"
    probe = report.get("embeddingProbe")
    problem = report.get("providerError") or (probe or {}).get("error")
    if problem:
        failure = core.index.provider.failure
        code = failure.code if failure is not None else None
        yield Finding("provider", "problem", f"{report['requestedProvider']}: {problem}", code=code)
    elif report["searchMode"] == "keyword":
        state: State = "ok" if report["requirement"] == "fts-only" else "note"
        yield Finding("provider", state, f"keywords only: {'; '.join(report['providerReasons']) or 'by configuration'}")
    else:
        yield Finding("provider", "ok", f"{name}{' answered' if probe else ''}")
    remote = core.agent.search.remote
    if remote.api_key_problem:
        yield Finding("provider", "note", f"remote.apiKey: {remote.api_key_problem}")


def _permissions(core: MemoryCore) -> Iterator[Finding]:
    if os.name != "posix":
        return
    store = core.agent.search.store.path
    files = [store, *(store.with_name(store.name + suffix) for suffix in ("-wal", "-shm"))]
    open_files = [file for file in files if _mode(file) & _OTHERS]
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


def _watch(core: MemoryCore) -> Iterator[Finding]:
    if not core.agent.search.sync.watch:
        yield Finding("watch", "note", "files are not watched; the index follows at the next search")
        return
    try:
        limit = int(_WATCHES.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return
    roots = [root for source in core.index.sources for root in source.watch_roots()]
    folders = sum(1 for root in roots for _ in os.walk(root))
    if folders > limit // 2:
        message = f"{folders} folders to watch, the system allows {limit} in all"
        yield Finding("watch", "note", message, "raise fs.inotify.max_user_watches")
    else:
        yield Finding("watch", "ok", f"{count(folders, 'folder')} of at most {limit}")


def _tokens(config: MemoryConfig, *, verbose: bool) -> Iterator[Finding]:
    from openclaw_memory_core.flush.tokens import default_counter

    name = default_counter(config.env).name
    if name == "estimate":
        hint = "fill TIKTOKEN_CACHE_DIR with tiktoken's files to count exactly"
        yield Finding("tokens", "ok", "tokens of transcripts are estimated", hint if verbose else None)
    else:
        yield Finding("tokens", "ok", f"tokens of transcripts are counted with {name}")
