"""``config validate`` and ``config show``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.settings import Settings

if TYPE_CHECKING:
    from openclaw_memory_core.config import CheckedConfig


@click.group(name="config", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Check or show the configuration."""
    if context.invoked_subcommand is None:
        output.data(context.get_help())


@command.command(cls=Command)
@click.pass_obj
def validate(settings: Settings) -> int:
    """Read the configuration and name everything that is wrong with it.

    Providers must be known and the plugin in the memory slot installed. Exit code 1 if the configuration cannot be
    used; warnings alone are no failure.
    """
    from openclaw_memory_core.cli.config_names import unknown_names

    checked = settings.check()
    checked = checked._replace(errors=(*checked.errors, *unknown_names(checked.config)))
    config, errors = checked.config, checked.errors
    file = _text(config.path)
    if settings.json:
        output.document(_verdict(checked))
        return 1 if errors else 0
    for error in errors:
        output.data(f"{output.styled('error', 'bad')} {error.message}{f' ({error.hint})' if error.hint else ''}")
    for one in config.warnings:
        output.data(f"{output.styled('warning', 'head')} {one}")
    if errors:
        output.data(f"{file} cannot be used: {output.count(len(errors), 'error')}.")
        return 1
    what = f"{file} is valid" if file else "There is no configuration file; the defaults are used"
    number = len(config.warnings)
    output.data(f"{what}, with {output.count(number, 'warning')}." if number else f"{what}.")
    return 0


def _verdict(checked: CheckedConfig) -> dict[str, Any]:
    warnings = [{"keyPath": one.key_path, "message": one.message} for one in checked.config.warnings]
    verdict = {"ok": not checked.errors, "file": _text(checked.config.path), "warnings": warnings}
    if not checked.errors:
        return verdict
    errors = [{**error.to_dict(), "keyPath": error.key_path} for error in checked.errors]
    return {**verdict, "error": checked.errors[0].to_dict(), "errors": errors}


@command.command(cls=Command)
@click.option("--changed", is_flag=True, help="Only what differs from the defaults.")
@click.pass_obj
def show(settings: Settings, *, changed: bool) -> int:
    """Print every setting in force and where it comes from. Secrets are masked."""
    from openclaw_memory_core.config.show import DEFAULT
    from openclaw_memory_core.config.show import show as values_of

    config = settings.load()
    values = [one for one in values_of(config, settings.agent) if not changed or one.origin != DEFAULT]
    if settings.json:
        shown: list[dict[str, Any]] = [
            {"keyPath": one.key_path, "value": one.value, "origin": one.origin} for one in values
        ]
        output.document({"file": _text(config.path), "agentId": config.agent(settings.agent).id, "values": shown})
        return 0
    for one in values:
        origin = "" if one.origin == DEFAULT else output.styled(f"  # {one.origin}", "dim")
        output.data(f"{one.key_path} = {json.dumps(one.value, ensure_ascii=False)}{origin}")
    return 0


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
