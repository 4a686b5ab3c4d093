"""An alternative memory plugin: the last lines of one text file.

Select it with ``plugins.slots.memory = "scratchpad"``.
"""

from __future__ import annotations

from pathlib import Path

from openclaw_memory_hookspecs import ContextFile, Runtime, Session, SessionContext, hookimpl


class ScratchpadMemory:
    """Reads ``SCRATCHPAD.txt`` in the state directory at session start and remembers nothing by itself."""

    def __init__(self) -> None:
        self._path = Path.home() / ".openclaw" / "SCRATCHPAD.txt"

    @hookimpl
    def openclaw_memory_startup(self, runtime: Runtime) -> None:
        if runtime.state_dir is not None:
            self._path = runtime.state_dir / "SCRATCHPAD.txt"

    @hookimpl
    def openclaw_memory_session_start(self, session: Session) -> SessionContext:
        if not session.sender_is_owner or not self._path.is_file():
            return SessionContext()
        lines = self._path.read_text(encoding="utf-8").splitlines()[-20:]
        return SessionContext(files=(ContextFile("SCRATCHPAD.txt", "\n".join(lines)),))

    @hookimpl
    def openclaw_memory_status(self) -> dict[str, object]:
        return {"plugin": "scratchpad", "path": str(self._path), "exists": self._path.is_file()}
