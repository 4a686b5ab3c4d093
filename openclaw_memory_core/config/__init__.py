"""From ``openclaw.json`` to frozen dataclasses, with errors that name the key path."""

from __future__ import annotations
