"""The example plugin, built and installed as a real distribution: the slot is swapped to it and back."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.doors import SECRET, Home, make_home

EXAMPLE = Path(__file__).parents[2] / "examples" / "scratchpad_plugin"
LINE = "buy varnish for the boat"

# What a host does, in a process of its own: one line of JSON about what the slot answers.
HOST = """
import json, sys, threading
from openclaw_memory_core import load_memory_slot
from openclaw_memory_hookspecs import Session, TokenUsage

main = Session(key="agent:main:main", sender_is_owner=True)
group = Session(key="agent:main:telegram:group:-1009")
config_path, state_dir = sys.argv[1:]
with load_memory_slot(config_path=config_path, state_dir=state_dir, strict=True) as slot:
    answer = {
        "plugin": slot.slot_status().plugin,
        "main": [[file.path, file.text] for file in slot.session_start(main).files],
        "group": [[file.path, file.text] for file in slot.session_start(group).files],
        "tools": [tool.name for tool in slot.tools(main)],
        "recalled": slot.before_turn(main, "What is the gate code?") is not None,
        "flush": slot.tokens_counted(main, TokenUsage(total=10**9)) is not None,
        "status": sorted(slot.status()),
        "threads": [one.name for one in threading.enumerate() if one.name.startswith("memory-")],
        "ours": sorted(name for name in sys.modules if name == "openclaw_memory_core.core"),
    }
print(json.dumps(answer))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example installed, as ``site-packages`` would have it."""
    source = tmp_path_factory.mktemp("source") / "scratchpad_plugin"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__"))
    target = tmp_path_factory.mktemp("site")
    # Without the build backend here, pip fetches it.
    isolation = ["--no-build-isolation"] if importlib.util.find_spec("hatchling") else []
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", *isolation, "--target", target, source],
        check=True,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        timeout=300,
    )
    return target


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = make_home(tmp_path)
    made.state_dir.mkdir()
    (made.state_dir / "SCRATCHPAD.txt").write_text(f"{LINE}\n", encoding="utf-8")
    return made


def select(home: Home, plugin: str) -> None:
    home.config_path.write_text(json.dumps(home.config(slots={"memory": plugin})), encoding="utf-8")


def run(installed: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run([sys.executable, *arguments], capture_output=True, encoding="utf-8", env=env, timeout=60)


def host(home: Home, installed: Path) -> dict[str, Any]:
    result = run(installed, "-c", HOST, str(home.config_path), str(home.state_dir))
    assert result.returncode == 0, result.stderr
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


@pytest.mark.slow
def test_the_slot_is_swapped_to_another_installed_plugin_and_back(home: Home, installed: Path) -> None:
    notes = {path: path.read_bytes() for path in home.workspace.rglob("*.md")}

    select(home, "scratchpad")
    other = host(home, installed)
    made = sorted(one.name for one in home.state_dir.rglob("*"))
    select(home, "memory-core")
    ours = host(home, installed)
    select(home, "scratchpad")
    again = host(home, installed)

    assert other["plugin"] == "scratchpad"
    assert other["main"] == [["SCRATCHPAD.txt", LINE]]
    assert other["group"] == []
    assert other["tools"] == other["threads"] == other["ours"] == []
    assert not other["recalled"]
    assert not other["flush"]
    assert "exists" in other["status"]
    assert made == ["SCRATCHPAD.txt"]

    assert ours["plugin"] == "memory-core"
    assert any(SECRET in text for _, text in ours["main"])
    assert all(SECRET not in text for _, text in ours["group"])
    assert ours["tools"].count("memory_search") == ours["tools"].count("memory_get") == 1
    assert ours["recalled"]
    assert ours["flush"]

    assert again == other
    assert {path: path.read_bytes() for path in home.workspace.rglob("*.md")} == notes


@pytest.mark.slow
def test_none_switches_both_off(home: Home, installed: Path) -> None:
    select(home, "none")

    answer = host(home, installed)

    assert answer["plugin"] is None
    assert answer["main"] == answer["tools"] == answer["threads"] == answer["ours"] == []


@pytest.mark.slow
def test_the_command_line_lists_it_with_its_distribution(home: Home, installed: Path) -> None:
    select(home, "scratchpad")
    main = "from openclaw_memory_core.cli import main; raise SystemExit(main())"

    listed = run(installed, "-c", main, "plugins", "--json", *home.options)
    without = run(home.folder, "-c", main, "plugins", "--json", *home.options)

    assert "scratchpad-memory 0.1.0" in listed.stdout
    assert "scratchpad-memory" not in without.stdout


@pytest.mark.slow
def test_once_it_is_uninstalled_the_slot_says_what_is_missing(home: Home) -> None:
    select(home, "scratchpad")

    result = run(home.folder, "-c", HOST, str(home.config_path), str(home.state_dir))

    assert result.returncode != 0
    assert "names 'scratchpad', which is not installed" in result.stderr
