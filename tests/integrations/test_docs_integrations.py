"""The pages about integrations: their tables say what the code says, their blocks run as they are written."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from support.chat_server import Call, ChatServer, Say
from support.doors import Home

from openclaw_memory_core.cli import mcp as mcp_command
from openclaw_memory_core.integrations.mcp_server.client_config import client_configs
from openclaw_memory_core.integrations.mcp_server.server import PROMPT_NAME
from openclaw_memory_core.integrations.mcp_server.shelf import URI_TEMPLATE
from openclaw_memory_core.integrations.notes_import import IMPORTS_FOLDER, SOURCES, State

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
FAKE_LLM = [sys.executable, str(Path(__file__).parents[1] / "support" / "fake_llm.py")]
MAIN = [sys.executable, "-c", "from openclaw_memory_core.cli import main; raise SystemExit(main())"]

# What a reader has set already: which server to ask, and nothing of it in the block.
AGENTS_PRELUDE = "import agents; agents.set_default_openai_api('chat_completions'); agents.set_tracing_disabled(True)\n"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page(name), re.DOTALL)


def commands(name: str, program: str) -> list[str]:
    lines = [line for block in blocks(name, "sh") for line in block.splitlines()]
    return [line for line in lines if line.startswith(f"{program} ")]


@pytest.fixture
def env(home: Home) -> dict[str, str]:
    return {
        **os.environ,
        "OPENCLAW_CONFIG_PATH": str(home.config_path),
        "OPENCLAW_STATE_DIR": str(home.state_dir),
        "LLM_USER_PATH": str(home.folder / "llm"),
    }


@pytest.fixture
def server(env: dict[str, str]) -> Iterator[ChatServer]:
    with ChatServer() as running:
        env |= {"OPENAI_BASE_URL": running.base_url, "OPENAI_API_KEY": "none"}
        yield running


def run(command: list[str], env: dict[str, str]) -> str:
    result = subprocess.run(command, capture_output=True, encoding="utf-8", env=env, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout


# --- mcp.md ----------------------------------------------------------------------------------------------------------


def test_the_page_on_mcp_knows_every_client_and_its_place() -> None:
    configs = client_configs(["openclaw-memory", "mcp"])
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| .* \| (.*) \|$", page("mcp.md"), re.MULTILINE))

    assert rows.keys() == configs.keys()
    option = next(one for one in mcp_command.command.params if one.name == "print_config")
    assert set(option.to_info_dict()["type"]["choices"]) == {"all", *configs}
    for client, where in rows.items():
        if client != "claude-code":
            assert where.strip("`").split("` ")[0] in configs[client].where


def test_the_page_on_mcp_names_every_option_and_everything_on_offer() -> None:
    text = page("mcp.md")
    own = [
        one for one in mcp_command.command.params if one.opts[0] not in ("--config", "--state-dir", "--agent", "--json")
    ]

    for option in own:
        assert option.opts[0] in text or option.name in ("host", "verbose"), option.opts
    assert f"`{URI_TEMPLATE}`" in text
    assert f"`{PROMPT_NAME}`" in text
    for tool in ("memory_search", "memory_get", "memory_append", "sessions_search", "sessions_history"):
        assert f"| tool | `{tool}` |" in text


def test_the_commands_of_the_page_on_mcp_run(env: dict[str, str]) -> None:
    printing = [line for line in commands("mcp.md", "openclaw-memory") if "--print-config" in line]

    assert len(printing) == 3
    for line in printing:
        assert "openclaw-memory" in run([*MAIN, *shlex.split(line)[1:]], env)


# --- import.md -------------------------------------------------------------------------------------------------------


def test_the_page_on_import_says_what_is_read_and_where_it_goes() -> None:
    rows = re.findall(
        r"^\| `([a-z-]+)` \| `~/(\S+)` ?.*\| `([A-Z_]+)` \| `(\S+?)[…<`]", page("import.md"), re.MULTILINE
    )
    rows = [(name, reads.rstrip("`,"), variable, target) for name, reads, variable, target in rows]

    assert rows == [
        (one.name, f"{one.folder}/{one.pattern}", one.variable, f"{IMPORTS_FOLDER}/{one.name}/")
        for one in SOURCES.values()
    ]
    assert all(f"| `{state}` |" in page("import.md") for state in get_args(State))
    assert all(name in page("import.md") for one in SOURCES.values() for name in one.ignored)


# --- llm.md ----------------------------------------------------------------------------------------------------------


def test_the_commands_of_the_page_on_llm_run(env: dict[str, str]) -> None:
    pytest.importorskip("llm", reason="needs the extra [llm]")
    run([*FAKE_LLM, "models", "default", "scripted"], env)
    lines = commands("llm.md", "llm")

    assert len(lines) == 6
    for line in lines:
        assert re.search(r'"(path|results)"', run([*FAKE_LLM, *shlex.split(line)[1:]], env))


def test_the_python_of_the_page_on_llm_runs(env: dict[str, str]) -> None:
    pytest.importorskip("llm", reason="needs the extra [llm]")
    run([*FAKE_LLM, "models", "default", "scripted"], env)
    support = str(Path(FAKE_LLM[1]).parent)
    prelude = f"import sys; sys.path.insert(0, {support!r}); import fake_llm; fake_llm.install()\n"

    for block in blocks("llm.md", "python"):
        assert "fuse" in run([sys.executable, "-c", prelude + block], env)


# --- agents.md -------------------------------------------------------------------------------------------------------


def test_the_program_for_the_agents_sdk_runs(env: dict[str, str], server: ChatServer) -> None:
    pytest.importorskip("agents", reason="needs the extra [agents]")
    server.script(Call("memory_search", {"query": "motor"}), Say("It was the fuse."), Say("Any time."), Say("NO_REPLY"))
    block = next(one for one in blocks("agents.md", "python") if "AgentMemory.open" in one)

    assert run([sys.executable, "-c", AGENTS_PRELUDE + block], env) == "It was the fuse.\nAny time.\n"
    assert "fuse" in str(server.answers_of_tools(1))


def test_the_program_for_langchain_runs(env: dict[str, str], server: ChatServer) -> None:
    pytest.importorskip("langchain", reason="needs the package langchain")
    pytest.importorskip("langchain_openai", reason="needs the package langchain-openai")
    server.script(Call("memory_search", {"query": "motor"}), Say("It was the fuse."))
    block = next(one for one in blocks("agents.md", "python") if "ChatMemory.open" in one)

    assert run([sys.executable, "-c", block], env) == "It was the fuse.\n"


# --- embedding.md ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(3))
def test_the_programs_of_the_page_on_embedding_run(env: dict[str, str], number: int) -> None:
    programs = blocks("embedding.md", "python")

    assert len(programs) == 3
    run([sys.executable, "-c", programs[number]], env)
