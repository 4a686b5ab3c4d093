"""The JavaScript side, run by Node's own test runner (Node 20 or later)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.doors import Home

from openclaw_memory_core.integrations.openclaw_bridge.folder import default_command, write_folder

HERE = Path(__file__).parent
NODE = shutil.which("node")


def node_version() -> int:
    if NODE is None:
        return 0
    shown = subprocess.run([NODE, "--version"], capture_output=True, encoding="utf-8", check=True).stdout
    return int(shown.lstrip("v").split(".")[0])


@pytest.mark.slow
@pytest.mark.skipif(node_version() < 20, reason="needs Node 20 or later on the PATH")
def test_the_plugin_keeps_its_promises_to_the_host(home: Home, tmp_path: Path) -> None:
    folder, scratch = tmp_path / "plugin", tmp_path / "scratch"
    scratch.mkdir()
    write_folder(folder, default_command(config_path=home.config_path, state_dir=home.state_dir))
    places = {
        "FOLDER": str(folder),
        "WORKSPACE": str(home.workspace),
        "SCRATCH": str(scratch),
        "FAKE": str(HERE / "fake_python.mjs"),
    }
    run = subprocess.run(
        [str(NODE), "--test", "--test-reporter=tap", str(HERE / "plugin.test.mjs")],
        env={**os.environ, **places},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    report = run.stdout + run.stderr

    assert run.returncode == 0, report[-12_000:]
    passed = re.search(r"^# pass (\d+)$", report, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) >= 20
