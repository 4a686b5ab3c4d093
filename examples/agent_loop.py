"""A minimal agent runtime that knows the memory slot and nothing else about memory.

It talks to any OpenAI-compatible chat server, runs tool calls, compacts its context when it grows, and calls every hook
where a real runtime would::

    python examples/agent_loop.py --base-url http://127.0.0.1:8080/v1 --model my-model
    python examples/agent_loop.py --session agent:main:telegram:group:-1009   # a group: MEMORY.md stays out
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from openai import OpenAI, OpenAIError

from openclaw_memory_core import MemorySlot, load_memory_slot
from openclaw_memory_hookspecs import FlushOutcome, FlushRequest, Session, TokenUsage, ToolSpec

MAX_TOOL_ROUNDS = 8
KEEP_AFTER_COMPACTION = 4


class Agent:
    """One conversation with one model.

    :param client: an OpenAI client; only chat completions are used.
    :param slot: the memory slot, switched on or off.
    :param session: who is talking; :attr:`Session.context_window` decides when the context is compacted.
    """

    def __init__(self, client: OpenAI, model: str, slot: MemorySlot, session: Session) -> None:
        self.client, self.model, self.slot, self.session = client, model, slot, session
        self.history: list[dict[str, Any]] = []
        self.system = self._system_prompt()

    def reply(self, message: str) -> str:
        """One turn: recall, model, tools, and afterwards the flush and the compaction if they are due."""
        recalled = self.slot.before_turn(self.session, message)
        content = message if recalled is None else f"{recalled.text}\n\n{message}"
        self.history.append({"role": "user", "content": message})
        # The recalled notes go to the model and not into the history: the next turn recalls anew.
        prompt = [*self.history[:-1], {"role": "user", "content": content}]
        answer, total = self._complete(self.system, prompt, self.slot.tools(self.session))
        self.history.append({"role": "assistant", "content": answer})
        flush = self.slot.tokens_counted(self.session, TokenUsage(total=total))
        if flush is not None:
            self.silent_turn(flush)
        if total > 0.9 * (self.session.context_window or 200_000):
            self._compact()
        return answer

    def end(self, reason: str) -> None:
        """The session is over; save before the context is gone."""
        flush = self.slot.session_end(self.session, reason)
        if flush is not None:
            self.silent_turn(flush)

    def silent_turn(self, request: FlushRequest) -> None:
        """Run the turn the memory asked for, on a copy of the conversation; a failure never costs the user a reply."""
        prompt = [*self.history, {"role": "user", "content": request.prompt}]
        try:
            text, _ = self._complete(f"{self.system}\n\n{request.system_prompt}", prompt, request.tools)
            outcome = FlushOutcome(reply=text)
        except OpenAIError as error:
            outcome = FlushOutcome(ok=False, error=str(error))
        visible = self.slot.flush_finished(replace(self.session, trigger="memory"), request, outcome)
        if visible:
            print(visible)

    def _system_prompt(self) -> str:
        context = self.slot.session_start(self.session)
        parts = ["You are a helpful assistant.", self.slot.prompt_section(self.session)]
        parts.extend(f"## {f.path}\n{f.text}" + (f"\n({f.notice})" if f.notice else "") for f in context.files)
        for warning in context.warnings:
            print(f"memory: {warning}", file=sys.stderr)
        return "\n\n".join(part for part in parts if part)

    def _complete(self, system: str, history: list[dict[str, Any]], tools: tuple[ToolSpec, ...]) -> tuple[str, int]:
        """Model calls and tool calls until the model answers; returns the text and the size of the last prompt."""
        by_name = {tool.name: tool for tool in tools}
        offered = [
            {
                "type": "function",
                "function": {"name": t.name, "description": t.description, "parameters": dict(t.input_schema)},
            }
            for t in tools
        ]
        messages: list[Any] = [{"role": "system", "content": system}, *history]
        total = 0
        for _ in range(MAX_TOOL_ROUNDS):
            extra: dict[str, Any] = {"tools": offered} if offered else {}
            completion = self.client.chat.completions.create(model=self.model, messages=messages, **extra)
            total = completion.usage.total_tokens if completion.usage else total
            answer = completion.choices[0].message
            if not answer.tool_calls:
                return answer.content or "", total
            messages.append(answer.model_dump(exclude_none=True))
            for call in answer.tool_calls:
                result = self._run_tool(by_name, call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        return "I could not finish: too many tool calls.", total

    @staticmethod
    def _run_tool(by_name: dict[str, ToolSpec], name: str, arguments: str) -> dict[str, Any]:
        if name not in by_name:
            return {"error": f"no tool {name!r}"}
        try:
            decoded = json.loads(arguments or "{}")
        except ValueError as error:
            return {"error": f"arguments are not JSON: {error}"}
        return by_name[name].handler(decoded)

    def _compact(self) -> None:
        """The simplest compaction there is: forget all but the last few messages."""
        self.history = self.history[-KEEP_AFTER_COMPACTION:]
        self.slot.compacted(self.session)


def main() -> None:
    """Chat on the terminal until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", type=Path, help="openclaw.json; default: the usual place")
    parser.add_argument("--base-url", help="OpenAI-compatible server; default: $OPENAI_BASE_URL, then OpenAI")
    parser.add_argument("--api-key", help="default: $OPENAI_API_KEY")
    parser.add_argument("--model", default="gpt-4o-mini")
    parser.add_argument("--session", default="agent:main:main", help="session key")
    parser.add_argument("--window", type=int, default=200_000, help="context window in tokens")
    args = parser.parse_args()

    client = OpenAI(base_url=args.base_url, api_key=args.api_key)
    session = Session(key=args.session, context_window=args.window)
    with load_memory_slot(config_path=args.config) as slot:
        agent = Agent(client, args.model, slot, session)
        for line in sys.stdin:
            if line.strip():
                print(agent.reply(line.strip()), flush=True)
        agent.end("shutdown")


if __name__ == "__main__":
    main()
