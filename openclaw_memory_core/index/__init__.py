"""From documents to a searchable index: chunking, storage, synchronisation, watching."""

from __future__ import annotations
