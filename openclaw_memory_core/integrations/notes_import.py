"""Bringing in notes that other agents have written: planned first, then added below ``memory/imports/``.

Nothing that is already there changes.  A note that has grown since the last import gets its new end; one that was
rewritten is a conflict, and is named.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from openclaw_memory_core.errors import NoteError, UsageError
from openclaw_memory_core.workspace.append import append_raw, read_raw
from openclaw_memory_core.workspace.entry_text import format_entry

State = Literal["new", "grown", "unchanged", "conflict", "skipped"]

IMPORTS_FOLDER: Final = "memory/imports"
LARGEST_NOTE: Final = 1_000_000
"""Bytes; larger files are named and left out."""
_HERMES_SEPARATOR: Final = "\n§\n"


@dataclass(frozen=True, slots=True)
class ImportSource:
    """An agent that writes memory files.

    :param variable: environment variable that moves its folder.
    :param folder: name of its folder in the home folder.
    :param pattern: where the notes are below that folder; the part before ``**`` is left out of the target's path,
        except for what a ``*`` in it stood for.
    :param ignored: names of files that only repeat the others.
    :param convert: makes Markdown of the agent's own form.
    """

    name: str
    variable: str
    folder: str
    pattern: str
    ignored: frozenset[str] = frozenset()
    convert: Callable[[str], str] | None = None

    def home(self, env: Mapping[str, str], user_home: Path) -> Path:
        """The agent's folder."""
        moved = env.get(self.variable, "").strip()
        return Path(moved).expanduser() if moved else user_home / self.folder


@dataclass(frozen=True, slots=True)
class PlannedNote:
    """What the import would do with one file.

    :param path: the note in the workspace.
    :param before: what it holds now.
    :param data: what is to be added.
    :param reason: why it is a conflict or is left out; None otherwise.
    """

    source: Path
    path: str
    state: State
    before: bytes = b""
    data: bytes = b""
    reason: str | None = None

    @property
    def writes(self) -> bool:
        """Whether there is something to add."""
        return self.state in ("new", "grown")


def _hermes_entries(text: str) -> str:
    entries = [entry for entry in text.replace("\r\n", "\n").split(_HERMES_SEPARATOR) if entry.strip()]
    return "".join(f"{format_entry(entry)}\n" for entry in entries)


SOURCES: Final = {
    source.name: source
    for source in (
        ImportSource("claude-code", "CLAUDE_CONFIG_DIR", ".claude", "projects/*/memory/**"),
        ImportSource("codex", "CODEX_HOME", ".codex", "memories/**", frozenset({"raw_memories.md"})),
        ImportSource("hermes", "HERMES_HOME", ".hermes", "memories/**", convert=_hermes_entries),
    )
}


def plan_import(
    workspace: Path, source: ImportSource, *, folder: Path | None, env: Mapping[str, str], user_home: Path
) -> list[PlannedNote]:
    """Look at every note of *source* and at what the workspace holds of it.  Writes nothing.

    :param folder: a folder with notes, instead of the agent's own.
    :raises UsageError: there is no such folder.
    """
    root = folder if folder is not None else source.home(env, user_home)
    if not root.is_dir():
        raise UsageError(f"there is no folder {root}", hint="name the folder with the notes: --from FOLDER")
    found = _below(root, ()) if folder is not None else _matching(root, source.pattern)
    plans = []
    for path, name in sorted(found, key=lambda one: one[1]):
        if path.name not in source.ignored:
            plans.append(_plan(workspace, source, path, f"{IMPORTS_FOLDER}/{source.name}/{name}"))
    return plans


def resolve_conflicts(workspace: Path, plans: Sequence[PlannedNote]) -> list[PlannedNote]:
    """The same plans, with a second note beside each one that is in conflict."""
    resolved = []
    for plan in plans:
        if plan.state == "conflict" and plan.data:
            digest = hashlib.sha256(plan.data).hexdigest()[:8]
            beside = f"{plan.path.removesuffix('.md')}.{digest}.md"
            resolved.append(_compare(workspace, replace(plan, path=beside, reason=None), plan.data))
        else:
            resolved.append(plan)
    return resolved


def carry_out(workspace: Path, plans: Sequence[PlannedNote]) -> list[PlannedNote]:
    """Write what the plans say; one that cannot be written is skipped, with the reason, and the rest goes on."""
    done = []
    for plan in plans:
        if plan.writes:
            try:
                append_raw(workspace, plan.path, plan.data, after=plan.before)
            except NoteError as error:
                done.append(replace(plan, state="skipped", reason=error.message))
                continue
        done.append(plan)
    return done


def _matching(root: Path, pattern: str) -> Iterator[tuple[Path, str]]:
    """Notes below the folders that the part of *pattern* before ``/**`` names, with their names for the target."""
    head = PurePosixPath(pattern.removesuffix("/**"))
    stars = [number for number, part in enumerate(head.parts) if part == "*"]
    for base in sorted(root.glob(str(head))):
        parts = base.relative_to(root).parts
        yield from _below(base, tuple(parts[number] for number in stars))


def _below(base: Path, lead: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    for folder, folders, files in os.walk(base):
        # Hidden folders hold what tools keep for themselves, for example a repository.
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in files:
            path = Path(folder, name)
            if name.endswith(".md") and not name.startswith("."):
                yield path, "/".join((*lead, *path.relative_to(base).parts))


def _plan(workspace: Path, source: ImportSource, path: Path, target: str) -> PlannedNote:
    empty = PlannedNote(path, target, "skipped")
    try:
        text = _text(path)
    except (OSError, ValueError) as error:
        return replace(empty, reason=str(getattr(error, "strerror", None) or error))
    converted = text if source.convert is None else source.convert(text)
    if not converted.strip():
        return replace(empty, reason="it is empty")
    return _compare(workspace, empty, converted.encode("utf-8"))


def _text(path: Path) -> str:
    st = path.lstat()
    if not stat.S_ISREG(st.st_mode):
        raise ValueError("it is a link or no regular file")
    if st.st_size > LARGEST_NOTE:
        raise ValueError(f"it is larger than {LARGEST_NOTE:,} bytes")
    data = path.read_bytes()
    if b"\0" in data:
        raise ValueError("it is not text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None


def _compare(workspace: Path, plan: PlannedNote, data: bytes) -> PlannedNote:
    try:
        before = read_raw(workspace, plan.path)
    except NoteError as error:
        return replace(plan, state="skipped", reason=error.message)
    if not before:
        return replace(plan, state="new", before=b"", data=data)
    if before == data:
        return replace(plan, state="unchanged", before=before, data=b"")
    if data.startswith(before):
        return replace(plan, state="grown", before=before, data=data[len(before) :])
    return replace(plan, state="conflict", before=before, data=data, reason="both notes have changed")
