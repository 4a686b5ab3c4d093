"""What a sync has to do: compare what the sources hold with what the index holds."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from openclaw_memory_core.index.model import FileState
from openclaw_memory_core.records import record
from openclaw_memory_core.workspace.documents import DocumentRef, DocumentSource, Scan, Skipped

if TYPE_CHECKING:
    from openclaw_memory_core.index.report import Failure

__all__ = ["Plan", "Task", "is_racy", "make_plan", "same_facts"]

logger = logging.getLogger(__name__)

RACY_SECONDS = 2.0
"""A stamp this fresh may hide a later change: file systems keep times as coarsely as two seconds."""

_EPOCH_ORDINAL = 719_163


@record
class Task:
    """A document to read: *state* is what the index has of it."""

    source: DocumentSource
    ref: DocumentRef
    state: FileState | None


@dataclass(slots=True)
class Plan:
    """What to do, newest notes first.

    :param unseen: (source, path prefix) of what could not be looked at; the empty prefix is the whole source.
    """

    tasks: list[Task] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    unchanged: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    unseen: list[tuple[str, str]] = field(default_factory=list)
    failed: dict[str, Failure] = field(default_factory=dict)

    @property
    def is_blind(self) -> bool:
        """True if a whole source could not be looked at."""
        return any(not prefix for _, prefix in self.unseen)

    def hides(self, state: FileState) -> bool:
        """True if the document may still be there although it was not seen."""
        return any(
            source == state.source and (state.path == prefix.rstrip("/") or state.path.startswith(_folder(prefix)))
            for source, prefix in self.unseen
        )


def _folder(prefix: str) -> str:
    return prefix if not prefix or prefix.endswith("/") else prefix + "/"


def same_facts(ref: DocumentRef, state: FileState) -> bool:
    """True if the index has the right facts about a document beside its text."""
    return (
        state.source == ref.source
        and state.curated == ref.curated
        and state.date == ref.date
        and state.session_key == ref.session_key
    )


def is_racy(stat: tuple[int, int, int, int, int], indexed_at: float) -> bool:
    """True if a file with this stamp was indexed so soon after its last change that an equal stamp proves nothing."""
    return stat[2] / 1e9 > indexed_at - RACY_SECONDS


def make_plan(
    sources: Sequence[DocumentSource],
    files: Mapping[str, FileState],
    *,
    paths: Collection[str] | None = None,
) -> Plan:
    """Look at every source and decide.

    :param files: what the index holds.
    :param paths: documents, or folders of documents, to look at; None for all.  Others are neither read nor removed.
    """
    plan = Plan()
    wanted = None if paths is None else frozenset(path.rstrip("/") for path in paths)
    found: set[str] = set()
    for source in sources:
        scan = _scan(source, plan)
        plan.skipped += scan.skipped
        plan.unseen += ((source.name, prefix) for prefix in scan.unseen)
        for ref in scan.documents:
            if ref.path not in found and _wanted(ref.path, wanted):
                found.add(ref.path)
                _decide(plan, source, ref, files.get(ref.path))
    plan.remove = [
        path for path, state in files.items() if path not in found and _wanted(path, wanted) and not plan.hides(state)
    ]
    plan.tasks.sort(key=lambda task: _newest_first(task.ref))
    return plan


def _scan(source: DocumentSource, plan: Plan) -> Scan:
    try:
        return source.scan()
    except Exception as error:  # a source that breaks its promise must not take the others down
        logger.exception("The source %s cannot be looked at; its documents stay as they are in the index", source.name)
        from openclaw_memory_core.index.report import failure

        plan.failed[f"{source.name}:"] = failure(error)
        return Scan((), unseen=("",))


def _decide(plan: Plan, source: DocumentSource, ref: DocumentRef, state: FileState | None) -> None:
    if state is None or not same_facts(ref, state):
        plan.tasks.append(Task(source, ref, state))
    elif state.stat == ref.stat and not is_racy(state.stat, state.indexed_at):
        plan.unchanged += 1
    else:
        plan.tasks.append(Task(source, ref, state))


def _wanted(path: str, wanted: frozenset[str] | None) -> bool:
    return wanted is None or path in wanted or any(parent in wanted for parent in _parents(path))


def _parents(path: str) -> Iterable[str]:
    at = path.rfind("/")
    while at > 0:
        yield path[:at]
        at = path.rfind("/", 0, at)


def _newest_first(ref: DocumentRef) -> tuple[bool, float, str]:
    day = ref.mtime if ref.date is None else (ref.date.toordinal() - _EPOCH_ORDINAL) * 86_400.0
    return not ref.curated, -day, ref.path
