"""Recall by trigger phrase: entries of curated files whose phrase stands in the user's message."""

from __future__ import annotations

from openclaw_memory_core.recall.block import strip_recall_blocks
from openclaw_memory_core.recall.entries import CuratedEntry, RecallIndex
from openclaw_memory_core.recall.recaller import Recaller

__all__ = ["CuratedEntry", "RecallIndex", "Recaller", "strip_recall_blocks"]
