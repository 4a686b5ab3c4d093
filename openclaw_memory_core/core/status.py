"""How the memory is, for ``status``, dashboards and people in trouble.  Looks; changes nothing; makes no index file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.core.freshness import MADE_FOR_OTHERS, find_gap, freshness_of
from openclaw_memory_core.embeddings.resolve import describe
from openclaw_memory_core.errors import OpenClawMemoryError
from openclaw_memory_core.index.model import IndexCounts
from openclaw_memory_core.index.past import last_sync, spent
from openclaw_memory_core.workspace.documents import Scan

if TYPE_CHECKING:
    from openclaw_memory_core.core.indexing import IndexService
    from openclaw_memory_core.core.memory import MemoryCore
    from openclaw_memory_core.index.model import IndexIdentity
    from openclaw_memory_core.workspace.documents import DocumentSource


def status_report(core: MemoryCore, *, deep: bool) -> dict[str, Any]:
    """The mapping behind ``status --json`` (one agent).

    :param deep: also ask the provider for a vector.
    """
    agent = core.agent
    report: dict[str, Any] = {
        "agentId": agent.id,
        "enabled": agent.search.enabled,
        "workspaceDir": str(core.workspace.root),
        "timezone": core.timezone or "host",
        "today": core.today().isoformat(),
        "sources": list(agent.search.sources),
        "extraPaths": [extra.configured or str(extra.path) for extra in agent.search.extra_paths],
        "flush": _flush(core),
        "configWarnings": [str(warning) for warning in core.config.warnings],
    }
    if not agent.search.enabled:
        return {**report, "reason": "memory.search.enabled is false", "issues": []}
    report |= _provider(core.index, deep=deep)
    report |= _index(core.index)
    report |= core.index.describe_worker()
    report["issues"] = _issues(report)
    return report


def _provider(index: IndexService, *, deep: bool) -> dict[str, Any]:
    resolution = index.provider.resolution
    info = index.provider.info
    answer: dict[str, Any] = {
        "provider": resolution.chosen or "none",
        "requestedProvider": resolution.requested,
        "model": info.model if info is not None else "fts-only",
        "requirement": resolution.requirement,
        "searchMode": "hybrid" if info is not None else "keyword",
        "providerReasons": list(resolution.reasons),
    }
    if resolution.fallback_from:
        answer["fallback"] = {"from": resolution.fallback_from, "reason": resolution.fallback_reason}
    failure = index.provider.failure
    if failure is not None:
        answer["providerError"] = describe(failure)
    batch = index.provider.batch_status()
    if batch is not None:
        answer["batch"] = batch
    if deep:
        answer["embeddingProbe"] = index.provider.probe()
    return answer


def _index(index: IndexService) -> dict[str, Any]:
    path = index.agent.search.store.path
    answer: dict[str, Any] = {"dbPath": str(path), "indexExists": index.place.exists}
    locked = index.place.why_unwritable()
    if locked is not None:
        answer["writeError"] = locked.to_dict()
    if damaged := index.place.damaged_files():
        answer["damagedFiles"] = damaged
    sources = [_Scanned(source) for source in index.sources]
    if not index.place.exists:
        present = _present(sources)
        waiting = {"dirty": any(present.values()), "lastSync": None}
        return answer | _seen(sources) | _counts(present, IndexCounts()) | waiting
    try:
        store = index.look()
        with store.reader() as reader:
            # The notes are looked at while this view is open: what it lacks was saved later, and is not gone.
            counts, gap, held = reader.counts(), find_gap(reader, sources), reader.identity
        present = _present(sources)
        stand_in = _stand_in(index, held)
        fits = held == index.identity or bool(stand_in)
        freshness = freshness_of(gap, other=None if fits or held is None else MADE_FOR_OTHERS)
        for name in (source.name for source in sources if source.found.unseen):
            # What cannot be looked at is still there, as far as anybody knows.
            present[name] = max(present[name], counts.files.get(name, 0) - gap.gone.get(name, 0))
        return (
            answer
            | _seen(sources)
            | stand_in
            | _counts(present, counts, gap.gone)
            | {
                "dirty": freshness.stale or freshness.partial,
                "dirtyReason": freshness.reason,
                "dirtyAction": freshness.action,
                "store": store.describe(),
                "identityMatches": held == index.identity,
                "lastSync": _last_sync(last_sync(store)),
                "spent": spent(store, index.identity),
                "notices": list(index.notices),
            }
        )
    except OpenClawMemoryError as error:
        failed = {"dirty": True, "indexError": error.to_dict()}
        return answer | _seen(sources) | _counts(_present(sources), IndexCounts()) | failed


class _Scanned:
    """A source that is looked at once, when it is first asked."""

    def __init__(self, source: DocumentSource) -> None:
        self.name = source.name
        self.load = source.load
        self.watch_roots = source.watch_roots
        self._source = source

    def scan(self) -> Scan:
        return self._scan

    @cached_property
    def _scan(self) -> Scan:
        return self._source.scan()

    @property
    def found(self) -> Scan:
        """The same; nothing for a source that breaks its promise, which the comparison with the index names."""
        try:
            return self._scan
        except Exception:
            return Scan((), unseen=("",))


def _seen(sources: Sequence[_Scanned]) -> dict[str, Any]:
    """What was passed over, and what could not be looked at."""
    skipped = [one for source in sources for one in source.found.skipped]
    return {
        "skipped": [{"path": one.path, "code": one.code, "reason": one.reason} for one in skipped],
        "unseen": [prefix for source in sources for prefix in source.found.unseen],
    }


def _stand_in(index: IndexService, held: IndexIdentity | None) -> dict[str, Any]:
    """The fallback answers until an update gets through to the first choice."""
    found = index.stand_in(held)
    if found is None:
        return {}
    resolution, (info, why) = index.provider.resolution, found
    fallback = {"from": resolution.chosen or resolution.requested, "reason": why}
    return {"provider": info.id, "model": info.model, "fallback": fallback}


def _present(sources: Sequence[_Scanned]) -> dict[str, int]:
    """How many notes there are, by source; one that may not be read is there all the same."""
    present: dict[str, int] = {}
    for source in sources:
        unreadable = [one for one in source.found.skipped if one.code == "unreadable" and one.path.endswith(".md")]
        present[source.name] = len(source.found.documents) + len(unreadable)
    return present


def _counts(present: Mapping[str, int], counts: IndexCounts, gone: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Numbers that add up: rows of notes that are *gone* do not count as indexed."""
    indexed = {name: counts.files.get(name, 0) - (gone or {}).get(name, 0) for name in present}
    return {
        "files": sum(indexed.values()),
        "totalFiles": sum(present.values()),
        "chunks": sum(counts.chunks.values()),
        "vectors": counts.vectors,
        "cacheEntries": counts.cache_entries,
        "sourceCounts": [
            {
                "source": name,
                "files": indexed[name],
                "totalFiles": total,
                "chunks": counts.chunks.get(name, 0),
            }
            for name, total in present.items()
        ],
    }


