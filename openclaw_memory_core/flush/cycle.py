"""A session's present cycle as its entry in ``sessions.json`` tells it.

``memoryFlushAt`` and ``memoryFlushCompactionCount`` are the host's own fields.  Beside them stand ours: which
transcript the marks belong to, how large it was, and the failures of the cycle.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from openclaw_memory_core.records import record

MAX_FAILURES = 3
"""Failed flushes after which a cycle is left alone."""

_LONGEST_ERROR = 300


@record
class Cycle:
    """From one compaction to the next.

    :param count: compactions so far.
    :param flushed: this cycle has had its flush.
    :param failures: flushes of this cycle that failed.
    :param start_bytes: size of the transcript at the last flush or compaction, 0 if unknown.
    """

    count: int
    flushed: bool
    failures: int
    start_bytes: int

    @property
    def open(self) -> bool:
        """A flush may still be asked for."""
        return not self.flushed and self.failures < MAX_FAILURES


def read_cycle(entry: Mapping[str, Any], session_id: str | None) -> Cycle:
    """The cycle that *entry* is in.

    No mark at all is not the mark of compaction 0, and marks of an earlier transcript under the same key do not count.

    :param session_id: id of the present transcript, None if unknown.
    """
    count = number(entry.get("compactionCount"))
    if not _same_transcript(entry, session_id):
        return Cycle(count, flushed=False, failures=0, start_bytes=0)
    mark = entry.get("memoryFlushCompactionCount")
    failed = entry.get("memoryFlushFailureCompactionCount")
    return Cycle(
        count,
        flushed=_is_count(mark, count) or _succeeded(entry.get("memoryFlush"), count),
        failures=number(entry.get("memoryFlushFailureCount")) if _is_count(failed, count) else 0,
        start_bytes=number(entry.get("memoryFlushTranscriptBytes")),
    )


def success_marks(count: int, session_id: str | None, now_ms: int, transcript_bytes: int) -> dict[str, Any]:
    """Fields that say: the cycle of *count* has been flushed."""
    marks = {"memoryFlushAt": now_ms, "memoryFlushCompactionCount": count}
    return {**marks, **_origin(session_id), "memoryFlushTranscriptBytes": transcript_bytes}


def failure_marks(cycle: Cycle, session_id: str | None, now_ms: int, error: str) -> dict[str, Any]:
    """Fields that say: one more flush of this cycle has failed."""
    return {
        "memoryFlushFailureCount": cycle.failures + 1,
        "memoryFlushFailureCompactionCount": cycle.count,
        "memoryFlushFailedAt": now_ms,
        "memoryFlushError": error[:_LONGEST_ERROR],
        **_origin(session_id),
    }


def next_cycle_marks(entry: Mapping[str, Any], seen: int | None, transcript_bytes: int) -> dict[str, Any] | None:
    """Fields that begin the next cycle; None where the host has counted the compaction itself.

    :param seen: compaction count when this cycle was last looked at, None if it never was.
    """
    count = number(entry.get("compactionCount"))
    recorded = {entry.get("memoryFlushCompactionCount"), entry.get("memoryFlushFailureCompactionCount")}
    counted_by_host = seen is not None and count != seen
    untouched = seen is None and count not in recorded
    if counted_by_host or untouched:
        return None
    return {"compactionCount": count + 1, "memoryFlushTranscriptBytes": transcript_bytes}


def overview(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """``lastFlushAt`` in milliseconds (None: never) and ``failing``, the sessions with failures in their cycle."""
    failing = []
    for key, entry in entries.items():
        known = entry.get("sessionId")
        cycle = read_cycle(entry, known if isinstance(known, str) else None)
        if cycle.failures and not cycle.flushed:
            failure = {"sessionKey": key, "failures": cycle.failures, "gaveUp": not cycle.open}
            failing.append({**failure, "error": entry.get("memoryFlushError"), "at": entry.get("memoryFlushFailedAt")})
    last = max((number(entry.get("memoryFlushAt")) for entry in entries.values()), default=0)
    return {"lastFlushAt": last or None, "failing": failing}


def number(value: object) -> int:
    """*value* if it is a number above 0 and not infinite, else 0."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0
    return int(value) if 0 < value < math.inf else 0


def _is_count(value: object, count: int) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == count


def _same_transcript(entry: Mapping[str, Any], session_id: str | None) -> bool:
    origin = entry.get("memoryFlushSessionId")
    return origin is None or session_id is None or origin == session_id


def _origin(session_id: str | None) -> dict[str, Any]:
    return {} if session_id is None else {"memoryFlushSessionId": session_id}


def _succeeded(mark: object, count: int) -> bool:
    """The form of newer hosts: ``memoryFlush: {kind: "succeeded", compactionCount}``."""
    return isinstance(mark, dict) and mark.get("kind") == "succeeded" and mark.get("compactionCount") == count
