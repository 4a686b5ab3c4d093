"""``python -m openclaw_memory_core`` is ``openclaw-memory``."""

from __future__ import annotations

from openclaw_memory_core.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
