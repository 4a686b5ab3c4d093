"""The text leg: chunks by their words, files by their names."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import apsw

from openclaw_memory_core.index.model import KeywordHit, PathHit, Term
from openclaw_memory_core.index.store import ranking, text
from openclaw_memory_core.index.store.schema import sql, visible_bindings

if TYPE_CHECKING:
    from openclaw_memory_core.index.store.generations import Generation
    from openclaw_memory_core.index.store.recent import Kept
    from openclaw_memory_core.privacy import Visible

SHORT_RANK = -0.001
"""Rank of a chunk that holds a word too short for a trigram index: behind every ranked hit."""

_EXACT = 3
_BASE = 2
_STEM = 1

_COUNT = """SELECT count(*) FROM gN_text AS t
    CROSS JOIN gN_chunks AS c INDEXED BY gN_chunks_owner ON c.id = t.rowid
    CROSS JOIN gN_files AS f ON f.id = c.file WHERE gN_text MATCH :match AND VISIBLE"""

_CONTAINS = """SELECT c.id FROM gN_chunks AS c JOIN gN_files AS f ON f.id = c.file
    WHERE instr(lower(c.text), lower(:part)) AND VISIBLE ORDER BY c.id LIMIT :limit"""

_NAMED = """SELECT FIRST_CHUNK AS first, f.path, f.folded, f.base, f.stem FROM gN_files AS f
    WHERE f.chunks > 0 AND VISIBLE AND (
        f.folded IN (SELECT value FROM json_each(:names)) OR f.base IN (SELECT value FROM json_each(:bases))
        OR f.stem IN (SELECT value FROM json_each(:names)))"""

_PATH_WORDS = """SELECT FIRST_CHUNK AS first, f.path, p.rank FROM gN_paths AS p CROSS JOIN gN_files AS f
    ON f.id = p.rowid WHERE gN_paths MATCH :match AND f.chunks > 0 AND VISIBLE ORDER BY p.rank LIMIT :limit"""


def search(
    db: apsw.Connection,
    generation: Generation,
    terms: Sequence[Term],
    visible: Visible,
    limit: int,
    kept: Kept,
) -> list[KeywordHit]:
    """Chunks that hold any of *terms*, best first; a term's weight multiplies what it adds to the rank."""
    ranks: dict[int, float] = {}
    groups = _by_weight(terms)
    for weight, group in groups:
        parts = text.match_parts(group, generation.text_kind)
        if parts:
            # Only one group can be cut by SQL: a chunk may be second in each of two and first in their sum.
            found = ranking.ranked(db, generation, parts, visible, limit if len(groups) == 1 else -1, kept)
            for chunk, rank in found.items():
                ranks[chunk] = ranks.get(chunk, 0.0) + weight * rank
    for term in text.too_short(terms, generation.text_kind):
        bindings = visible_bindings(visible) | {"part": text.normalise(term.text).strip(), "limit": limit}
        for (chunk,) in db.execute(sql(_CONTAINS, generation.id), bindings):
            ranks[chunk] = ranks.get(chunk, 0.0) + term.weight * SHORT_RANK
    best = sorted((rank, chunk) for chunk, rank in ranks.items())[:limit]
    return [KeywordHit(chunk, rank) for rank, chunk in best]


def _by_weight(terms: Sequence[Term]) -> list[tuple[float, list[Term]]]:
    ordered = sorted((term for term in terms if term.weight > 0), key=lambda term: term.weight)
    return [(weight, list(group)) for weight, group in itertools.groupby(ordered, key=lambda term: term.weight)]


def frequencies(db: apsw.Connection, generation: Generation, words: Iterable[str], visible: Visible) -> dict[str, int]:
    """Number of visible chunks that hold each word."""
    bindings = visible_bindings(visible)
    found = {}
    for word in dict.fromkeys(words):
        match = text.match_query([Term(word, phrase=True)], generation.text_kind)
        found[word] = 0 if match is None else db.execute(sql(_COUNT, generation.id), bindings | {"match": match}).get
    return found


def paths(
    db: apsw.Connection, generation: Generation, query: str, terms: Sequence[Term], visible: Visible, limit: int
) -> list[PathHit]:
    """Files named in *query*, most specific first, then files whose names hold words of *terms*."""
    bindings = visible_bindings(visible)
    names = _names(query)
    hits: dict[str, PathHit] = {}
    if names:
        bases = sorted({name.rsplit("/", 1)[-1] for name in names})
        asked = bindings | {"names": json.dumps(sorted(names)), "bases": json.dumps(bases)}
        for first, path, folded, base, stem in db.execute(sql(_NAMED, generation.id), asked):
            specificity = _specificity(names, folded, base, stem)
            if specificity:
                hits[path] = PathHit(first, path, specificity, 0.0)
    match = text.match_query(terms, generation.text_kind)
    if match is not None:
        asked = bindings | {"match": match, "limit": limit + len(hits)}
        for first, path, rank in db.execute(sql(_PATH_WORDS, generation.id), asked):
            named = hits.get(path)
            hits[path] = PathHit(first, path, named.specificity if named else 0, rank)
    return sorted(hits.values(), key=lambda hit: (-hit.specificity, hit.rank, hit.path))[:limit]


def fold_path(path: str) -> str:
    """A path for comparing: one spelling, ``/``, no case."""
    return text.normalise(path).replace("\\", "/").strip().removeprefix("./").casefold()


def _names(query: str) -> set[str]:
    whole = fold_path(query)
    parts = {part.strip("\"'`()[]{}<>,;:!?").removeprefix("./").rstrip(".") for part in whole.split()}
    return {name for name in parts | {whole} if name.strip("./")}


def _specificity(names: set[str], folded: str, base: str, stem: str) -> int:
    if folded in names:
        return _EXACT
    if any(name == base or ("/" in name and folded.endswith("/" + name)) for name in names):
        return _BASE
    return _STEM if stem in names else 0
