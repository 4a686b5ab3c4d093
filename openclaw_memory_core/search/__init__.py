"""From a question to ranked, explained passages."""

from __future__ import annotations
