"""Ranking chunks by bm25 without scoring every chunk that holds a common word.

FTS5 scores each chunk that holds any word of a question, and most of that work is for words that half of the notes
hold: their share of a score is next to nothing (BM25's idf), but they bring tens of thousands of chunks.  So the rarer
words choose the chunks, or two common ones that stand there both, and all of them add to the scores.  That is exact as
long as no chunk with one common word alone can reach a place that is asked for, which is checked: a word adds less than
(k1 + 1) x idf (the idea of MaxScore, Turtle and Flood, 1995).
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import apsw

from openclaw_memory_core.index.store.schema import sql, visible_bindings
from openclaw_memory_core.records import record

if TYPE_CHECKING:
    from openclaw_memory_core.index.store.generations import Generation
    from openclaw_memory_core.index.store.recent import Kept
    from openclaw_memory_core.privacy import Visible

WEIGHTS = (1.0, 0.6, 1.0)
"""Weights of the columns in bm25(): the text, the headings above it, words of its date and file name."""

SURE = 8
"""One place in so many is as exact as if every chunk had been scored; those behind it may be missing."""

_MOST_PER_IDF = 2.2
"""k1 + 1 of FTS5's bm25()."""

_USUAL = 1.1
"""What the last sure place usually has, as a multiple of the idf of the words that enough chunks hold."""

_MARGIN = 1.1
"""Frequencies of common words are estimated in a large index."""

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

_CHEAP = 1_500
"""So few chunks are scored at once, without asking twice."""

_LEAST_IDF = math.log(2)
"""Words in more than a third of all chunks are not worth looking for two of them."""

_PAIRED, _MOST_TELLING = 12, 4
"""Of a long question only the rarest words are paired, and not all common ones asked for in turn."""

_ADDING_IDF = 0.02
"""Words in nearly half of all chunks add next to nothing."""

_EVERYWHERE = 0.5
"""FTS5 gives words of half of all chunks an idf of a millionth: they tell nothing, and the chunks that were written
last are as good an answer to them as any …"""

_NEWEST = 16_384
_FILLING = 2_048
"""… of which there are enough among so many, and among so few where they only fill places that are left."""

_HIDES = "SELECT EXISTS (SELECT 1 FROM gN_files AS f WHERE f.chunks > 0 AND NOT VISIBLE)"

# Sorted by SQLite: FTS5 sorts by its own ``rank`` with all places of all words in tow, which takes longer than scoring.
_RANKED = """SELECT t.rowid, bm25(gN_text, WEIGHTS) AS score FROM gN_text AS t OWNERS
    WHERE gN_text MATCH :match AND t.rowid > :after AND SEEN ORDER BY score LIMIT :limit"""
_RANKED = _RANKED.replace("WEIGHTS", ", ".join(map(str, WEIGHTS)))
_ALL_SEEN = _RANKED.replace("OWNERS", "").replace("SEEN", "true")
_SOME_SEEN = _RANKED.replace(
    "OWNERS",
    """CROSS JOIN gN_chunks AS c INDEXED BY gN_chunks_owner ON c.id = t.rowid
    CROSS JOIN gN_files AS f ON f.id = c.file""",
).replace("SEEN", "VISIBLE")

# All at once: each statement costs as much as scoring twenty chunks.
_COUNTS = """SELECT json_group_object(p.value, (SELECT count(*) FROM gN_text WHERE gN_text MATCH p.value))
    FROM json_each(:parts) AS p"""
_SAMPLED = """SELECT json_group_object(part, held) FROM (
    SELECT p.value AS part, sum((SELECT count(*) FROM gN_text
        WHERE gN_text MATCH p.value AND rowid BETWEEN s.value AND s.value + :width - 1)) AS held
    FROM json_each(:parts) AS p CROSS JOIN json_each(:starts) AS s GROUP BY p.key)"""
_ENDS = "SELECT (SELECT min(id) FROM gN_chunks), (SELECT max(id) FROM gN_chunks)"
_ROWS = """SELECT sum((SELECT count(*) FROM gN_chunks WHERE id BETWEEN s.value AND s.value + :width - 1))
    FROM json_each(:starts) AS s"""


