"""Candidates: what the keyword, vector and file name legs find, source by source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from openclaw_memory_core.config.model import QueryConfig
from openclaw_memory_core.embeddings.base import Vector
from openclaw_memory_core.index.model import KeywordHit, PathHit, StoredChunk, Term
from openclaw_memory_core.index.protocol import IndexReader
from openclaw_memory_core.privacy import Visible
from openclaw_memory_core.search import paths, stopwords
from openclaw_memory_core.search.beside import KeywordLeg, OpenReader
from openclaw_memory_core.search.noise import Background, background
from openclaw_memory_core.search.query import ParsedQuery, literal_needle
from openclaw_memory_core.search.words import as_written, fold

SMALLEST_POOL = 48
LARGEST_POOL = 200
"""Candidates of a leg.  The documented number (results × multiplier, at most 200) is a lower bound for the default of
six results: with 24 the right passage is too often in neither leg's list."""

NAMED = 20
SIMILAR = 3
"""Words tried for a misspelt one."""


@dataclass(slots=True)
class Pool:
    """Candidates and what each leg says of them.

    :param ranks: −bm25 by chunk.
    :param keyword_places: place in the keyword leg, 1 is best; likewise *vector_places*.
    :param dated: chunks of notes of the days that the question names.
    :param instead: words that were looked for instead of each misspelt one.
    :param missing: identifiers and quoted phrases of the question that stand in no note.
    :param background: what the cosines are to be compared with.
    """

    chunks: dict[int, StoredChunk] = field(default_factory=dict)
    ranks: dict[int, float] = field(default_factory=dict)
    cosines: dict[int, float] = field(default_factory=dict)
    keyword_places: dict[int, int] = field(default_factory=dict)
    vector_places: dict[int, int] = field(default_factory=dict)
    named: dict[int, PathHit] = field(default_factory=dict)
    dated: list[int] = field(default_factory=list)
    instead: dict[str, tuple[str, ...]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    background: Background | None = None

    @property
    def corrected(self) -> tuple[str, ...]:
        """Words that were looked for instead of misspelt ones."""
        return tuple(dict.fromkeys(word for words in self.instead.values() for word in words))

    @property
    def has_words(self) -> bool:
        """Whether any word of the question stands in a note, as it was typed."""
        return bool(self.ranks) and not self.instead

    def drop_below(self, floor: float) -> None:
        """Leave out what has nothing but a cosine to speak for it, and too small a one."""
        kept = {*self.ranks, *self.named, *self.dated}
        for i in [i for i in self.chunks if i not in kept and self.cosines.get(i, -1.0) < floor]:
            del self.chunks[i]


def pool_size(settings: QueryConfig, max_results: int) -> int:
    """Candidates that each leg brings for each source."""
    asked = int(max_results * settings.hybrid.candidate_multiplier)
    return min(LARGEST_POOL, max(SMALLEST_POOL, asked, max_results))


def ask_keywords(query: ParsedQuery, visible: Visible, beside: OpenReader | None = None) -> KeywordLeg:
    """The keyword leg of a question, at work already if it has a reader of its own.

    :param beside: opens that reader.
    """
    # More than the pool, so that candidates of the vector leg have their text score as well.
    return KeywordLeg(beside, query.terms, _views(visible), LARGEST_POOL)


def gather(
    reader: IndexReader,
    query: ParsedQuery,
    vector: Vector | None,
    visible: Visible,
    *,
    words: KeywordLeg | None,
    size: int,
) -> Pool:
    """Ask every leg.  Each source has its own places, so that transcripts cannot crowd out notes.

    :param words: None for vectors alone.
    """
    pool = Pool()
    if vector is not None:
        for view in _views(visible):
            pool.vector_places |= {hit.chunk_id: n for n, hit in enumerate(reader.vector(vector, view, size), 1)}
    pool.named = paths.exact(reader.paths(query.text, (), visible, NAMED), query.text)
    pool.dated = [i for date in query.times for i in reader.dated(date.first, date.last, visible, size)]
    # All that needs no keyword hits, while they may still be on their way.
    chunks = reader.chunks(list(dict.fromkeys([*pool.vector_places, *pool.named, *pool.dated])))
    if vector is not None:
        pool.background = background(reader, vector, visible)
    if words is not None:
        _take_hits(pool, words.hits(reader), size)
        if query.terms and not pool.ranks:
            _correct(reader, pool, query, visible, size)
    chunks |= reader.chunks([i for i in pool.keyword_places if i not in chunks])
    pool.chunks = dict(sorted(chunks.items()))
    if pool.instead:
        texts = _texts(pool)
        pool.instead = {word: as_written(stems, texts) for word, stems in pool.instead.items()}
    pool.missing = _missing(reader, pool, query, visible)
    if vector is not None:
        pool.cosines = reader.cosines(vector, list(pool.chunks))
    return pool


def _views(visible: Visible) -> list[Visible]:
    return [replace(visible, sources=(source,)) for source in dict.fromkeys(visible.sources)]


def _take_hits(pool: Pool, found: Sequence[Sequence[KeywordHit]], size: int) -> None:
    for hits in found:
        for place, hit in enumerate(hits, 1):
            pool.ranks[hit.chunk_id] = -hit.rank
            if place <= size:
                pool.keyword_places[hit.chunk_id] = place


def _texts(pool: Pool) -> list[str]:
    """What the keyword leg found, folded, best first."""
    return [fold(pool.chunks[i].text) for i in pool.keyword_places if i in pool.chunks]


def _correct(reader: IndexReader, pool: Pool, query: ParsedQuery, visible: Visible, size: int) -> None:
    """Nothing matched at all: perhaps the words are misspelt."""
    found = [reader.similar_words(word, SIMILAR, visible, stopwords.ALL) for word in query.words]
    if sum(map(bool, found)) * 2 < len(found):
        # One word among many that looks like one of the notes is chance.
        return
    pool.instead = {word: tuple(similar) for word, similar in zip(query.words, found, strict=True) if similar}
    terms = [Term(word) for word in pool.corrected]
    if terms:
        _take_hits(pool, KeywordLeg(None, terms, _views(visible), LARGEST_POOL).hits(reader), size)


def _missing(reader: IndexReader, pool: Pool, query: ParsedQuery, visible: Visible) -> tuple[str, ...]:
    """Identifiers and phrases that stand in no note that may be seen."""
    # Most are in a candidate; the index also knows headings and names, and the notes that are no candidates.
    texts = _texts(pool) if query.literals else []
    needles = {literal: literal_needle(fold(literal)) for literal in query.literals}
    unseen = [literal for literal, needle in needles.items() if not any(map(needle.found, texts))]
    return tuple(one for one in unseen if not pool.named and not reader.keyword([Term(one, phrase=True)], visible, 1))
