"""A model for the real ``llm``: it calls the tools that the prompt names as JSON and then says what they answered.

As a program it is ``llm`` itself with that model in it: ``python fake_llm.py -m scripted -T memory_search '[…]'``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import llm
from llm.plugins import pm


class ScriptedModel(llm.Model):
    """The prompt is a JSON list of calls, ``[{"name": …, "arguments": {…}}]``, or any text: the first tool gets it."""

    model_id = "scripted"
    supports_tools = True
    can_stream = False

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any) -> Iterator[str]:
        if prompt.tool_results:
            yield json.dumps([json.loads(result.output) for result in prompt.tool_results])
            return
        known = {tool.name for tool in prompt.tools}
        for call in _calls(prompt):
            assert call["name"] in known, f"{call['name']} was not offered, only {sorted(known)}"
            response.add_tool_call(llm.ToolCall(**call))
        yield ""


def _calls(prompt: Any) -> list[dict[str, Any]]:
    if prompt.prompt.startswith("["):
        calls: list[dict[str, Any]] = json.loads(prompt.prompt)
        return calls
    tool = prompt.tools[0]
    return [{"name": tool.name, "arguments": {tool.input_schema["required"][0]: prompt.prompt}}]


class Plugin:
    @llm.hookimpl
    def register_models(self, register: Any) -> None:
        register(ScriptedModel())


def install() -> None:
    """Put the model into ``llm``."""
    pm.register(Plugin(), name="scripted-model")


if __name__ == "__main__":
    from llm.cli import cli

    install()
    cli()
