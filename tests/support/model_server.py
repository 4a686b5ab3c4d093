"""A language model on 127.0.0.1 for hosts that stream: answers each chat completion by what the request says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from support.chat_server import Call, Reply, Say, text_of
from support.local_server import LocalServer, Request, Response

HOST_CONTEXT = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"
"""OpenClaw sends what it knows of running work as a message of the user."""

Think = Callable[[Mapping[str, Any]], Reply]


class ModelServer(LocalServer):
    """``with ModelServer() as model: model.think = lambda body: Say("hello")``; clients use :attr:`base_url`."""

    def __init__(self, think: Think = lambda _: Say("done")) -> None:
        super().__init__()
        self.think = think

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """Every chat completion that was asked for so far."""
        with self.lock:
            return [one.json() for one in self.requests if one.path == "/v1/chat/completions"]

    def handle(self, request: Request) -> Response:
        if request.path != "/v1/chat/completions":
            return Response(404, {"error": {"message": f"nothing at {request.path}"}})
        body = request.json()
        reply = self.think(body)
        number = len(self.requests)
        message = reply.message(number)
        reason = "stop" if isinstance(reply, Say) else "tool_calls"
        total = reply.total or 1000
        usage = {"prompt_tokens": total - 10, "completion_tokens": 10, "total_tokens": total}
        frame = {"id": f"chatcmpl-{number}", "created": 1_777_000_000, "model": body["model"]}
        if not body.get("stream"):
            choice = {"index": 0, "finish_reason": reason, "message": message}
            return Response(200, {**frame, "object": "chat.completion", "choices": [choice], "usage": usage})
        for index, call in enumerate(message.get("tool_calls", ())):
            call["index"] = index
        chunk = {**frame, "object": "chat.completion.chunk"}
        events = [
            {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
            {**chunk, "choices": [], "usage": usage},
        ]
        text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        return Response(200, text.encode(), {"Content-Type": "text/event-stream"})


def user_texts(body: Mapping[str, Any]) -> list[str]:
    """What stands in the user's messages, with everything that the host put around it; the host's own left out."""
    texts = (text_of(one) for one in body["messages"] if one["role"] == "user")
    return [text for text in texts if not text.startswith(HOST_CONTEXT)]


def system_text(body: Mapping[str, Any]) -> str:
    """The system prompt."""
    return "\n".join(text_of(one) for one in body["messages"] if one["role"] in {"system", "developer"})


def tool_names(body: Mapping[str, Any]) -> list[str]:
    """Names of the tools on offer."""
    return [one["function"]["name"] for one in body.get("tools", ())]


def tool_answers(body: Mapping[str, Any]) -> list[str]:
    """What the tools have answered since the user spoke last."""
    found: list[str] = []
    for one in body["messages"]:
        if one["role"] == "user" and not text_of(one).startswith(HOST_CONTEXT):
            found.clear()
        elif one["role"] == "tool":
            found.append(text_of(one))
    return found


__all__ = ["Call", "ModelServer", "Say", "system_text", "tool_answers", "tool_names", "user_texts"]
