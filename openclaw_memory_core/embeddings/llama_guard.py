"""``python -m openclaw_memory_core.embeddings.llama_guard COMMAND…``: runs a server that ends when its parent does."""

from __future__ import annotations

import sys

from openclaw_memory_core.embeddings.llama_process import guarded

if __name__ == "__main__":
    sys.exit(guarded(sys.argv[1:]))
