"""Questions that anybody in a chat can ask: they cost a moment, and lose no word that stands in a note."""

from __future__ import annotations

import datetime as dt
import random
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cost import cpu_cost
from support.search_bench import SearchBench
from support.store import Bench

from openclaw_memory_core.index.store.typos import distance
from openclaw_memory_core.search.query import MAX_TERMS, parse
from openclaw_memory_core.search.words import WORD

TODAY = dt.date(2026, 5, 20)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("le fichier d'hier, que nous avons", ["fichier"]),
        ("qué hizo el player ayer", ["hizo", "player"]),
        ("le lendemain, que ferons nous demain", ["lendemain", "ferons", "demain"]),
        ("was hing gestern an der Weißgerberstraße", ["hing", "Weißgerberstraße"]),
        ("Weißgerberstraße gestern", ["Weißgerberstraße"]),
        ("cafe\u0301 ouvert hier, que nous avons vu", ["café", "ouvert", "vu"]),
        ("May 3 or May 3 with Ann", ["Ann", "3 May", "May 3", "May 3rd", "3rd of May"]),
    ],
)
def test_a_date_is_taken_out_where_it_stands_and_not_of_another_word(question: str, words: list[str]) -> None:
    asked = [term.text for term in parse(question, TODAY).terms if not term.text.startswith("202")]
    assert asked == words


@pytest.mark.parametrize(
    ("question", "phrase", "days"),
    [
        ('who sang "Yesterday once more"', "Yesterday once more", []),
        ("Lied „gestern Abend“ in der Straße", "gestern Abend", []),
        ('the note that says "3 May 2026" on top', "3 May 2026", ["2026-05-03"]),
        ('who said "once more" yesterday', "once more", ["2026-05-19"]),
        ('"the ferry yesterday"', "the ferry", ["2026-05-19"]),
    ],
)
def test_a_quoted_phrase_is_looked_for_as_it_is(question: str, phrase: str, days: list[str]) -> None:
    query = parse(question, TODAY)
    assert [" ".join(term.text.split()) for term in query.terms if term.phrase][:1] == [phrase]
    assert [date.first.isoformat() for date in query.dates] == days


def test_a_word_that_holds_the_name_of_a_day_is_found(tmp_path: Path) -> None:
    with SearchBench(tmp_path) as bench:
        bench.put({"memory/a.md": "le fichier des clients\n", "memory/b.md": "la liste des bateaux\n"})
        assert bench.paths("fichier que nous avons vu hier")[:1] == ["memory/a.md"]


@pytest.mark.parametrize(
    ("note", "question"),
    [
        ("हिन्दी किताब पढ़ी", "किताब"),
        ("கோப்பு முக்கியம்", "கோப்பு"),
        ("বাংলা বই", "বাংলা"),
        ("ที่นี่มีเรือ", "ที่นี่"),
        ("שלום רב", "שָׁלוֹם"),
        ("réunion avec Zoé", unicodedata.normalize("NFD", "réunion")),
        ("Bệnh viện", unicodedata.normalize("NFD", "bệnh")),
        ("x\u0323\u0307y one", "x\u0307\u0323y"),
    ],
)
def test_a_word_with_marks_is_one_word(tmp_path: Path, note: str, question: str) -> None:
    with SearchBench(tmp_path) as bench:
        bench.put({"memory/a.md": note, "memory/b.md": "something else"})
        assert bench.paths(question) == ["memory/a.md"]


def test_every_mark_that_letters_carry_belongs_to_words() -> None:
    variations = range(0xFE00, 0xFE10)
    marks = [c for c in range(0x10000) if unicodedata.category(chr(c))[0] == "M" and c not in variations]
    assert [hex(c) for c in marks if WORD.fullmatch(f"a{chr(c)}b") is None] == []
    apart = [c for c in range(0x10000) if unicodedata.category(chr(c))[0] in "PSZC" and chr(c) not in "'’_"]
    apart = [c for c in apart if unicodedata.category(chr(c)) != "Cn"]
    assert [hex(c) for c in apart if WORD.fullmatch(f"a{chr(c)}b") is not None] == []


@pytest.mark.parametrize("today", [dt.date.min, dt.date(1, 1, 2), dt.date(9999, 12, 1), dt.date.max])
@pytest.mark.parametrize(
    "question",
    [
        *("yesterday", "tomorrow", "last week", "next year", "in winter", "since December", "the past 3 weeks"),
        *("KW 53", "on the 31st", "last quarter", "around December 30", "first week of January last year"),
        *("the week before yesterday", "two weeks after tomorrow", "from December 30 to January 2", "999 years ago"),
    ],
)
def test_a_clock_at_the_ends_of_the_calendar_breaks_no_question(today: dt.date, question: str) -> None:
    assert parse(question, today).text == question


def test_a_question_of_hundreds_of_misspelt_words_is_answered_in_a_moment(tmp_path: Path) -> None:
    rng = random.Random(7)

    def word(letters: str, size: int) -> str:
        return "q" + "".join(rng.choices(letters, k=size))

    with Bench(tmp_path / "index.sqlite") as bench:
        bench.fill({f"{n}.md": " ".join(word("aeioubcdfgklmnprst", 7) for _ in range(200)) for n in range(50)})
        query = parse(" ".join(word("xyzwvj", 7) for _ in range(200)), TODAY)
        with cpu_cost(time.process_time) as cost, bench.store.reader() as reader:
            assert not any(reader.similar_words(one, 3) for one in query.words)
        # Seconds if each of the words were compared with each of the index.
        assert cost.seconds < 1.5
    assert len(query.words) == MAX_TERMS


@given(
    st.text("abc", min_size=4, max_size=9), st.lists(st.tuples(st.sampled_from("idst"), st.integers(0, 8)), max_size=2)
)
def test_no_word_within_reach_has_other_letters_than_its_edits_allow(word: str, edits: list[tuple[str, int]]) -> None:
    other = word
    for kind, place in edits:
        at = min(place, len(other) - 1)
        head, tail = other[:at], other[at:]
        other = {"i": head + "x" + tail, "d": head + tail[1:], "s": head + "y" + tail[1:]}.get(
            kind, head + tail[1:2] + tail[:1] + tail[2:]
        )
    found = distance(word, other, 2)
    assert len(set(word).symmetric_difference(other)) <= 2 * found
