"""The tools over conversations: ``sessions_search`` finds, ``sessions_history`` reads on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from openclaw_memory_core.privacy import Audience
from openclaw_memory_core.sessions import history, search
from openclaw_memory_core.sessions.library import TranscriptLibrary
from openclaw_memory_core.tools.arguments import Arguments
from openclaw_memory_core.tools.memory import guarded, make_tool
from openclaw_memory_hookspecs import ToolSpec

_LONGEST_KEY: Final = 1024
_LONGEST_ID: Final = 256
_MOST_PASSED_OVER: Final = 1_000_000

SEARCH_DESCRIPTION: Final = (
    "Search earlier conversations by keywords; every word must occur, quotes make a phrase. Finds what was said by the "
    "user and the assistant, not tool output. Read on around a hit with sessions_history, giving its sessionKey, "
    "sessionId and messageId. What may be searched depends on this session."
)
HISTORY_DESCRIPTION: Final = (
    "Read messages of an earlier or another conversation, oldest first. Without an offset the newest come; when "
    "nextOffset is present, call again with offset = nextOffset for older ones. With messageId, the messages around it."
)


class SessionTools:
    """Makes the two tools for a session.

    :param library: the transcripts of all agents, the own agent's first.
    """

    def __init__(self, library: TranscriptLibrary) -> None:
        self._library = library
        self._reader = search.TranscriptReader()

    def specs(self, who: Audience, *, session_id: str | None = None) -> list[ToolSpec]:
        """Both tools, bound to one caller.

        :param session_id: id of the caller's own transcript.
        """
        return [self._search_tool(who, session_id), self._history_tool(who, session_id)]

    def _search_tool(self, who: Audience, own_id: str | None) -> ToolSpec:
        def handle(arguments: Mapping[str, Any]) -> dict[str, Any]:
            given = Arguments(arguments, ("query", "sessionKey", "limit"))
            return search.search_transcripts(
                self._library,
                self._reader,
                who,
                given.required_text("query", longest=search.MAX_QUERY_CHARS),
                session_key=given.text("sessionKey", longest=_LONGEST_KEY),
                limit=given.integer("limit", lowest=1, highest=search.MAX_LIMIT) or search.DEFAULT_LIMIT,
                own_id=own_id,
            )

        return make_tool("sessions_search", SEARCH_DESCRIPTION, guarded(handle, lambda _: {"status": "error"}))

    def _history_tool(self, who: Audience, own_id: str | None) -> ToolSpec:
        known = ("sessionKey", "limit", "includeTools", "offset", "messageId", "sessionId")

        def handle(arguments: Mapping[str, Any]) -> dict[str, Any]:
            given = Arguments(arguments, known)
            return history.read_history(
                self._library,
                who,
                given.required_text("sessionKey", longest=_LONGEST_KEY),
                limit=given.integer("limit", lowest=1, highest=history.MAX_LIMIT) or history.DEFAULT_LIMIT,
                offset=given.integer("offset", lowest=0, highest=_MOST_PASSED_OVER) or 0,
                include_tools=given.flag("includeTools"),
                message_id=given.text("messageId", longest=_LONGEST_ID),
                session_id=given.text("sessionId", longest=_LONGEST_ID),
                own_id=own_id,
            )

        return make_tool("sessions_history", HISTORY_DESCRIPTION, guarded(handle, lambda _: {"status": "error"}))
