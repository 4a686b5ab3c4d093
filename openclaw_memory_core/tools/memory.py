"""The tools over notes: ``memory_search``, ``memory_get``, ``memory_append``.

The handlers check arguments and turn our errors into answers; the work is done by the access object, which is bound to
one session and knows what that session may see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from openclaw_memory_core.errors import OpenClawMemoryError
from openclaw_memory_core.tools.arguments import Arguments
from openclaw_memory_hookspecs import ToolHandler, ToolSpec

_LONGEST_QUERY: Final = 4096
_LONGEST_PATH: Final = 4096
_LONGEST_ENTRY: Final = 100_000
_LONGEST_TRIGGER: Final = 300
_MOST_RESULTS: Final = 200

SEARCH_DESCRIPTION: Final = (
    "Search the notes in memory (MEMORY.md, USER.md, memory/*.md and configured folders) by meaning and by keywords. "
    "Use it before answering anything about earlier work, decisions, dates, people, preferences or open tasks. "
    "Returns passages with path and lines; read more of one with memory_get. If the answer carries a warning, "
    "stale, partial or withheld, an empty result does not mean that nothing is known."
)
GET_DESCRIPTION: Final = (
    "Read a note, or some lines of it. Use the path that memory_search returned. "
    "Long notes come in pieces: when nextFrom is present, call again with from = nextFrom."
)
APPEND_DESCRIPTION: Final = (
    "Remember something: add one entry at the end of today's note (target today) or, for facts that must last, of "
    "MEMORY.md (target curated, private sessions only). Nothing that is already written changes."
)
FLUSH_DESCRIPTION: Final = (
    "Save lasting notes: add one entry at the end of today's daily note. Nothing that is already written changes."
)


class MemoryAccess(Protocol):
    """What the tools need; bound to one session."""

    def search(
        self, query: str, *, max_results: int | None, min_score: float | None, corpus: str | None
    ) -> dict[str, Any]:
        """Answer of ``memory_search``."""

    def get(self, path: str, *, from_line: int | None, lines: int | None) -> dict[str, Any]:
        """Answer of ``memory_get``."""

    def append(self, text: str, *, target: str, trigger: str | None, importance: int | None) -> dict[str, Any]:
        """Answer of ``memory_append``."""


def search_tool(access: MemoryAccess) -> ToolSpec:
    """The tool ``memory_search``."""

    def handle(arguments: Mapping[str, Any]) -> dict[str, Any]:
        given = Arguments(arguments, ("query", "maxResults", "minScore", "corpus"))
        return access.search(
            given.required_text("query", longest=_LONGEST_QUERY),
            max_results=given.integer("maxResults", lowest=1, highest=_MOST_RESULTS),
            min_score=given.number("minScore", lowest=0, highest=1),
            corpus=given.choice("corpus", ("memory", "sessions", "all")),
        )

    return make_tool("memory_search", SEARCH_DESCRIPTION, guarded(handle, lambda _: {"results": []}))


def get_tool(access: MemoryAccess) -> ToolSpec:
    """The tool ``memory_get``."""

    def handle(arguments: Mapping[str, Any]) -> dict[str, Any]:
        given = Arguments(arguments, ("path", "from", "lines"))
        return access.get(
            given.required_text("path", longest=_LONGEST_PATH),
            from_line=given.integer("from", lowest=1),
            lines=given.integer("lines", lowest=1),
        )

    return make_tool("memory_get", GET_DESCRIPTION, guarded(handle, _failed_read))


def append_tool(access: MemoryAccess) -> ToolSpec:
    """The tool ``memory_append``."""

    def handle(arguments: Mapping[str, Any]) -> dict[str, Any]:
        given = Arguments(arguments, ("text", "target", "trigger", "importance"))
        return access.append(
            given.required_text("text", longest=_LONGEST_ENTRY),
            target=given.choice("target", ("today", "curated")) or "today",
            trigger=given.text("trigger", longest=_LONGEST_TRIGGER),
            importance=given.integer("importance", lowest=1, highest=10),
        )

    return make_tool("memory_append", APPEND_DESCRIPTION, guarded(handle, lambda _: {"status": "error"}))


def flush_append_tool(append: Callable[[str], dict[str, Any]]) -> ToolSpec:
    """``memory_append`` as the silent turn gets it: it can do nothing but add to the planned note."""

    def handle(arguments: Mapping[str, Any]) -> dict[str, Any]:
        given = Arguments(arguments, ("text", "target", "trigger", "importance"))
        given.choice("target", ("today",))
        return append(given.required_text("text", longest=_LONGEST_ENTRY))

    return make_tool("memory_append", FLUSH_DESCRIPTION, guarded(handle, lambda _: {"status": "error"}))


def make_tool(name: str, description: str, handler: ToolHandler) -> ToolSpec:
    """A tool whose schemas are the shipped ones of its name."""
    from openclaw_memory_schemas import load

    return ToolSpec(name, description, load(f"tool.{name}.input"), load(f"tool.{name}.output"), handler)


def guarded(handle: ToolHandler, empty: Callable[[Mapping[str, Any]], dict[str, Any]]) -> ToolHandler:
    """*handle*, with our errors turned into an answer of the tool's own shape."""

    def safe(arguments: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return handle(arguments)
        except OpenClawMemoryError as error:
            return {**empty(arguments), **error_fields(error)}

    return safe


def error_fields(error: OpenClawMemoryError) -> dict[str, Any]:
    """``code``, ``error`` and, where there is something to do, ``action``."""
    fields = {"code": error.code, "error": error.message}
    return fields if error.hint is None else {**fields, "action": error.hint}


def memory_tools(access: MemoryAccess, *, search: bool, writable: bool) -> list[ToolSpec]:
    """The tools that a session gets: reading where memory search is on, writing where the workspace can be written."""
    tools: Sequence[tuple[bool, Callable[[MemoryAccess], ToolSpec]]] = (
        (search, search_tool),
        (search, get_tool),
        (writable, append_tool),
    )
    return [make(access) for wanted, make in tools if wanted]


def _failed_read(arguments: Mapping[str, Any]) -> dict[str, Any]:
    path = arguments.get("path") if isinstance(arguments, Mapping) else None
    return {"status": "error", "path": path if isinstance(path, str) else "", "text": ""}