@record
class Extent:
    """How large a text index is.

    :param last: highest number of a chunk.
    :param total: chunks, estimated for a large index; 0 for one that is too small to care.
    :param starts: where the ranges of the sample begin; none where words are counted.
    :param sampled: chunks of the sample.
    """

    last: int
    total: float
    starts: tuple[int, ...] = ()
    sampled: int = 0


def ranked(
    db: apsw.Connection,
    generation: Generation,
    parts: Sequence[str],
    visible: Visible,
    limit: int,
    kept: Kept,
) -> dict[int, float]:
    """Rank of the best chunks that hold any of *parts*, by chunk.

    :param parts: FTS5 expressions, each for one word or phrase.
    :param limit: -1 for all of them, scored without exception.
    """
    query = _Query(db, generation, visible, limit, kept)
    shares = query.shares(parts) if limit > 0 else None
    if shares is None or query.total * sum(shares.values()) < _CHEAP:
        return query.run(_any(parts))
    order = sorted(parts, key=lambda part: shares[part])
    if shares[order[0]] > _EVERYWHERE:
        return query.run(_any(parts), newest=_NEWEST)
    found = query.chosen(order, shares)
    return query.run(_any(parts)) if found is None else found


def _idf(share: float) -> float:
    """FTS5's idf of a word that this share of all chunks holds; it takes next to nothing for one in half of them."""
    return math.log((1.0 - share) / share) if 0.0 < share < 0.5 else 0.0


def _any(parts: Iterable[str]) -> str:
    return " OR ".join(parts)


def _telling(common: Mapping[str, float]) -> list[str]:
    return [part for part, idf in common.items() if idf > _LEAST_IDF]


