"""The plugin for ``llm``: the real program finds it by its entry point and runs its tools for a scripted model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.doors import FUSE, SECRET, YESTERDAY, Home

llm = pytest.importorskip("llm", reason="needs the extra [llm]")

PROGRAM = [sys.executable, str(Path(__file__).parents[1] / "support" / "fake_llm.py")]
GROUP = 'Memory(session_key="agent:main:telegram:group:-1009")'
TOOLS = ("memory_search", "memory_get", "memory_append", "sessions_search", "sessions_history")


def run(home: Home, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "OPENCLAW_CONFIG_PATH": str(home.config_path),
        "OPENCLAW_STATE_DIR": str(home.state_dir),
        "LLM_USER_PATH": str(home.folder / "llm"),
    }
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, encoding="utf-8", env=env, timeout=60)


def ask(home: Home, tool: str, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    prompt = json.dumps([{"name": name, "arguments": arguments} for name, arguments in calls])
    result = run(home, "-m", "scripted", "-T", tool, prompt)
    assert result.returncode == 0, result.stderr
    answers: list[dict[str, Any]] = json.loads(result.stdout)
    return answers


def test_llm_lists_our_tools(home: Home) -> None:
    listed = run(home, "tools", "list", "--json")

    names = {tool["name"] for tool in json.loads(listed.stdout)["tools"] if tool["plugin"] == "openclaw-memory"}
    assert names == set(TOOLS)
    assert not home.state_dir.exists()


def test_search_on_the_command_line_finds_what_was_just_written(home: Home) -> None:
    assert ask(home, "memory_search", ("memory_search", {"query": "fuse"}))[0]["results"][0]["path"] == YESTERDAY

    (home.workspace / "memory" / "new.md").write_text("The dentist is in Elm Street.\n", encoding="utf-8")
    answer = ask(home, "memory_search", ("memory_search", {"query": "dentist"}))[0]

    assert answer["results"][0]["path"] == "memory/new.md"
    assert "stale" not in answer


def test_the_owner_at_the_terminal_sees_curated_files(home: Home) -> None:
    assert SECRET in ask(home, "memory_get", ("memory_get", {"path": "MEMORY.md"}))[0]["text"]


def test_append_writes_an_entry(home: Home) -> None:
    answer = ask(home, "memory_append", ("memory_append", {"text": "Saved by llm."}))[0]

    assert "Saved by llm." in (home.workspace / answer["path"]).read_text(encoding="utf-8")


def test_the_toolbox_is_not_private_unless_it_says_so(home: Home) -> None:
    get = ("memory_get", {"path": "MEMORY.md"})

    group = ask(home, GROUP, get, ("memory_search", {"query": "gate"}))
    private = ask(home, "Memory(private=true)", get)

    assert SECRET not in json.dumps(group)
    assert "withheld" in group[1]
    assert SECRET in private[0]["text"]


def test_the_toolbox_can_leave_writing_out(home: Home) -> None:
    result = run(home, "-m", "scripted", "-T", "Memory(read_only=true)", '[{"name": "memory_append", "arguments": {}}]')

    assert result.returncode != 0
    assert "memory_append was not offered" in result.stderr


def test_with_the_slot_off_a_tool_says_so(home: Home) -> None:
    home.config_path.write_text(json.dumps(home.config(slots={"memory": "none"})), encoding="utf-8")

    answer = ask(home, "memory_search", ("memory_search", {"query": "fuse"}))[0]

    assert answer["disabled"] is True
    assert '"none"' in answer["error"]


def test_in_python_a_tool_takes_its_arguments_by_name(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from openclaw_memory_core.integrations import llm_plugin

    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", str(home.config_path))
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(home.state_dir))
    registered: dict[str, Any] = {}
    llm_plugin.register_tools(lambda tool: registered.update({tool.name or tool.__name__: tool}))
    try:
        answer = json.loads(registered["memory_get"].implementation(path=YESTERDAY, **{"from": 3}))
    finally:
        llm_plugin.doors.close()

    assert answer["text"] == FUSE
