"""Plugin for ``llm`` (https://llm.datasette.io): the memory tools on the command line and in Python.

``llm -T memory_search "…"`` acts for the owner at the terminal and sees everything.  ``llm -T 'Memory()'`` offers all
tools of a session that is not private; its arguments say which session.

Only ``llm`` imports this module, through its entry-point group ``llm``.
"""

from __future__ import annotations

import atexit
import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import llm

from openclaw_memory_core.integrations.door import Door, DoorOptions
from openclaw_memory_core.sessions.tools import HISTORY_DESCRIPTION
from openclaw_memory_core.sessions.tools import SEARCH_DESCRIPTION as CONVERSATIONS_DESCRIPTION
from openclaw_memory_core.tools.memory import APPEND_DESCRIPTION, GET_DESCRIPTION, SEARCH_DESCRIPTION
from openclaw_memory_hookspecs import ToolSpec
from openclaw_memory_schemas import load

FRESH_SECONDS: Final = 5.0
"""So long a search waits for the background update of a stale index: a run of ``llm`` is too short to ask again."""
_LOOK_SECONDS: Final = 0.05

DESCRIPTIONS: Final = {
    "memory_search": SEARCH_DESCRIPTION,
    "memory_get": GET_DESCRIPTION,
    "memory_append": APPEND_DESCRIPTION,
    "sessions_search": CONVERSATIONS_DESCRIPTION,
    "sessions_history": HISTORY_DESCRIPTION,
}
_OWNER: Final = DoorOptions(name="llm", private=True)


class Doors:
    """Doors that are open in this process: each opened at its first use, all closed at its end."""

    def __init__(self) -> None:
        self._open: dict[DoorOptions, Door] = {}
        self._lock = threading.Lock()

    def get(self, options: DoorOptions) -> Door:
        """The door for *options*.

        :raises OpenClawMemoryError: configuration, plugin or options are wrong.
        """
        with self._lock:
            if options not in self._open:
                if not self._open:
                    atexit.register(self.close)
                self._open[options] = door = Door(options)
                door.slot.session_start(door.session)
            return self._open[options]

    def close(self) -> None:
        """Close all of them; later calls open new ones."""
        with self._lock:
            doors, self._open = list(self._open.values()), {}
        atexit.unregister(self.close)
        for door in doors:
            door.close()


doors = Doors()


@llm.hookimpl
def register_tools(register: Callable[..., None]) -> None:
    """Offer each tool by its name, and the toolbox ``Memory``."""
    for name, description in DESCRIPTIONS.items():
        register(
            llm.Tool(
                name=name,
                description=description,
                input_schema=load(f"tool.{name}.input"),
                implementation=_for_the_owner(name),
            )
        )
    register(Memory)


class Memory(llm.Toolbox):  # type: ignore[no-untyped-call]  # llm does not annotate it
    """The memory tools of one session.

    :param session_key: key of the session; a session of its own if not given.
    :param private: only the owner reads the answers, so curated files may be shown.
    :param agent: id of the agent; the default one if not given.
    :param read_only: offer no tool that writes.
    """

    def __init__(
        self,
        session_key: str | None = None,
        private: bool = False,  # noqa: FBT001, FBT002 - llm also passes arguments by position
        agent: str | None = None,
        read_only: bool = False,  # noqa: FBT001, FBT002 - same
    ) -> None:
        self._options = DoorOptions(
            name="llm", session_key=session_key, private=private, agent=agent, read_only=read_only
        )

    def tools(self) -> Iterable[llm.Tool]:
        """The tools that the slot offers to this session."""
        door = doors.get(self._options)
        plugin = getattr(self, "plugin", None)
        for spec in door.slot.tools(door.session):
            yield llm.Tool(
                name=spec.name,
                description=spec.description,
                input_schema=dict(spec.input_schema),
                implementation=lambda _spec=spec, **arguments: _run(_spec, arguments),
                plugin=plugin,
            )


def _for_the_owner(name: str) -> Callable[..., str]:
    def call(**arguments: Any) -> str:
        door = doors.get(_OWNER)
        spec = door.tool(name)
        if spec is None:
            reason = door.slot.slot_status().reason or "the memory does not offer it here"
            return json.dumps({"disabled": True, "error": f"there is no tool {name}: {reason}"})
        return _run(spec, arguments)

    call.__name__ = name
    return call


def _run(spec: ToolSpec, arguments: Mapping[str, Any]) -> str:
    answer = spec.handler(arguments)
    deadline = time.monotonic() + FRESH_SECONDS
    while answer.get("stale") and time.monotonic() < deadline:
        time.sleep(_LOOK_SECONDS)
        answer = spec.handler(arguments)
    return json.dumps(answer, ensure_ascii=False)
