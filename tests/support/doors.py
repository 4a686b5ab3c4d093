"""A small memory on disk that integrations are pointed at: two days of notes, a curated file, keywords only."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openclaw_memory_core.integrations.door import Door, DoorOptions
from openclaw_memory_hookspecs import Runtime

NOW = dt.datetime(2026, 5, 5, 12, 0, tzinfo=dt.UTC)
TODAY = "memory/2026-05-05.md"
YESTERDAY = "memory/2026-05-04.md"
SECRET = "The gate code is 4471"
FUSE = "The motor did not run; the fuse was blown."


@dataclass(frozen=True)
class Home:
    """Workspace, configuration file and state folder."""

    folder: Path

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def config_path(self) -> Path:
        return self.folder / "openclaw.json"

    @property
    def state_dir(self) -> Path:
        return self.folder / "state"

    @property
    def options(self) -> list[str]:
        """The options of the command line that lead here."""
        return ["--config", str(self.config_path), "--state-dir", str(self.state_dir)]

    def config(self, **plugins: Any) -> dict[str, Any]:
        return {
            "plugins": plugins,
            "agents": {"defaults": {"workspace": str(self.workspace), "userTimezone": "UTC"}},
            "memory": {"search": {"provider": "none"}},
        }

    def runtime(self, **plugins: Any) -> Runtime:
        return Runtime(config=self.config(**plugins), state_dir=self.state_dir, clock=lambda: NOW, env={})

    def door(self, *, slot: str = "memory-core", **options: Any) -> Door:
        return Door(DoorOptions(name="mcp", **options), runtime=self.runtime(slots={"memory": slot}))


def make_home(folder: Path) -> Home:
    """Write notes and configuration."""
    home = Home(folder)
    (home.workspace / "memory").mkdir(parents=True)
    texts = {
        "MEMORY.md": f"# Lasting\n\n- {SECRET} <!-- trigger: gate code -->\n",
        YESTERDAY: f"# Monday\n\n{FUSE}\n",
        TODAY: "# Tuesday\n\nMarta asked about the ferry.\n",
    }
    for path, text in texts.items():
        (home.workspace / path).write_text(text, encoding="utf-8")
    home.config_path.write_text(json.dumps(home.config()), encoding="utf-8")
    return home
