"""What ``doctor`` looks at.  Each check yields findings and changes nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.cli.doctor_index import index, permissions
from openclaw_memory_core.cli.finding import Finding, State
from openclaw_memory_core.cli.output import count
from openclaw_memory_core.errors import OpenClawMemoryError

if TYPE_CHECKING:
    from openclaw_memory_core.config import CheckedConfig
    from openclaw_memory_core.config.model import MemoryConfig
    from openclaw_memory_core.core import MemoryCore

_WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")


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
        checks += [_sqlite, partial(index, report=report, full=deep), partial(_provider, report=report)]
        checks += [partial(permissions, report=report), _watch]
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
        unreadable = one.code == "unreadable"
        cure = "give this user the right to read it" if unreadable else None
        yield Finding("notes", "problem" if unreadable else "note", f"{one.path}: {one.reason}", cure)
    yield from _second_names(core, [ref.path for ref in scan.documents if ref.curated])
    yield from _notes(core, [ref.path for ref in scan.documents if ref.curated], [ref.path for ref in scan.documents])


def _second_names(core: MemoryCore, curated: list[str]) -> Iterator[Finding]:
    """A second name is private while it is the same file; once an editor has saved anew it is a note of its own."""
    for path in curated:
        names = (core.workspace.root / path).lstat().st_nlink
        if names > 1:
            message = f"{path} has {names} names (hard links); an editor that saves it anew leaves a readable copy"
            yield Finding("privacy", "note", message, "find -samefile shows the names; keep one")


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
