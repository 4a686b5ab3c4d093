"""The MCP Inspector's command line against our server.

It comes from npm and needs Node 22 or newer, so this runs only where ``MCP_INSPECTOR`` says how to start it::

    npm install --prefix /tmp/inspector @modelcontextprotocol/inspector
    export MCP_INSPECTOR=/tmp/inspector/node_modules/.bin/mcp-inspector
    python -m pytest tests/integrations/test_mcp_inspector.py
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.doors import FUSE, YESTERDAY, Home

pytest.importorskip("mcp", reason="needs the extra [mcp]")

INSPECTOR = shlex.split(os.environ.get("MCP_INSPECTOR", ""))
PROGRAM = Path(sys.executable).with_name("openclaw-memory")
OUR_NOTE = "Serving the memory of main"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not INSPECTOR, reason="set MCP_INSPECTOR to the Inspector's command"),
]


def inspect(home: Home, *arguments: str) -> dict[str, Any]:
    places = [f"OPENCLAW_CONFIG_PATH={home.config_path}", f"OPENCLAW_STATE_DIR={home.state_dir}"]
    env = [part for place in places for part in ("-e", place)]
    result = subprocess.run(
        [*INSPECTOR, "--cli", *env, str(PROGRAM), "mcp", *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        cwd=home.folder,
    )
    complaints = [line for line in result.stderr.splitlines() if line.strip() and OUR_NOTE not in line]
    assert result.returncode == 0, result.stderr
    assert complaints == []
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def test_it_lists_tools_that_are_portable(home: Home) -> None:
    tools = inspect(home, "--method", "tools/list", "--strict")["tools"]

    assert {"memory_search", "memory_get", "memory_append"} <= {tool["name"] for tool in tools}


@pytest.mark.parametrize(
    ("tool", "argument", "expected"),
    [
        ("memory_search", "query=fuse", YESTERDAY),
        ("memory_get", f"path={YESTERDAY}", FUSE),
        ("memory_append", "text=Saved by the Inspector.", "startLine"),
    ],
)
def test_it_calls_every_tool(home: Home, tool: str, argument: str, expected: str) -> None:
    answer = inspect(home, "--method", "tools/call", "--tool-name", tool, "--tool-arg", argument)

    assert answer["isError"] is False
    assert expected in json.dumps(answer["structuredContent"])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--method", "resources/list"], f"memory://notes/{YESTERDAY}"),
        (["--method", "resources/templates/list"], "memory://notes/{+path}"),
        (["--method", "resources/read", "--uri", f"memory://notes/{YESTERDAY}"], FUSE),
        (["--method", "prompts/list"], "session-start"),
        (["--method", "prompts/get", "--prompt-name", "session-start"], "## Memory"),
    ],
)
def test_it_lists_and_reads_resources_and_prompts(home: Home, arguments: list[str], expected: str) -> None:
    assert expected in json.dumps(inspect(home, *arguments), ensure_ascii=False)
