"""Putting the plugin into OpenClaw, taking it out again, and finding out who answers.

OpenClaw's configuration is only ever changed by OpenClaw's own commands: it keeps a journal of it.
"""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from openclaw_memory_core.errors import OpenClawMemoryError, PluginError
from openclaw_memory_core.integrations.openclaw_bridge import protocol
from openclaw_memory_core.integrations.openclaw_bridge.folder import plugin_files, write_folder
from openclaw_memory_core.integrations.openclaw_bridge.host import OpenClaw, json_object, program_answers

ENTRY: Final = f"plugins.entries.{protocol.PLUGIN_ID}"


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was done or looked at.

    :param done: False if it failed, or, in a dry run, if it would be done.
    :param detail: what came of it; empty if there is nothing to say.
    """

    name: str
    done: bool
    detail: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As ``--json`` shows it."""
        return {"step": self.name, "done": self.done, "detail": self.detail}


Tell = Callable[[Step], None]


class Installation:
    """The plugin in one OpenClaw.

    :param folder: where the plugin folder is or shall be; nothing else may be in it.
    :param command: how OpenClaw is to start our program.
    """

    def __init__(self, openclaw: OpenClaw, folder: Path, command: Sequence[str]) -> None:
        self._openclaw = openclaw
        self.folder = folder.absolute()
        self.command = list(command)

    def install(self, *, recall: bool = True, dry_run: bool = False, tell: Tell = lambda _: None) -> list[Step]:
        """Do what is missing; in a dry run, only say it.

        :param recall: let the plugin see conversations, which automatic recall needs.
        :raises PluginError: OpenClaw refused a step.
        """
        steps = _Steps(tell)
        steps.add("OpenClaw", detail=self._openclaw.version())
        self._check_folder()
        present = self._openclaw.plugins()
        planned = list(self._plan(present, recall=recall))
        if dry_run:
            steps.add(f"write {self.folder}", done=False)
            for arguments in planned:
                steps.add("run " + shlex.join(["openclaw", *arguments]), done=False)
            return steps.all
        changed = self._write()
        steps.add(f"write {self.folder}", detail=", ".join(changed) or "up to date")
        for arguments in planned:
            self._openclaw.must(*arguments)
            steps.add(f"openclaw {' '.join(arguments[:2])}")
        if changed and not planned:
            # A running gateway watches its configuration, not our files.
            reloaded = self._openclaw.run("plugins", "reload", protocol.PLUGIN_ID, "--accept-capabilities")
            steps.add("openclaw plugins reload", detail="" if reloaded.code == 0 else reloaded.last_line())
        steps.all.extend(self.check(tell=tell))
        return steps.all

    def uninstall(self, *, dry_run: bool = False, tell: Tell = lambda _: None) -> list[Step]:
        """Let OpenClaw forget the plugin, then delete the folder.

        In this order: a configuration that names a plugin which is gone keeps OpenClaw's gateway from starting.

        :raises PluginError: OpenClaw refused; the folder is still there.
        """
        steps = _Steps(tell)
        present = self._openclaw.plugins()
        known = self._is_linked(present) or present.get("slots", {}).get("memory") == protocol.PLUGIN_ID
        arguments = ("plugins", "uninstall", protocol.PLUGIN_ID, "--force")
        if known and dry_run:
            steps.add("run " + shlex.join(["openclaw", *arguments]), done=False)
        elif known:
            self._openclaw.must(*arguments)
            steps.add("openclaw plugins uninstall")
        if self.folder.is_dir():
            self._check_folder()
            if not dry_run:
                shutil.rmtree(self.folder)
            steps.add(f"delete {self.folder}", done=not dry_run)
        if not steps.all:
            steps.add("uninstall", detail="there was nothing to remove")
        return steps.all

    def check(self, *, tell: Tell = lambda _: None) -> list[Step]:
        """Look at everything that must be right; a step that is not done says why."""
        steps = _Steps(tell)
        present = self._openclaw.plugins()
        entry = present.get("entries", {}).get(protocol.PLUGIN_ID, {})
        slot = present.get("slots", {}).get("memory", "memory-core")
        steps.add("memory slot", done=slot == protocol.PLUGIN_ID, detail=f"plugins.slots.memory is {slot}")
        steps.add(
            "plugin entry", done=entry.get("enabled") is True, detail="" if entry.get("enabled") else "not enabled"
        )
        steps.add("plugin folder", **_stale(self.folder, self.command))
        steps.add("Python", **_hello(entry.get("config", {}).get("command") or self.command))
        steps.add("plugin loads", **self._inspect(recall=entry.get("hooks", {}).get("allowConversationAccess")))
        steps.add("openclaw memory", **self._who_answers())
        return steps.all

    # --- inside ------------------------------------------------------------------------------------------------------

    def _plan(self, present: Mapping[str, Any], *, recall: bool) -> Iterator[list[str]]:
        """The commands that are still needed."""
        entry = present.get("entries", {}).get(protocol.PLUGIN_ID, {})
        in_slot = present.get("slots", {}).get("memory") == protocol.PLUGIN_ID
        if not self._is_linked(present):
            yield ["plugins", "install", "--link", str(self.folder), "--force", "--accept-capabilities"]
        known = bool(entry)
        if (known and entry.get("enabled") is not True) or (known and not in_slot):
            # After an uninstall the entry stays, switched off, and an install alone does not switch it on.
            yield ["plugins", "enable", protocol.PLUGIN_ID, "--accept-capabilities"]
        config = entry.get("config", {})
        dreaming = config.get("dreaming", {}).get("enabled")
        allowed = entry.get("hooks", {}).get("allowConversationAccess")
        if config.get("command") != self.command or dreaming is not False or allowed is not recall:
            yield ["config", "set", "--batch-json", json.dumps(settings(self.command, recall=recall))]

    def _is_linked(self, present: Mapping[str, Any]) -> bool:
        paths = present.get("load", {}).get("paths", ())
        return any(Path(path).expanduser().resolve() == self.folder.resolve() for path in paths)

    def _check_folder(self) -> None:
        """Refuse a folder with other things in it: OpenClaw copies all of it at each start, and we delete it."""
        if not self.folder.exists():
            return
        known = set(plugin_files(self.command))
        if not self.folder.is_dir() or {one.name for one in self.folder.iterdir()} - known:
            raise PluginError(
                f"{self.folder} holds other things than the plugin", hint="name an empty or a new folder with --dir"
            )

    def _write(self) -> list[str]:
        try:
            return write_folder(self.folder, self.command)
        except OSError as error:
            raise PluginError(
                f"{self.folder} cannot be written: {error.strerror}", hint="name another with --dir"
            ) from error

    def _inspect(self, *, recall: object) -> dict[str, Any]:
        """Whether OpenClaw loads all of it.

        :param recall: False where the user has refused the hooks for automatic recall.
        """
        outcome = self._openclaw.run("plugins", "inspect", protocol.PLUGIN_ID, "--runtime")
        if outcome.code != 0 or "Status: loaded" not in outcome.text:
            return {"done": False, "detail": outcome.last_line()}
        lines = [line.strip() for line in outcome.text.splitlines()]
        blocked = [line for line in lines if "blocked" in line]
        problems = [line for line in lines if line.startswith("ERROR")] + (blocked if recall is not False else [])
        if problems:
            return {"done": False, "detail": problems[0][:300]}
        return {"done": True, "detail": "without automatic recall, as was asked" if blocked else ""}

    def _who_answers(self) -> dict[str, Any]:
        outcome = self._openclaw.run("memory", "status", "--json")
        report = json_object(outcome)
        if outcome.code != 0 or "configWarnings" not in report:
            return {"done": False, "detail": f"another program answers: {outcome.last_line()}"}
        return {"done": True, "detail": f"answered by this package for {report['workspaceDir']}"}


