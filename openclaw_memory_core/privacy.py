"""The one place that says what a session may see.

**Private** is the canonical main session of the agent, or a direct session whose host says that the sender is the
owner.  Everything else, and everything unknown, is not private; a ``chat_type`` given by the host wins over the look
of the key.  The rules for transcripts are those of ``tools.sessions.visibility``.
"""

from __future__ import annotations
