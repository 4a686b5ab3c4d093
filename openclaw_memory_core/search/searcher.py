"""The search: a question in, passages out, every number of them explained on request."""

from __future__ import annotations

import datetime as dt
import logging
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from openclaw_memory_core.config.model import QueryConfig
from openclaw_memory_core.embeddings.base import ProviderInfo, Vector
from openclaw_memory_core.errors import EmbeddingError
from openclaw_memory_core.index.model import IndexIdentity
from openclaw_memory_core.index.protocol import IndexStore
from openclaw_memory_core.search.explain import explain_hit, explain_search
from openclaw_memory_core.search.fusion import text_score
from openclaw_memory_core.search.legs import Pool, ask_keywords, gather, pool_size
from openclaw_memory_core.search.model import SearchHit, SearchMode, SearchRequest, SearchResponse
from openclaw_memory_core.search.newer import newer_first
from openclaw_memory_core.search.noise import CONTROL, is_meaningless
from openclaw_memory_core.search.query import ParsedQuery, corrected, parse
from openclaw_memory_core.search.scoring import Scorer
from openclaw_memory_core.search.selection import Choice, Rules, select

_log = logging.getLogger(__name__)

_OTHER_IDENTITY = "keywords only: the index holds the vectors of another embedding provider or model"

_CONTROLS: dict[str, Vector] = {}
"""Vector of the control, by identity of the model."""


class QueryEmbedder(Protocol):
    """What a search needs of an embedding provider."""

    @property
    def info(self) -> ProviderInfo:
        """Who answers; its identity must be that of the index."""

    def embed_query(self, text: str, *, timeout: float) -> Vector:
        """The vector of a question.

        :param timeout: seconds.
        :raises EmbeddingError: it could not be had in time.
        """


