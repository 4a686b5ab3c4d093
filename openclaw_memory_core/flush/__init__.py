"""The silent turn that saves what must outlive the context: when it is due, what it asks, how it is kept quiet."""

from __future__ import annotations
