"""Which hits get the places of an answer, and in what order.

Two orders compete for the places: the *documented* one (relevance × decay × importance) and the one *by relevance*,
in which age counts only between near equals.  Every fourth place belongs to the documented order, the others to the
best matches whatever their age, so that an old note that is the only answer is never buried.

Which hits are shown is decided there; in which order, by their ``score``: 0 to 1, a share of the best hit, and never
larger than that of the hit before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from openclaw_memory_core.config.model import Fusion, MmrConfig
from openclaw_memory_core.index.model import StoredChunk
from openclaw_memory_core.records import record
from openclaw_memory_core.search import mmr
from openclaw_memory_core.search.fusion import Fused, Signal
from openclaw_memory_core.search.snippets import Composer, Key, Snippet
from openclaw_memory_core.search.words import token_set

DOCUMENTED_EVERY = 4
"""Of so many places one belongs to the documented order."""

NEAR_EQUAL = 0.1
"""What age may cost at most in the order by relevance: of two equally good answers the newer is first."""

FURTHER = 0.7
"""Factor for a further passage of a hit that is shown already: it must beat other hits by something."""

DIVERSE_PLACES = 24
"""Places that diversity looks after: further down nobody notices, and comparing all with all would take long."""

PASSAGE_SHARE = 0.27
"""Share of the passage's own score in the relevance of a hit, at most; the rest is the chunk's."""

TOGETHER = 0.6
"""Share of the question that must stand together somewhere for passages to count so much beside vectors.  A passage is
judged by the question's words, and who asks in other words than the note's has few of them."""

OUTSIDE = 3
"""Of so many places of a question about a time one is kept for good matches from outside: things are told later."""

Reason = Literal["path", "relevance", "documented", "rescue", "source"]


@dataclass(slots=True)
class Candidate:
    """A chunk that may be shown.

    :param relevance: of the chunk, relative to the best (literal in ``documented`` fusion).
    :param specificity: of a file named in the question, 0 if it is not.
    :param within: how far it is of a time that the question names; None if the question names none.
    :param listed: the question asks for a time and nothing else, so that *relevance* is that of the list.
    """

    chunk: StoredChunk
    signal: Signal
    fused: Fused
    relevance: float
    decay: float
    importance: float
    specificity: int
    composer: Composer
    age: float | None = None
    within: float | None = None
    listed: bool = False
    _tokens: frozenset[str] | None = None

    @property
    def tokens(self) -> frozenset[str]:
        """Words of the chunk, for diversity; most candidates are never compared."""
        if self._tokens is None:
            self._tokens = token_set(self.chunk.text)
        return self._tokens


@record
class Choice:
    """A place of the answer.

    :param part: 0 for the first passage of a hit, 1 for the second …
    :param relevance: of the passage and its chunk.
    :param documented: relevance × decay × importance.
    :param score: what orders the answer.
    :param reason: why it has its place.
    """

    candidate: Candidate
    snippet: Snippet
    part: int
    relevance: float
    documented: float
    score: float
    reason: Reason
    likeness: float = 0.0


@record
class Rules:
    """What :func:`select` goes by.

    :param both_legs: words and vectors were asked.
    """

    max_results: int
    min_score: float
    fusion: Fusion
    mmr: MmrConfig
    both_legs: bool = False


@dataclass(slots=True)
class _State:
    """*best*: worth of the best entry, the measure of all others; *ceiling*: score of a named file."""

    best_passage: float
    passage_share: float
    best: float = 1.0
    ceiling: float = 1.0
    taken: dict[str, set[Key]] = field(default_factory=dict)
    chosen: list[Choice] = field(default_factory=list)


class _Entry:
    """A passage that may be shown.

    :ivar documented: relevance × decay × importance.
    :ivar worth: relevance × importance; what age may cost is bounded.
    """

    __slots__ = ("candidate", "documented", "part", "relevance", "score", "worth")

    def __init__(self, candidate: Candidate, part: int, relevance: float, score: float = 0.0) -> None:
        self.candidate = candidate
        self.part = part
        self.relevance = relevance
        self.score = score
        self.documented = relevance * candidate.decay * candidate.importance
        mild = 1.0 - NEAR_EQUAL * (1.0 - candidate.decay)
        self.worth = relevance * candidate.importance * mild


def select(candidates: Sequence[Candidate], rules: Rules) -> list[Choice]:
    """Fill the places: named files, then hits above the threshold, then keyword hits below it."""
    scores = [score for c in candidates if (score := c.composer.best(set())) is not None]
    state = _State(max(scores, default=0.0), PASSAGE_SHARE * _trust(candidates, rules))
    named = sorted((c for c in candidates if c.specificity), key=lambda c: (-c.specificity, -c.relevance, c.chunk.path))
    for candidate in named[: rules.max_results]:
        _place(state, _Entry(candidate, 0, candidate.relevance, candidate.relevance), "path", 0.0)
    state.ceiling = min((choice.score for choice in state.chosen), default=1.0)
    entries = [
        entry for c in candidates if not c.specificity for entry in [_entry(state, c, 0, rules)] if entry is not None
    ]
    state.best = max((entry.worth for entry in entries), default=0.0) or 1.0
    for entry in entries:
        entry.score = _score(state, entry, rules)
    passing = [entry for entry in entries if entry.score >= rules.min_score]
    _fill_in_turn(state, passing, rules)
    if len(state.chosen) < rules.max_results:
        rescued = [entry for entry in entries if entry.score < rules.min_score and entry.candidate.signal.rank > 0]
        _fill(state, rescued, rules, "rescue")
    return _arranged(_keep_a_note(state, passing, rules), rules)


def _trust(candidates: Sequence[Candidate], rules: Rules) -> float:
    """How far passages can be trusted for this question, 0 to 1."""
    if not rules.both_legs:
        return 1.0
    return min(1.0, max((candidate.signal.nearness for candidate in candidates), default=0.0) / TOGETHER)


def _fill_in_turn(state: _State, passing: list[_Entry], rules: Rules) -> None:
    """What is of the time that the question names first; a share of the places is left to the rest."""
    inside = [entry for entry in passing if entry.candidate.within]
    outside = [entry for entry in passing if not entry.candidate.within]
    if inside:
        kept = min(len(outside), rules.max_results // OUTSIDE)
        _fill(state, inside, rules, None, rules.max_results - kept)
    _fill(state, outside, rules, None)
    _fill(state, inside, rules, None)


def _score(state: _State, entry: _Entry, rules: Rules) -> float:
    """The number that orders an answer: worth as a share of the best, the upper half for what is of a named time."""
    if rules.fusion == "documented":
        return entry.documented
    share = min(1.0, entry.worth / state.best)
    if entry.candidate.within is not None:
        share = 0.5 * share * (entry.candidate.within or 1.0) + (0.5 if entry.candidate.within else 0.0)
    return share * state.ceiling


def _entry(state: _State, candidate: Candidate, part: int, rules: Rules) -> _Entry | None:
    passage = candidate.composer.best(state.taken.get(candidate.chunk.path, set()))
    if passage is None:
        return None
    relevance = candidate.relevance
    if rules.fusion != "documented" and state.best_passage > 0 and not candidate.listed:
        own = max(0.0, passage) / state.best_passage
        relevance += state.passage_share * (own - relevance)
    return _Entry(candidate, part, relevance * FURTHER**part)


def _arranged(chosen: list[Choice], rules: Rules) -> list[Choice]:
    """In the order of the scores; what diversity has moved down is worth no more than what it let pass."""
    if rules.fusion == "documented":
        return [replace(choice, score=min(1.0, max(0.0, choice.score))) for choice in chosen]
    least = 1.0
    capped = []
    for choice in chosen:
        moved_down = choice.reason in ("path", "relevance") and choice.score > least
        capped.append(replace(choice, score=least) if moved_down else choice)
        if choice.reason in ("path", "relevance"):
            least = min(least, choice.score)
    return sorted(capped, key=lambda choice: (choice.reason != "path", -choice.score))


def _orders(rules: Rules) -> Iterator[Reason]:
    place = 0
    while True:
        place += 1
        documented = rules.fusion == "documented" or place % DOCUMENTED_EVERY == 0
        yield "documented" if documented else "relevance"


def _fill(state: _State, entries: list[_Entry], rules: Rules, reason: Reason | None, places: int | None = None) -> None:
    places = rules.max_results if places is None else places
    likeness = _Likeness(state.chosen, rules.mmr)
    orders = _orders(rules)
    order = next(orders)
    while entries and len(state.chosen) < places:
        position, alike = _best(entries, order, likeness, rules.mmr)
        entry = entries.pop(position)
        if not _place(state, entry, reason or order, alike):
            continue
        likeness.add(entry.candidate)
        order = next(orders)
        further = _entry(state, entry.candidate, entry.part + 1, rules)
        if further is not None:
            further.score = _score(state, further, rules)
            if reason or further.score >= rules.min_score:
                entries.append(further)


class _Likeness:
    """Likeness of candidates to what is chosen already, kept up to date with each choice."""

    def __init__(self, chosen: Iterable[Choice], settings: MmrConfig) -> None:
        self._on = settings.enabled and settings.lambda_ < 1.0
        self._chosen = [choice.candidate for choice in chosen]
        self._known: dict[int, tuple[int, float]] = {}

    def add(self, candidate: Candidate) -> None:
        self._chosen.append(candidate)

    def of(self, candidate: Candidate) -> float:
        if not self._on or len(self._chosen) > DIVERSE_PLACES:
            return 0.0
        seen, most = self._known.get(candidate.chunk.id, (0, 0.0))
        for other in self._chosen[seen:]:
            if other.chunk.id != candidate.chunk.id:
                most = max(most, mmr.jaccard(candidate.tokens, other.tokens))
        self._known[candidate.chunk.id] = (len(self._chosen), most)
        return most


def _best(entries: Sequence[_Entry], order: Reason, likeness: _Likeness, settings: MmrConfig) -> tuple[int, float]:
    values = [entry.documented if order == "documented" else entry.score for entry in entries]
    diverse = settings.enabled and settings.lambda_ < 1.0
    scale = mmr.normalised(values) if diverse else values
    lambda_ = settings.lambda_ if diverse else 1.0
    best, best_alike = (-math.inf, 0.0, 0), 0.0
    for i in sorted(range(len(entries)), key=scale.__getitem__, reverse=True):
        if lambda_ * scale[i] < best[0]:
            # Likeness only takes away, so that nothing from here on can come first; comparing texts is the costly part.
            break
        alike = likeness.of(entries[i].candidate) if diverse else 0.0
        found = (mmr.marginal(scale[i], alike, lambda_), values[i], -i)
        if found > best:
            best, best_alike = found, alike
    return -best[2], best_alike


def _place(state: _State, entry: _Entry, reason: Reason, likeness: float) -> bool:
    candidate = entry.candidate
    taken = state.taken.setdefault(candidate.chunk.path, set())
    snippet = candidate.composer.compose(taken)
    if snippet is None:
        return False
    taken |= snippet.keys
    found = Choice(candidate, snippet, entry.part, entry.relevance, entry.documented, entry.score, reason, likeness)
    state.chosen.append(found)
    return True


def _keep_a_note(state: _State, entries: Sequence[_Entry], rules: Rules) -> list[Choice]:
    """Among many transcripts the best note keeps the last place: notes were written to be found."""
    chosen = state.chosen
    if any(choice.candidate.chunk.source == "memory" for choice in chosen) or len(chosen) < rules.max_results:
        return chosen
    notes = [entry for entry in entries if entry.candidate.chunk.source == "memory"]
    if not notes:
        return chosen
    best = max(notes, key=lambda entry: entry.score)
    dropped = chosen.pop()
    if not _place(state, best, "source", 0.0):
        chosen.append(dropped)
    return chosen
