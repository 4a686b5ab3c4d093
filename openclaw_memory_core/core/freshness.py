"""Is the index in line with the notes at this moment?  Compared by file stamps: nothing is read, nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from openclaw_memory_core.core.answers import Freshness, sentence
from openclaw_memory_core.index.plan import make_plan
from openclaw_memory_core.records import record

if TYPE_CHECKING:
    from openclaw_memory_core.errors import StoreError
    from openclaw_memory_core.index.plan import Plan
    from openclaw_memory_core.index.protocol import IndexReader
    from openclaw_memory_core.workspace.documents import DocumentSource

ACTION = "run: openclaw-memory index"
MADE_FOR_OTHERS = "The index was made for other settings and answers until it is rebuilt."
READABLE = "make what is named readable for this user"
CREATE = "create the folder, or name that of your notes in agents.defaults.workspace"
_NAMED = 3


@record
class Gap:
    """What the index lacks.

    :param changed: paths of notes that are new or have another stamp.
    :param new: those of them of which the index has nothing.
    :param removed: paths that are indexed and gone.
    :param gone: how many of them each source had.
    :param missing_vectors: documents with texts that have no vector yet.
    :param unseen: what could not be looked at, one clause each.
    :param homeless: there is no workspace.
    """

    indexed: int = 0
    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    gone: Mapping[str, int] = field(default_factory=dict)
    missing_vectors: int = 0
    unseen: tuple[str, ...] = ()
    homeless: bool = False


def find_gap(reader: IndexReader, sources: Sequence[DocumentSource]) -> Gap:
    """Compare what the sources hold with what the index holds."""
    files = reader.files()
    plan = make_plan(sources, files)
    changed = [task.ref.path for task in plan.tasks if task.state is None or task.state.stat != task.ref.stat]
    identity = reader.identity
    wants_vectors = identity is not None and identity.has_vectors
    return Gap(
        indexed=len(files),
        changed=tuple(changed),
        new=tuple(path for path in changed if path not in files),
        removed=tuple(plan.remove),
        gone=Counter(files[path].source for path in plan.remove),
        missing_vectors=sum(1 for state in files.values() if state.missing_vectors) if wants_vectors else 0,
        unseen=tuple(_unseen(plan)),
        homeless=any((one.path, one.code) == (".", "missing") for one in plan.skipped),
    )


def _unseen(plan: Plan) -> Iterator[str]:
    reasons = {one.path: one.reason for one in plan.skipped}
    folders = {prefix.rstrip("/") for _, prefix in plan.unseen if prefix.endswith("/")}
    for name in dict.fromkeys(prefix.rstrip("/") for _, prefix in plan.unseen):
        reason = reasons.get(name or ".")
        if not name:
            yield reason or "the workspace cannot be looked at"
        else:
            what = f"the folder {name}" if name in folders else name
            yield f"{what} cannot be read{f' ({reason})' if reason else ''}"
    yield from (f"{source.rstrip(':')} cannot be looked at ({why.message})" for source, why in plan.failed.items())


def freshness_of(gap: Gap, *, other: str | None = None) -> Freshness:
    """The gap as the fields of an answer.

    :param other: that the index was made for other settings, and what comes of it; None if it was not.
    """
    reasons: list[str] = []
    if gap.new:
        reasons.append(f"{_count(gap.new)} not in the index yet: {_some(gap.new)}.")
    if edited := [path for path in gap.changed if path not in gap.new]:
        what = (
            "1 note has changed since it was"
            if len(edited) == 1
            else f"{len(edited)} notes have changed since they were"
        )
        reasons.append(f"{what} indexed: {_some(edited)}.")
    if gap.removed:
        reasons.append(f"{_count(gap.removed)} gone since the last update.")
    if gap.missing_vectors:
        notes = "note" if gap.indexed == 1 else "notes"
        verb = "is" if gap.missing_vectors == 1 else "are"
        reasons.append(f"{gap.missing_vectors} of {gap.indexed} {notes} {verb} found by keywords only so far.")
    if other:
        reasons.append(other)
    action = [ACTION] if reasons else []
    if gap.unseen:
        reasons += [sentence(one) for one in gap.unseen[:_NAMED]]
        reasons += [f"So it is with {len(gap.unseen) - _NAMED} more."] if len(gap.unseen) > _NAMED else []
        action += [CREATE] if gap.homeless else []
        action += [READABLE] if len(gap.unseen) > gap.homeless else []
    stale = bool(gap.changed or gap.removed)
    partial = bool(gap.missing_vectors or gap.unseen or other)
    return Freshness(stale, partial, " ".join(reasons) or None, "; ".join(action) or None)


def held_up(freshness: Freshness, error: StoreError) -> Freshness:
    """*freshness* of an index that answers and cannot be brought up to date because of *error*."""
    reasons = [sentence(f"{error.message.rstrip('.')}; it answers as it was"), freshness.reason or ""]
    return Freshness(
        stale=True,
        partial=freshness.partial,
        reason=" ".join(reasons).strip(),
        action=error.hint or freshness.action,
    )


def _count(paths: Sequence[str]) -> str:
    return "1 note is" if len(paths) == 1 else f"{len(paths)} notes are"


def _some(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:_NAMED])
    return shown if len(paths) <= _NAMED else f"{shown} …"
