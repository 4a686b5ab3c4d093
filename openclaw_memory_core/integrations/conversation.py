"""One conversation of an agent that is built on a Python framework: what the adapters have in common."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from openclaw_memory_core.integrations.door import Door, DoorOptions, session_text
from openclaw_memory_core.slot import MemorySlot
from openclaw_memory_hookspecs import FlushOutcome, FlushRequest, Session, TokenUsage, ToolSpec

logger = logging.getLogger(__name__)


class Conversation:
    """A session in the memory slot, as an adapter sees it.  A context manager if it was made by :meth:`open`.

    :param slot: the memory slot of the program.
    :param session: the conversation; decides what may be seen.
    """

    name = "agents"

    def __init__(self, slot: MemorySlot, session: Session) -> None:
        self.slot = slot
        self.session = session
        self._door: Door | None = None
        self._length = 0

    @classmethod
    def open(
        cls,
        *,
        private: bool = False,
        session_key: str | None = None,
        agent: str | None = None,
        config_path: Path | str | None = None,
        state_dir: Path | str | None = None,
        context_window: int | None = None,
    ) -> Self:
        """Load the slot for one conversation; :meth:`close` shuts it down.

        :param private: only the owner reads this conversation: curated files may be shown.
        :param session_key: None: the main session if private, else a session of its own.
        :param context_window: the model's window in tokens; None: from the configuration, else 200,000.
        :raises OpenClawMemoryError: configuration, plugin or arguments are wrong.
        """
        options = DoorOptions(
            name=cls.name,
            config_path=None if config_path is None else Path(config_path),
            state_dir=None if state_dir is None else Path(state_dir),
            agent=agent,
            session_key=session_key,
            private=private,
            context_window=context_window,
        )
        door = Door(options)
        conversation = cls(door.slot, door.session)
        conversation._door = door
        return conversation

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def instructions(self) -> str:
        """What belongs into the system prompt: the same for the whole conversation, so that prompt caches hold."""
        return session_text(self.slot, self.session)

    def specs(self) -> tuple[ToolSpec, ...]:
        """The memory tools of this conversation."""
        return self.slot.tools(self.session)

    def recall(self, message: str) -> str | None:
        """Hidden context for a turn that begins with *message*, or None."""
        block = self.slot.before_turn(self.session, message)
        return None if block is None else block.text

    def counted(self, total: int, *, input_tokens: int | None = None) -> FlushRequest | None:
        """Report the size of the context after a model call; 0 means that the model did not say.

        :returns: a request for a silent turn, or None.
        """
        usage = TokenUsage(total=total, input=input_tokens, fresh=total > 0)
        return self.slot.tokens_counted(self.session, usage)

    def flushed(self, request: FlushRequest, outcome: FlushOutcome) -> str | None:
        """Report how the silent turn ended; returns text for the user, nearly always None."""
        return self.slot.flush_finished(replace(self.session, trigger="memory"), request, outcome)

    def saw_history(self, length: int) -> None:
        """Notice that the framework has compacted: a history that became shorter."""
        if length < self._length:
            self.compacted()
        self._length = length

    def compacted(self) -> None:
        """The context was compacted: the next cycle begins.  Needed only where the history does not become shorter."""
        self.slot.compacted(self.session)

    def ending(self, reason: str) -> FlushRequest | None:
        """The conversation is about to be forgotten; returns a last request for a silent turn, or None."""
        return self.slot.session_end(self.session, reason)

    def close(self) -> None:
        """Shut the slot down, if it was loaded for this conversation."""
        if self._door is not None:
            self._door.close()


def run_tool(spec: ToolSpec, arguments: Mapping[str, Any] | str) -> str:
    """Run a tool and give its answer as JSON text.

    :param arguments: decoded, or JSON text as the model wrote it.
    """
    try:
        decoded = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
    except ValueError as error:
        return json.dumps({"error": f"the arguments are not JSON: {error}"})
    return json.dumps(spec.handler(decoded), ensure_ascii=False)


def failure(error: Exception) -> FlushOutcome:
    """A silent turn that *error* ended."""
    logger.warning("the silent turn failed: %s", type(error).__name__)
    return FlushOutcome(ok=False, error=f"{type(error).__name__}: {error}")
