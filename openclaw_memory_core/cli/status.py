"""``status``: how the memory is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.settings import Settings
from openclaw_memory_core.cli.slot_state import slot_report

_NOT_CONFIGURED = re.compile(r'local: no model file|\w+: No API key found for provider "\w+"(?: \(|$)')
"""A provider that was passed over because nobody asked for it; others are passed over for a reason worth knowing."""


@click.command(name="status", cls=Command)
@click.option("--deep", is_flag=True, help="Ask the embedding provider for a vector.")
@click.option("--index", "update", is_flag=True, help="Bring the index up to date first; implies --deep.")
@click.pass_obj
def command(settings: Settings, *, deep: bool, update: bool) -> int:
    """Show how the memory is: files, index, provider.

    Problems that it shows are no failure of this command. With --json the document is the status of the agent, with
    the other agents under "agents" where there are several and --agent is not given. What another plugin in the memory
    slot says of itself stands before the status of our index.
    """
    config = settings.load_ours() if update else settings.load()
    reports = []
    for agent_id in settings.agents(config):
        with settings.core(config, agent_id) as core:
            if update:
                core.sync()
            report = core.status(deep=deep or update)
            reports.append({**report, "slot": slot_report(config, agent_id, deep=deep or update)})
    if settings.json:
        default = next((one for one in reports if one["agentId"] == config.default_agent), reports[0])
        others = [one for one in reports if one is not default]
        output.document({**default, "agents": others} if others else default)
        return 0
    for number, report in enumerate(reports):
        if number:
            output.data()
        _print(report, in_full=settings.verbose > 0)
    return 0


def _print(report: Mapping[str, Any], *, in_full: bool) -> None:
    _print_other(report)
    output.data(output.styled(f"Memory Search ({report['agentId']})", "head"))
    output.lines([("Slot", _slot(report["slot"]))])
    if not report["enabled"]:
        output.data("Memory search disabled.")
        output.lines([("Reason", report.get("reason")), ("Workspace", report["workspaceDir"])])
        return
    output.lines(
        [
            ("Provider", f"{report['provider']} (requested: {report['requestedProvider']})"),
            ("Why", _why(report, in_full=in_full)),
            ("Model", report["model"]),
            ("Sources", ", ".join(report["sources"])),
            ("Extra paths", ", ".join(report["extraPaths"]) or None),
            ("Indexed", _counts(report)),
            ("Dirty", output.yes(report["dirty"])),
            ("Reason", report.get("dirtyReason")),
            ("Store", report["dbPath"]),
            ("Workspace", report["workspaceDir"]),
            ("Embeddings", _probe(report.get("embeddingProbe"))),
        ]
    )
    output.data(output.styled("By source:", "dim"))
    for one in report["sourceCounts"]:
        output.data(f"  {one['source']} · {_counts(one)}")
    output.lines([("Fallback", _fallback(report.get("fallback"))), *_store(report), ("Last sync", _last(report))])
    if report["issues"]:
        output.data(output.styled("Issues:", "bad"))
        for issue in report["issues"]:
            output.data(f"  {output.visible(issue)}")


def _print_other(report: Mapping[str, Any]) -> None:
    """What another plugin in the slot says of itself."""
    slot = report["slot"]
    if "status" not in slot:
        return
    output.data(output.styled(f"Memory plugin {slot['selected']} ({report['agentId']})", "head"))
    values = [(name, value if isinstance(value, str) else json.dumps(value)) for name, value in slot["status"].items()]
    output.lines([*values, *(("failed", failure) for failure in slot["failures"])])
    if not values:
        output.data("It says nothing about itself.")
    output.data()


def _slot(slot: Mapping[str, Any]) -> str:
    if not slot["enabled"]:
        return f"{slot['selected'] or 'none'}, off: {slot['reason']}"
    return f"{slot['plugin']}, not this memory" if "status" in slot else str(slot["plugin"])


def _why(report: Mapping[str, Any], *, in_full: bool) -> str | None:
    """Why this provider: a sentence for each that was passed over, by default for those that somebody configured."""
    reasons = report["providerReasons"]
    if in_full:
        return "; ".join(reasons) or None
    if report.get("fallback"):
        return None  # it has a line of its own
    unusual = [one for one in reasons if not _NOT_CONFIGURED.match(one)]
    if report["requestedProvider"] == "auto" and report["provider"] == "embedded":
        unusual.append("no API key found; using the built-in model")
    return "; ".join(unusual) or None


def _counts(one: Mapping[str, Any]) -> str:
    return f"{one['files']}/{one['totalFiles']} files · {one['chunks']} chunks"


def _probe(probe: Mapping[str, Any] | None) -> str | None:
    if probe is None:
        return None
    if probe["ok"]:
        return "ready" if probe.get("checked", True) else "not needed"
    return f"unavailable: {probe.get('error') or probe.get('reason')}"


def _fallback(fallback: Mapping[str, Any] | None) -> str | None:
    return f"from {fallback['from']}: {fallback['reason']}" if fallback else None


def _store(report: Mapping[str, Any]) -> list[tuple[str, object]]:
    store = report.get("store")
    if store is None:
        return [("Index", "none yet" if not report["indexExists"] else "cannot be used")]
    vector, fts = store["vector"], store["fts"]
    if not vector["enabled"]:
        extension = "disabled"
    else:
        extension = "ready" if vector["extension"] else f"without extension ({vector['reason']})"
    return [
        ("Vector", extension),
        ("Vector dims", vector["dimensions"]),
        ("FTS", f"ready ({fts['tokenizer']})" if fts["enabled"] else "unavailable"),
        ("Embedding cache", output.count(report["cacheEntries"], "entry").replace("entrys", "entries")),
    ]


def _last(report: Mapping[str, Any]) -> str | None:
    last = report.get("lastSync")
    return str(last.get("finishedAt")) if last else None
