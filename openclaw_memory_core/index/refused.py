"""Texts that the provider will not embed: remembered, so that they are named in every report and not paid for again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from openclaw_memory_core.embeddings.base import identity_key
from openclaw_memory_core.index.report import Failure, failure

if TYPE_CHECKING:
    from openclaw_memory_core.index.model import FileState, IndexIdentity
    from openclaw_memory_core.index.protocol import IndexStore
    from openclaw_memory_core.index.run import Outcome

__all__ = ["Refused"]

_STATE = "sync.refused"
MOST = 2000


class Refused:
    """Refused texts of one identity; a forced sync asks for them again."""

    def __init__(self, store: IndexStore, identity: IndexIdentity) -> None:
        self._store = store
        self._key = identity_key(identity.embedding)
        found = store.state(_STATE)
        notes = found.get("texts") if isinstance(found, dict) and found.get("identity") == self._key else None
        self._notes: dict[str, list[str]] = notes if isinstance(notes, dict) else {}

    @property
    def hashes(self) -> frozenset[str]:
        """Hashes of the texts."""
        return frozenset(self._notes)

    def update(self, outcome: Outcome, writer_files: Callable[[], Mapping[str, FileState]]) -> None:
        """Add what was refused now, drop what is gone, and name all of it in *outcome*."""
        filled = outcome.filled
        for key, error in filled.lost.items():
            outcome.unembedded |= dict.fromkeys(outcome.paths_of.get(key, ()), failure(error))
        if not filled.refused and not self._notes:
            return
        for key, error in filled.refused.items():
            why = failure(error)
            self._notes[key] = [next(iter(outcome.paths_of.get(key, ())), ""), why.code, why.message]
        incomplete = {path for path, state in writer_files().items() if state.missing_vectors}
        kept = {key: note for key, note in self._notes.items() if not note[0] or note[0] in incomplete}
        for path, code, message in kept.values():
            if path:
                outcome.unembedded.setdefault(path, Failure(code, message))
        self._notes = dict(list(kept.items())[-MOST:])
        self._store.set_state(_STATE, {"identity": self._key, "texts": self._notes})
