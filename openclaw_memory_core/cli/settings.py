"""What the global options say, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from openclaw_memory_core.cli import output
from openclaw_memory_core.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from openclaw_memory_core.config import CheckedConfig
    from openclaw_memory_core.config.model import MemoryConfig
    from openclaw_memory_core.core import MemoryCore


class Settings:
    """The global options of one run."""

    def __init__(self) -> None:
        self.config: str | None = None
        self.state_dir: str | None = None
        self.agent: str | None = None
        self.json = False
        self.verbose = 0

    def load(self) -> MemoryConfig:
        """The configuration; names its warnings on stderr, in full with ``-v``.

        :raises ConfigError: it is wrong.
        """
        config = self.load_quietly()
        if config.warnings and self.verbose:
            for warning in config.warnings:
                output.note(f"configuration: {warning}")
        elif config.warnings:
            output.note(
                f"{output.count(len(config.warnings), 'warning')} about the configuration; "
                "see openclaw-memory config validate"
            )
        return config

    def load_ours(self) -> MemoryConfig:
        """The configuration, for a command that works on our notes and our index.

        Where another plugin has the memory slot, that is said on stderr.

        :raises ConfigError: it is wrong.
        :raises PluginError: memory is switched off.
        """
        from openclaw_memory_core.cli.slot_state import require_our_slot

        config = self.load()
        require_our_slot(config)
        return config

    def load_quietly(self) -> MemoryConfig:
        """The configuration, without a word about its warnings."""
        checked = self.check()
        if checked.errors:
            raise _all_in_one(checked.errors)
        return checked.config

    def check(self) -> CheckedConfig:
        """The configuration and everything that is wrong with it."""
        from pathlib import Path

        from openclaw_memory_core.config import check_config

        self.start_logging()
        path = Path(self.config) if self.config else None
        checked = check_config(path=path, state_dir=Path(self.state_dir) if self.state_dir else None)
        if path is not None and checked.config.path is None:
            # With the defaults instead, the command would be about other notes than the user thinks.
            raise UsageError(f"the configuration file {path} does not exist", hint="check --config")
        return checked

    def agents(self, config: MemoryConfig) -> list[str]:
        """Ids of the agents that a command without ``--agent`` is about: all of them.

        :raises ConfigError: ``--agent`` names one that is not configured.
        """
        return [config.agent(self.agent).id] if self.agent is not None else list(config.agents)

    @contextmanager
    def core(
        self, config: MemoryConfig, agent_id: str | None = None, *, background: bool = False
    ) -> Iterator[MemoryCore]:
        """The memory of one agent, that of ``--agent`` if *agent_id* is None."""
        from openclaw_memory_core.core import MemoryCore

        with MemoryCore(config, agent_id or self.agent, background=background) as core:
            yield core

    def start_logging(self) -> None:
        """Send our log to stderr: warnings, with ``-v`` more."""
        from openclaw_memory_core.cli.log import start

        start(self.verbose)


def _all_in_one(errors: Sequence[ConfigError]) -> ConfigError:
    """The first error, with the number of the others and the command that names them all."""
    first, more = errors[0], len(errors) - 1
    others = f" (and {output.count(more, 'other error')} in the configuration)" if more else ""
    command = f"openclaw-memory config validate names {'all of them' if more else 'what is wrong'}"
    hint = f"{first.hint}; {command}" if first.hint else command
    return ConfigError(f"{first.message}{others}", key_path=first.key_path, hint=hint)
