"""The memory for LangChain and LangGraph agents: a middleware for ``langchain.agents.create_agent``.

::

    with ChatMemory.open(private=True) as memory:
        agent = create_agent(model, tools=[], middleware=[memory.middleware()])
        agent.invoke({"messages": [{"role": "user", "content": "Book the ferry."}]})

Needs the package ``langchain``, version 1.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from openclaw_memory_core.errors import MissingExtraError
from openclaw_memory_core.integrations.conversation import Conversation, failure, run_tool
from openclaw_memory_hookspecs import FlushOutcome, FlushRequest, ToolSpec

if TYPE_CHECKING:
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.tools import BaseTool

_MOST_SILENT_STEPS: Final = 8

__all__ = ["ChatMemory"]


class ChatMemory(Conversation):
    """The memory of one conversation.

    Graphs that are not made by ``create_agent`` use the parts: :meth:`tools`, :meth:`prompt_messages` before a model
    call, :meth:`finished` after a turn.
    """

    name = "langchain"

    def middleware(self) -> AgentMiddleware[Any, Any, Any]:
        """Instructions, tools and recall for each model call; token accounting and the silent turn after a turn.

        :raises MissingExtraError: langchain is not installed.
        """
        return _middleware(self)

    def tools(self) -> list[BaseTool]:
        """The memory tools as LangChain tools."""
        return [_tool(spec) for spec in self.specs()]

    def prompt_messages(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """*messages* with what the last one of the user recalls before it.  Not for the history, only for one call."""
        from langchain_core.messages import HumanMessage

        at = max((number for number, one in enumerate(messages) if one.type == "human"), default=None)
        recalled = None if at is None else self.recall(messages[at].text)
        if at is None or recalled is None:
            return list(messages)
        return [*messages[:at], HumanMessage(recalled), *messages[at:]]

    def finished(
        self, model: BaseChatModel, messages: Sequence[BaseMessage], *, system: str | None = None
    ) -> str | None:
        """Count the context after a turn; run the silent turn if it is due.

        :param messages: the history, the model's answer last.
        :param system: the system prompt of the agent without that of the memory.
        :returns: text for the user, nearly always None.
        """
        self.saw_history(len(messages))
        request = self.counted(_total(messages))
        return None if request is None else self.silent_turn(model, request, messages, system=system)

    def silent_turn(
        self, model: BaseChatModel, request: FlushRequest, messages: Sequence[BaseMessage], *, system: str | None = None
    ) -> str | None:
        """The turn that the memory asked for, beside the conversation; its failure costs the user nothing."""
        try:
            parts = [part for part in (system, self.instructions, request.system_prompt) if part]
            outcome = FlushOutcome(reply=_save(model, request, "\n\n".join(parts), messages))
        except Exception as error:  # whatever the framework or the model raises
            outcome = failure(error)
        return self.flushed(request, outcome)


def _total(messages: Sequence[BaseMessage]) -> int:
    usage = next((getattr(one, "usage_metadata", None) for one in reversed(messages) if one.type == "ai"), None)
    return int(usage["total_tokens"]) if usage else 0


def _save(model: BaseChatModel, request: FlushRequest, system: str, messages: Sequence[BaseMessage]) -> str:
    from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage

    by_name = {spec.name: spec for spec in request.tools}
    able = model.bind_tools([_tool(spec) for spec in request.tools])
    prompt: list[BaseMessage] = [SystemMessage(system), *messages, HumanMessage(request.prompt)]
    for _ in range(_MOST_SILENT_STEPS):
        answer = able.invoke(prompt)
        if not answer.tool_calls:
            return answer.text
        prompt.append(answer)
        for call in answer.tool_calls:
            spec = by_name.get(call["name"])
            text = f"there is no tool {call['name']}" if spec is None else run_tool(spec, call["args"])
            prompt.append(ToolMessage(text, tool_call_id=call["id"]))
    return ""


def _tool(spec: ToolSpec) -> BaseTool:
    from langchain_core.tools import StructuredTool

    def call(**arguments: Any) -> str:
        return run_tool(spec, arguments)

    return StructuredTool(name=spec.name, description=spec.description, args_schema=dict(spec.input_schema), func=call)


def _middleware(memory: ChatMemory) -> AgentMiddleware[Any, Any, Any]:
    try:
        from langchain.agents.middleware import AgentMiddleware
    except ImportError:
        raise MissingExtraError(
            "the adapter needs the package langchain, version 1", hint="pip install 'langchain>=1'"
        ) from None
    from langchain_core.messages import SystemMessage

    class MemoryMiddleware(AgentMiddleware[Any, Any, Any]):
        def __init__(self) -> None:
            self.tools = memory.tools()
            self._lock = threading.Lock()
            self._model: BaseChatModel | None = None
            self._system: str | None = None

        def _prepared(self, request: Any) -> Any:
            own = request.system_message.text if request.system_message is not None else None
            with self._lock:
                self._model, self._system = request.model, own
            system = "\n\n".join(part for part in (own, memory.instructions) if part)
            return request.override(
                system_message=SystemMessage(system) if system else None,
                messages=memory.prompt_messages(request.messages),
            )

        def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            return handler(self._prepared(request))

        async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
            return await handler(await asyncio.to_thread(self._prepared, request))

        def after_agent(self, state: Any, runtime: Any) -> None:  # noqa: ARG002 - the framework's signature
            with self._lock:
                model, system = self._model, self._system
            if model is not None:
                memory.finished(model, state["messages"], system=system)

        async def aafter_agent(self, state: Any, runtime: Any) -> None:
            await asyncio.to_thread(self.after_agent, state, runtime)

    return MemoryMiddleware()
