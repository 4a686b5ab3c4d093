"""The store as the index and search use it: narrow, so that a server-backed one can stand beside SQLite.

Writing happens in *generations*: one is active and answers searches, at most one other is being built beside it.
Publishing a generation is one atomic step that readers in other processes follow at their next search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import datetime as dt

    from openclaw_memory_core.embeddings.base import Vector
    from openclaw_memory_core.index.model import (
        Chunk,
        FileState,
        IndexCounts,
        IndexIdentity,
        KeywordHit,
        Moment,
        PathHit,
        StoredChunk,
        Term,
        VectorHit,
    )
    from openclaw_memory_core.privacy import Visible
    from openclaw_memory_core.workspace.documents import Document


class IndexReader(Protocol):
    """A consistent view of the active generation.  Cheap to open; use it in one thread and close it."""

    @property
    def identity(self) -> IndexIdentity | None:
        """Identity of the active generation; None if there is no index yet."""

    @property
    def generation(self) -> int:
        """Number of the active generation, 0 if there is none."""

    @property
    def moment(self) -> Moment:
        """What the content depends on; the generation is 0 if there is none."""

    def counts(self) -> IndexCounts:
        """Files, chunks, vectors, cache entries."""

    def files(self) -> dict[str, FileState]:
        """State of every document of the active generation, by path."""

    def keyword(self, terms: Sequence[Term], visible: Visible, limit: int) -> list[KeywordHit]:
        """Best chunks that hold at least one of *terms* (OR), best first."""

    def vector(self, query: Vector, visible: Visible, limit: int) -> list[VectorHit]:
        """Nearest chunks by cosine, nearest first; empty without vectors or for an all-zero query."""

    def cosines(self, query: Vector, chunk_ids: Sequence[int]) -> dict[int, float]:
        """Exact cosine of these chunks; chunks without a vector are absent."""

    def paths(self, query: str, terms: Sequence[Term], visible: Visible, limit: int) -> list[PathHit]:
        """Files whose path is, ends in, or holds words of *query*, most specific first."""

    def chunks(self, chunk_ids: Sequence[int]) -> dict[int, StoredChunk]:
        """The chunks themselves."""

    def frequencies(self, terms: Sequence[str], visible: Visible) -> dict[str, int]:
        """For each single word, the number of chunks that hold it (0 for none)."""

    def similar_words(
        self, word: str, limit: int, visible: Visible | None = None, never: Collection[str] = ()
    ) -> list[str]:
        """Indexed words that look like *word*, for typo tolerance; nearest first.

        With stemming those that are more than an edit away are stems, spelt so that a search for them finds them.

        :param visible: leave out words that only stand in hidden chunks; None looks at all of them.
        :param never: words that are not answered with, as they are written.
        """

    def neighbours(self, chunk_id: int) -> list[StoredChunk]:
        """The chunks just before and after in the same document."""

    def dated(self, first: dt.date, last: dt.date, visible: Visible, limit: int) -> list[int]:
        """Chunks of documents dated from *first* to *last*, both included: newest first, then in reading order."""

    def sample(self, visible: Visible, limit: int) -> list[int]:
        """At most *limit* chunks spread over the whole index, the same ones at each call."""

    def sample_cosines(self, query: Vector, visible: Visible, limit: int) -> list[float]:
        """Exact cosines of *query* with the chunks of :meth:`sample` that have a vector."""


class GenerationWriter(Protocol):
    """Writes one generation.  Every method is one short transaction."""

    @property
    def generation(self) -> int:
        """Its number."""

    @property
    def identity(self) -> IndexIdentity:
        """Identity it is written under."""

    def files(self) -> dict[str, FileState]:
        """State of every document, by path."""

    def known_hashes(self, hashes: Iterable[str]) -> set[str]:
        """Those of *hashes* whose vector is stored for this identity."""

    def add_vectors(self, vectors: Mapping[str, Vector]) -> None:
        """Store vectors by text hash under this identity."""

    def put_documents(self, documents: Sequence[tuple[Document, Sequence[Chunk]]], *, indexed_at: float) -> None:
        """Replace the rows of a few documents, all or none; chunks without a stored vector are counted as missing."""

    def link_vectors(self, *paths: str) -> int:
        """Attach vectors that have arrived since to the chunks of documents; returns what is still missing."""

    def missing_texts(self, limit: int) -> dict[str, str]:
        """Text hash → text of chunks that still have no vector."""

    def touch(self, path: str, stat: tuple[int, int, int, int, int], *, indexed_at: float) -> None:
        """The content is the same, only the file's stamp changed."""

    def remove(self, paths: Iterable[str]) -> None:
        """Delete the rows of documents that are gone."""

    def finish(self) -> None:
        """Publish this generation if it is being built; then evict and tidy up in small steps."""

    def abandon(self) -> None:
        """Drop a generation that is being built."""


class IndexStore(Protocol):
    """One agent's index."""

    def open(self) -> None:
        """Create or open it.

        :raises StoreForeignError: the file is not ours.
        :raises StoreCorruptError: the file is damaged (see :meth:`set_aside`).
        :raises StoreReadOnlyError: it cannot be created here.
        """

    def reader(self) -> AbstractContextManager[IndexReader]:
        """A view for one search."""

    @property
    def worth_two_readers(self) -> bool:
        """Whether a search may open a second reader beside its own, and gains by it.

        Not where a reader may have to wait for whoever writes, who waits for the readers that are open: the search
        would wait for itself.  And not where so little is read that handing it to a thread takes longer.
        """

    def writer(self, identity: IndexIdentity, *, rebuild: bool = False) -> GenerationWriter:
        """Writer of the active generation if it has this identity, else of one that is built beside it.

        A half-built generation of the same identity is picked up where it was left; one of another identity is dropped.

        :param rebuild: build a new generation even if the identity is the same.
        """

    def lease(self, owner: str, *, wait: float) -> AbstractContextManager[Any]:
        """The right to write, across processes; a dead owner's lease is taken over.

        :param wait: seconds to wait at most.
        :raises StoreBusyError: somebody else is writing.
        """

    def set_aside(self) -> str:
        """Move a damaged store out of the way; returns where it went.  Notes are not touched."""

    def reset(self) -> None:
        """Delete the index.  Notes are not touched.

        :raises StoreForeignError: the file is another program's; it is left alone.
        """

    def integrity_check(self, *, full: bool = False) -> list[str]:
        """What is wrong with the stored index, in its own words; empty if nothing is.

        :param full: look at everything, however long it takes.
        """

    def state(self, key: str) -> Any:
        """A small JSON value kept with the index (last sync, skipped files, totals); None if unset."""

    def set_state(self, key: str, value: Any) -> None:
        """Keep a small JSON value."""

    def describe(self) -> dict[str, Any]:
        """Facts for ``status``: path, bytes, SQLite version, extension, why it is degraded."""

    def close(self) -> None:
        """Close every connection."""
