"""The tables of docs/openclaw.md are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from openclaw_memory_core.cli.bridge import command
from openclaw_memory_core.integrations.openclaw_bridge.folder import COMMANDS, LIMITS, OLDEST_HOST, default_command
from openclaw_memory_core.integrations.openclaw_bridge.install import settings
from openclaw_memory_core.integrations.openclaw_bridge.service import BridgeService
from openclaw_memory_hookspecs import Runtime

PAGE = (Path(__file__).parents[2] / "docs" / "openclaw.md").read_text(encoding="utf-8")


def table(header: str) -> list[list[str]]:
    """The rows of the table with this first column."""
    match = re.search(rf"^\| {header} \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert match is not None
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in match[1].splitlines()]


def test_the_limits_are_those_of_the_plugin() -> None:
    assert {row[0].strip("`"): int(row[1]) for row in table("limit")} == dict(LIMITS)


def test_the_methods_are_those_of_the_program(tmp_path: Path) -> None:
    service = BridgeService(runtime=Runtime(config={}, state_dir=tmp_path, env={}))
    named = [row[0].strip("`") for row in table("method")]

    assert set(named) == service.methods() | {"hello", "ping", "$/cancel"}
    service.close()


def test_the_options_are_those_of_the_commands() -> None:
    named = {re.findall(r"--[a-z-]+", row[0])[0] for row in table("option")}
    install = command.commands["install"]
    own = {option for parameter in install.params if isinstance(parameter, click.Option) for option in parameter.opts}

    assert named == own - {"--config", "--state-dir", "--agent", "--json", "-v", "--verbose"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_named(name: str) -> None:
    assert f"`{name}`" in PAGE or f"openclaw memory {name}`" in PAGE


def test_the_keys_are_those_that_the_installer_sets() -> None:
    named = {"plugins." + row[0].strip("`") for row in table("key")}

    assert {one["path"] for one in settings(default_command(), recall=True)} | {
        "plugins.slots.memory",
        "plugins.load.paths",
    } == named


def test_the_version_of_openclaw_is_the_one_that_is_asked_for() -> None:
    assert f"OpenClaw {OLDEST_HOST}" in PAGE
