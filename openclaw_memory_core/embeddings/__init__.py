"""Embedding providers and what keeps them honest; the only place with HTTP."""

from __future__ import annotations
