"""Notes of any size for measuring speed: the same at every run, with questions that one line each answers.

A file is a daily note of about ten chunks (10 KB): sections of short bullets whose words follow a Zipf law, as those
of real notes do, so that common words stand in many chunks and rare ones in few.
"""

from __future__ import annotations

import bisect
import datetime as dt
import itertools
import random
from dataclasses import dataclass
from pathlib import Path

LAST_DAY = dt.date(2026, 10, 31)
CHUNKS_A_FILE = 10
_SECTIONS = 6
_BULLETS = 12
_WORDS = 20_000
_ONSETS = (
    "b",
    "c",
    "d",
    "f",
    "g",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "t",
    "v",
    "br",
    "ch",
    "cl",
    "dr",
    "fl",
    "st",
    "tr",
)
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "oo", "ou")
_CODAS = ("", "", "n", "r", "s", "t", "l", "m", "ck", "nd", "st")
_SUBJECTS = ("Amara", "Bjorn", "Carla", "Dmitri", "Emeka", "Freya", "Goran", "Hiroko", "Ilse", "Jamal", "Luca", "Priya")
_TOPICS = ("planning", "garden", "servers", "kitchen", "invoices", "travel", "health", "music", "repairs")
_FRAMES = (
    "{who} said the {a} {b} needs {c} before {d}",
    "agreed to put {a} next to {b}, because {c} was {d}",
    "the {a} costs {n} now; {who} wants to try {b} and {c}",
    "{a} broke again after {b}; {who} found {c} in the {d}",
    "reminder: bring {a}, {b} and {c} to {who}, room {n}",
    "{who} read about {a}: less {b}, more {c}, never {d}",
    "moved {n} boxes of {a} from {b} to {c} with {who}",
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """What :func:`write` wrote.

    :param size: bytes of all notes.
    """

    root: Path
    files: int
    size: int
    questions: tuple[str, ...]


class _Words:
    """Made-up words, drawn with a probability of one through their rank."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        found: dict[str, None] = {}
        while len(found) < _WORDS:
            parts = (
                rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS) for _ in range(rng.choice((1, 2, 2, 3)))
            )
            found["".join(parts)] = None
        self._words = list(found)
        self._steps = list(itertools.accumulate(1 / (rank + 8) for rank in range(_WORDS)))

    def draw(self) -> str:
        return self._words[bisect.bisect(self._steps, self._rng.random() * self._steps[-1])]


def write(root: Path, files: int, *, questions: int = 200, seed: int = 7) -> Corpus:
    """Write *files* daily notes below ``root/memory``, the newest of :data:`LAST_DAY`."""
    rng = random.Random(seed)
    words = _Words(rng)
    folder = root / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    asked: list[str] = []
    said: list[dict[str, str]] = []
    size = 0
    for number in range(files):
        day = LAST_DAY - dt.timedelta(days=number)
        text, bullets = _note(day, rng, words)
        data = text.encode()
        size += len(data)
        (folder / f"{day.isoformat()}.md").write_bytes(data)
        if number % max(1, files // questions) == 0:
            asked.append(_question(rng, rng.choice(bullets)))
            said += bullets
    # Few notes are asked about more than once; the same notes come out whatever is asked.
    rng = random.Random(seed)
    while len(set(asked)) < questions:
        asked.append(_question(rng, rng.choice(said)))
    return Corpus(root, files, size, tuple(dict.fromkeys(asked))[:questions])


def _note(day: dt.date, rng: random.Random, words: _Words) -> tuple[str, list[dict[str, str]]]:
    lines = [f"# {day.isoformat()}"]
    bullets = []
    for section in range(_SECTIONS):
        lines += ["", f"## {8 + section:02d}:{rng.randrange(60):02d} {rng.choice(_TOPICS)}", ""]
        for _ in range(_BULLETS):
            frame = f"{rng.choice(_FRAMES)}; {rng.choice(_FRAMES)}"
            slots = {name: words.draw() for name in "abcd"} | {"who": rng.choice(_SUBJECTS)}
            bullets.append(slots)
            lines.append(f"- {frame.format(n=rng.randrange(10, 9000), **slots)}")
    return "\n".join(lines) + "\n", bullets


def _question(rng: random.Random, slots: dict[str, str]) -> str:
    """Words of one bullet: half of the questions name a person, whom two chunks of five mention."""
    forms = ("what did {who} say about {a} and {b}?", "{a} {b} {c}", "{who} {c} {d}", "the {a} near the {b}, and {d}")
    return rng.choice(forms).format(**slots)


def write_curated(root: Path, triggers: int, *, seed: int = 7) -> list[str]:
    """Write ``MEMORY.md`` with so many entries that carry a trigger; returns the triggers."""
    rng = random.Random(seed)
    words = _Words(rng)
    lines = ["# Memory", ""]
    phrases = []
    for number in range(triggers):
        phrase = f"{words.draw()} {words.draw()}"
        phrases.append(phrase)
        lines.append(f"- {rng.choice(_SUBJECTS)} keeps {words.draw()} number {number} <!-- trigger: {phrase} -->")
    root.mkdir(parents=True, exist_ok=True)
    (root / "MEMORY.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return phrases