def settings(command: Sequence[str], *, recall: bool) -> list[dict[str, Any]]:
    """What OpenClaw's installer does not set by itself."""
    return [
        {"path": f"{ENTRY}.hooks.allowConversationAccess", "value": recall},
        # Read from the entry of the slot's owner; else OpenClaw's own memory is loaded beside ours.
        {"path": f"{ENTRY}.config.dreaming.enabled", "value": False},
        {"path": f"{ENTRY}.config.command", "value": list(command)},
    ]


class _Steps:
    """Collects steps and tells each at once: a command of OpenClaw takes seconds."""

    def __init__(self, tell: Tell) -> None:
        self.all: list[Step] = []
        self._tell = tell

    def add(self, name: str, *, done: bool = True, detail: str = "") -> None:
        step = Step(name, done, detail)
        self.all.append(step)
        self._tell(step)


def _stale(folder: Path, command: Sequence[str]) -> dict[str, Any]:
    for name, text in plugin_files(command).items():
        try:
            present = (folder / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return {"done": False, "detail": f"{folder / name} is missing; run bridge install"}
        if present != text:
            return {"done": False, "detail": f"{folder / name} is of another version; run bridge install"}
    return {"done": True, "detail": str(folder)}


def _hello(command: object) -> dict[str, Any]:
    """Whether the program that OpenClaw would start speaks our protocol."""
    if not isinstance(command, list) or not all(isinstance(part, str) for part in command):
        return {"done": False, "detail": f"{ENTRY}.config.command is not a list of texts"}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {"protocol": protocol.PROTOCOL}}
    try:
        outcome = program_answers([*command, "bridge", "serve"], json.dumps(hello))
    except OpenClawMemoryError as error:
        return {"done": False, "detail": error.message}
    result = json_object(outcome).get("result", {})
    if result.get("protocol") != protocol.PROTOCOL:
        return {"done": False, "detail": outcome.last_line()}
    return {"done": True, "detail": f"{command[0]}, version {result['version']}"}
