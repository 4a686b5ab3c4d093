"""The schema and the documentation tables that follow from the tables of settings.

``python tests/support/config_reference.py`` writes the schema file and the tables in docs/config.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import openclaw_memory_core
import openclaw_memory_schemas
from openclaw_memory_core.config.agent_table import AGENT, GLOBAL, PROVIDER
from openclaw_memory_core.config.load import load_config
from openclaw_memory_core.config.model import AgentConfig, MemoryConfig, ProviderEntry, SearchConfig
from openclaw_memory_core.config.search_table import SEARCH
from openclaw_memory_core.config.table import Setting, Table

ROOT = Path(__file__).parents[2]
CONFIG_FOLDER = Path(openclaw_memory_core.__file__).parent / "config"
SCHEMA_FILE = Path(openclaw_memory_schemas.__file__).parent / "config.schema.json"
DOCS_FILE = ROOT / "docs" / "config.md"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def defaults() -> tuple[MemoryConfig, AgentConfig, SearchConfig, ProviderEntry]:
    config = load_config({}, env={}, home=Path("/home/me"), cwd=Path("/home/me"))
    agent = config.agent()
    return config, agent, agent.search, ProviderEntry("any")


def default_of(setting: Setting, owner: Any) -> Any:
    """The default as JSON; None where there is none or where a sentence describes it."""
    if setting.default is not None or not setting.field:
        return None
    value = attrgetter(setting.field)(owner)
    if isinstance(value, tuple):
        return list(value)
    return value or None if isinstance(value, dict) else value


def _nested(table: Table, owner: Any) -> dict[str, Any]:
    root: dict[str, Any] = {}
    for setting in table.settings:
        level = root
        *parents, name = setting.key.split(".")
        for parent in parents:
            level = level.setdefault(parent, {"type": "object", "properties": {}})["properties"]
        default = default_of(setting, owner)
        level[name] = {
            "description": setting.doc,
            **setting.kind.schema(),
            **({} if default is None else {"default": default}),
        }
    return root


def build_schema() -> dict[str, Any]:
    config, agent, search, provider = defaults()
    root = _nested(GLOBAL, config)
    reference = {"$ref": "#/$defs/search"}
    common = {**_nested(AGENT, agent), "memorySearch": reference}
    entry = {
        **common,
        "memory": {"type": "object", "properties": {"search": reference}},
        "default": {"type": "boolean", "description": "This agent is the default one."},
        "agentDir": {"type": "string", "description": "Folder of the agent's own state."},
    }
    root["memory"]["properties"]["search"] = reference
    root["plugins"]["properties"]["entries"] = {
        "type": "object",
        "additionalProperties": {"type": "object", "properties": {"enabled": {"type": "boolean"}}},
    }
    root["agents"] = {
        "type": "object",
        "properties": {
            "defaults": {"type": "object", "properties": common},
            "entries": {"type": "object", "additionalProperties": {"$ref": "#/$defs/agent"}},
            "list": {"type": "array", "items": {"$ref": "#/$defs/agent"}},
        },
    }
    root["models"] = {
        "type": "object",
        "properties": {
            "providers": {
                "type": "object",
                "additionalProperties": {"type": "object", "properties": _nested(PROVIDER, provider)},
            }
        },
    }
    secret = {
        "type": "object",
        "properties": {
            "source": {"enum": ["env", "file", "exec"]},
            "provider": {"type": "string"},
            "id": {"type": "string", "pattern": r"\S"},
        },
        "required": ["source", "id"],
    }
    return {
        "$schema": _DRAFT,
        "$id": "config.schema.json",
        "title": "The parts of openclaw.json that openclaw-memory-core reads",
        "type": "object",
        "properties": root,
        "$defs": {
            "search": {"type": "object", "properties": _nested(SEARCH, search)},
            "agent": {"type": "object", "properties": {"id": {"type": "string"}, **entry}},
            "secretReference": secret,
        },
    }


def _shown(default: Any) -> str:
    return "–" if default is None or default == [] else f"`{json.dumps(default)}`"


def rows(table: Table, owner: Any) -> Iterator[str]:
    for setting in table.settings:
        default = setting.default if setting.default is not None else _shown(default_of(setting, owner))
        yield f"| `{setting.key}` | {setting.kind.label} | {default} | {setting.doc} |"


def tables() -> dict[str, list[str]]:
    config, agent, search, provider = defaults()
    head = ["| key | type | default | what it does |", "| --- | --- | --- | --- |"]
    owners = (
        ("search", SEARCH, search),
        ("agent", AGENT, agent),
        ("global", GLOBAL, config),
        ("provider", PROVIDER, provider),
    )
    return {name: [*head, *rows(table, owner)] for name, table, owner in owners}


def with_tables(text: str) -> str:
    """*text* with every block between ``<!-- table: x -->`` and ``<!-- end -->`` renewed."""
    for name, lines in tables().items():
        block = "\n".join([f"<!-- table: {name} -->", *lines, "<!-- end -->"])
        text = re.sub(rf"<!-- table: {name} -->.*?<!-- end -->", lambda _, b=block: b, text, flags=re.DOTALL)
    return text


def main() -> None:
    SCHEMA_FILE.write_text(json.dumps(build_schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    DOCS_FILE.write_text(with_tables(DOCS_FILE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
