"""A scripted OpenAI-compatible chat server on 127.0.0.1: it answers chat completions in the order of its script."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from support.local_server import LocalServer, Request, Response


@dataclass(frozen=True, slots=True)
class Say:
    """The model answers with text.  *total* are the tokens it reports; None leaves usage out."""

    text: str
    total: int | None = 1000

    def message(self, number: int) -> dict[str, Any]:
        return {"role": "assistant", "content": self.text}


@dataclass(frozen=True, slots=True)
class Call:
    """The model calls one tool; *arguments* as an object, or as the text that the model wrote."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    total: int | None = 1000

    def message(self, number: int) -> dict[str, Any]:
        arguments = self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)
        function = {"name": self.name, "arguments": arguments}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}


Reply = Say | Call
Step = Reply | Callable[[dict[str, Any]], Reply]


class ChatServer(LocalServer):
    """``with ChatServer() as server: server.script(Say("hello"))``; clients use :attr:`base_url`.

    A step of the script may also be a function of the request's body.  A call beyond the script is answered with 500.
    """

    def __init__(self) -> None:
        super().__init__()
        self._script: deque[Step] = deque()
        self._answered = 0

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    @property
    def left(self) -> int:
        """Steps of the script that nobody has asked for."""
        return len(self._script)

    def script(self, *steps: Step) -> None:
        """What to answer next, after what is scripted already."""
        with self.lock:
            self._script.extend(steps)

    @property
    def prompts(self) -> list[list[dict[str, Any]]]:
        """The messages of each request so far."""
        return [request.json()["messages"] for request in self.requests]

    def tools(self, index: int = -1) -> list[str]:
        """Names of the tools that a request offered."""
        return [tool["function"]["name"] for tool in self.requests[index].json().get("tools", [])]

    def system(self, index: int = -1) -> str:
        """The system prompt of a request."""
        return "\n".join(text_of(one) for one in self.prompts[index] if one["role"] in ("system", "developer"))

    def answers_of_tools(self, index: int = -1) -> list[dict[str, Any]]:
        """What the tools have answered, as a request shows it to the model."""
        return [json.loads(text_of(one)) for one in self.prompts[index] if one["role"] == "tool"]

    def handle(self, request: Request) -> Response:
        if request.path != "/v1/chat/completions":
            return Response(404, {"error": {"message": f"nothing at {request.path}"}})
        body = request.json()
        if body.get("stream"):
            return Response(400, {"error": {"message": "this server does not stream"}})
        with self.lock:
            if not self._script:
                return Response(500, {"error": {"message": "the script is at its end"}})
            step = self._script.popleft()
            self._answered += 1
            number = self._answered
        reply = step if isinstance(step, Say | Call) else step(body)
        return Response(200, _completion(body["model"], reply, number))


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, whose content may be a string or a list of parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def _completion(model: str, reply: Reply, number: int) -> dict[str, Any]:
    reason = "stop" if isinstance(reply, Say) else "tool_calls"
    completion: dict[str, Any] = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_777_000_000,
        "model": model,
        "choices": [{"index": 0, "finish_reason": reason, "message": reply.message(number)}],
    }
    if reply.total is not None:
        usage = {"prompt_tokens": reply.total - 10, "completion_tokens": 10, "total_tokens": reply.total}
        completion["usage"] = usage
    return completion
