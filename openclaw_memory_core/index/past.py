"""What earlier syncs left behind in the index, whichever process ran them; cheap to ask, for ``status``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from openclaw_memory_core.embeddings.base import identity_key

if TYPE_CHECKING:
    from openclaw_memory_core.index.model import IndexIdentity
    from openclaw_memory_core.index.protocol import IndexStore

__all__ = ["LAST", "STAND_IN", "TOTALS", "last_sync", "remember_stand_in", "spent", "why_stand_in"]

LAST: Final = "sync.last"
TOTALS: Final = "sync.totals"
STAND_IN: Final = "sync.standIn"


def last_sync(store: IndexStore) -> dict[str, Any] | None:
    """The last sync's report (``SyncReport.to_dict``) by any process, with ``finishedAt``; None if there was none."""
    found = store.state(LAST)
    return found if isinstance(found, dict) else None


def remember_stand_in(store: IndexStore, identity: IndexIdentity, why: str) -> None:
    """Keep for later processes why the fallback made the vectors of *identity*."""
    note = {"identity": identity_key(identity.embedding), "why": why}
    if store.state(STAND_IN) != note:
        store.set_state(STAND_IN, note)


def why_stand_in(store: IndexStore, identity: IndexIdentity) -> str | None:
    """Why a fallback made the vectors of *identity*; None if nobody has said so."""
    found = store.state(STAND_IN)
    told = isinstance(found, dict) and found.get("identity") == identity_key(identity.embedding)
    return str(found["why"]) if told else None


def spent(store: IndexStore, identity: IndexIdentity) -> dict[str, int]:
    """Texts, tokens and requests spent with a provider identity over the life of this index."""
    totals = store.state(TOTALS)
    found = totals.get(identity_key(identity.embedding), {}) if totals else {}
    return {name: int(found.get(name, 0)) for name in ("texts", "tokens", "requests")}
