"""From a pool of chunks to candidates with every factor of their score."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Sequence

from openclaw_memory_core.config.model import DecayConfig, HybridConfig
from openclaw_memory_core.index.model import StoredChunk
from openclaw_memory_core.search import decay, importance, paths, times
from openclaw_memory_core.search.dates import DateRange
from openclaw_memory_core.search.fusion import Fused, Signal, Weights, fuse, weights
from openclaw_memory_core.search.legs import Pool
from openclaw_memory_core.search.passages import Lines, NeedleWeights, find_all, lines_of, nearness
from openclaw_memory_core.search.query import ParsedQuery
from openclaw_memory_core.search.selection import Candidate
from openclaw_memory_core.search.snippets import LIMIT, Composer

DATED = 0.15
"""What a note of the day or month that the question names gains on the relative scale."""

TOLD_LATER = 3
"""Days after a named day whose notes gain half of it: things are often written down a little later."""

SMALLEST_CUT = 24
"""Candidates whose passages are compared at least: four times the default number of results."""

EACH_SOURCE = 6
"""Candidates of each source that are compared whatever the others bring."""


class Scorer:
    """Scores the pool of one question."""

    def __init__(
        self, query: ParsedQuery, pool: Pool, settings: HybridConfig, *, today: dt.date, now: dt.datetime
    ) -> None:
        self._query = query
        self._pool = pool
        self._settings = settings
        self._today = today
        self._now = now
        found = find_all([chunk.text for chunk in pool.chunks.values()], query.needles)
        self._found = dict(zip(pool.chunks, found, strict=True))
        self._needles = NeedleWeights(query.needles, [found.held for found in self._found.values()])
        self._known_lines: dict[int, Lines] = {}
        self._decay = DecayConfig(enabled=False) if query.times else settings.temporal_decay
        self._within = self._of_the_time()
        self._listed = self._list()
        self.balance = Weights(1.0, 0.0)

    def candidates(self, max_results: int) -> list[Candidate]:
        """The best candidates by relevance, best first, each with all its factors."""
        chunks = list(self._pool.chunks.values())
        signals = self._signals(chunks)
        configured = Weights(self._settings.vector_weight, self._settings.text_weight)
        literal = self._settings.fusion == "documented"
        self.balance = weights(configured, signals, adapt=not literal)
        fused = fuse(self._settings.fusion, signals, self.balance)
        relevance = [item.score for item in fused]
        if not literal:
            if self._query.dates:
                relevance = [self._dated(score, chunk) for score, chunk in zip(relevance, chunks, strict=True)]
            best = max(relevance, default=0.0) or 1.0
            relevance = [value / best for value in relevance]
        if self._listed:
            relevance = [self._listed.get(chunk.id, value) for chunk, value in zip(chunks, relevance, strict=True)]
        kept = self._cut(self._order(chunks, signals, relevance), chunks, max(SMALLEST_CUT, 2 * max_results))
        return [self._candidate(chunks[i], signals[i], fused[i], relevance[i]) for i in kept]

    def _order(self, chunks: Sequence[StoredChunk], signals: Sequence[Signal], relevance: Sequence[float]) -> list[int]:
        """Positions of the chunks that count, best first.

        The newer of equals is first where the notes of a time are listed, else that with more of the words.
        """
        newest = [signal.rank for signal in signals]
        if self._listed:
            newest = [self._newest(chunk, rank) for chunk, rank in zip(chunks, newest, strict=True)]
        keys = sorted((-relevance[i], -newest[i], chunk.path, chunk.id, i) for i, chunk in enumerate(chunks))
        if self._query.only_dates and self._query.times:
            # A question about a time alone: nothing but its text can speak for what is of another time.
            kept = {i for i, chunk in enumerate(chunks) if chunk.id in self._within or self._says(chunk, signals[i])}
            return [i for *_, i in keys if i in kept]
        return [i for *_, i in keys]

    def _says(self, chunk: StoredChunk, signal: Signal) -> bool:
        """Whether a text holds any of the question's words; its date, which is indexed with it, does not count."""
        return signal.rank > 0 and self._found[chunk.id].held > 0

    def _newest(self, chunk: StoredChunk, rank: float) -> float:
        return chunk.date.toordinal() if chunk.date is not None and chunk.id in self._listed else rank

    def _cut(self, order: Sequence[int], chunks: Sequence[StoredChunk], size: int) -> list[int]:
        """The best *size*, named files, and the best of each source."""
        best = [i for source in ("memory", "sessions") for i in _first(order, chunks, source, EACH_SOURCE)]
        wanted = {*order[:size], *best}
        if self._within:
            wanted.update([i for i in order if chunks[i].id in self._within][:size])
        if self._pool.named:
            wanted.update(i for i in order if chunks[i].id in self._pool.named)
        return [i for i in order if i in wanted]

    def _of_the_time(self) -> dict[int, float]:
        """How far each chunk is of a time that the question names; without those that are not."""
        asked = self._query.times if self._settings.fusion != "documented" else ()
        if not asked:
            return {}
        named = times.naming(asked)
        shares = {i: times.share(chunk, asked, named) for i, chunk in self._pool.chunks.items()}
        return {i: share for i, share in shares.items() if share > 0}

    def _list(self) -> dict[int, float]:
        """Relevance of chunks where the question asks for a time and nothing else."""
        return times.listed(self._pool.chunks.values(), self._within) if self._query.only_dates else {}

    @property
    def decays(self) -> bool:
        """Whether age counts for this question."""
        return self._decay.enabled and self._settings.fusion != "documented"

    def worth(self, found: int) -> float:
        """What a set of the question's words is worth, by rarity, as a share of all of them."""
        return self._needles.share(found)

    def decay_state(self) -> str:
        """Whether age counts for this question, and why not."""
        if not self._settings.temporal_decay.enabled:
            return "off"
        return "off: the question names a time" if self._query.times else "on"

    def _signals(self, chunks: Sequence[StoredChunk]) -> list[Signal]:
        cosines, ranks = self._pool.cosines.get, [self._pool.ranks.get(chunk.id, 0.0) for chunk in chunks]
        return [
            Signal(cosines(chunk.id), rank, self._nearness(chunk) if rank > 0 else 0.0)
            for chunk, rank in zip(chunks, ranks, strict=True)
        ]

    def _nearness(self, chunk: StoredChunk) -> float:
        held = self._found[chunk.id].held
        if held.bit_count() < 2:
            return self._needles.share(held)
        return nearness(self._lines(chunk), self._needles)

    def _lines(self, chunk: StoredChunk) -> Lines:
        lines = self._known_lines.get(chunk.id)
        if lines is None:
            lines = self._known_lines[chunk.id] = lines_of(chunk, self._found[chunk.id], LIMIT)
        return lines

    def _dated(self, score: float, chunk: StoredChunk) -> float:
        return score + DATED * max((_date_match(chunk.date, span) for span in self._query.dates), default=0.0)

    def _candidate(self, chunk: StoredChunk, signal: Signal, fused: Fused, relevance: float) -> Candidate:
        named = self._pool.named.get(chunk.id)
        age = decay.age_days(chunk, self._today, self._now)
        return Candidate(
            chunk=chunk,
            signal=signal,
            fused=fused,
            relevance=paths.exact_score(relevance) if named else relevance,
            decay=decay.factor(age, self._decay),
            importance=importance.factor(chunk.importance),
            specificity=named.specificity if named else 0,
            composer=Composer(self._lines(chunk), self._needles),
            age=age,
            within=self._within.get(chunk.id, 0.0) if self._within else None,
            listed=chunk.id in self._listed,
        )


def _first(order: Sequence[int], chunks: Sequence[StoredChunk], source: str, size: int) -> list[int]:
    return list(itertools.islice((i for i in order if chunks[i].source == source), size))


def _date_match(day: dt.date | None, span: DateRange) -> float:
    """1 in the span, ½ shortly after it, else 0."""
    if day is None:
        return 0.0
    if span.contains(day):
        return 1.0
    return 0.5 if 0 < (day - span.last).days <= TOLD_LATER else 0.0
