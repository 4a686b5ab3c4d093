"""What earlier syncs left behind in the index, whichever process ran them; cheap to ask, for ``status``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from openclaw_memory_core.embeddings.base import identity_key

if TYPE_CHECKING:
    from openclaw_memory_core.index.model import IndexIdentity
    from openclaw_memory_core.index.protocol import IndexStore

__all__ = ["LAST", "TOTALS", "last_sync", "spent"]

LAST: Final = "sync.last"
TOTALS: Final = "sync.totals"


def last_sync(store: IndexStore) -> dict[str, Any] | None:
    """The last sync's report (``SyncReport.to_dict``) by any process, with ``finishedAt``; None if there was none."""
    found = store.state(LAST)
    return found if isinstance(found, dict) else None


def spent(store: IndexStore, identity: IndexIdentity) -> dict[str, int]:
    """Texts, tokens and requests spent with a provider identity over the life of this index."""
    found = (store.state(TOTALS) or {}).get(identity_key(identity.embedding), {})
    return {name: int(found.get(name, 0)) for name in ("texts", "tokens", "requests")}
