"""Entries with triggers, found by the words of a message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openclaw_memory_core.recall.block import build_block, shorten, strip_recall_blocks
from openclaw_memory_core.recall.words import Message, Phrase
from openclaw_memory_hookspecs import RecallBlock, RecalledEntry

if TYPE_CHECKING:
    from openclaw_memory_core.workspace.annotations import Entry

THRESHOLD = 0.72
MAX_ENTRIES = 3
NEUTRAL_IMPORTANCE = 5
"""Importance of an entry without one: its multiplier in search is 1."""


@dataclass(frozen=True, slots=True)
class CuratedEntry:
    """An entry and the file that it is in."""

    path: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class _Match:
    score: float
    phrase: Phrase
    source: CuratedEntry

    @property
    def rank(self) -> tuple[float, int, int, str, int]:
        """Best first: score, importance, length of the phrase, then place."""
        entry = self.source.entry
        importance = NEUTRAL_IMPORTANCE if entry.importance is None else entry.importance
        return (-self.score, -importance, -len(self.phrase.sequence), self.source.path, entry.start_line)


class RecallIndex:
    """Immutable; safe to use from several threads.

    :param entries: those without a trigger are ignored.
    """

    def __init__(self, entries: Iterable[CuratedEntry]) -> None:
        phrases = [
            (phrase, source)
            for source in entries
            for text in source.entry.triggers
            if (phrase := Phrase.parse(text)) is not None
        ]
        frequency = Counter(word for phrase, _ in phrases for word in _first_words(phrase))
        self._by_word: dict[str, list[tuple[Phrase, CuratedEntry]]] = {}
        for phrase, source in phrases:
            # A phrase that fits lacks at most `spare` units, so one of its `spare + 1` rarest is in the message.
            spare = len(phrase.units) - phrase.required(THRESHOLD)
            rarest = sorted(_first_words(phrase), key=lambda word: (frequency[word], word))
            for word in rarest[: spare + 1]:
                self._by_word.setdefault(word, []).append((phrase, source))

    def recall(self, message: str, *, projects: Collection[str] = ()) -> RecallBlock | None:
        """At most three entries whose phrase fits *message*, best first; None if none does.

        :param projects: active project keys; an entry that names others is left out.
        """
        if not self._by_word:
            return None
        best: dict[tuple[str, int], _Match] = {}
        for match in self._matches(Message.parse(strip_recall_blocks(message)), projects):
            place = (match.source.path, match.source.entry.start_line)
            if place not in best or match.rank < best[place].rank:
                best[place] = match
        ranked = sorted(best.values(), key=lambda match: match.rank)[:MAX_ENTRIES]
        return build_block([_recalled(match) for match in ranked])

    def _matches(self, message: Message, projects: Collection[str]) -> Iterable[_Match]:
        seen: set[tuple[int, int]] = set()
        for word in message.words & self._by_word.keys():
            for phrase, source in self._by_word[word]:
                known = (id(phrase), id(source))
                if known in seen:
                    continue
                seen.add(known)
                score = phrase.score(message)
                if score >= THRESHOLD and all(key in projects for key in source.entry.projects):
                    yield _Match(score, phrase, source)


def _first_words(phrase: Phrase) -> set[str]:
    return {unit.split()[0] for unit in phrase.units}


def _recalled(match: _Match) -> RecalledEntry:
    return RecalledEntry(
        path=match.source.path,
        line=match.source.entry.start_line,
        text=shorten(_without_bullet(match.source.entry.text)),
        score=round(match.score, 4),
        trigger=match.phrase.text,
    )


def _without_bullet(text: str) -> str:
    return text[2:] if text[:2] in {"- ", "* ", "+ "} else text.lstrip("# ")
