"""Session store, transcripts, visibility of sessions, session tools."""

from __future__ import annotations
