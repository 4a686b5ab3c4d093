"""Words of the index that a misspelt word may stand for."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, cast

import apsw

from openclaw_memory_core.index.store import text
from openclaw_memory_core.index.store.keyword import frequencies
from openclaw_memory_core.index.store.schema import TOKENIZERS, sql

if TYPE_CHECKING:
    from openclaw_memory_core.index.store.generations import Generation
    from openclaw_memory_core.privacy import Visible

WINDOW = 20_000
"""Words of the index that are looked at for one misspelt word."""

_SHORTEST = 4
"""Letters of the shortest stem that is corrected or answered with: any three letters are near to many words."""

_LONGEST = 48
"""Letters of the longest word that is corrected; there are about 53 times as many ways to mend it."""

_TWO_EDITS = 7
"""Letters from which on two edits are allowed, or one at the first letter."""

_SPARE = 4
"""Candidates for one answer, of which some may be hidden."""

_LATIN = "abcdefghijklmnopqrstuvwxyz"

_Found = dict[str, tuple[int, int]]
"""Edits and number of chunks by word."""

_SCAN = """SELECT term, doc FROM gN_words WHERE term >= :first AND term < :next
    AND length(term) BETWEEN :short AND :long AND term <> :stem LIMIT :window"""

_LOOK_UP = "SELECT term, doc FROM gN_words WHERE term IN (SELECT value FROM json_each(:stems)) AND term <> :stem"


def similar_words(
    db: apsw.Connection,
    generation: Generation,
    word: str,
    limit: int,
    visible: Visible | None,
    never: Collection[str] = (),
) -> list[str]:
    """Indexed words that *word* may be meant for: fewest edits first, then the most common.

    The index knows stems only: a word that is one edit away is written out, another one is given as its stem.

    An edit is a letter too many, one missing, one for another, or two that changed places (F. Damerau, "A technique for
    computer detection and correction of spelling errors", 1964).  Short words may have one, long ones two.  The first
    letter stands, save in long words, where it may be missing, doubled or out of place.  Words of four letters with one
    for another are two words (``task``, ``talk``) more often than one.  Codes and numbers are never corrected.

    :param visible: leave out words that stand in hidden chunks only.
    :param never: words that are not answered with.
    """
    if generation.text_kind != "unicode61":
        # The words of a trigram index are pieces of words.
        return []
    stems = _stems(db, [word])
    if len(stems) != 1 or not _SHORTEST <= len(stems[0]) <= _LONGEST or _has_digit(stems[0]):
        return []
    found, written = _near(db, generation, stems[0]), {}
    if word.isascii() and word.isalpha() and len(word) <= _LONGEST:
        written = _mended_stems(db, word.lower())
        found |= _known(db, generation, written, stems[0])
    unwanted = set(_stems(db, never))
    best = sorted((edits, -common, term) for term, (edits, common) in found.items() if term not in unwanted)
    likely = [term for _, _, term in best if _is_likely(stems[0], term)]
    near = [written.get(term) or _spelt(db, term) for term in likely[: limit * _SPARE]]
    if visible is not None:
        seen = frequencies(db, generation, near, visible)
        near = [one for one in near if seen[one]]
    return near[:limit]


def _has_digit(word: str) -> bool:
    return any(map(str.isnumeric, word))


def _is_likely(stem: str, term: str) -> bool:
    if len(term) < _SHORTEST or _has_digit(term):
        return False
    if len(stem) >= _TWO_EDITS or len(stem) != len(term):
        return True
    if sorted(stem) == sorted(term):
        # One edit is enough to reach ``seale``, of which the stemmer makes ``seal``: two edits from ``sale``.
        return distance(stem, term, 1) == 1
    return len(stem) > _SHORTEST


def _spelt(db: apsw.Connection, term: str) -> str:
    """*term* so that the stemmer, which is asked again, leaves it: of ``coffe`` (coffee) it would make ``coff``."""
    return term if _stems(db, [term]) == [term] else term + "e"


def _stems(db: apsw.Connection, words: Iterable[str]) -> list[str]:
    name, *arguments = TOKENIZERS["unicode61"]
    tokenizer = db.fts5_tokenizer(name, arguments)
    folded = text.fold(" ".join(words)).encode()
    found = tokenizer(folded, apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False)
    return [str(token) for group in found for token in cast("tuple[str, ...]", group)]


def _near(db: apsw.Connection, generation: Generation, stem: str) -> _Found:
    """Words with the same first letter and few edits."""
    allowed = 1 if len(stem) < _TWO_EDITS else 2
    bindings = {
        "first": stem[0],
        "next": chr(ord(stem[0]) + 1),
        "short": len(stem) - allowed,
        "long": len(stem) + allowed,
        "stem": stem,
        "window": WINDOW,
    }
    found = {}
    letters = set(stem)
    for term, common in db.execute(sql(_SCAN, generation.id), bindings):
        # An edit takes in one letter and drops one at most; nearly every word is told apart by that, which is fast.
        if len(letters.symmetric_difference(term)) > 2 * allowed:
            continue
        edits = distance(stem, term, allowed)
        if edits <= allowed:
            found[term] = (edits, common)
    return found


def _mended_stems(db: apsw.Connection, word: str) -> dict[str, str]:
    """The shortest word of each stem that is one edit away.

    The ending may hide the error from the stemmer: ``meetnig`` has no stem in common with ``meeting``.
    """
    mended = sorted(_mended(word), key=len, reverse=True)
    return dict(zip(_stems(db, mended), mended, strict=True))


def _known(db: apsw.Connection, generation: Generation, stems: Collection[str], stem: str) -> _Found:
    asked = {"stems": json.dumps(list(stems)), "stem": stem}
    return {term: (1, common) for term, common in db.execute(sql(_LOOK_UP, generation.id), asked)}


def _mended(word: str) -> Iterator[str]:
    """Every word that is one edit away; the first letter changes only where the word is long, and never for another."""
    for at in range(0 if len(word) >= _TWO_EDITS else 1, len(word) + 1):
        head, tail = word[:at], word[at:]
        if tail:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        for letter in _LATIN:
            yield head + letter + tail
            if head and tail:
                yield head + letter + tail[1:]


def distance(one: str, other: str, most: int) -> int:
    """Edits between two words, *most* + 1 if there are more than *most*."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    one, other = one[start:], other[start:]
    if not one or not other:
        return min(len(one) + len(other), most + 1)
    if most == 0:
        return 1
    ways = [(one[1:], other[1:]), (one[1:], other), (one, other[1:])]
    if one[:2] == other[1::-1]:
        ways.append((one[2:], other[2:]))
    return 1 + min(distance(left, right, most - 1) for left, right in ways)
