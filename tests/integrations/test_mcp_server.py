"""The MCP server as the official client sees it, in memory: tools, resources, prompts, notifications."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import jsonschema
import pytest
from support.doors import FUSE, SECRET, TODAY, YESTERDAY, Home

from openclaw_memory_core.errors import ConfigError, UsageError
from openclaw_memory_core.integrations.door import Door, DoorOptions, door_session
from openclaw_memory_core.integrations.mcp_server import build_server

mcp = pytest.importorskip("mcp", reason="needs the extra [mcp]")

MODES = ("legacy", "auto")
MINE = pytest.mark.parametrize("mode", MODES)


def talk(door: Door, script: Callable[[Any], Awaitable[Any]], *, mode: str = "auto", **options: Any) -> Any:
    """Run *script* with a client of a server that is made for it, and close the door."""

    async def run() -> Any:
        async with mcp.Client(build_server(door, debounce=0.05), mode=mode, **options) as client:
            # The client would wrap an exception into groups.
            return (await asyncio.gather(asyncio.wait_for(script(client), 20), return_exceptions=True))[0]

    with door:
        result = asyncio.run(run())
    if isinstance(result, BaseException):
        raise result
    return result


def call(door: Door, name: str, arguments: dict[str, Any], *, mode: str = "auto") -> Any:
    return talk(door, lambda client: client.call_tool(name, arguments), mode=mode)


def text_of(result: Any) -> str:
    return "\n".join(one.text for one in result.contents)


# --- tools -----------------------------------------------------------------------------------------------------------


@MINE
def test_tools_have_schemas_titles_and_honest_hints(home: Home, mode: str) -> None:
    tools = {tool.name: tool for tool in talk(home.door(), lambda client: client.list_tools(), mode=mode).tools}

    assert {"memory_search", "memory_get", "memory_append"} <= tools.keys()
    for tool in tools.values():
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        assert tool.title
        assert tool.annotations.open_world_hint is False
    assert tools["memory_search"].annotations.read_only_hint is True
    assert tools["memory_append"].annotations.read_only_hint is False
    assert tools["memory_append"].annotations.destructive_hint is False


@MINE
def test_search_answers_with_structure_and_with_the_same_as_text(home: Home, mode: str) -> None:
    result = call(home.door(), "memory_search", {"query": "fuse"}, mode=mode)

    assert result.is_error is False
    assert result.structured_content["results"][0]["path"] == YESTERDAY
    assert json.loads(result.content[0].text) == result.structured_content


def test_get_reads_lines(home: Home) -> None:
    result = call(home.door(), "memory_get", {"path": YESTERDAY, "from": 3})

    assert result.structured_content["text"] == FUSE


def test_append_adds_to_todays_note_and_search_finds_it(home: Home) -> None:
    async def script(client: Any) -> tuple[Any, Any]:
        written = await client.call_tool("memory_append", {"text": "Marta prefers the upper deck."})
        return written, await client.call_tool("memory_get", {"path": TODAY})

    written, read = talk(home.door(), script)

    assert written.structured_content["path"] == TODAY
    assert "upper deck" in read.structured_content["text"]
    assert (
        (home.workspace / TODAY).read_text(encoding="utf-8").startswith("# Tuesday\n\nMarta asked about the ferry.\n")
    )


@pytest.mark.parametrize(
    ("name", "arguments", "word"),
    [
        ("memory_search", {}, "query"),
        ("memory_search", {"query": "x", "corpus": "nowhere"}, "corpus"),
        ("memory_get", {"path": "../openclaw.json"}, "path"),
        ("memory_append", {"text": "  "}, "text"),
    ],
)
def test_a_wrong_argument_is_an_answer_that_the_model_can_read(
    home: Home, name: str, arguments: dict[str, Any], word: str
) -> None:
    result = call(home.door(), name, arguments)

    assert result.is_error is True
    assert word in json.dumps(result.structured_content)


def test_a_note_that_is_not_there_is_an_answer_and_no_error(home: Home) -> None:
    result = call(home.door(), "memory_get", {"path": "memory/2020-01-01.md"})

    assert result.is_error is False
    assert result.structured_content["status"] == "not_found"


@MINE
def test_an_unknown_tool_is_refused_by_the_protocol(home: Home, mode: str) -> None:
    with pytest.raises(mcp.MCPError, match="no tool memory_forget"):
        call(home.door(), "memory_forget", {}, mode=mode)


def test_read_only_offers_no_tool_that_writes(home: Home) -> None:
    tools = talk(home.door(read_only=True), lambda client: client.list_tools()).tools

    assert "memory_append" not in {tool.name for tool in tools}


# --- what a session may see ------------------------------------------------------------------------------------------


@MINE
def test_without_being_told_a_client_is_not_private(home: Home, mode: str) -> None:
    async def script(client: Any) -> list[str]:
        search = await client.call_tool("memory_search", {"query": "gate code 4471"})
        got = await client.call_tool("memory_get", {"path": "MEMORY.md"})
        listed = await client.list_resources()
        prompt = await client.get_prompt("session-start", {"message": "What is the gate code?"})
        with pytest.raises(mcp.MCPError, match="private"):
            await client.read_resource("memory://notes/MEMORY.md")
        return [repr(one) for one in (search, got, listed, prompt)]

    answers = talk(home.door(), script, mode=mode)

    assert not any(SECRET in answer for answer in answers)
    assert "withheld" in answers[0]
    assert "memory://notes/MEMORY.md" not in answers[2]


def test_a_private_client_sees_curated_files_by_every_way(home: Home) -> None:
    async def script(client: Any) -> list[str]:
        got = await client.call_tool("memory_get", {"path": "MEMORY.md"})
        prompt = await client.get_prompt("session-start", {"message": "What is the gate code?"})
        read = await client.read_resource("memory://notes/MEMORY.md")
        return [repr(one) for one in (got, prompt, read)]

    assert all(SECRET in answer for answer in talk(home.door(private=True), script))


def test_a_private_key_without_private_is_refused_and_the_other_way_round(home: Home) -> None:
    with home.door() as door:
        config = door.config

    with pytest.raises(UsageError, match="is private"):
        door_session(config, DoorOptions(name="mcp", session_key="agent:main:main"))
    with pytest.raises(UsageError, match="cannot be private"):
        door_session(config, DoorOptions(name="mcp", session_key="agent:main:telegram:group:-1", private=True))
    with pytest.raises(ConfigError, match="no agent"):
        door_session(config, DoorOptions(name="mcp", agent="nobody"))
    with pytest.raises(ConfigError, match="no agent"):
        door_session(config, DoorOptions(name="mcp", session_key="agent:nobody:mcp"))


# --- resources and prompts -------------------------------------------------------------------------------------------


@MINE
def test_notes_are_resources_with_size_type_and_date(home: Home, mode: str) -> None:
    listed = talk(home.door(), lambda client: client.list_resources(), mode=mode).resources

    assert [one.uri for one in listed] == [f"memory://notes/{YESTERDAY}", f"memory://notes/{TODAY}"]
    assert listed[0].size == (home.workspace / YESTERDAY).stat().st_size
    assert listed[0].mime_type == "text/markdown"
    assert listed[0].annotations.last_modified.startswith("20")


@MINE
def test_a_resource_is_the_whole_note_byte_for_byte(home: Home, mode: str) -> None:
    long = "".join(f"line {number} ✓\r\n" for number in range(5000))
    (home.workspace / "memory" / "a b ü%.md").write_bytes(long.encode())

    async def script(client: Any) -> Any:
        uri = next(one.uri for one in (await client.list_resources()).resources if "%25" in one.uri)
        return await client.read_resource(uri)

    assert text_of(talk(home.door(), script, mode=mode)) == long


def test_many_notes_come_in_pages(home: Home) -> None:
    for number in range(450):
        (home.workspace / "memory" / f"n{number:03}.md").write_text("x\n", encoding="utf-8")

    async def script(client: Any) -> tuple[list[str], int]:
        uris: list[str] = []
        cursor, pages = None, 0
        while pages == 0 or cursor is not None:
            page = await client.list_resources(cursor=cursor)
            uris += [one.uri for one in page.resources]
            cursor, pages = page.next_cursor, pages + 1
        return uris, pages

    uris, pages = talk(home.door(), script)

    assert len(uris) == len(set(uris)) == 452
    assert pages == 3


@pytest.mark.parametrize(
    "uri",
    [
        "memory://notes/",
        "memory://notes/memory/none.md",
        "memory://notes/../openclaw.json",
        "memory://notes/%2e%2e/openclaw.json",
        "memory://other/memory/2026-05-04.md",
        "file:///etc/passwd",
    ],
)
def test_an_address_that_is_no_note_is_an_error(home: Home, uri: str) -> None:
    with pytest.raises(mcp.MCPError):
        talk(home.door(private=True), lambda client: client.read_resource(uri))


def test_a_cursor_from_elsewhere_is_refused(home: Home) -> None:
    with pytest.raises(mcp.MCPError, match="cursor"):
        talk(home.door(), lambda client: client.list_resources(cursor="zzz"))


@MINE
def test_the_template_and_the_prompt_are_listed(home: Home, mode: str) -> None:
    async def script(client: Any) -> tuple[Any, Any]:
        return await client.list_resource_templates(), await client.list_prompts()

    templates, prompts = talk(home.door(), script, mode=mode)

    assert templates.resource_templates[0].uri_template == "memory://notes/{+path}"
    assert [(one.name, [a.name for a in one.arguments]) for one in prompts.prompts] == [("session-start", ["message"])]


@MINE
def test_the_prompt_holds_the_notes_of_the_session_start_and_what_is_withheld(home: Home, mode: str) -> None:
    result = talk(home.door(), lambda client: client.get_prompt("session-start"), mode=mode)
    text = result.messages[0].content.text

    assert "## Memory" in text
    assert FUSE in text
    assert "MEMORY.md exists and is not shown here" in text


def test_an_unknown_prompt_is_an_error(home: Home) -> None:
    with pytest.raises(mcp.MCPError, match="no prompt"):
        talk(home.door(), lambda client: client.get_prompt("other"))


# --- changes ---------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
def test_an_older_client_hears_of_new_and_of_changed_notes(home: Home) -> None:
    heard: list[str] = []
    news = asyncio.Event()

    async def listen(message: Any) -> None:
        if hasattr(message, "method"):
            heard.append(f"{message.method} {getattr(message.params, 'uri', '')}".strip())
            news.set()

    async def script(client: Any) -> None:
        await client.subscribe_resource(f"memory://notes/{TODAY}")
        await client.list_tools()
        (home.workspace / TODAY).write_text("changed\n", encoding="utf-8")
        (home.workspace / YESTERDAY).write_text("changed, too, but nobody asked\n", encoding="utf-8")
        await until(lambda: f"notifications/resources/updated memory://notes/{TODAY}" in heard)
        (home.workspace / "memory" / "new.md").write_text("new\n", encoding="utf-8")
        await until(lambda: "notifications/resources/list_changed" in heard)

    async def until(true: Callable[[], bool]) -> None:
        while not true():
            news.clear()
            await asyncio.wait_for(news.wait(), 15)

    talk(home.door(), script, mode="legacy", message_handler=listen)

    assert not any(YESTERDAY in one for one in heard)


def test_a_client_of_the_present_version_hears_of_changes_on_its_stream(home: Home) -> None:
    async def script(client: Any) -> tuple[Any, Any]:
        uri = f"memory://notes/{TODAY}"
        async with client.listen(resources_list_changed=True, resource_subscriptions=[uri]) as stream:
            events = aiter(stream)
            (home.workspace / TODAY).write_text("changed\n", encoding="utf-8")
            first = await anext(events)
            (home.workspace / "memory" / "new.md").write_text("new\n", encoding="utf-8")
            return first, await anext(events)

    first, second = talk(home.door(), script)

    assert first.uri == f"memory://notes/{TODAY}"
    assert type(second).__name__ == "ResourcesListChanged"


def test_a_session_that_is_not_private_does_not_hear_of_curated_files(home: Home) -> None:
    from openclaw_memory_core.integrations.mcp_server.changes import compare
    from openclaw_memory_core.integrations.mcp_server.shelf import open_shelf

    with home.door() as door:
        shelf = open_shelf(door)
        before = shelf.notes()
        (home.workspace / "MEMORY.md").write_text("- other\n", encoding="utf-8")
        (home.workspace / "USER.md").write_text("- new\n", encoding="utf-8")

        assert not compare(before, shelf.notes())


# --- other plugins ---------------------------------------------------------------------------------------------------


@MINE
def test_with_the_slot_off_there_is_nothing_and_no_file_is_made(home: Home, mode: str) -> None:
    async def script(client: Any) -> tuple[Any, ...]:
        tools, notes = await client.list_tools(), await client.list_resources()
        return tools.tools, notes.resources, await client.get_prompt("session-start")

    tools, notes, prompt = talk(home.door(slot="none"), script, mode=mode)

    assert tools == []
    assert notes == []
    assert '"none"' in prompt.messages[0].content.text
    assert not home.state_dir.exists()


OTHER = """
from openclaw_memory_hookspecs import ContextFile, SessionContext, ToolSpec, hookimpl

