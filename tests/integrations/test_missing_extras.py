"""Without its package, an adapter says how to install it."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
sys.modules[{package!r}] = None
from openclaw_memory_core import load_memory_slot
from openclaw_memory_core.errors import MissingExtraError
from openclaw_memory_core.integrations.{module} import {name}
from openclaw_memory_hookspecs import Session

with load_memory_slot({{"plugins": {{"slots": {{"memory": "none"}}}}}}) as slot:
    memory = {name}(slot, Session(key="agent:main:main"))
    try:
        {call}
    except MissingExtraError as error:
        print(error.hint)
"""


@pytest.mark.parametrize(
    ("package", "module", "name", "call", "hint"),
    [
        ("agents", "openai_agents", "AgentMemory", "memory.equip(object())", "openclaw-memory-core[agents]"),
        ("langchain", "langchain", "ChatMemory", "memory.middleware()", "pip install 'langchain>=1'"),
    ],
)
def test_a_missing_package_is_an_error_with_the_command_that_installs_it(
    package: str, module: str, name: str, call: str, hint: str
) -> None:
    code = SCRIPT.format(package=package, module=module, name=name, call=call)

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=60)

    assert result.returncode == 0, result.stderr
    assert hint in result.stdout