class _Query:
    """One question to one text index."""

    def __init__(
        self,
        db: apsw.Connection,
        generation: Generation,
        visible: Visible,
        limit: int,
        kept: Kept,
    ) -> None:
        self._db = db
        self._kept = kept
        self._moment = generation.moment
        self._generation = generation.id
        self._visible = visible
        self._limit = limit
        self._enough = max(1, limit // SURE)
        self._last = 0
        self._margin = 1.0
        self.total = 0.0

    def run(self, match: str, *, newest: int = 0) -> dict[int, float]:
        """Score everything that matches, or what of it is among the *newest* chunks."""
        bindings = {"match": match, "after": self._last - newest if newest else 0, "limit": self._limit}
        if self._hides():
            # Asking whose a chunk is takes a third of the time of scoring it.
            found = self._db.execute(self._sql(_SOME_SEEN), bindings | visible_bindings(self._visible))
        else:
            found = self._db.execute(self._sql(_ALL_SEEN), bindings)
        return dict(found)

    def _hides(self) -> bool:
        """Whether the index holds anything that may not be seen."""

        def ask() -> bool:
            return bool(self._db.execute(self._sql(_HIDES), visible_bindings(self._visible)).get)

        return self._kept.hides.get((self._moment, self._visible), ask)

    def chosen(self, order: Sequence[str], shares: Mapping[str, float]) -> dict[int, float] | None:
        """The ranking by the fewest words that give it exactly; None if it takes them all.

        :param order: rarest first.
        """
        idfs = {part: _idf(shares[part]) for part in order}
        pairs = itertools.combinations(_telling(idfs)[:_PAIRED], 2)
        # A chunk of middling length scores the idf of a word that it holds once, and the best of many a little more.
        reach = max(
            (idfs[one] + idfs[other] for one, other in pairs if self._has_enough(shares, one, other)), default=0.0
        )
        for number, part in enumerate(order[:-1], 1):
            if self._has_enough(shares, part):
                reach = max(reach, idfs[part])
            rare, common = order[:number], {other: idfs[other] for other in order[number:]}
            if len(_telling(common)) <= _MOST_TELLING and _USUAL * reach >= self._least(common):
                found = self.few(rare, common)
                if found is not None:
                    return found
        return None

    def _has_enough(self, shares: Mapping[str, float], *parts: str) -> bool:
        """Whether as many chunks as are asked for hold all of these, if words do not keep together."""
        return self.total * math.prod(shares[part] for part in parts) >= self._enough - _ROUNDING

    def _least(self, common: Mapping[str, float]) -> float:
        """A score above this is beyond the reach of a chunk that :meth:`few` does not look at.

        That holds no rare word, and one of the telling common ones at most.
        """
        most = max((common[part] for part in _telling(common)), default=0.0)
        return self._margin * _MOST_PER_IDF * (most + sum(idf for idf in common.values() if idf <= _LEAST_IDF))

    def few(self, rare: Sequence[str], common: Mapping[str, float]) -> dict[int, float] | None:
        """The ranking of chunks that hold any of the *rare* parts or two *common* ones; None if it might not be exact.

        :param common: part and idf.
        """
        either, telling = _any(rare), _telling(common)
        found = self.run(either)
        # A chunk has its whole score in the first of these that it matches, and less in the others.
        adding = [part for part, idf in common.items() if idf > _ADDING_IDF]
        both = [(either, adding)] if adding else []
        both += [(part, telling[number:]) for number, part in enumerate(telling[:-1], 1)]
        for one, others in both:
            for chunk, rank in self.run(f"({one}) AND ({_any(others)})").items():
                found[chunk] = min(rank, found.get(chunk, 0.0))
        if len(found) < self._enough and not any(common.values()):
            found = self.run(_any(common), newest=_FILLING) | found
        if len(found) < self._enough or -sorted(found.values())[self._enough - 1] < self._least(common):
            return None
        return found

    def shares(self, parts: Sequence[str]) -> dict[str, float] | None:
        """Share of the chunks that hold each part; None if there are too few chunks to care."""
        extent = self._kept.extents.get(self._moment, self._measure)
        self._last, self.total = extent.last, extent.total
        self._margin = _MARGIN if extent.starts else 1.0
        if not self.total:
            return None
        known = self._kept.shares.get_all(
            [(self._moment, part) for part in parts], lambda keys: self._count([part for _, part in keys], extent)
        )
        return dict(zip(parts, known, strict=True))

    def _measure(self) -> Extent:
        first, last = next(iter(self._db.execute(self._sql(_ENDS))))
        if first is None or last - first < _SMALL:
            return Extent(last or 0, 0.0)
        if last - first < _COUNTED:
            rows = self._rows((first,), last - first + 1)
            return Extent(last, rows if rows >= _SMALL else 0.0)
        step = (last - first) / _RANGES
        starts = tuple(int(first + n * step) for n in range(_RANGES))
        sampled = self._rows(starts, _WIDTH)
        total = sampled * (last - first) / (_RANGES * _WIDTH)
        return Extent(last, total if sampled >= _SMALL // 4 else 0.0, starts, sampled)

    def _rows(self, starts: Sequence[int], width: int) -> int:
        found: int = self._db.execute(self._sql(_ROWS), {"starts": json.dumps(starts), "width": width}).get
        return found

    def _count(self, parts: Sequence[str], extent: Extent) -> list[float]:
        """The share of each part.  Few statements: after each one Python's lock is waited for."""
        shares: dict[str, float] = {}
        if extent.starts:
            asked = {"parts": json.dumps(parts), "starts": json.dumps(extent.starts), "width": _WIDTH}
            found = json.loads(self._db.execute(self._sql(_SAMPLED), asked).get)
            shares = {part: count / extent.sampled for part, count in found.items()}
        rare = [part for part in parts if shares.get(part, 0.0) < _RARE]
        if rare:
            found = json.loads(self._db.execute(self._sql(_COUNTS), {"parts": json.dumps(rare)}).get)
            shares |= {part: count / extent.total for part, count in found.items()}
        return [shares[part] for part in parts]

    def _sql(self, template: str) -> str:
        return sql(template, self._generation)
