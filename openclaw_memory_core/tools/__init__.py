"""Tool definitions and handlers: JSON in, JSON out."""

from __future__ import annotations