class Searcher:
    """Searches one agent's index.  Thread-safe: it holds no state of its own.

    :param embedder: None for keywords only.
    :param seen: identity of the index as the caller has just read it; saves a look.
    :param keywords_only_by_intent: having no *embedder* is what the user wants, and nothing to report.
    :param today: the user's calendar day.
    :param now: the time as an aware datetime, for the age of transcripts.
    """

    def __init__(
        self,
        store: IndexStore,
        embedder: QueryEmbedder | None,
        settings: QueryConfig,
        *,
        today: Callable[[], dt.date],
        now: Callable[[], dt.datetime],
        seen: IndexIdentity | None = None,
        keywords_only_by_intent: bool = False,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._today = today
        self._now = now
        self._seen = seen
        self._by_intent = keywords_only_by_intent

    def search(self, request: SearchRequest) -> SearchResponse:
        """Answer a question.  On a healthy index it never raises, whatever the question is.

        Without a usable query vector it answers by keywords and says why in
        :attr:`~openclaw_memory_core.search.model.SearchResponse.degraded`.
        """
        today = self._today()
        query = parse(request.query, today)
        limit = self._settings.max_results if request.max_results is None else request.max_results
        if not query.text or limit < 1:
            return SearchResponse((), "keyword" if self._embedder is None else "hybrid")
        hybrid = self._settings.hybrid
        both = hybrid.enabled and hybrid.text_weight > 0
        # While the question is being embedded, the keyword leg works already.
        threads = both and self._embedder is not None and self._store.worth_two_readers
        beside = self._store.reader if threads else None
        with ask_keywords(query, request.visible, beside) as words:
            vector, degraded = self._vector(query.text, request.deadline)
            with self._store.reader() as reader:
                if vector is not None and not self._fits(reader.identity):
                    # The index was rebuilt while the question was being embedded.
                    vector, degraded = None, _OTHER_IDENTITY
                keywords = vector is None or both
                size = pool_size(self._settings, limit)
                asked = words if keywords else None
                moment = reader.moment
                pool = gather(reader, query, vector, request.visible, words=asked, size=size)
        if vector is not None and hybrid.fusion != "documented":
            pool.drop_below(self._floor(query, pool, vector, request.deadline))
        # A passage is judged by the words that were found, and shown around them.
        meant = corrected(query, pool.instead) if pool.instead else query
        scorer = Scorer(meant, pool, self._settings.hybrid, today=today, now=self._now())
        mode = _mode(vector, keywords=keywords)
        choices = select(scorer.candidates(limit), self._rules(request, limit, mode, alike=query.only_dates))
        if scorer.decays:
            choices = newer_first(choices, scorer.worth, query.years)
        debug = explain_search(query, pool, scorer.balance, scorer.decay_state()) if request.explain else None
        hits = tuple(_hit(choice, pool, n if request.explain else 0) for n, choice in enumerate(choices, 1))
        return SearchResponse(hits, mode, degraded, debug, tuple(pool.instead), pool.corrected, pool.missing, moment)

    def _rules(self, request: SearchRequest, limit: int, mode: SearchMode, *, alike: bool) -> Rules:
        """What to choose by; notes that are listed may be *alike*."""
        hybrid = self._settings.hybrid
        threshold = self._settings.min_score if request.min_score is None else request.min_score
        mmr = replace(hybrid.mmr, enabled=False) if alike else hybrid.mmr
        return Rules(limit, threshold, hybrid.fusion, mmr, both_legs=mode == "hybrid")

    def _vector(self, text: str, deadline: float) -> tuple[Vector | None, str | None]:
        """The question's vector, or why there is none (neither: keywords only is what the user wants).

        No transaction is open while the provider is asked.
        """
        hybrid = self._settings.hybrid
        if self._embedder is None:
            return None, None if self._by_intent else "no embedding provider is available"
        if hybrid.enabled and hybrid.vector_weight <= 0:
            return None, None
        identity = self._seen or self._identity()
        if identity is None:
            return None, "nothing is indexed yet"
        if not self._fits(identity):
            return None, _OTHER_IDENTITY
        try:
            vector = self._embedder.embed_query(text, timeout=deadline)
        except EmbeddingError as error:
            _log.warning("the question could not be embedded: %s", error.message)
            return None, f"the question could not be embedded: {error.message}"
        if not any(vector):
            return None, "the embedding of the question is all zeros"
        return vector, None

    def _floor(self, query: ParsedQuery, pool: Pool, vector: Vector, deadline: float) -> float:
        """The cosine that counts as a match by itself; none is enough if the question has no meaning for the model."""
        found = pool.background
        if found is None or not pool.cosines:
            return -math.inf
        asks = not (pool.has_words or query.literal or query.times)
        control = self._control(deadline) if asks else None
        if control is not None and is_meaningless(max(pool.cosines.values()), found.middle, vector, control):
            return math.inf
        return found.floor(has_words=bool(pool.ranks))

    def _control(self, deadline: float) -> Vector | None:
        """The vector of a text without meaning; asked for once a process, and only of a model on this machine."""
        embedder = self._embedder
        if embedder is None or not embedder.info.local:
            return None
        identity = repr(sorted(embedder.info.identity.items()))
        if identity not in _CONTROLS:
            try:
                _CONTROLS[identity] = embedder.embed_query(CONTROL, timeout=deadline)
            except EmbeddingError as error:
                _log.debug("no vector of the control: %s", error.message)
                return None
        return _CONTROLS[identity]

    def _identity(self) -> IndexIdentity | None:
        with self._store.reader() as reader:
            return reader.identity

    def _fits(self, identity: IndexIdentity | None) -> bool:
        """Vectors of two identities are never compared."""
        embedder = self._embedder
        return (
            identity is not None and embedder is not None and dict(identity.embedding) == dict(embedder.info.identity)
        )


def _mode(vector: Vector | None, *, keywords: bool) -> SearchMode:
    if vector is None:
        return "keyword"
    return "hybrid" if keywords else "vector"


def _hit(choice: Choice, pool: Pool, place: int) -> SearchHit:
    chunk, signal, snippet = choice.candidate.chunk, choice.candidate.signal, choice.snippet
    return SearchHit(
        path=chunk.path,
        start_line=snippet.first,
        end_line=max(snippet.first, snippet.last),
        score=choice.score,
        snippet=snippet.text,
        source=chunk.source,
        vector_score=signal.cosine,
        text_score=text_score(signal.rank) if signal.rank > 0 else None,
        importance=chunk.importance,
        date=chunk.date,
        session_key=chunk.session_key,
        explanation=explain_hit(choice, pool, place) if place else None,
    )
