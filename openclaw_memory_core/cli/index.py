"""``index``: bring the index up to date."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.index_outcome import outcome
from openclaw_memory_core.cli.interrupt import interruptible
from openclaw_memory_core.cli.settings import Settings
from openclaw_memory_core.errors import CancelledError, OpenClawMemoryError

if TYPE_CHECKING:
    from openclaw_memory_core.cancel import CancelToken
    from openclaw_memory_core.config.model import MemoryConfig
    from openclaw_memory_core.core import MemoryCore
    from openclaw_memory_core.index.report import OnProgress, SyncProgress

LINE_SECONDS = 10.0
"""Between two lines of progress where no terminal is."""

_COUNTED = {"text": "notes read", "vectors": "texts embedded"}


@click.command(name="index", cls=Command)
@click.option("--force", is_flag=True, help="Build it anew, beside the present one.")
@click.pass_obj
def command(settings: Settings, *, force: bool) -> int:
    """Bring the index up to date.

    Without --agent for every agent. A note that cannot be read is named on stderr and stops nothing. Exit code 1 means
    that the index failed, or the embedding provider that is set, or that a folder of notes cannot be looked at. Ctrl-C
    stops it and keeps what is finished.
    """
    config = settings.load_ours()
    with interruptible() as cancel:
        outcomes = [_index(settings, config, agent_id, cancel, force=force) for agent_id in settings.agents(config)]
    failed = next((one["error"] for one in outcomes if "error" in one), None)
    if settings.json:
        done: dict[str, Any] = {"ok": failed is None, "agents": outcomes}
        output.document(done if failed is None else {**done, "error": failed})
    return 0 if failed is None else 1


def _index(
    settings: Settings, config: MemoryConfig, agent_id: str, cancel: CancelToken, *, force: bool
) -> dict[str, Any]:
    """One agent; its failure is part of the answer, so that the next one has its turn."""
    try:
        with settings.core(config, agent_id) as core:
            if not core.agent.search.enabled:
                output.note(output.visible(f"Memory search disabled ({agent_id}).", note=True))
                return {"agentId": agent_id, "disabled": True}
            with progress(core) as report_progress:
                report = core.sync(force=force, progress=report_progress, cancel=cancel)
            return outcome(core, report, quiet=settings.json)
    except CancelledError:
        raise
    except OpenClawMemoryError as error:
        output.complain(f"Memory index failed ({agent_id})", error.to_dict())
        return {"agentId": agent_id, "error": error.to_dict()}


@contextmanager
def progress(core: MemoryCore, clock: Callable[[], float] = time.monotonic) -> Iterator[OnProgress]:
    """A progress bar on stderr where that is a terminal, else a line now and then.

    What a paid provider is about to get is said everywhere.

    :param clock: seconds, of any beginning.
    """
    if not output.is_terminal(sys.stderr):
        yield _Lines(core, clock).show
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        tasks = {phase: bar.add_task(phase, total=None, visible=False) for phase in _COUNTED}

        def show(state: SyncProgress) -> None:
            _tell_cost(core, state)
            if state.phase in tasks:
                total = state.total or None
                bar.update(tasks[state.phase], completed=state.done, total=total, visible=True)

        yield show


class _Lines:
    """Progress for a log: nothing about a short run, one line each :data:`LINE_SECONDS` of a long one."""

    def __init__(self, core: MemoryCore, clock: Callable[[], float]) -> None:
        self._core = core
        self._clock = clock
        self._said = clock()

    def show(self, state: SyncProgress) -> None:
        """Called for every step."""
        _tell_cost(self._core, state)
        now = self._clock()
        if state.phase in _COUNTED and now - self._said >= LINE_SECONDS:
            self._said = now
            output.note(f"Indexing {self._core.agent.id}: {state.done}/{state.total} {_COUNTED[state.phase]}.")


def _tell_cost(core: MemoryCore, state: SyncProgress) -> None:
    if state.tokens:
        provider = core.index.provider.resolution.chosen
        output.note(f"Sending {output.count(state.total, 'text')}, about {state.tokens} tokens, to {provider}.")
