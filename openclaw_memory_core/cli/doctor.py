"""``doctor``: look for problems, repair what is safe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.settings import Settings
from openclaw_memory_core.errors import OpenClawMemoryError

if TYPE_CHECKING:
    from openclaw_memory_core.cli.finding import Finding

_MARKS = {
    "ok": ("ok     ", "good"),
    "note": ("note   ", "dim"),
    "problem": ("problem", "bad"),
    "fixed": ("fixed  ", "good"),
}


@click.command(name="doctor", cls=Command)
@click.option("--deep", is_flag=True, help="Ask the embedding provider for a vector, and check the whole index file.")
@click.option("--fix", is_flag=True, help="Repair what can be repaired without a risk.")
@click.pass_obj
def command(settings: Settings, *, deep: bool, fix: bool) -> int:
    """Look for problems, and repair what is safe.

    Exit code 1 if a problem remains. Notes are read and never changed; no text of a note is shown. What is wrong with
    the configuration comes first; while there is something, nothing else is looked at.
    """
    from openclaw_memory_core.cli.doctor_checks import examine, examine_configuration

    checked = settings.check()
    config = checked.config
    shared = [_settle(one, fix=fix) for one in examine_configuration(checked, verbose=settings.verbose > 0)]
    agents: list[dict[str, Any]] = []
    for agent_id in [] if checked.errors else settings.agents(config):
        with settings.core(config, agent_id) as core:
            agents.append({"agentId": agent_id, "checks": [_settle(one, fix=fix) for one in examine(core, deep=deep)]})
    if not agents:
        agents.append({"agentId": config.default_agent, "checks": []})
    # What all agents share stands with the first one.
    agents[0]["checks"] = shared + agents[0]["checks"]
    healthy = all(check["state"] != "problem" for one in agents for check in one["checks"])
    if settings.json:
        output.document({"ok": healthy, "agents": agents})
    else:
        for one in agents:
            _print(one)
    return 0 if healthy else 1


def _settle(finding: Finding, *, fix: bool) -> dict[str, Any]:
    """The finding as JSON, after its repair where that was asked for."""
    state: str = finding.state
    message, hint = finding.message, finding.hint
    if finding.fix is not None and fix:
        try:
            state, message, hint = "fixed", finding.fix(), None
        except OpenClawMemoryError as error:
            hint = f"could not be repaired: {error.message}"
        except OSError as error:
            hint = f"could not be repaired: {error.strerror or type(error).__name__}"
    elif finding.fix is not None:
        hint = f"{hint}; doctor --fix does it" if hint else "doctor --fix repairs it"
    check = {"name": finding.name, "state": state, "message": message, "hint": hint, "code": finding.code}
    return {name: value for name, value in check.items() if value is not None}


def _print(agent: dict[str, Any]) -> None:
    output.data(output.styled(f"Memory of {agent['agentId']}", "head"))
    for check in agent["checks"]:
        text, style = _MARKS[check["state"]]
        code = f" [{check['code']}]" if "code" in check else ""
        output.data(f"{output.styled(text, style)} {check['name']}: {output.visible(check['message'])}{code}")
        if "hint" in check:
            output.data(f"        {output.visible(check['hint'])}")