def _last_sync(last: dict[str, Any] | None) -> dict[str, Any] | None:
    if last is None or not isinstance(last.get("finishedAt"), int | float):
        return last
    return last | {"finishedAt": dt.datetime.fromtimestamp(last["finishedAt"], dt.UTC).isoformat(timespec="seconds")}


def _flush(core: MemoryCore) -> dict[str, Any]:
    flush = core.conversations.flush
    return {"enabled": core.agent.flush.enabled, **flush.describe(core.owner), "sessions": flush.overview()}


def _issues(report: Mapping[str, Any]) -> list[str]:
    """What a person should look at, most urgent first."""
    issues: list[str] = []
    if "indexError" in report:
        issues.append(f"the index cannot be used: {_with_hint(report['indexError'])}")
    elif "writeError" in report:
        issues.append(_with_hint(report["writeError"]))
    last = report.get("lastSync") or {}
    issues += _provider_issues(report, last)
    issues += [f"{path}: {failed['message']}" for path, failed in last.get("failed", {}).items()]
    issues += [f"{path}: {failed['message']}" for path, failed in last.get("unembedded", {}).items()]
    skipped = {one["path"]: one["reason"] for one in report.get("skipped", ())}
    issues += [f"{report['workspaceDir'] if path == '.' else path}: {why}" for path, why in skipped.items()]
    unseen = [prefix for prefix in report.get("unseen", ()) if (prefix.rstrip("/") or ".") not in skipped]
    issues += [f"{prefix or report['workspaceDir']}: cannot be looked at now" for prefix in unseen]
    if not report.get("totalFiles") and "" not in report.get("unseen", ()):
        issues.append(f"no memory files found in {report['workspaceDir']}")
    issues += list(report["configWarnings"])
    return list(dict.fromkeys(issues))


def _with_hint(error: Mapping[str, Any]) -> str:
    return f"{error['message']} ({error['hint']})" if error["hint"] else str(error["message"])


def _provider_issues(report: Mapping[str, Any], last: Mapping[str, Any]) -> list[str]:
    if "providerError" in report:
        return [f"embeddings: {report['providerError']}"]
    probe = report.get("embeddingProbe")
    if probe is not None:
        return [f"embeddings: {probe['error']}"] if not probe["ok"] and "error" in probe else []
    failed = last.get("providerError")
    return [f"embeddings, at the last update: {failed['message']}"] if failed and "fallback" not in report else []
