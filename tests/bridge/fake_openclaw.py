"""Stands in for OpenClaw's command line where a test needs it quick or refusing: keeps its configuration in a file.

argv: the folder for ``calls`` and ``config.json``, then OpenClaw's arguments.  ``$FAKE_REFUSES`` begins a command that
fails, ``$FAKE_VERSION`` is the version.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

PLUGIN = "openclaw-memory"


def main(folder: Path, arguments: list[str]) -> int:
    with (folder / "calls").open("a", encoding="utf-8") as calls:
        calls.write(" ".join(arguments[:2]) + "\n")
    (folder / "state").write_text(os.environ.get("OPENCLAW_STATE_DIR", ""), encoding="utf-8")
    refused = os.environ.get("FAKE_REFUSES")
    if refused and " ".join(arguments).startswith(refused):
        print("[openclaw] Reason: not today", file=sys.stderr)
        return 1
    file = folder / "config.json"
    config: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    entry = config.setdefault("entries", {}).setdefault(PLUGIN, {})
    known = tell(config, entry, arguments) or change(config, entry, arguments)
    file.write_text(json.dumps(config), encoding="utf-8")
    if not known:
        print("[openclaw] Reason: The Gateway is not running.", file=sys.stderr)
    return 0 if known else 1


def tell(config: dict[str, Any], entry: dict[str, Any], arguments: list[str]) -> bool:
    """Commands that only say something."""
    match arguments:
        case ["--version"]:
            print(f"OpenClaw {os.environ.get('FAKE_VERSION', '2026.9.6')} (abc)")
        case ["config", "get", "plugins", "--json"]:
            print(json.dumps({**config, "entries": {PLUGIN: entry} if entry else {}}))
        case ["plugins", "inspect", *_]:
            print("Status: loaded")
            if not entry.get("hooks", {}).get("allowConversationAccess"):
                print('WARN: typed hook "before_prompt_build" blocked because ...')
        case ["memory", "status", "--json"]:
            ours = config.get("slots", {}).get("memory") == PLUGIN
            print(json.dumps({"configWarnings": [], "workspaceDir": "/w"} if ours else [{"agentId": "main"}]))
        case _:
            return False
    return True


def change(config: dict[str, Any], entry: dict[str, Any], arguments: list[str]) -> bool:
    """Commands that change the configuration."""
    match arguments:
        case ["plugins", "install", "--link", path, "--force", "--accept-capabilities"]:
            config.setdefault("load", {})["paths"] = [path]
            if "enabled" not in entry:
                entry["enabled"] = True
                config["slots"] = {"memory": PLUGIN}
        case ["plugins", "enable", _, "--accept-capabilities"]:
            entry["enabled"] = True
            config["slots"] = {"memory": PLUGIN}
        case ["plugins", "uninstall", _, "--force"]:
            config |= {"load": {"paths": []}, "slots": {"memory": "memory-core"}}
            config["entries"] = {PLUGIN: {"enabled": False}}
        case ["config", "set", "--batch-json", batch]:
            for one in json.loads(batch):
                put(config, one["path"].removeprefix("plugins."), one["value"])
        case _:
            return False
    return True


def put(config: dict[str, Any], path: str, value: Any) -> None:
    """Set one value."""
    *way, last = path.split(".")
    for part in way:
        config = config.setdefault(part, {})
    config[last] = value


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
