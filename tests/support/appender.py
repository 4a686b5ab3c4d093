"""A process that appends entries: ``python appender.py WORKSPACE PATH NAME COUNT [MAX_FILE_BYTES]``."""

from __future__ import annotations

import sys
from pathlib import Path

from openclaw_memory_core.errors import NoteWriteError
from openclaw_memory_core.workspace.append import append_entry


def main() -> int:
    root, path, name, count, *limit = sys.argv[1:]
    if limit:
        import resource
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit[0]), int(limit[0])))
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        for number in range(int(count)):
            result = append_entry(Path(root), path, f"{name} {number} begins\nand ends {name} {number}")
            print(result.line, flush=True)
    except NoteWriteError as error:
        print(error.message, flush=True)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
