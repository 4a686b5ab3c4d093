"""The library's log, on stderr."""

from __future__ import annotations

import logging

from openclaw_memory_core.cli import output

_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


class _StderrHandler(logging.Handler):
    """Writes to the stderr of the moment, which tests and hosts may replace."""

    def emit(self, record: logging.LogRecord) -> None:
        output.note(output.visible(self.format(record), note=True))


def start(verbose: int) -> None:
    """Show warnings; with *verbose* 1 information, with 2 everything."""
    logger = logging.getLogger("openclaw_memory_core")
    if not any(isinstance(handler, _StderrHandler) for handler in logger.handlers):
        handler = _StderrHandler()
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        logger.addHandler(handler)
    logger.setLevel(_LEVELS[min(verbose, len(_LEVELS) - 1)])
