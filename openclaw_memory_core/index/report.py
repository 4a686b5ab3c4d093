"""What a sync says about itself: while it runs, and when it is over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from openclaw_memory_core.errors import EmbeddingError, OpenClawMemoryError

if TYPE_CHECKING:
    from openclaw_memory_core.workspace.documents import Skipped

__all__ = ["Failure", "SyncPhase", "SyncProgress", "SyncReport", "failure"]

SyncPhase = Literal["scan", "text", "vectors", "publish"]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why something was left as it was.  *code* is stable, *message* is for people."""

    code: str
    message: str


def failure(error: BaseException) -> Failure:
    """*error* as a :class:`Failure`; the words of an error that is not ours are left out, they may quote a note."""
    if isinstance(error, OpenClawMemoryError):
        return Failure(error.code, error.message)
    return Failure("internal", f"unexpected {type(error).__name__}")


@dataclass(frozen=True, slots=True)
class SyncProgress:
    """Where a sync is.

    :param done: documents (text) or texts (vectors) finished.
    :param total: as far as known now; grows while documents are read.
    :param tokens: estimated tokens that are about to be sent to a provider that costs money; said once, before that.
    """

    phase: SyncPhase
    done: int = 0
    total: int = 0
    path: str | None = None
    tokens: int = 0


OnProgress = Callable[[SyncProgress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """How a sync went.

    :param reason: what asked for it.
    :param started_at: seconds since the epoch.
    :param duration: seconds.
    :param added: documents that are new in the index.
    :param changed: documents whose rows were replaced.
    :param removed: documents that are gone.
    :param unchanged: documents left as they are; *touched* of them only got a new stamp.
    :param skipped: what looks like a note and is not indexed.
    :param failed: documents that could not be read or written, by path; their old rows stay.
    :param unembedded: documents with a text that the provider refused or lost, by path; found by keywords only.
    :param unseen: path prefixes that could not be looked at.
    :param chunks: chunks written.
    :param embedded: texts that the provider embedded.
    :param cached: texts whose vector was stored already.
    :param missing: chunks without a vector at the end; 0 in a keyword-only index.
    :param tokens: estimated tokens of what was embedded.
    :param rebuilt: a new generation was published.
    :param complete: every document that was found is in the index as it was found.
    :param busy: another process is writing; nothing was done.
    :param cancelled: stopped on request; what was finished is kept.
    :param provider_error: why embedding ended early.
    """

    reason: str
    started_at: float = 0.0
    duration: float = 0.0
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    touched: int = 0
    skipped: tuple[Skipped, ...] = ()
    failed: Mapping[str, Failure] = field(default_factory=dict)
    unembedded: Mapping[str, Failure] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()
    chunks: int = 0
    embedded: int = 0
    cached: int = 0
    missing: int = 0
    requests: int = 0
    tokens: int = 0
    rebuilt: bool = False
    complete: bool = False
    busy: bool = False
    cancelled: bool = False
    provider_error: EmbeddingError | None = None

    @property
    def documents(self) -> int:
        """Documents that were found."""
        return self.added + self.changed + self.unchanged + len(self.failed)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-serialisable values, camel case, without what is empty."""
        values: dict[str, Any] = {
            "reason": self.reason,
            "startedAt": self.started_at,
            "duration": round(self.duration, 3),
            "complete": self.complete,
        }
        for name in _COUNTS:
            values[name] = getattr(self, name)
        for flag in ("rebuilt", "busy", "cancelled"):
            if getattr(self, flag):
                values[flag] = True
        values |= {
            name: {path: {"code": item.code, "message": item.message} for path, item in sorted(found.items())}
            for name, found in (("failed", self.failed), ("unembedded", self.unembedded))
            if found
        }
        if self.skipped:
            values["skipped"] = [{"path": s.path, "code": s.code, "reason": s.reason} for s in self.skipped]
        if self.unseen:
            values["unseen"] = list(self.unseen)
        if self.provider_error is not None:
            values["providerError"] = self.provider_error.to_dict()
        return values


_COUNTS = (
    "added",
    "changed",
    "removed",
    "unchanged",
    "touched",
    "chunks",
    "embedded",
    "cached",
    "missing",
    "requests",
    "tokens",
)
