"""One question from one session: what it may see, who answers, and what the reader must know about the answer."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from openclaw_memory_core.core.answers import (
    Freshness,
    ProviderFacts,
    disabled_answer,
    search_answer,
    unavailable_answer,
)
from openclaw_memory_core.core.freshness import MADE_FOR_OTHERS, find_gap, freshness_of, held_up
from openclaw_memory_core.embeddings.resolve import describe
from openclaw_memory_core.errors import (
    EmbeddingError,
    OpenClawMemoryError,
    StoreCorruptError,
    StoreError,
    StoreForeignError,
)
from openclaw_memory_core.privacy import Audience, Visible, visible_memory
from openclaw_memory_core.records import record
from openclaw_memory_core.search import Searcher
from openclaw_memory_core.search.model import SearchHit, SearchRequest, SearchResponse

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import AgentConfig, MemoryConfig, Source
    from openclaw_memory_core.core.conversations import Conversations
    from openclaw_memory_core.core.indexing import IndexService
    from openclaw_memory_core.core.provider import ActiveProvider
    from openclaw_memory_core.embeddings.base import ProviderInfo, Vector
    from openclaw_memory_core.embeddings.embedder import Embedder
    from openclaw_memory_core.embeddings.resolve import Resolution
    from openclaw_memory_core.index.model import IndexIdentity, Moment
    from openclaw_memory_core.index.protocol import IndexReader
    from openclaw_memory_core.index.store import SqliteStore
    from openclaw_memory_core.workspace.workspace import Workspace
    from openclaw_memory_hookspecs import Session

CURATED_NAMES: Final = frozenset({"MEMORY.md", "memory.md", "USER.md"})
FIRST_INDEX_SECONDS: Final = 10.0
"""A search of an empty index waits so long for the first sync, once."""

LOOKS: Final = 3
"""An answer must be of the index whose freshness it tells, which another process may replace in between."""

LOOK_AGAIN_SECONDS: Final = 30.0
"""Changes that no event tells of, as on a network folder, are found after so long at the latest."""


class _QueryEmbedder:
    """The provider for one query; remembers whether it answered.

    :param standby: the fallback, when the index holds its vectors.
    :param fits: False where the index holds vectors that are of no use to the provider.
    """

    def __init__(self, provider: ActiveProvider, info: ProviderInfo, standby: Embedder | None, *, fits: bool) -> None:
        self._provider = provider
        self._standby = standby
        self.info = info if standby is None else standby.info
        # Without vectors to compare it is not asked, but an update may have asked it a moment ago.
        self.error: EmbeddingError | None = None if fits or standby is not None else provider.failure
        self.used = False

    @property
    def standby(self) -> ProviderInfo | None:
        """Who answers in the place of the first choice; None if that one does."""
        return None if self._standby is None else self._standby.info

    def embed_query(self, text: str, *, timeout: float) -> Vector:
        """See :class:`~openclaw_memory_core.embeddings.embedder.Embedder`."""
        try:
            source = self._provider if self._standby is None else self._standby
            vector = source.embed_query(text, timeout=timeout)
        except EmbeddingError as error:
            self.error = error
            raise
        self.used = True
        return vector


@record
class _Seen:
    """What a look at the notes and the index finds.

    :param identity: what the index is valid for; None if there is none.
    :param moment: of that index.
    :param empty: there is no index yet, but notes.
    """

    freshness: Freshness
    identity: IndexIdentity | None
    moment: Moment
    empty: bool = False

    def is_of(self, response: SearchResponse) -> bool:
        """Whether the index that was looked at is the one that answered: another may lack what this one holds."""
        return response.moment is None or response.moment[:2] == self.moment[:2]

    def replaced(self) -> _Seen:
        """The same, where it never was."""
        reason = "The index was replaced again and again while it was searched."
        return replace(self, freshness=replace(self.freshness, stale=True, partial=True, reason=reason))

    @property
    def behind(self) -> bool:
        """Whether a sync would change something."""
        return self.freshness.stale or self.freshness.partial

    def held_up(self, by: StoreError) -> _Seen:
        """The same, with why a sync cannot change it."""
        return replace(self, freshness=held_up(self.freshness, by))


@record
class _Known:
    """What the last look at the notes found.

    :param state: moment, wanted identity and number of changes that it is about.
    """

    store: SqliteStore
    state: tuple[Moment, IndexIdentity, int | None]
    at: float
    seen: _Seen

    def holds(self, store: SqliteStore, state: tuple[Moment, IndexIdentity, int | None]) -> bool:
        """Whether it is still true."""
        return store is self.store and state == self.state and time.monotonic() - self.at < LOOK_AGAIN_SECONDS


class QueryService:
    """Answers ``memory_search`` for every session of one agent."""

    def __init__(
        self,
        config: MemoryConfig,
        agent: AgentConfig,
        workspace: Workspace,
        index: IndexService,
        conversations: Conversations,
        *,
        today: Callable[[], dt.date],
        now: Callable[[], dt.datetime],
    ) -> None:
        self._config = config
        self._agent = agent
        self._workspace = workspace
        self._index = index
        self._conversations = conversations
        self._today = today
        self._now = now
        self._waited = False
        self._known: _Known | None = None

    def search(
        self,
        query: str,
        who: Audience,
        session: Session,
        *,
        max_results: int | None,
        min_score: float | None,
        corpus: str | None,
        explain: bool,
        wait: float,
    ) -> dict[str, Any]:
        """The answer; every failure is a field of it."""
        search = self._agent.search
        if not search.enabled:
            return disabled_answer("Memory search is switched off.", "set memory.search.enabled to true")
        sources = self._sources(corpus)
        if not sources:
            return disabled_answer(
                "Transcripts are not indexed.",
                'set memory.search.experimental.sessionMemory to true and add "sessions" to memory.search.sources',
            )
        visible = visible_memory(
            who,
            sources,
            transcripts=self._conversations.visible_transcripts(who, session) if "sessions" in sources else None,
            hidden_paths=() if who.private else CURATED_NAMES,
        )
        request = SearchRequest(
            query=query, max_results=max_results, min_score=min_score, visible=visible, explain=explain
        )
        try:
            response, facts, freshness = self._index.healing(lambda store: self._answer(store, request, wait))
        except OpenClawMemoryError as error:
            return unavailable_answer(error, self._index.provider.facts(used=False))
        return search_answer(
            self._without_private(response, visible),
            facts,
            self._with_notices(freshness),
            withheld=self._withheld(who),
            citations=self._citations(who),
            explain=explain,
        )

    # --- one answer --------------------------------------------------------------------------------------------------

    def _answer(
        self, store: SqliteStore, request: SearchRequest, wait: float
    ) -> tuple[SearchResponse, ProviderFacts, Freshness]:
        for _ in range(LOOKS):
            seen = self._refresh(store, wait)
            response, embedder = self._run(store, request, seen.identity)
            if embedder is not None and embedder.error is not None and self._index.use_fallback():
                response, embedder = self._run(store, request, seen.identity)
            if seen.is_of(response):
                break
        else:
            seen = seen.replaced()
        resolution = self._index.provider.resolution
        failure = embedder.error if embedder is not None else resolution.error
        if failure is not None and resolution.requirement == "required":
            raise failure
        if failure is not None and response.degraded:
            response = replace(response, degraded=_keywords_only(failure, resolution))
        used = embedder is not None and embedder.used
        standby = embedder.standby if embedder is not None else None
        why = self._why_standby(seen.identity) if standby is not None else None
        facts = self._index.provider.facts(used=used or failure is None, standby=standby, why=why)
        return response, facts, seen.freshness

    def _why_standby(self, held: IndexIdentity | None) -> str | None:
        stand_in = self._index.stand_in(held)
        return None if stand_in is None else stand_in[1]

    def _run(
        self, store: SqliteStore, request: SearchRequest, held: IndexIdentity | None
    ) -> tuple[SearchResponse, _QueryEmbedder | None]:
        embedder = self._embedder_for(held)
        searcher = Searcher(
            store,
            embedder,
            self._agent.search.query,
            today=self._today,
            now=self._now,
            seen=held,
            keywords_only_by_intent=self._index.provider.resolution.requirement == "fts-only",
        )
        return searcher.search(request), embedder

    def _embedder_for(self, held: IndexIdentity | None) -> _QueryEmbedder | None:
        provider = self._index.provider
        info = provider.info
        if info is None:
            return None
        other = held is not None and held.has_vectors and dict(held.embedding) != dict(info.identity)
        standby = provider.standby_for(held.embedding) if held and other else None
        return _QueryEmbedder(provider, info, standby, fits=not other)

    def _refresh(self, store: SqliteStore, wait: float) -> _Seen:
        """How far the index can be trusted now; asks for a sync where it is behind."""
        seen = self._look(store)
        if not (seen.behind or seen.empty):
            return seen
        locked = self._index.place.why_unwritable()
        if locked is not None and seen.empty:
            raise locked
        if locked is not None:
            return seen.held_up(locked)
        if self._agent.search.sync.on_search:
            self._index.request("search")
        seconds = wait
        if seen.empty and not self._waited:
            self._waited = True
            seconds = max(wait, FIRST_INDEX_SECONDS)
        if seconds > 0:
            seen = self._caught_up(store, seconds, seen)
        trouble = None if seen.empty else self._index.trouble
        return seen if trouble is None or not seen.behind else seen.held_up(trouble)

    def _caught_up(self, store: SqliteStore, seconds: float, seen: _Seen) -> _Seen:
        """How it stands after at most *seconds* of waiting.  An index that cannot be changed answers as it is."""
        try:
            if self._index.catch_up(seconds) or seen.empty:
                return self._look(store)
        except (StoreCorruptError, StoreForeignError):
            raise
        except StoreError as error:
            if seen.empty:
                raise
            return seen.held_up(error)
        return seen

    def _look(self, store: SqliteStore) -> _Seen:
        """How the index stands to the notes; remembered while neither changes."""
        changes = self._index.changes()
        # Asked for outside: it may read the index itself.
        wanted = self._index.identity
        with store.reader() as reader:
            state = (reader.moment, wanted, changes)
            known = self._known
            if changes is not None and known is not None and known.holds(store, state):
                return known.seen
            seen = self._compare(reader, wanted)
        self._known = None if seen.empty else _Known(store, state, time.monotonic(), seen)
        return seen

    def _compare(self, reader: IndexReader, wanted: IndexIdentity) -> _Seen:
        moment, identity = reader.moment, reader.identity
        gap = find_gap(reader, self._index.sources)
        if reader.generation == 0:
            if not gap.changed:
                return _Seen(freshness_of(gap), identity, moment)
            reason = f"There is no index yet; {len(gap.changed)} notes are waiting to be indexed."
            freshness = Freshness(stale=True, partial=True, reason=reason, action="run: openclaw-memory index")
            return _Seen(freshness, identity, moment, empty=True)
        other = None
        if identity is not None and identity != wanted:
            other = MADE_FOR_OTHERS
        return _Seen(freshness_of(gap, other=other), identity, moment)

    # --- what a session may see --------------------------------------------------------------------------------------

    def _sources(self, corpus: str | None) -> tuple[Source, ...]:
        configured = self._agent.search.sources
        indexed = self._agent.search.indexed_sources
        if corpus is None:
            return configured
        wanted: dict[str, tuple[Source, ...]] = {
            "memory": ("memory",),
            "sessions": ("sessions",),
            "all": ("memory", "sessions"),
        }
        return tuple(source for source in wanted[corpus] if source in indexed)

    def _without_private(self, response: SearchResponse, visible: Visible) -> SearchResponse:
        """Drop hits in files that are curated by now: a hard link may be younger than the index."""
        if visible.curated:
            return response
        hits = tuple(self._public(response.hits))
        if len(hits) == len(response.hits):
            return response
        # A correction may be a word of the hidden file.
        return replace(response, hits=hits, misspelt=(), corrected=(), missing=())

    def _public(self, hits: Iterable[SearchHit]) -> Iterable[SearchHit]:
        return (hit for hit in hits if hit.source != "memory" or not self._workspace.is_curated(hit.path))

    def _withheld(self, who: Audience) -> list[str]:
        if who.private:
            return []
        names = [ref.path for ref in self._workspace.curated_files()]
        return [f"{' and '.join(names)}: private memory is not searched here, for {who.reason}."] if names else []

    def _citations(self, who: Audience) -> bool:
        if self._config.citations == "auto":
            return who.chat_type not in ("group", "channel")
        return self._config.citations == "on"

    def _with_notices(self, freshness: Freshness) -> Freshness:
        notices = " ".join(self._index.notices)
        if not notices:
            return freshness
        reason = f"{notices} {freshness.reason}" if freshness.reason else notices
        return replace(freshness, partial=freshness.partial or freshness.stale, reason=reason)


def _keywords_only(error: EmbeddingError, resolution: Resolution) -> str:
    """Why keywords alone answer."""
    # With auto the hint is a list of everything that was tried.
    why = error.message if resolution.provider is None and resolution.requested == "auto" else describe(error)
    return f"keywords only: {why}"
