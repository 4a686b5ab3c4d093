"""How full a session's context is and whether that calls for a flush."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from openclaw_memory_core.flush.context_size import ContextSizer
from openclaw_memory_core.flush.cycle import Cycle, number
from openclaw_memory_core.flush.threshold import DEFAULT_WINDOW, Threshold, flush_threshold
from openclaw_memory_core.sessions.paths import transcript_path

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import AgentConfig
    from openclaw_memory_core.flush.tokens import TokenCounter
    from openclaw_memory_hookspecs import Session, TokenUsage

logger = logging.getLogger(__name__)

Reason = Literal["threshold", "transcript-size", "session-end"]


class SizeProbe:
    """Measures sessions of one agent.

    :param counter: counts the text that no usage report covers.
    :param store_dir: folder of ``sessions.json``.
    """

    def __init__(self, agent: AgentConfig, counter: TokenCounter, store_dir: Path) -> None:
        self._agent = agent
        self._store_dir = store_dir
        self._sizer = ContextSizer(counter)
        self._small_windows: set[int] = set()

    def due(self, session: Session, usage: TokenUsage | None, entry: Mapping[str, Any], cycle: Cycle) -> Reason | None:
        """Why a flush is due; None if it is not."""
        threshold = self.threshold(session, entry)
        if self._tokens(session, usage, entry, threshold) >= threshold.tokens:
            return "threshold"
        limit = self._agent.flush.force_flush_transcript_bytes
        if limit <= 0:
            return None
        size = self.transcript_bytes(session, usage, entry)
        # A transcript grows through all cycles; one that shrank is a new file.
        grown = size - cycle.start_bytes if size >= cycle.start_bytes else size
        return "transcript-size" if grown >= limit else None

    def threshold(self, session: Session, entry: Mapping[str, Any]) -> Threshold:
        """The session's threshold, by the window of its model as far as that is known."""
        window = session.context_window or number(entry.get("contextTokens")) or self._agent.context_tokens
        threshold = flush_threshold(window or DEFAULT_WINDOW, self._agent.flush)
        if threshold.adjusted and threshold.window not in self._small_windows:
            self._small_windows.add(threshold.window)
            logger.warning(
                "reserveTokensFloor and softThresholdTokens leave nothing of a window of %d tokens; "
                "the memory flush is due at %d tokens instead.",
                threshold.window,
                threshold.tokens,
            )
        return threshold

    def transcript(self, session: Session, entry: Mapping[str, Any]) -> Path | None:
        """The session's transcript, which need not exist."""
        return transcript_path(
            self._agent.sessions_dir,
            session.key,
            session_id=session.session_id,
            entry=entry,
            store_dir=self._store_dir,
        )

    def transcript_bytes(self, session: Session, usage: TokenUsage | None, entry: Mapping[str, Any]) -> int:
        """Size of the transcript as the host says it, else as the file system does; 0 if there is none."""
        if usage is not None and usage.transcript_bytes is not None:
            return usage.transcript_bytes
        path = self.transcript(session, entry)
        try:
            return path.stat().st_size if path is not None else 0
        except OSError:
            return 0

    def changed_since(self, session: Session, entry: Mapping[str, Any], millis: int) -> bool:
        """Whether the transcript was written to after a moment (milliseconds since the epoch)."""
        path = self.transcript(session, entry)
        try:
            return path is not None and path.stat().st_mtime * 1000 > millis
        except OSError:
            return False

    def _tokens(
        self, session: Session, usage: TokenUsage | None, entry: Mapping[str, Any], threshold: Threshold
    ) -> int:
        if usage is not None and usage.fresh and usage.total > 0:
            return usage.total
        stored = number(entry.get("totalTokens"))
        if usage is None and entry.get("totalTokensFresh") is not False and stored > 0:
            return stored
        path = self.transcript(session, entry)
        return self._sizer.tokens(path, threshold.tokens) if path is not None else 0