class Other:
    @hookimpl
    def openclaw_memory_session_start(self):
        return SessionContext(files=(ContextFile("pad.md", "from the pad"),))

    @hookimpl
    def openclaw_memory_tools(self):
        schema = {"type": "object"}
        good = ToolSpec("pad_read", "Read the pad.", schema, schema, lambda _: {"text": "from the pad"})
        bad = ToolSpec("pad_break", "Break.", schema, schema, lambda _: {}["secret"])
        return [good, bad]
"""


@MINE
def test_another_plugin_in_the_slot_is_served_with_its_tools_and_files(
    home: Home, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = home.folder / "site"
    meta = site / "other_pad-1.0.dist-info"
    meta.mkdir(parents=True)
    (site / "other_pad.py").write_text(OTHER, encoding="utf-8")
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: other-pad\nVersion: 1.0\n", encoding="utf-8")
    (meta / "entry_points.txt").write_text("[openclaw.memory]\npad = other_pad:Other\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))

    async def script(client: Any) -> tuple[Any, ...]:
        with pytest.raises(mcp.MCPError, match="no note"):
            await client.read_resource(f"memory://notes/{YESTERDAY}")
        return (
            await client.list_tools(),
            await client.call_tool("pad_read", {}),
            await client.call_tool("pad_break", {}),
            await client.list_resources(),
            await client.read_resource("memory://notes/pad.md"),
            await client.get_prompt("session-start"),
        )

    tools, good, bad, notes, note, prompt = talk(home.door(slot="pad"), script, mode=mode)

    assert [tool.name for tool in tools.tools] == ["pad_read", "pad_break"]
    assert tools.tools[0].annotations is None
    assert good.structured_content == {"text": "from the pad"}
    assert bad.is_error
    assert "KeyError" in bad.content[0].text
    assert "secret" not in bad.content[0].text
    assert [one.uri for one in notes.resources] == ["memory://notes/pad.md"]
    assert text_of(note) == "from the pad"
    assert "from the pad" in prompt.messages[0].content.text
    assert not home.state_dir.exists()
