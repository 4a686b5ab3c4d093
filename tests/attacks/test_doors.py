"""Other doors than the tools: what MCP resources show, and two spellings of one folder."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from support.bench import MAIN, Bench
from support.cost import cpu_cost

from openclaw_memory_core.embeddings.redact import redact


def test_resources_show_no_curated_file_of_another_agent(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="needs the extra [mcp]")
    from openclaw_memory_core.integrations.door import Door, DoorOptions
    from openclaw_memory_core.integrations.mcp_server.shelf import open_shelf

    other = tmp_path / "work"
    other.mkdir()
    (other / "MEMORY.md").write_text("- door code 4411\n", encoding="utf-8")
    agents = [
        {"id": "main", "default": True, "memorySearch": {"extraPaths": [str(other)]}},
        {"id": "work", "workspace": str(other)},
    ]
    bench = Bench(tmp_path / "bench", agents={"list": agents})

    with Door(DoorOptions(name="mcp"), runtime=bench.runtime) as door:
        assert "MEMORY.md" not in str(open_shelf(door).notes())


def test_two_spellings_of_one_folder_share_one_core(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("MEMORY.md", "- heron\n")
    link = tmp_path / "link"
    link.symlink_to(bench.workspace, target_is_directory=True)
    with bench.slot() as slot:
        slot.session_start(MAIN)
        for spelling in (bench.workspace, bench.workspace / "memory" / "..", link):
            slot.session_start(replace(MAIN, workspace=spelling))

    assert len(list((bench.state / "memory").glob("*.sqlite"))) <= 1


def test_taking_secrets_out_of_a_long_text_costs_its_length() -> None:
    with cpu_cost(time.process_time) as cost:
        redact("a-" * 100_000)

    assert cost.seconds < 2
