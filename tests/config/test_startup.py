from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

CODE = """
import json, sys
from pathlib import Path
from openclaw_memory_core.config import load_config, show
config = load_config(path=Path(sys.argv[1]), env={"HOME": sys.argv[2]})
assert config.agent().search.query.max_results == 3
print(json.dumps(sorted(sys.modules)))
"""
HEAVY = {
    "json5",
    "jsonschema",
    "difflib",
    "zoneinfo",
    "numpy",
    "openai",
    "rich",
    "importlib.metadata",
    "asyncio",
    "ssl",
    "inspect",
}


def test_a_small_json_file_loads_nothing_heavy(tmp_path: Path):
    path = tmp_path / "openclaw.json"
    path.write_text(json.dumps({"memory": {"search": {"query": {"maxResults": 3}}}}), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", CODE, path, tmp_path], capture_output=True, encoding="utf-8", check=True
    )
    loaded = set(json.loads(run.stdout))
    # dataclasses itself imports inspect; what it brings cannot be avoided.
    assert loaded & (HEAVY - {"inspect"}) == set()
