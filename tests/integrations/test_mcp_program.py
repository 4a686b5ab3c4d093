"""``openclaw-memory mcp`` as a program: stdio, HTTP and its guard, how it ends, what it prints for clients."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jsonschema
import pytest
from support.doors import FUSE, TODAY, YESTERDAY, Home

from openclaw_memory_core.errors import UsageError
from openclaw_memory_core.integrations.mcp_server.client_config import client_configs, command_line
from openclaw_memory_core.integrations.mcp_server.guard import loopback_names
from openclaw_memory_schemas import load

mcp = pytest.importorskip("mcp", reason="needs the extra [mcp]")

PROGRAM = [sys.executable, "-c", "from openclaw_memory_core.cli import main; raise SystemExit(main())"]
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
}
NEEDS_SIGNALS = pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are POSIX")


@contextmanager
def program(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*PROGRAM, "mcp", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def hello(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(HELLO) + "\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


# --- stdio -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_official_client_drives_it_over_stdio(home: Home, mode: str) -> None:
    async def script() -> tuple[Any, ...]:
        server = mcp.StdioServerParameters(
            command=PROGRAM[0], args=[*PROGRAM[1:], "mcp", *home.options], env={"HOME": str(home.folder)}
        )
        async with mcp.Client(server, mode=mode) as client:
            return (
                await client.list_tools(),
                await client.call_tool("memory_search", {"query": "fuse"}),
                await client.call_tool("memory_append", {"text": "Saved over stdio."}),
                await client.read_resource(f"memory://notes/{YESTERDAY}"),
                await client.get_prompt("session-start"),
            )

    tools, found, written, read, prompt = asyncio.run(script())

    assert {"memory_search", "memory_get", "memory_append"} <= {tool.name for tool in tools.tools}
    assert not found.is_error, found.content
    assert found.structured_content["results"][0]["path"] == YESTERDAY
    assert "Saved over stdio." in (home.workspace / written.structured_content["path"]).read_text(encoding="utf-8")
    assert FUSE in read.contents[0].text
    assert prompt.messages


def test_it_ends_when_its_input_ends_and_has_said_nothing_but_the_protocol(home: Home) -> None:
    with program(*home.options) as process:
        answer = hello(process)
        rest, notes = process.communicate(timeout=20)

    assert answer["result"]["serverInfo"]["name"] == "openclaw-memory"
    assert answer["result"]["capabilities"]["resources"] == {"subscribe": True, "listChanged": True}
    assert rest == ""
    assert "not private" in notes
    assert "Traceback" not in notes
    assert process.returncode == 0


@NEEDS_SIGNALS
@pytest.mark.parametrize("which", ["SIGINT", "SIGTERM"])
def test_a_signal_ends_it_while_its_input_is_open(home: Home, which: str) -> None:
    with program(*home.options) as process:
        hello(process)
        process.send_signal(getattr(signal, which))
        process.wait(timeout=20)
        assert process.stderr is not None
        notes = process.stderr.read()

    assert process.returncode == 0
    assert "Traceback" not in notes
    assert "Fatal" not in notes


def test_a_line_that_is_no_message_does_not_end_it(home: Home) -> None:
    with program(*home.options) as process:
        assert process.stdin is not None
        process.stdin.write("this is not JSON\n\n")
        answer = hello(process)
        while "result" not in answer:
            assert process.stdout is not None
            answer = json.loads(process.stdout.readline())

    assert answer["result"]["serverInfo"]["name"] == "openclaw-memory"


# --- HTTP ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def http_server(home: Home) -> Iterator[tuple[str, int, subprocess.Popen[str]]]:
    token_file = home.folder / "token"
    token_file.write_text("secret-token\n", encoding="utf-8")
    with program(*home.options, "--http", "--port", "0", "--token-file", str(token_file)) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/mcp", line):
                yield found.group(0), int(found.group(1)), process
                return
        pytest.fail("the server did not say where it listens")


def post(port: int, *, host: str | None = None, origin: str | None = None, token: str | None = "secret-token") -> int:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    headers["Host"] = host or f"127.0.0.1:{port}"
    if origin is not None:
        headers["Origin"] = origin
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("POST", "/mcp", body=json.dumps(HELLO), headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_http_answers_who_knows_the_token_and_nobody_else(http_server: tuple[str, int, Any]) -> None:
    _, port, _ = http_server

    assert post(port) == 200
    assert post(port, token=None) == 401
    assert post(port, token="secret-toke") == 401
    assert post(port, token="") == 401


def test_http_refuses_a_foreign_origin_and_a_foreign_host(http_server: tuple[str, int, Any]) -> None:
    _, port, _ = http_server

    assert post(port, origin=f"http://localhost:{port}") == 200
    assert post(port, origin="https://evil.example") == 403
    assert post(port, origin="null") == 403
    assert post(port, origin=f"http://127.0.0.1:{port}.evil.example") == 403
    assert post(port, origin="http://127.0.0.1:1") == 403
    assert post(port, host="evil.example") == 421
    assert post(port, host=f"evil.example:{port}") == 421


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_official_client_drives_it_over_http(home: Home, http_server: tuple[str, int, Any], mode: str) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    url, _, _ = http_server

    async def script() -> tuple[Any, Any]:
        async with (
            httpx2.AsyncClient(headers={"Authorization": "Bearer secret-token"}) as http_client,
            mcp.Client(streamable_http_client(url, http_client=http_client), mode=mode) as client,
        ):
            written = await client.call_tool("memory_append", {"text": "Saved over HTTP."})
            return written, await client.call_tool("memory_search", {"query": "fuse"})

    written, found = asyncio.run(script())

    assert "Saved over HTTP." in (home.workspace / written.structured_content["path"]).read_text(encoding="utf-8")
    assert not found.is_error, found.content
    assert found.structured_content["results"][0]["path"] == YESTERDAY


@NEEDS_SIGNALS
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_signal_ends_the_http_server_cleanly_while_a_client_waits_for_changes(
    http_server: tuple[str, int, subprocess.Popen[str]], mode: str
) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    url, _, process = http_server

    async def script() -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": "Bearer secret-token"}, timeout=20) as http_client,
            mcp.Client(streamable_http_client(url, http_client=http_client), mode=mode) as client,
        ):
            if mode == "auto":
                async with client.listen(resources_list_changed=True) as stream:
                    process.send_signal(signal.SIGTERM)
                    assert [event async for event in stream] == []
            else:
                await client.list_tools()
                process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(process.wait, 20)

    asyncio.run(script())

    assert process.returncode == 0
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.com", ""])
def test_http_is_never_opened_to_the_network(host: str) -> None:
    with pytest.raises(UsageError, match="loopback"):
        loopback_names(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "::1", "[::1]", "127.0.0.2"])
def test_every_name_of_the_loopback_is_good(host: str) -> None:
    assert loopback_names(host)


# --- options ---------------------------------------------------------------------------------------------------------


def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, "mcp", *arguments], capture_output=True, encoding="utf-8", env={**os.environ, **env}, timeout=60
    )


def test_print_config_gives_each_client_what_it_reads(home: Home) -> None:
    result = run("--print-config", "claude-desktop", "--private", *home.options)
    entry = json.loads(result.stdout)["mcpServers"]["openclaw-memory"]

    assert result.returncode == 0
    assert entry["args"][-1] == "--private"
    assert str(home.config_path) in entry["args"]

    configs = client_configs(["/a b/openclaw-memory", "mcp", "--agent", 'x"y'])
    codex = tomllib.loads(configs["codex"].text)["mcp_servers"]["openclaw-memory"]
    assert codex == {"command": "/a b/openclaw-memory", "args": ["mcp", "--agent", 'x"y']}
    assert json.loads(configs["vscode"].text)["servers"]["openclaw-memory"]["type"] == "stdio"
    assert "'/a b/openclaw-memory'" in configs["claude-code"].text


def test_print_config_without_a_name_gives_all_and_json_is_one_document() -> None:
    document = json.loads(run("--json", "--print-config").stdout)
    clients = document["clients"]

    jsonschema.validate(document, load("cli.mcp")["anyOf"][0])
    assert {"claude-code", "claude-desktop", "codex", "cursor", "vscode"} <= clients.keys()


def test_what_the_environment_says_becomes_an_option(home: Home) -> None:
    env = {"OPENCLAW_STATE_DIR": str(home.state_dir), "OPENCLAW_CONFIG_PATH": str(home.config_path)}

    command = command_line(["--private"], env)

    assert command[command.index("--state-dir") + 1] == str(home.state_dir)
    assert command[command.index("--config") + 1] == str(home.config_path)


def test_a_private_key_without_private_is_wrong_usage(home: Home) -> None:
    result = run(*home.options, "--session-key", "agent:main:main")

    assert result.returncode == 2
    assert result.stdout == ""
    assert "--private" in result.stderr


def test_without_the_sdk_the_error_says_how_to_install_it(home: Home) -> None:
    code = (
        "import sys; sys.modules['mcp'] = None\n"
        "from openclaw_memory_core.cli import main\n"
        f"raise SystemExit(main(['mcp', *{home.options!r}]))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=60)

    assert result.returncode == 1
    assert "pip install 'openclaw-memory-core[mcp]'" in result.stderr
    assert result.stdout == ""


def test_an_empty_token_file_is_wrong_usage(home: Home) -> None:
    (home.folder / "empty").write_text("\n", encoding="utf-8")

    result = run(*home.options, "--http", "--token-file", str(home.folder / "empty"))

    assert result.returncode == 2
    assert "empty" in result.stderr
    assert TODAY not in result.stderr


def test_a_plugin_that_prints_does_not_speak_into_the_protocol(home: Home) -> None:
    site = home.folder / "site"
    meta = site / "chatty_memory-1.0.dist-info"
    meta.mkdir(parents=True)
    (site / "chatty_memory.py").write_text(
        "from openclaw_memory_hookspecs import hookimpl\n"
        "print('imported')\n"
        "class Chatty:\n"
        "    @hookimpl\n"
        "    def openclaw_memory_startup(self, runtime):\n"
        "        print('hello from startup')\n"
        "    @hookimpl\n"
        "    def openclaw_memory_tools(self, session):\n"
        "        print('hello from tools')\n"
        "    @hookimpl\n"
        "    def openclaw_memory_shutdown(self):\n"
        "        print('bye')\n",
        encoding="utf-8",
    )
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: chatty-memory\nVersion: 1.0\n", encoding="utf-8")
    (meta / "entry_points.txt").write_text("[openclaw.memory]\nchatty = chatty_memory:Chatty\n", encoding="utf-8")
    config = home.folder / "chatty.json"
    config.write_text(json.dumps({"plugins": {"slots": {"memory": "chatty"}}}), encoding="utf-8")
    ask = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

    result = subprocess.run(
        [sys.executable, "-m", "openclaw_memory_core", "--config", str(config), *home.options[2:], "mcp"],
        input=json.dumps(ask) + "\n",
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(site)},
    )

    for line in result.stdout.splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0"
    assert "hello from startup" in result.stderr
    assert "bye" in result.stderr
