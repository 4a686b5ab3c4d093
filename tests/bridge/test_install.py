"""``bridge install``, ``uninstall`` and ``check``: what is written, what OpenClaw is asked, in which order."""

from __future__ import annotations

import json
import os
import shlex
import stat
import sys
from pathlib import Path

import pytest
from support.cli import Cli, Run

from openclaw_memory_core import __version__
from openclaw_memory_core.integrations.openclaw_bridge import folder, protocol
from openclaw_memory_core.plugin_registry import BRIDGE_PLUGIN
from openclaw_memory_core.slot import load_memory_slot
from openclaw_memory_schemas import load

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")

INSTALL = "plugins install"
ENABLE = "plugins enable"
SET = "config set"


class Host:
    """A stand-in for OpenClaw, and our command line in a home of its own."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.program = place / "openclaw"
        script = Path(__file__).with_name("fake_openclaw.py")
        command = shlex.join([sys.executable, str(script), str(place)])
        self.program.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        self.folder = place / "plugin"
        self.cli = Cli(place / "home")

    def run(self, command: str, *options: str) -> Run:
        places = ["--openclaw", str(self.program), "--dir", str(self.folder)]
        return self.cli("bridge", command, *places, *options)

    def calls(self) -> list[str]:
        """The commands that changed something since this was asked last."""
        file = self.place / "calls"
        calls = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return [one for one in calls if one in {INSTALL, ENABLE, SET, "plugins uninstall", "plugins reload"}]

    def config(self) -> dict[str, object]:
        found: dict[str, object] = json.loads((self.place / "config.json").read_text(encoding="utf-8"))
        return found


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_install_writes_the_folder_tells_openclaw_and_checks(host: Host) -> None:
    done = host.run("install")

    assert done.code == 0, done.err
    assert sorted(one.name for one in host.folder.iterdir()) == sorted(
        ["bridge.json", "index.js", "openclaw.plugin.json", "package.json", "peer.js"]
    )
    assert host.calls() == [INSTALL, SET]
    entry = host.config()["entries"]["openclaw-memory"]  # type: ignore[index]
    assert entry["hooks"] == {"allowConversationAccess": True}
    assert entry["config"]["dreaming"] == {"enabled": False}
    assert entry["config"]["command"][0] == sys.executable
    assert "answered by this package" in done.out


def test_the_openclaw_of_the_state_folder_that_is_named_is_told(host: Host) -> None:
    host.run("install", "--dry-run")

    assert (host.place / "state").read_text(encoding="utf-8") == str(host.cli.state)


def test_a_second_install_changes_nothing(host: Host) -> None:
    host.run("install")
    host.calls()
    before = {one.name: one.stat().st_mtime_ns for one in host.folder.iterdir()}

    assert host.run("install").code == 0
    assert host.calls() == []
    assert {one.name: one.stat().st_mtime_ns for one in host.folder.iterdir()} == before


def test_a_file_of_another_version_is_replaced_and_a_running_gateway_told(host: Host) -> None:
    host.run("install")
    (host.folder / "index.js").write_text("// older", encoding="utf-8")
    assert "another version" in host.run("check").out
    host.calls()

    done = host.run("install")
    assert done.code == 0, done.err
    assert "Gateway is not running" in done.out
    assert host.calls() == ["plugins reload"]
    assert "older" not in (host.folder / "index.js").read_text(encoding="utf-8")


def test_a_dry_run_says_everything_and_does_nothing(host: Host) -> None:
    done = host.run("install", "--dry-run", "--json")

    steps = [one["step"] for one in json.loads(done.out)["steps"]]
    assert any("plugins install --link" in step for step in steps)
    assert any("allowConversationAccess" in step for step in steps)
    assert host.calls() == []
    assert not host.folder.exists()


def test_without_recall_the_plugin_sees_no_conversation_and_the_check_says_so(host: Host) -> None:
    done = host.run("install", "--no-recall")

    entry = host.config()["entries"]["openclaw-memory"]  # type: ignore[index]
    assert entry["hooks"] == {"allowConversationAccess": False}
    assert done.code == 0, done.out + done.err
    assert "without automatic recall" in done.out
    assert "without automatic recall" in host.run("check").out


@pytest.mark.parametrize(
    ("command", "options", "refused"),
    [
        ("install", ["--dry-run"], None),
        ("install", [], None),
        ("install", [], "plugins install"),
        ("check", [], None),
        ("uninstall", [], None),
    ],
)
def test_json_is_one_document_of_the_published_form(
    host: Host, monkeypatch: pytest.MonkeyPatch, command: str, options: list[str], refused: str | None
) -> None:
    if refused is not None:
        monkeypatch.setenv("FAKE_REFUSES", refused)
    done = host.run(command, *options, "--json")

    assert done.json("cli.bridge")["ok"] is (done.code == 0)


def test_a_reinstall_switches_the_entry_on_that_the_uninstall_left(host: Host) -> None:
    host.run("install")
    host.run("uninstall")
    host.calls()

    assert host.run("install").code == 0
    assert host.calls() == [INSTALL, ENABLE, SET]


def test_uninstall_asks_openclaw_first_and_keeps_the_folder_if_it_refuses(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.run("install")
    monkeypatch.setenv("FAKE_REFUSES", "plugins uninstall")
    refused = host.run("uninstall")
    assert refused.code == 1
    assert "not today" in refused.err
    assert host.folder.is_dir()

    monkeypatch.delenv("FAKE_REFUSES")
    assert host.run("uninstall").code == 0
    assert not host.folder.exists()
    assert "nothing to remove" in host.run("uninstall").out


def test_a_folder_with_other_things_is_neither_filled_nor_deleted(host: Host) -> None:
    host.folder.mkdir()
    (host.folder / "thesis.md").write_text("years of work", encoding="utf-8")

    for command in ("install", "uninstall"):
        done = host.run(command)
        assert done.code == 1
        assert "other things" in done.err
    assert [one.name for one in host.folder.iterdir()] == ["thesis.md"]


def test_a_step_that_openclaw_refuses_is_named_with_its_reason(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_REFUSES", "plugins install")
    done = host.run("install")

    assert done.code == 1
    assert "openclaw plugins install" in done.err
    assert "not today" in done.err


def test_an_openclaw_that_is_too_old_or_missing_is_refused(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VERSION", "2026.8.30")
    assert "too old" in host.run("install").err
    assert not host.folder.exists()
    missing = host.cli("bridge", "check", "--openclaw", "/no/such/openclaw")
    assert missing.code == 2
    assert "--openclaw" in missing.err


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("plugins.slots.memory", "memory-core", "plugins.slots.memory is memory-core"),
        ("plugins.entries.openclaw-memory.enabled", False, "not enabled"),
        ("plugins.entries.openclaw-memory.hooks.allowConversationAccess", None, "blocked"),
        ("plugins.entries.openclaw-memory.config.command", ["/nonexistent/python"], "cannot be started"),
        ("plugins.entries.openclaw-memory.config.command", [sys.executable, "-c", "print(1)"], "Python"),
    ],
)
def test_check_names_what_stands_in_the_way(host: Host, path: str, value: object, said: str) -> None:
    host.run("install")
    os.spawnv(
        os.P_WAIT,
        str(host.program),
        [str(host.program), "config", "set", "--batch-json", json.dumps([{"path": path, "value": value}])],
    )
    done = host.run("check")

    assert done.code == 1
    assert said in "\n".join(line for line in done.out.splitlines() if line.startswith("--"))


def test_the_data_file_holds_the_shipped_schemas_and_everything_the_scripts_read() -> None:
    files = folder.plugin_files(["python"])
    data = json.loads(files["bridge.json"])

    assert data["protocol"] == protocol.PROTOCOL
    assert data["version"] == json.loads(files["package.json"])["version"] == __version__
    for tool in data["tools"]:
        shipped = load(f"tool.{tool['name']}.input")
        assert tool["parameters"] == {key: shipped[key] for key in shipped if key not in {"$schema", "title"}}
    manifest = json.loads(files["openclaw.plugin.json"])
    assert manifest["contracts"]["tools"] == [tool["name"] for tool in data["tools"]]
    assert manifest["cliCommands"][0]["name"] == data["cli"]["name"]
    assert manifest["id"] == protocol.PLUGIN_ID


@pytest.mark.parametrize("script", folder.SCRIPTS)
def test_a_script_stays_small_and_needs_nothing_but_node(script: str) -> None:
    text = folder.plugin_files(["python"])[script]
    imported = {line.split(" from ")[1].strip(' ";') for line in text.splitlines() if line.startswith("import ")}

    assert len(text.splitlines()) <= 420
    assert all(one.startswith(("node:", "./")) for one in imported)


def test_the_configuration_of_an_openclaw_with_the_bridge_loads_here_too(tmp_path: Path) -> None:
    assert BRIDGE_PLUGIN == protocol.PLUGIN_ID
    config = {"plugins": {"slots": {"memory": BRIDGE_PLUGIN}, "entries": {BRIDGE_PLUGIN: {"enabled": True}}}}
    with load_memory_slot(config, state_dir=tmp_path) as slot:
        assert slot.enabled
        assert slot.slot_status().plugin == BRIDGE_PLUGIN
