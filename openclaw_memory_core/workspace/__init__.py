"""The notes on disk: discovery, safe reads, daily notes, annotations, append-only writes."""

from __future__ import annotations
