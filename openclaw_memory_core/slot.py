"""The memory slot of an agent runtime: which plugin is in it, and a typed method for each hook.

A host does this::

    with load_memory_slot(config_path=path) as slot:
        context = slot.session_start(session)

A slot that is switched off has the same methods and answers with nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self, TypeVar, cast

import pluggy

from openclaw_memory_core.config import load_config
from openclaw_memory_core.config.model import SlotConfig
from openclaw_memory_core.plugin_registry import load_plugin, new_manager
from openclaw_memory_hookspecs import (
    FlushOutcome,
    FlushRequest,
    RecallBlock,
    Runtime,
    Session,
    SessionContext,
    TokenUsage,
    ToolSpec,
)

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_MAX_FAILURES: Final = 20


@dataclass(frozen=True, slots=True)
class SlotStatus:
    """What is in the slot.

    :param plugin: id of the plugin in use; None when the slot is off.
    :param selected: what the configuration says; None for ``"none"``.
    :param reason: why the slot is off; None when it is on.
    :param failures: hooks that raised and were answered with nothing, newest last (at most 20).
    """

    plugin: str | None
    selected: str | None
    reason: str | None = None
    failures: tuple[str, ...] = ()

    @property
    def enabled(self) -> bool:
        """True when a plugin answers."""
        return self.plugin is not None


def load_memory_slot(
    config: Mapping[str, Any] | None = None,
    *,
    config_path: Path | str | None = None,
    state_dir: Path | str | None = None,
    plugins: Mapping[str, object] | None = None,
    runtime: Runtime | None = None,
    strict: bool = False,
) -> MemorySlot:
    """Read ``plugins.slots.memory`` and load the plugin that it names, and no other.

    :param config: the parsed configuration; None: read *config_path*, ``$OPENCLAW_CONFIG_PATH`` or the default file.
    :param state_dir: the host's state directory; None: from the environment.
    :param plugins: plugin objects or classes by id that the host brings along, besides the installed ones.
    :param runtime: clock, time zone and environment for the plugin; its config and paths are filled in from the
        arguments above where it has none.
    :param strict: let an exception of a hook through instead of logging it and answering with nothing.
    :raises ConfigError: the configuration cannot be read.
    :raises UnknownPluginError: the slot names a plugin that is not installed.
    :raises PluginLoadError: the plugin cannot be imported or does not fit the contract.
    """
    given = runtime or Runtime()
    given = replace(
        given,
        config=given.config if config is None else config,
        config_path=given.config_path if config_path is None else Path(config_path),
        state_dir=given.state_dir if state_dir is None else Path(state_dir),
    )
    settings = load_config(given.config, path=given.config_path, state_dir=given.state_dir, env=given.env)
    reason = why_disabled(settings.slot)
    if reason is not None:
        return MemorySlot(None, SlotStatus(None, settings.slot.memory, reason), strict=strict)
    plugin_id = settings.slot.memory
    if plugin_id is None:  # why_disabled has said so already; this tells the type checker
        return MemorySlot(None, SlotStatus(None, None, 'plugins.slots.memory is "none"'), strict=strict)
    manager = new_manager(plugin_id, load_plugin(plugin_id, plugins))
    slot = MemorySlot(manager, SlotStatus(plugin_id, plugin_id), strict=strict)
    slot.startup(given)
    return slot


def why_disabled(slot: SlotConfig) -> str | None:
    """What in the configuration switches the slot off; None if nothing does."""
    if not slot.enabled:
        return "plugins.enabled is false"
    if slot.memory is None:
        return 'plugins.slots.memory is "none"'
    if slot.memory in slot.deny:
        return f"plugins.deny lists {slot.memory!r}"
    if slot.memory in slot.disabled_entries:
        return f"plugins.entries.{slot.memory}.enabled is false"
    return None


class MemorySlot:
    """One typed method for each hook.  Thread-safe; the same methods when the slot is off.

    A hook that raises is logged, kept in :meth:`slot_status`, and answered with nothing, unless the slot is strict.
    """

    def __init__(self, manager: pluggy.PluginManager | None, status: SlotStatus, *, strict: bool = False) -> None:
        self._manager = manager
        self._status = status
        self._strict = strict
        self._failures: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()

    @property
    def enabled(self) -> bool:
        """True when a plugin answers."""
        return self._manager is not None

    def slot_status(self) -> SlotStatus:
        """Which plugin is in the slot, or why none is, and which hooks have failed."""
        return replace(self._status, failures=tuple(self._failures))

    def startup(self, runtime: Runtime) -> None:
        """Tell the plugin about the host.  :func:`load_memory_slot` has done it already."""
        self._call("startup", None, runtime=runtime)

    def session_start(self, session: Session) -> SessionContext:
        """What the session starts with."""
        failed = SessionContext(
            warnings=("The memory plugin failed at session start; this session has no memory files.",)
        )
        return self._call("session_start", SessionContext(), on_error=failed, session=session)

    def prompt_section(self, session: Session) -> str:
        """Text for the system prompt; empty for nothing."""
        return self._call("prompt_section", "", session=session)

    def tools(self, session: Session) -> tuple[ToolSpec, ...]:
        """The memory tools of this session."""
        nothing: list[ToolSpec] = []
        return tuple(self._call("tools", nothing, session=session))

    def before_turn(self, session: Session, message: str) -> RecallBlock | None:
        """Entries that the message's words call up, or None."""
        return self._call("before_turn", _no_recall(), session=session, message=message)

    def tokens_counted(self, session: Session, usage: TokenUsage) -> FlushRequest | None:
        """A request for a silent turn, or None."""
        return self._call("tokens_counted", _no_flush(), session=session, usage=usage)

    def flush_finished(self, session: Session, request: FlushRequest, outcome: FlushOutcome) -> str | None:
        """Report the end of a silent turn; returns text for the user, nearly always None."""
        nothing: str | None = None
        return self._call("flush_finished", nothing, session=session, request=request, outcome=outcome)

    def compacted(self, session: Session) -> None:
        """The context has been compacted."""
        self._call("compacted", None, session=session)

    def session_end(self, session: Session, reason: str) -> FlushRequest | None:
        """The session is about to lose its context; returns a last request for a silent turn, or None."""
        return self._call("session_end", _no_flush(), session=session, reason=reason)

    def status(self, agent_id: str | None = None, *, deep: bool = False) -> Mapping[str, Any]:
        """How the memory is, with the slot's own state under ``slot``."""
        nothing: Mapping[str, Any] = {}
        answer = dict(self._call("status", nothing, agent_id=agent_id, deep=deep))
        slot = self.slot_status()
        answer["slot"] = {
            "plugin": slot.plugin,
            "selected": slot.selected,
            "enabled": slot.enabled,
            "reason": slot.reason,
            "failures": list(slot.failures),
        }
        return answer

    def shutdown(self) -> None:
        """Stop the plugin; the slot is off afterwards.  May be called more than once."""
        manager = self._manager
        if manager is None:
            return
        self._call("shutdown", None)
        self._manager = None
        self._status = replace(self._status, plugin=None, reason="the slot was shut down")

    def _call(self, hook: str, default: _T, *, on_error: _T | None = None, **arguments: Any) -> _T:
        manager = self._manager
        if manager is None:
            return default
        caller: Callable[..., Any] = getattr(manager.hook, f"openclaw_memory_{hook}")
        try:
            answer = caller(**arguments)
        except Exception as error:
            if self._strict:
                raise
            # A memory plugin must never cost the user a reply.
            _log.exception("memory plugin %r failed in %s", self._status.plugin, hook)
            self._remember(f"{hook}: {type(error).__name__}: {error}")
            return default if on_error is None else on_error
        if answer is None or answer == []:
            return default
        # pluggy cannot type a hook; the specification says what it returns.
        return cast("_T", answer)

    def _remember(self, failure: str) -> None:
        self._failures.append(failure)
        del self._failures[:-_MAX_FAILURES]


def _no_recall() -> RecallBlock | None:
    return None


def _no_flush() -> FlushRequest | None:
    return None
