"""``bridge serve`` as a process: keeps the real stdout for the protocol and ends with its parent."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, BinaryIO, Final

from openclaw_memory_core.integrations.openclaw_bridge.server import BridgeServer

if TYPE_CHECKING:
    from pathlib import Path

    from openclaw_memory_core.integrations.openclaw_bridge.server import Service

LAST_SECONDS: Final = 3.0
"""After the parent is gone, running work has so long to stop; a kill harms neither notes nor index."""


def serve_stdio(*, config_path: Path | None = None, state_dir: Path | None = None) -> None:
    """Answer OpenClaw's plugin on stdin and stdout until stdin ends.

    Whatever writes to ``sys.stdout`` or to descriptor 1 from now on, this process or a library, lands on stderr.
    """
    reader, writer = _take_streams()
    if threading.current_thread() is threading.main_thread():
        # Ctrl-C in the host's terminal reaches the whole group; the host decides when we end.
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def service() -> Service:
        from openclaw_memory_core.integrations.openclaw_bridge.service import BridgeService

        return BridgeService(config_path=config_path, state_dir=state_dir)

    def prepare() -> None:
        import openclaw_memory_core.integrations.openclaw_bridge.service  # noqa: F401 - slow, so before it is needed

    end = threading.Timer(LAST_SECONDS, os._exit, (0,))
    end.daemon = True
    with reader, writer:
        BridgeServer(reader, writer, service, prepare=prepare, on_end=end.start).serve()
    end.cancel()


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Binary stdin and stdout, both under descriptors of their own that no child process inherits."""
    sys.stdout.flush()
    reader = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    writer = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    return reader, writer
