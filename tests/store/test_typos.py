"""Misspelt words: what they are corrected to, and what is left as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.store import ALL, Bench

from openclaw_memory_core.index.store.typos import distance
from openclaw_memory_core.privacy import Visible
from openclaw_memory_core.search import stopwords

TYPOS = {
    # English
    "recieve": "receive",
    "seperate": "separate",
    "calender": "calendar",
    "apointment": "appointment",
    "appointmnet": "appointment",
    "insurrance": "insurance",
    "pasport": "passport",
    "recipt": "receipt",
    "adress": "address",
    "kitchn": "kitchen",
    "thermostta": "thermostat",
    "termostat": "thermostat",
    "tdentist": "dentist",
    "ccalendar": "calendar",
    "brithday": "birthday",
    "scedule": "schedule",
    "passwrod": "password",
    "meetnig": "meeting",
    "guitr": "guitar",
    "recpie": "recipe",
    "accomodation": "accommodation",
    "klin": "kiln",
    "fery": "ferry",
    "cofee": "coffee",
    "databse": "database",
    "decison": "decision",
    # German
    "Zahnartz": "Zahnarzt",
    "Vesicherung": "Versicherung",
    "Termim": "Termin",
    "Geburstag": "Geburtstag",
    "Rechnug": "Rechnung",
    "Fahrad": "Fahrrad",
    "Wohnug": "Wohnung",
    "Heitzung": "Heizung",
    "Schlüßel": "Schlüssel",
    "Muenchen": "München",
    "Kündgung": "Kündigung",
    # Spanish
    "resevra": "reserva",
    "dentsita": "dentista",
    "aereopuerto": "aeropuerto",
    "restuarante": "restaurante",
    "alquier": "alquiler",
    "contaseña": "contraseña",
    "bicileta": "bicicleta",
    "farmacai": "farmacia",
    "vacasiones": "vacaciones",
    "cumpleños": "cumpleaños",
    # Russian
    "договро": "договор",
    "аптка": "аптека",
    # Hindi
    "अस्पतल": "अस्पताल",
}

NEIGHBOURS = """
mit und mein nach the with when where what this that them they sobre para donde
talk disk data main size time lift card house root street train notes harbour march april 2025 v12 srch02
Haus Fisch Tasse Preise warte Hund Garten Schule Freitag Montag
perro gato mesa hueso cerro lunes enero playa
seal meal bear
"""

LEFT_AS_THEY_ARE = [
    # Nothing is near but a word of three letters or a function word.
    *["Miete", "mein", "whem", "thsi", "tehm", "wehn", "sobra", "cat", "Hut"],
    # Another word, not a misspelling.
    *["task", "dusk", "date", "Maus", "Tisch", "Kasse", "Reise", "Karte", "Mund", "pato", "pesa", "queso"],
    # The same letters, but not two neighbours that changed places.
    *["sale", "sales", "male", "bare"],
    # No word at all.
    *["asdfgh", "qwertz", "blorf", "grumple", "xyzzy", "zzzzzz"],
    # Numbers and codes.
    *["2026", "2052", "v13", "srch03", "srch20"],
    "two words",
    "receive" * 5_000,
    "",
]


@pytest.fixture
def notes(bench: Bench) -> Bench:
    """A note for each word that is meant, and one with words that are near to others."""
    bench.fill({f"memory/{word}.md": word for word in TYPOS.values()} | {"memory/near.md": NEIGHBOURS})
    return bench


def corrected(bench: Bench, word: str, visible: Visible | None = None) -> list[str]:
    with bench.store.reader() as reader:
        return reader.similar_words(word, 3, visible, stopwords.ALL)


def test_typing_errors_are_mended(notes: Bench) -> None:
    found = {typo: [path for word in corrected(notes, typo)[:1] for path in notes.found(word)] for typo in TYPOS}
    assert found == {typo: [f"memory/{word}.md"] for typo, word in TYPOS.items()}


@pytest.mark.parametrize("word", LEFT_AS_THEY_ARE, ids=lambda word: word[:20])
def test_what_is_no_typing_error_is_left_as_it_is(notes: Bench, word: str) -> None:
    assert corrected(notes, word) == []


def test_function_words_are_no_corrections_in_any_form(bench: Bench) -> None:
    bench.fill({"memory/a.md": "during theirs having"})
    with bench.store.reader() as reader:
        assert reader.similar_words("durign", 3) == ["during"]
    assert [corrected(bench, word) for word in ("durign", "thiers", "havign")] == [[], [], []]


def test_corrections_are_written_out(bench: Bench) -> None:
    bench.fill({"memory/a.md": "birthday insurance accommodation ferry blank dashboard thermostat"})
    typos = ["brithday", "insurrance", "accomodation", "fery", "blnak", "dashbord", "thermostatt"]
    found = [corrected(bench, typo) for typo in typos]
    assert found == [
        [word] for word in ["birthday", "insurance", "accommodation", "ferry", "blank", "dashboard", "thermostat"]
    ]


def test_fewer_edits_come_first_then_the_more_common_word(bench: Bench) -> None:
    bench.fill({"memory/a.md": "harbour barker", "memory/b.md": "harbor barber", "memory/c.md": "harbor barker"})
    assert corrected(bench, "harbpur") == ["harbour", "harbor"]
    assert corrected(bench, "barjer") == ["barker", "barber"]


def test_words_of_hidden_notes_are_no_corrections(bench: Bench) -> None:
    bench.fill({"MEMORY.md": "blacksmith"})
    assert corrected(bench, "blacksmiht", ALL) == ["blacksmith"]
    assert corrected(bench, "blacksmiht", Visible(curated=False)) == []


def test_pieces_of_words_are_no_corrections(tmp_path: Path) -> None:
    with Bench(tmp_path / "main.sqlite", fts_tokenizer="trigram") as bench:
        bench.fill({"memory/a.md": "kiln thermostat"})
        assert corrected(bench, "klin") == []
        assert corrected(bench, "ther") == []


words = st.text(st.sampled_from("abc"), max_size=7)


@given(words, words, st.integers(0, 3))
def test_the_distance_is_the_textbook_one_up_to_its_limit(one: str, other: str, most: int) -> None:
    """Against the table of all beginnings (restricted edit distance)."""
    table = {(i, 0): i for i in range(len(one) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            swap = i > 1 and j > 1 and one[i - 2 : i] == other[j - 2 : j][::-1]
            table[i, j] = min(
                table[i - 1, j] + 1,
                table[i, j - 1] + 1,
                table[i - 1, j - 1] + (one[i - 1] != other[j - 1]),
                table[i - 2, j - 2] + 1 if swap else 9,
            )
    assert distance(one, other, most) == min(table[len(one), len(other)], most + 1)
