"""Is the index in line with the notes at this moment?  Compared by file stamps: nothing is read, nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openclaw_memory_core.core.answers import Freshness
from openclaw_memory_core.index.plan import make_plan

if TYPE_CHECKING:
    from openclaw_memory_core.index.protocol import IndexReader
    from openclaw_memory_core.workspace.documents import DocumentSource

ACTION = "run: openclaw-memory index"
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Gap:
    """What the index lacks.

    :param changed: paths of notes that are new or have another stamp.
    :param removed: paths that are indexed and gone.
    :param missing_vectors: documents with texts that have no vector yet.
    """

    indexed: int = 0
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    missing_vectors: int = 0
    unseen: int = 0


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
        removed=tuple(plan.remove),
        missing_vectors=sum(1 for state in files.values() if state.missing_vectors) if wants_vectors else 0,
        unseen=len(plan.unseen) + len(plan.failed),
    )


def freshness_of(gap: Gap, *, rebuilding: str | None = None) -> Freshness:
    """The gap as the fields of an answer.

    :param rebuilding: why another index is being built beside this one; None if none is.
    """
    reasons: list[str] = []
    if gap.changed:
        reasons.append(f"{_count(gap.changed)} not in the index yet: {_some(gap.changed)}.")
    if gap.removed:
        reasons.append(f"{_count(gap.removed)} gone since the last update.")
    if gap.missing_vectors:
        reasons.append(f"{gap.missing_vectors} of {gap.indexed} notes are found by keywords only so far.")
    if gap.unseen:
        reasons.append("Some folders could not be looked at.")
    if rebuilding:
        reasons.append(rebuilding)
    stale = bool(gap.changed or gap.removed)
    partial = bool(gap.missing_vectors or gap.unseen or rebuilding)
    return Freshness(stale, partial, " ".join(reasons) or None, ACTION if reasons else None)


def _count(paths: Sequence[str]) -> str:
    return "1 note is" if len(paths) == 1 else f"{len(paths)} notes are"


def _some(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:_NAMED])
    return shown if len(paths) <= _NAMED else f"{shown} …"
