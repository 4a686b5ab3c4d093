"""The one place that says what a session may see.

**Private** is the canonical main session of the agent, or a direct session whose host says that the sender is the
owner.  Everything else, and everything unknown, is not private; a ``chat_type`` given by the host wins over the look
of the key.  The rules for transcripts are those of ``tools.sessions.visibility``.
"""

from __future__ import annotations

from dataclasses import dataclass

from openclaw_memory_core.config.model import Source


@dataclass(frozen=True, slots=True)
class Visible:
    """What a search may see, applied by the index before any limit.

    :param sources: sources to look in.
    :param curated: False hides every chunk of a curated file.
    :param hidden_paths: further documents to hide, whatever the index says about them.
    :param transcripts: transcript paths that may be seen; None means all of this index.
    """

    sources: tuple[Source, ...] = ("memory",)
    curated: bool = True
    hidden_paths: frozenset[str] = frozenset()
    transcripts: frozenset[str] | None = None
