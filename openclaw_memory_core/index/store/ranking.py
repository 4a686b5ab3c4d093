"""Ranking chunks by bm25 without scoring every chunk that holds a common word.

FTS5 scores each chunk that holds any word of a question, and most of that work is for words that half of the notes
hold: their share of a score is next to nothing (BM25's idf), but they bring tens of thousands of chunks.  So the rarer
words choose the chunks, and the common ones only add to their scores.  That is exact as long as no chunk that holds
common words alone can reach a place that is asked for, which is checked: a word adds less than (k1 + 1) x idf
(the idea of MaxScore, Turtle and Flood, 1995).
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import apsw

from openclaw_memory_core.index.store.recent import moment
from openclaw_memory_core.index.store.schema import sql

if TYPE_CHECKING:
    from openclaw_memory_core.index.store.generations import Generation
    from openclaw_memory_core.index.store.recent import Moment, Recent

SURE = 10
"""One place in so many is as exact as if every chunk had been scored; those behind it may be missing."""

_MOST_PER_IDF = 2.2
"""k1 + 1 of FTS5's bm25()."""

_MARGIN = 1.1
"""Frequencies of common words are estimated."""

_ROUNDING = 1e-6
"""Counts are computed from shares."""

_SMALL = 4_096
"""With fewer chunks than this everything is scored."""

_COUNTED = 32_768
"""Up to so many chunks words are counted, beyond they are sampled first."""

_RANGES, _WIDTH = 8, 512
"""The sample: ranges spread over all chunks, for a word may belong to one season."""

_RARE = 0.05
"""A word with a smaller share of the sample is counted after all, which is cheap then."""

_CHEAP = 4_000
"""So few chunks are scored at once, without asking twice."""

_LEAST_IDF = math.log(2)
"""A word in more than a third of all chunks adds less than reading its list again would cost."""

_EVERYWHERE = 0.5
"""FTS5 gives words of half of all chunks an idf of a millionth: they tell nothing, and the chunks that were written
last are as good an answer to them as any …"""

_NEWEST = 16_384
"""… of which there are enough among so many."""

# One row instead of hundreds: at each one Python's lock would be given up and waited for, while the other leg works.
_RANKED = """SELECT json_group_array(json_array(chunk, rank)) FROM (
    SELECT t.rowid AS chunk, t.rank AS rank FROM gN_text AS t
    CROSS JOIN gN_chunks AS c INDEXED BY gN_chunks_owner ON c.id = t.rowid
    CROSS JOIN gN_files AS f ON f.id = c.file
    WHERE gN_text MATCH :match AND t.rank MATCH :weights AND t.rowid > :after AND VISIBLE
    ORDER BY t.rank LIMIT :limit)"""

_COUNT = "SELECT count(*) FROM gN_text WHERE gN_text MATCH ?"
_COUNT_RANGE = "SELECT count(*) FROM gN_text WHERE gN_text MATCH ? AND rowid BETWEEN ? AND ?"
_ROWS = "SELECT count(*) FROM gN_chunks WHERE id BETWEEN ? AND ?"
_ENDS = "SELECT (SELECT min(id) FROM gN_chunks), (SELECT max(id) FROM gN_chunks)"


def ranked(
    db: apsw.Connection,
    generation: Generation,
    parts: Sequence[str],
    bindings: dict[str, object],
    limit: int,
    known: Recent[tuple[Moment, str], float],
) -> dict[int, float]:
    """Rank of the best chunks that hold any of *parts*, by chunk.

    :param parts: FTS5 expressions, each for one word or phrase.
    :param bindings: ``weights`` and those of ``VISIBLE``.
    :param limit: -1 for all of them, scored without exception.
    :param known: shares of parts that were asked for before.
    """
    query = _Query(db, generation, bindings, limit, known)
    shares = query.shares(parts) if limit > 0 else None
    if shares is None:
        return query.run(" OR ".join(parts))
    if query.total * sum(shares.values()) < _CHEAP:
        return query.run(" OR ".join(parts))
    order = sorted(parts, key=lambda part: shares[part])
    if shares[order[0]] > _EVERYWHERE:
        return query.run(" OR ".join(parts), newest=True)
    idfs = {part: _idf(share) for part, share in shares.items()}
    for number in range(1, len(order)):
        rare, common = order[:number], {part: idfs[part] for part in order[number:]}
        if not query.may_do(rare, shares, idfs, common):
            continue
        found = query.few(rare, common)
        if found is not None:
            return found
    return query.run(" OR ".join(parts))


