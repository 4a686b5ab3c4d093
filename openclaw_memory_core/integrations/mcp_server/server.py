"""The protocol side: what a client may list, call, read and ask for."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from openclaw_memory_core import __version__
from openclaw_memory_core.errors import MissingExtraError, OpenClawMemoryError
from openclaw_memory_core.integrations.door import Door, failed, session_text
from openclaw_memory_core.integrations.mcp_server.changes import DEBOUNCE_SECONDS, Announcer, announcing
from openclaw_memory_core.integrations.mcp_server.shelf import URI_TEMPLATE, Note, Shelf, open_shelf, path_of, uri_of
from openclaw_memory_hookspecs import ToolSpec

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server import Server, ServerRequestContext

logger = logging.getLogger(__name__)

SERVER_NAME: Final = "openclaw-memory"
PROMPT_NAME: Final = "session-start"
PAGE_SIZE: Final = 200

_READS: Final = {"read_only_hint": True, "open_world_hint": False}
_HINTS: Final[dict[str, dict[str, bool]]] = {
    "memory_search": _READS,
    "memory_get": _READS,
    "memory_append": {
        "read_only_hint": False,
        "destructive_hint": False,
        "idempotent_hint": False,
        "open_world_hint": False,
    },
    "sessions_search": _READS,
    "sessions_history": _READS,
}
_TITLES: Final = {
    "memory_search": "Search the memory",
    "memory_get": "Read a note",
    "memory_append": "Remember something",
    "sessions_search": "Search earlier conversations",
    "sessions_history": "Read an earlier conversation",
}


def require_sdk() -> None:
    """Make sure that the SDK is there.

    :raises MissingExtraError: it is not installed, or too old.
    """
    try:
        import mcp.server.subscriptions  # noqa: F401 - version 1 has no such module
    except ImportError:
        raise MissingExtraError(
            "the MCP server needs the package mcp, version 2.3 or newer",
            hint="pip install 'openclaw-memory-core[mcp]'",
        ) from None


def build_server(door: Door, *, debounce: float = DEBOUNCE_SECONDS) -> Server[Any]:
    """A server for the door's session, which any transport of the SDK can run.

    :param debounce: seconds of quiet after a change of files before clients are told.
    :raises MissingExtraError: the SDK is not installed.
    """
    return build_ending_server(door, debounce=debounce)[0]


def build_ending_server(door: Door, *, debounce: float = DEBOUNCE_SECONDS) -> tuple[Server[Any], Callable[[], None]]:
    """The same, with a function that ends the streams on which clients wait for changes; call it in the event loop.

    :raises MissingExtraError: the SDK is not installed.
    """
    require_sdk()
    from mcp.server import NotificationOptions, Server
    from mcp.server.models import InitializationOptions
    from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler

    bus = InMemorySubscriptionBus()
    listening = ListenHandler(bus)
    handlers = Handlers(door, open_shelf(door), Announcer(bus))

    class MemoryServer(Server[None]):
        """Says that the list of notes may change, on every transport."""

        def create_initialization_options(
            self,
            notification_options: NotificationOptions | None = None,
            experimental_capabilities: dict[str, dict[str, Any]] | None = None,
            extensions: dict[str, dict[str, Any]] | None = None,
        ) -> InitializationOptions:
            options = notification_options or NotificationOptions(resources_changed=True)
            return super().create_initialization_options(options, experimental_capabilities, extensions)

    server = MemoryServer(
        SERVER_NAME,
        version=__version__,
        title="OpenClaw memory",
        instructions=door.slot.prompt_section(door.session) or None,
        lifespan=_lifespan(handlers, debounce),
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_subscribe_resource=handlers.subscribe,
        on_unsubscribe_resource=handlers.unsubscribe,
        on_subscriptions_listen=listening,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )
    return server, listening.close


def _lifespan(handlers: Handlers, debounce: float) -> Callable[[Server[None]], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(server: Server[None]) -> AsyncIterator[None]:
        from mcp_types import NotificationParams

        server.add_notification_handler("notifications/initialized", NotificationParams, handlers.initialized)
        # Brings the index up to date in the background, so that the first search finds it fresh.
        await asyncio.to_thread(handlers.door.slot.session_start, handlers.door.session)
        async with announcing(handlers.shelf, handlers.announcer, debounce=debounce):
            yield

    return lifespan


class Handlers:
    """One method for each request.  All that reads files or searches runs in a worker thread."""

    def __init__(self, door: Door, shelf: Shelf, announcer: Announcer) -> None:
        self.door = door
        self.shelf = shelf
        self.announcer = announcer

    # --- tools -------------------------------------------------------------------------------------------------------

    async def list_tools(self, _: ServerRequestContext[Any], __: object) -> types.ListToolsResult:
        """The tools of the session."""
        from mcp_types import ListToolsResult

        tools = await asyncio.to_thread(self.door.slot.tools, self.door.session)
        return ListToolsResult(tools=[_tool(tool) for tool in tools])

    async def call_tool(
        self, _: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Run a tool; what goes wrong inside it is an answer that the model can read."""
        from mcp_types import INVALID_PARAMS, CallToolResult, TextContent

        tool = await asyncio.to_thread(self.door.tool, params.name)
        if tool is None:
            raise _error(INVALID_PARAMS, f"there is no tool {params.name} in this session")
        try:
            answer = await asyncio.to_thread(tool.handler, params.arguments or {})
        except Exception as error:  # a plugin's handler is foreign code; the connection must survive it
            logger.exception("tool %s failed", params.name)
            text = f"the tool {params.name} failed: {type(error).__name__}"
            return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
        text = json.dumps(answer, ensure_ascii=False)
        return CallToolResult(
            content=[TextContent(type="text", text=text)], structured_content=answer, is_error=failed(answer)
        )

    # --- notes -------------------------------------------------------------------------------------------------------

    async def list_resources(
        self, _: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """The notes, in pages."""
        from mcp_types import INVALID_PARAMS, ListResourcesResult

        cursor = params.cursor if params is not None else None
        if cursor is not None and not cursor.isdecimal():
            raise _error(INVALID_PARAMS, "this cursor did not come from here")
        notes = await asyncio.to_thread(self.shelf.notes)
        start = int(cursor or 0)
        end = start + PAGE_SIZE
        return ListResourcesResult(
            resources=[_resource(note) for note in notes[start:end]],
            next_cursor=str(end) if end < len(notes) else None,
        )

    async def list_templates(self, _: ServerRequestContext[Any], __: object) -> types.ListResourceTemplatesResult:
        """The one form that addresses of notes have."""
        from mcp_types import ListResourceTemplatesResult, ResourceTemplate

        template = ResourceTemplate(
            name="note",
            title="A note by its path",
            description="Paths are those that memory_search returns, for example memory/2026-05-05.md.",
            uri_template=URI_TEMPLATE,
            mime_type="text/markdown",
        )
        return ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, _: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """The whole text of a note."""
        from mcp_types import INVALID_PARAMS, ReadResourceResult, TextResourceContents

        uri = str(params.uri)
        try:
            text = await asyncio.to_thread(lambda: self.shelf.read(path_of(uri)))
        except OpenClawMemoryError as error:
            raise _error(INVALID_PARAMS, error.message, data={"uri": uri, "code": error.code}) from error
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type="text/markdown", text=text)])

    async def subscribe(
        self, ctx: ServerRequestContext[Any], params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """An older client wants to hear of changes of one note."""
        from mcp_types import EmptyResult

        self.announcer.subscribe(_client(ctx), ctx.session, str(params.uri))
        return EmptyResult()

    async def unsubscribe(
        self, ctx: ServerRequestContext[Any], params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """And not any more."""
        from mcp_types import EmptyResult

        self.announcer.unsubscribe(_client(ctx), str(params.uri))
        return EmptyResult()

    async def initialized(self, ctx: ServerRequestContext[Any], _: object) -> None:
        """An older client is ready to be told of changes."""
        self.announcer.joined(_client(ctx), ctx.session)

    # --- prompts -----------------------------------------------------------------------------------------------------

    async def list_prompts(self, _: ServerRequestContext[Any], __: object) -> types.ListPromptsResult:
        """The session start."""
        from mcp_types import ListPromptsResult, Prompt, PromptArgument

        argument = PromptArgument(
            name="message",
            description="The user's first message: trusted entries that its words call up are added.",
            required=False,
        )
        prompt = Prompt(
            name=PROMPT_NAME,
            title="Start with the memory",
            description="How to use the memory, and the notes that a session begins with.",
            arguments=[argument],
        )
        return ListPromptsResult(prompts=[prompt])

    async def get_prompt(
        self, _: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """What a session begins with, as a message."""
        from mcp_types import INVALID_PARAMS, GetPromptResult, PromptMessage, TextContent

        if params.name != PROMPT_NAME:
            raise _error(INVALID_PARAMS, f"there is no prompt {params.name}; there is {PROMPT_NAME}")
        text = await asyncio.to_thread(self._start_text, (params.arguments or {}).get("message"))
        message = PromptMessage(role="user", content=TextContent(type="text", text=text))
        return GetPromptResult(description="The memory at the start of a session", messages=[message])

    def _start_text(self, message: str | None) -> str:
        slot, session = self.door.slot, self.door.session
        parts = [session_text(slot, session)]
        recalled = slot.before_turn(session, message) if message else None
        if recalled is not None:
            parts.append(recalled.text)
        if not slot.enabled:
            parts.append(f"There is no memory here: {slot.slot_status().reason}.")
        parts.append(message or "")
        return "\n\n".join(part for part in parts if part) or "The memory is empty."


def _tool(tool: ToolSpec) -> types.Tool:
    from mcp_types import Tool, ToolAnnotations

    title = _TITLES.get(tool.name)
    hints = _HINTS.get(tool.name)
    return Tool(
        name=tool.name,
        title=title,
        description=tool.description,
        input_schema=dict(tool.input_schema),
        output_schema=dict(tool.output_schema) or None,
        annotations=ToolAnnotations(title=title, **hints) if hints is not None else None,
    )


def _resource(note: Note) -> types.Resource:
    from mcp_types import Annotations, Resource

    modified = None if note.modified is None else dt.datetime.fromtimestamp(note.modified, dt.UTC)
    return Resource(
        uri=uri_of(note.path),
        name=note.path,
        mime_type="text/markdown",
        size=note.size,
        annotations=Annotations(last_modified=modified.isoformat()) if modified is not None else None,
    )


def _client(ctx: ServerRequestContext[Any]) -> str:
    """Names the connection: over HTTP there are several, told apart by their session id."""
    headers = getattr(ctx.request, "headers", None)
    return str(headers.get("mcp-session-id")) if headers is not None else ""


def _error(code: int, message: str, *, data: dict[str, str] | None = None) -> Exception:
    from mcp import MCPError

    return MCPError(code=code, message=message, data=data)
