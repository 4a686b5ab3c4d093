"""The memory for agents built on the OpenAI Agents SDK (extra ``[agents]``).

::

    with AgentMemory.open(private=True) as memory:
        agent = memory.equip(Agent(name="Assistant", instructions="You are helpful."))
        result = await memory.run(agent, "Book the ferry.", session=SQLiteSession("s1"))
"""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from openclaw_memory_core.errors import MissingExtraError
from openclaw_memory_core.integrations.conversation import Conversation, failure, run_tool
from openclaw_memory_hookspecs import FlushOutcome, FlushRequest, ToolSpec

if TYPE_CHECKING:
    from agents import Agent, RunConfig, Runner, RunResult, RunResultBase, TResponseInputItem
    from agents.memory import Session as AgentsSession
    from agents.run import CallModelData, ModelInputData
    from agents.tool import FunctionTool

_MOST_SILENT_STEPS: Final = 8

__all__ = ["AgentMemory"]


class AgentMemory(Conversation):
    """The memory of one conversation of an agent.

    :meth:`equip` gives an agent its instructions and tools; :meth:`run` runs a turn with recall before and the flush
    after it.  Programs that call the runner themselves use :meth:`config_for` before and :meth:`finished` after a run.
    """

    def equip(self, agent: Agent[Any]) -> Agent[Any]:
        """A copy of *agent* that knows the memory: what the session starts with, and the memory tools."""
        _runner()
        text = self.instructions

        async def instructions(context: Any, current: Agent[Any]) -> str:
            own = agent.instructions
            if callable(own):
                made = own(context, current)
                own = await made if inspect.isawaitable(made) else made
            return "\n\n".join(part for part in (own, text) if part)

        tools = [_function_tool(spec) for spec in self.specs()]
        return agent.clone(instructions=instructions, tools=[*agent.tools, *tools])

    async def run(
        self,
        agent: Agent[Any],
        message: str | list[TResponseInputItem],
        *,
        session: AgentsSession | None = None,
        run_config: RunConfig | None = None,
        **options: Any,
    ) -> RunResult:
        """One turn: recall, the SDK's runner, and the silent turn if it is due.

        :param agent: what :meth:`equip` returned.
        :param message: the user's text; or items, the last of which is the user's message.
        :param session: the SDK's session, which keeps the history.
        :param options: handed to ``Runner.run`` as they are.
        """
        config = await self.config_for(_user_text(message), run_config)
        result = await _runner().run(agent, message, session=session, run_config=config, **options)
        await self.finished(agent, result, run_config=run_config)
        return result

    async def config_for(self, message: str, run_config: RunConfig | None = None) -> RunConfig:
        """A run configuration that shows the model what *message* recalls; the history does not keep it."""
        from agents import RunConfig

        base = run_config or RunConfig()
        recalled = await asyncio.to_thread(self.recall, message)
        if recalled is None:
            return base
        inner = base.call_model_input_filter

        async def add_recalled(data: CallModelData[Any]) -> ModelInputData:
            if inner is not None:
                changed = inner(data)
                data = replace(data, model_data=await changed if inspect.isawaitable(changed) else changed)
            return replace(data.model_data, input=_with_hidden(data.model_data.input, recalled))

        return replace(base, call_model_input_filter=add_recalled)

    async def finished(
        self, agent: Agent[Any], result: RunResultBase, *, run_config: RunConfig | None = None
    ) -> str | None:
        """Count the context after a run; run the silent turn if it is due.

        :param agent: the agent that is asked to save, usually the one that ran.
        :returns: text for the user, nearly always None.
        """
        history = result.to_input_list()
        self.saw_history(len(history))
        usage = result.raw_responses[-1].usage if result.raw_responses else None
        total, given = (usage.total_tokens, usage.input_tokens) if usage is not None else (0, 0)
        request = await asyncio.to_thread(lambda: self.counted(total, input_tokens=given))
        return None if request is None else await self.silent_turn(agent, request, history, run_config=run_config)

    async def end(self, agent: Agent[Any], history: list[TResponseInputItem], reason: str = "shutdown") -> str | None:
        """The conversation is over: save what must outlive it.  *history* is what the SDK's session holds."""
        request = await asyncio.to_thread(self.ending, reason)
        return None if request is None else await self.silent_turn(agent, request, history)

    async def silent_turn(
        self,
        agent: Agent[Any],
        request: FlushRequest,
        history: list[TResponseInputItem],
        *,
        run_config: RunConfig | None = None,
    ) -> str | None:
        """The turn that the memory asked for, beside the conversation; its failure costs the user nothing."""
        try:
            config = None if run_config is None else replace(run_config, input_guardrails=None, output_guardrails=None)
            prompt: list[Any] = [*history, {"role": "user", "content": request.prompt}]
            result = await _runner().run(
                _saver(agent, request), prompt, max_turns=_MOST_SILENT_STEPS, run_config=config
            )
            outcome = FlushOutcome(reply=str(result.final_output))
        except Exception as error:  # whatever the SDK or the model raises
            outcome = failure(error)
        return await asyncio.to_thread(self.flushed, request, outcome)


def _runner() -> type[Runner]:
    try:
        from agents import Runner
    except ImportError:
        raise MissingExtraError(
            "the adapter needs the package openai-agents", hint="pip install 'openclaw-memory-core[agents]'"
        ) from None
    return Runner


def _function_tool(spec: ToolSpec) -> FunctionTool:
    from agents.tool import FunctionTool

    async def invoke(_: Any, arguments: str) -> str:
        return await asyncio.to_thread(run_tool, spec, arguments)

    return FunctionTool(
        name=spec.name,
        description=spec.description,
        params_json_schema=dict(spec.input_schema),
        on_invoke_tool=invoke,
        # Strict schemas cannot have optional arguments.
        strict_json_schema=False,
    )


def _saver(agent: Agent[Any], request: FlushRequest) -> Agent[Any]:
    """*agent* as the silent turn needs it: the same model and instructions, no tools but those of the request."""
    own = agent.instructions

    async def instructions(context: Any, current: Agent[Any]) -> str:
        made = own(context, current) if callable(own) else own
        text = await made if inspect.isawaitable(made) else made
        return "\n\n".join(part for part in (text, request.system_prompt) if part)

    changes: dict[str, Any] = {} if request.model is None else {"model": request.model}
    return agent.clone(
        instructions=instructions,
        tools=[_function_tool(spec) for spec in request.tools],
        mcp_servers=[],
        handoffs=[],
        input_guardrails=[],
        output_guardrails=[],
        output_type=None,
        hooks=None,
        tool_use_behavior="run_llm_again",
        **changes,
    )


def _user_text(message: str | list[TResponseInputItem]) -> str:
    if isinstance(message, str):
        return message
    last: Any = next((item for item in reversed(message) if _is_user(item)), None)
    content = last.get("content") if last is not None else ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or () if isinstance(part, dict))


def _is_user(item: Any) -> bool:
    return isinstance(item, dict) and item.get("role") == "user"


def _with_hidden(items: list[TResponseInputItem], text: str) -> list[TResponseInputItem]:
    """*items* with *text* before the last message of the user."""
    at = max((number for number, item in enumerate(items) if _is_user(item)), default=len(items))
    hidden: Any = {"role": "user", "content": text}
    return [*items[:at], hidden, *items[at:]]
