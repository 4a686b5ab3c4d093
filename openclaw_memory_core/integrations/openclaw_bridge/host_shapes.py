"""Our answers in the shapes of OpenClaw's memory runtime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from openclaw_memory_core.core.query import CURATED_NAMES
from openclaw_memory_core.errors import NoteNotFoundError, OpenClawMemoryError
from openclaw_memory_core.workspace.workspace import Workspace

_HIT_FIELDS: Final = (
    "path",
    "startLine",
    "endLine",
    "score",
    "snippet",
    "source",
    "citation",
    "vectorScore",
    "textScore",
    "importance",
)


def hit(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result of ``memory_search`` as ``MemorySearchManager.search`` gives it."""
    return {name: result[name] for name in _HIT_FIELDS if result.get(name) is not None}


def origin_class(workspace: Workspace, path: str) -> str:
    """Whether OpenClaw may put a memory file into the prompt by itself: ``agent`` if so, else ``untrusted``.

    A file that we would not read either (a link, something outside the workspace, no note) does not belong there.  One
    that does not exist is no danger.
    """
    try:
        workspace.read(path, 1, 1, max_chars=1, curated=True)
    except NoteNotFoundError:
        return "agent"
    except OpenClawMemoryError:
        return "untrusted"
    return "agent"


def may_see(found: Mapping[str, Any], workspace: Workspace, *, private: bool, transcripts: frozenset[str]) -> bool:
    """Whether a hit may be shown.

    :param private: the session may see curated files.
    :param transcripts: paths of the transcripts that it may see.
    """
    path = found.get("path")
    if not isinstance(path, str):
        return False
    if found.get("source") == "sessions":
        return path in transcripts
    # By name as well: a hit may be of a file that is gone.
    return private or not (path in CURATED_NAMES or workspace.is_curated(path))


def provider_status(report: Mapping[str, Any]) -> dict[str, Any]:
    """``status`` as ``MemoryProviderStatus``, with all that it has no field for under ``custom``."""
    status: dict[str, Any] = {
        "backend": "builtin",
        "provider": report.get("provider", "none"),
        "requestedProvider": report.get("requestedProvider"),
        "model": report.get("model"),
        "workspaceDir": report["workspaceDir"],
        "dbPath": report.get("dbPath"),
        "extraPaths": report["extraPaths"],
        "sources": report["sources"],
        "files": report.get("files", 0),
        "chunks": report.get("chunks", 0),
        "dirty": report.get("dirty", False),
        "sourceCounts": [
            {name: one[name] for name in ("source", "files", "chunks")} for one in report.get("sourceCounts", ())
        ],
        "custom": {
            "searchMode": "hybrid" if report.get("searchMode") == "hybrid" else "fts-only",
            "enabled": report["enabled"],
            "issues": report["issues"],
            "reasons": report.get("providerReasons", []),
        },
    }
    store = report.get("store")
    if store is not None:
        vector, fts = store["vector"], store["fts"]
        status["vector"] = {"enabled": vector["enabled"], "available": vector["enabled"], "dims": vector["dimensions"]}
        status["fts"] = {"enabled": fts["enabled"], "available": fts["enabled"]}
        status["cache"] = {"enabled": True, "entries": report["cacheEntries"]}
    if "fallback" in report:
        status["fallback"] = report["fallback"]
    if "providerError" in report or "indexError" in report:
        status["lastSyncError"] = report.get("providerError") or report["indexError"]["message"]
    if "embeddingProbe" in report:
        status["custom"]["embeddingProbe"] = report["embeddingProbe"]
    return {name: value for name, value in status.items() if value is not None}
