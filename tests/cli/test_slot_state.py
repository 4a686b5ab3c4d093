"""The command line and the memory slot: switched off, taken by another plugin, by a broken one, or by nobody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli import Cli
from support.plugins import install_plugins

JOT = """
from openclaw_memory_hookspecs import hookimpl

print("jot is here")

@hookimpl
def openclaw_memory_status(agent_id, deep):
    return {"entries": 5, "agent": agent_id, "deep": deep, "where": {"kind": "cloud"}, "odd": object}
"""
OUR_WORK = (["index"], ["search", "ferry"], ["append", "x"], ["status", "--index"], ["watch"], ["import", "codex"])
OFF = [
    {"slots": {"memory": "none"}},
    {"enabled": False},
    {"deny": ["memory-core"]},
    {"entries": {"memory-core": {"enabled": False}}},
]


def select(cli: Cli, plugin: str) -> None:
    cli.configure({"plugins": {"slots": {"memory": plugin}}})


@pytest.mark.parametrize("plugins", OFF, ids=json.dumps)
def test_what_works_on_our_index_is_refused_while_memory_is_switched_off(plugins: dict[str, object], notes: Cli):
    notes.configure({"plugins": plugins})
    for command in OUR_WORK:
        run = notes(*command)
        assert (run.code, run.out) == (1, "")
        assert "memory is switched off: plugins." in run.err
        assert "Hint: set plugins.slots.memory" in run.err
        assert notes(*command, "--json").json("cli.error")["error"]["code"] == "plugin"
    assert not (notes.state / "memory").exists()
    assert len(list(notes.workspace.rglob("*.md"))) == 2


def test_looking_and_tidying_up_go_on_while_memory_is_switched_off(notes: Cli):
    notes("index")
    select(notes, "None")
    assert 'Slot: none, off: plugins.slots.memory is "none"' in notes("status").out
    assert notes("get", "MEMORY.md").out == "- door code 4417\n"
    for command in (["doctor"], ["plugins"], ["config", "validate"], ["config", "show"], ["reset", "--yes"]):
        assert notes(*command).code == 0
    assert not (notes.state / "memory" / "main.sqlite").exists()


def test_with_another_plugin_in_the_slot_our_commands_say_so(notes: Cli, tmp_path: Path, monkeypatch):
    install_plugins(tmp_path / "site", monkeypatch, jot=JOT)
    for plugin, said in (
        ("jot", "The memory slot names jot; this"),
        ("jto", "names jto, which is not installed; this"),
    ):
        select(notes, plugin)
        run = notes("search", "ferry")
        assert run.code == 0
        assert said in run.err
        assert "the index of memory-core, which agents do not use now" in run.err
        assert "Porto" in run.out


@pytest.mark.parametrize("plugin", ["memory-core", "openclaw-memory"])
def test_with_this_memory_in_the_slot_nothing_is_said(plugin: str, notes: Cli):
    select(notes, plugin)
    assert notes("search", "ferry").err == ""
    assert f"Slot: {plugin}\n" in notes("status").out


def test_status_shows_what_another_plugin_says_of_itself(notes: Cli, tmp_path: Path, monkeypatch):
    install_plugins(tmp_path / "site", monkeypatch, jot=JOT)
    select(notes, "jot")
    run = notes("status", "--json")
    slot = run.json("cli.status")["slot"]
    assert (slot["plugin"], slot["enabled"]) == ("jot", True)
    assert slot["status"] == {
        "entries": 5,
        "agent": "main",
        "deep": False,
        "where": {"kind": "cloud"},
        "odd": "<class 'object'>",
    }
    out = notes("status").out
    assert out.startswith('Memory plugin jot (main)\nentries: 5\nagent: main\ndeep: false\nwhere: {"kind": "cloud"}\n')
    assert "Slot: jot, not this memory" in out


def test_status_shows_that_another_plugin_fails(notes: Cli, tmp_path: Path, monkeypatch):
    fails = JOT.replace("    return {", "    raise RuntimeError('no') or {")
    install_plugins(tmp_path / "site", monkeypatch, jot=fails, bad="import no_such_module")
    select(notes, "jot")
    run = notes("status")
    assert run.code == 0
    assert "failed: status: RuntimeError: no" in run.out
    select(notes, "bad")
    run = notes("status")
    assert run.code == 0
    assert "Slot: bad, off: memory plugin 'bad' (bad_plugin) cannot be imported" in run.out


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module", "cannot be imported"),
        ("raise SystemExit(7)", "ended the program while it was imported"),
        ("from openclaw_memory_hookspecs import hookimpl\n@hookimpl\ndef openclaw_memory_nap(): ...", "does not fit"),
    ],
)
def test_a_plugin_in_the_slot_that_cannot_be_loaded_is_a_problem(
    source: str, reason: str, notes: Cli, tmp_path: Path, monkeypatch
):
    install_plugins(tmp_path / "site", monkeypatch, bad=source)
    select(notes, "bad")
    run = notes("plugins")
    assert run.code == 1
    assert run.out.count(reason) == 1
    assert "Hint: " in run.err
    document = notes("plugins", "--json").json("cli.plugins")
    assert document["slot"]["enabled"] is False
    assert reason in document["slot"]["reason"]
    run = notes("doctor", "--json")
    assert run.code == 1
    [problem] = [one for one in run.json("cli.doctor")["agents"][0]["checks"] if one["state"] == "problem"]
    assert (problem["name"], problem["code"]) == ("slot", "plugin-load")
    assert reason in problem["message"]
    assert problem["hint"]


def test_the_slot_is_looked_at_once_for_all_agents(notes: Cli, tmp_path: Path, monkeypatch):
    install_plugins(tmp_path / "site", monkeypatch, bad="import no_such_module")
    folder = str(notes.workspace)
    notes.configure({"agents": {"list": [{"id": "a", "workspace": folder}, {"id": "b", "workspace": folder}]}})
    run = notes("doctor")
    assert run.code == 0
    assert run.out.count("'bad' (bad_plugin) cannot be imported") == 1
    assert run.out.count(" is in the slot") == 1