def _idf(share: float) -> float:
    """FTS5's idf of a word that this share of all chunks holds; it takes next to nothing for one in half of them."""
    return math.log((1.0 - share) / share) if 0.0 < share < 0.5 else 0.0


class _Query:
    """One question to one text index."""

    def __init__(
        self,
        db: apsw.Connection,
        generation: Generation,
        bindings: dict[str, object],
        limit: int,
        known: Recent[tuple[Moment, str], float],
    ) -> None:
        self._db = db
        self._known = known
        self._moment = moment(generation)
        self._generation = generation.id
        self._bindings = bindings | {"limit": limit}
        self._enough = max(1, limit // SURE)
        self._last = 0
        self.total = 0.0

    def run(self, match: str, *, newest: bool = False) -> dict[int, float]:
        """Score everything that matches, or what was written last of it."""
        after = self._last - _NEWEST if newest else 0
        bindings = self._bindings | {"match": match, "after": after}
        return dict(json.loads(self._db.execute(sql(_RANKED, self._generation), bindings).get))

    def may_do(
        self, rare: Sequence[str], shares: dict[str, float], idfs: dict[str, float], common: dict[str, float]
    ) -> bool:
        """False where :meth:`few` is sure to find too little, which the numbers of chunks tell without asking.

        :param rare: rarest first.
        """
        # The rarest words, which together stand in fewer chunks than are asked for, leave the last place to the others.
        before, rest = 0.0, list(rare)
        while rest and before + (count := self.total * shares[rest[0]]) < self._enough - _ROUNDING:
            before += count
            rest.pop(0)
        highest = _MOST_PER_IDF * sum(idfs[part] for part in rest)
        return bool(rest) and _MARGIN * highest >= self._least(common)

    def _least(self, common: dict[str, float]) -> float:
        """What common words may add: a score above it is beyond the reach of a chunk that holds them alone."""
        return _MARGIN * _MOST_PER_IDF * sum(common.values())

    def few(self, rare: Sequence[str], common: dict[str, float]) -> dict[int, float] | None:
        """The ranking by *rare* parts, with what *common* ones (part and idf) add; None if it might not be exact."""
        either = " OR ".join(rare)
        found = self.run(either)
        if len(found) < self._enough:
            return None
        last = sorted(found.values())[self._enough - 1]
        if -last < self._least(common):
            return None
        telling = [part for part, idf in common.items() if idf > _LEAST_IDF]
        if telling:
            found |= self.run(f"({either}) AND ({' OR '.join(telling)})")
        return found

    def shares(self, parts: Sequence[str]) -> dict[str, float] | None:
        """Share of the chunks that hold each part; None if there are too few chunks to care."""
        first, last = next(iter(self._db.execute(self._sql(_ENDS))))
        self._last = last or 0
        if first is None or last - first < _SMALL:
            return None
        if last - first < _COUNTED:
            self.total = self._db.execute(self._sql(_ROWS), (first, last)).get
            if self.total < _SMALL:
                return None
            return self._all_shares(parts, lambda part: self._count(part) / self.total)
        step = (last - first) / _RANGES
        ranges = [(int(first + n * step), int(first + n * step) + _WIDTH - 1) for n in range(_RANGES)]
        rows = sum(self._db.execute(self._sql(_ROWS), one).get for one in ranges)
        if rows < _SMALL // 4:
            return None
        self.total = rows * (last - first) / (_RANGES * _WIDTH)
        return self._all_shares(parts, lambda part: self._share(part, ranges, rows))

    def _all_shares(self, parts: Sequence[str], share: Callable[[str], float]) -> dict[str, float]:
        return {part: self._known.get((self._moment, part), functools.partial(share, part)) for part in parts}

    def _share(self, part: str, ranges: Sequence[tuple[int, int]], rows: int) -> float:
        sampled = sum(self._db.execute(self._sql(_COUNT_RANGE), (part, *one)).get for one in ranges) / rows
        return sampled if sampled >= _RARE else self._count(part) / self.total

    def _count(self, part: str) -> int:
        count: int = self._db.execute(self._sql(_COUNT), (part,)).get
        return count

    def _sql(self, template: str) -> str:
        return sql(template, self._generation)
