"""What ``index`` says about one agent when it is done: what changed, what did not work, and who made the vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_memory_core.cli import output
from openclaw_memory_core.embeddings.resolve import describe
from openclaw_memory_core.errors import CancelledError, NoteReadError, OpenClawMemoryError, StoreBusyError

if TYPE_CHECKING:
    from openclaw_memory_core.core import MemoryCore
    from openclaw_memory_core.index.report import SyncReport


def outcome(core: MemoryCore, report: SyncReport, *, quiet: bool) -> dict[str, Any]:
    """The report as JSON, after saying on stderr what went wrong and, unless *quiet*, on stdout what was done.

    :raises CancelledError: it was stopped.
    """
    if report.cancelled:
        raise CancelledError("stopped on request")
    answer: dict[str, Any] = {"agentId": core.agent.id, **report.to_dict()}
    for notice in core.index.notices:
        _note(notice)
    for path, failed in {**report.failed, **report.unembedded}.items():
        _note(f"{path}: {failed.message}")
    for skipped in report.skipped:
        _note(f"{core.workspace.root if skipped.path == '.' else skipped.path}: left out: {skipped.reason}")
    resolution = core.index.provider.resolution
    if resolution.fallback_from is not None and not report.busy:
        answer["fallback"] = {"from": resolution.fallback_from, "reason": resolution.fallback_reason}
        place = f"The fallback {resolution.chosen} works in the place of {resolution.fallback_from}"
        _note(f"{place}: {resolution.fallback_reason}")
    error = _error(core, report)
    if error is not None:
        output.complain(f"Memory index failed ({core.agent.id})", error.to_dict())
        return {**answer, "error": error.to_dict()}
    missing = report.provider_error or resolution.error
    if missing is not None:
        answer.setdefault("providerError", missing.to_dict())
        _note(f"Without vectors, so found by keywords only: {describe(missing)}")
    if not quiet:
        _print(core, report)
    return answer


def _error(core: MemoryCore, report: SyncReport) -> OpenClawMemoryError | None:
    """What makes the command fail: nobody could write, a required provider, a folder of notes that nobody sees."""
    if report.busy:
        return _busy(core)
    resolution = core.index.provider.resolution
    failed = report.provider_error or resolution.error
    if failed is not None and resolution.requirement == "required":
        return failed
    unseen = [prefix.rstrip("/") for prefix in report.unseen if prefix.endswith("/")]
    if unseen or ("" in report.unseen and core.workspace.root.exists()):
        names = ", ".join(unseen) or str(core.workspace.root)
        return NoteReadError(
            f"the notes in {names} cannot be looked at; what the index has of them stays",
            hint="Give this user the right to enter and read that folder, then run openclaw-memory index again.",
        )
    return None


def _busy(core: MemoryCore) -> StoreBusyError:
    lease = core.index.store.describe()["lease"] or {}
    who = f"{lease['owner']}, pid {lease['pid']}" if {"owner", "pid"} <= lease.keys() else "another process"
    return StoreBusyError(
        f"the index is being written ({who}); nothing was done",
        hint="Run openclaw-memory index again when that is done; openclaw-memory status shows how far it is.",
    )


def _note(text: str) -> None:
    output.note(output.visible(text, note=True))


def _print(core: MemoryCore, report: SyncReport) -> None:
    if not report.documents:
        output.data(f"No memory files found in {core.workspace.root}; nothing indexed ({core.agent.id}).")
        return
    files = output.count(report.documents - len(report.failed), "file")
    parts = [(report.added, "new"), (report.changed, "changed"), (report.removed, "removed")]
    changes = ", ".join(f"{number} {word}" for number, word in parts if number)
    if changes or report.rebuilt or report.embedded:
        output.data(f"Memory index updated ({core.agent.id}): {files} indexed.")
    else:
        output.data(f"Memory index is up to date ({core.agent.id}): {files}.")
    texts = f"{output.count(report.embedded, 'text')} embedded, {report.cached} known"
    output.data(f"{changes or 'no changes'}; {texts}; {report.duration:.1f} s.")
