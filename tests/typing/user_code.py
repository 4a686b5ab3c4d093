"""What users write: a host, a plugin, a program on the library.  A test runs ``mypy --strict`` on this file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any, assert_type

from openclaw_memory_core import MemoryCore, MemorySlot, OpenClawMemoryError, load_memory_slot
from openclaw_memory_core.config import load_config
from openclaw_memory_core.config.model import MemoryConfig
from openclaw_memory_core.errors import ConfigError, ProviderRateLimitError, StoreError
from openclaw_memory_hookspecs import (
    ContextFile,
    FlushOutcome,
    FlushRequest,
    RecallBlock,
    RecalledEntry,
    Runtime,
    Session,
    SessionContext,
    TokenUsage,
    ToolSpec,
    hookimpl,
)
from openclaw_memory_hookspecs.testing import ConformanceError, HostProbe, check_plugin


class Host:
    """A runtime: the slot is all it knows of memory."""

    def __init__(self, slot: MemorySlot, session: Session) -> None:
        self.slot, self.session = slot, session
        self.system = self._system()

    def _system(self) -> str:
        context = assert_type(self.slot.session_start(self.session), SessionContext)
        files = [f"## {file.path}\n{file.text}" for file in context.files]
        return "\n\n".join([self.slot.prompt_section(self.session), *files, *context.withheld])

    def turn(self, message: str, total: int) -> str | None:
        recalled = assert_type(self.slot.before_turn(self.session, message), RecallBlock | None)
        entries: tuple[RecalledEntry, ...] = recalled.entries if recalled is not None else ()
        tools: tuple[ToolSpec, ...] = self.slot.tools(self.session)
        answer: Mapping[str, Any] = tools[0].handler({"query": message})
        print(len(entries), answer.get("results"))
        request = self.slot.tokens_counted(self.session, TokenUsage(total=total, fresh=True))
        return None if request is None else self.flush(request)

    def flush(self, request: FlushRequest) -> str | None:
        return assert_type(self.slot.flush_finished(self.session, request, FlushOutcome(reply="NO_REPLY")), str | None)


class Plugin:
    """Another memory.  Implementations may take fewer arguments than the hook has."""

    @hookimpl
    def openclaw_memory_startup(self, runtime: Runtime) -> None:
        self.folder: Path | None = runtime.state_dir

    @hookimpl
    def openclaw_memory_session_start(self, session: Session) -> SessionContext:
        return SessionContext(files=(ContextFile("NOTES.md", session.key),))

    @hookimpl
    def openclaw_memory_tools(self) -> list[ToolSpec]:
        return []


def library(folder: Path) -> str:
    """The library without a slot."""
    config = assert_type(load_config({"memory": {"search": {"provider": "none"}}}, state_dir=folder), MemoryConfig)
    runtime = Runtime(clock=lambda: dt.datetime.now(dt.UTC), timezone="Europe/Lisbon")
    with MemoryCore(config, runtime=runtime, background=False) as core:
        core.sync()
        try:
            found = assert_type(core.search("fuse box", max_results=3), dict[str, Any])
        except ProviderRateLimitError as error:
            return f"again in {error.retry_after} s"
        except StoreError as error:
            return error.code
        except OpenClawMemoryError as error:
            return error.hint or error.message
    return str(found["results"])


def main() -> None:
    """A host, once with a plugin from an entry point and once with one in hand."""
    session = Session(key="agent:main:main", chat_type="direct", sender_is_owner=True, context_window=200_000)
    try:
        with load_memory_slot() as slot:
            print(Host(slot, session).turn("Hello", 177_000), slot.enabled, slot.slot_status().failures)
    except ConfigError as error:
        print(error.key_path)
    with load_memory_slot({"plugins": {"slots": {"memory": "mine"}}}, plugins={"mine": Plugin()}, strict=True) as slot:
        slot.session_end(session, "reset")


def check(folder: Path) -> None:
    """The conformance kit, for both sides."""
    try:
        check_plugin(Plugin, Runtime(state_dir=folder), message="gate", secret="4471")
    except ConformanceError as error:
        print(error.problems)
    HostProbe(flush_at=1000).check()
