"""The text that a hit shows."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from support.search_bench import SearchBench, settings
from support.store import document
from support.strategies import markdown_texts

from openclaw_memory_core.config.model import ChunkingConfig
from openclaw_memory_core.index.chunking import chunk_document
from openclaw_memory_core.index.model import Chunk, StoredChunk
from openclaw_memory_core.search.passages import NeedleWeights, find_all, lines_of, union
from openclaw_memory_core.search.query import parse
from openclaw_memory_core.search.snippets import GAP, LIMIT, MAX_GAPS, Composer, Snippet

TODAY = dt.date(2026, 5, 5)
FILLER = "the weather was fair and nothing else of note happened on this day in the harbour"


def stored(chunk: Chunk, number: int = 1) -> StoredChunk:
    return StoredChunk(
        number,
        "memory/x.md",
        "memory",
        chunk.start_line,
        chunk.end_line,
        chunk.text,
        (),
        False,
        None,
        0,
        None,
        None,
    )


def composers(text: str, question: str) -> list[Composer]:
    needles = parse(question, TODAY).needles
    chunks = [stored(c, n) for n, c in enumerate(chunk_document(document("memory/x.md", text), ChunkingConfig()))]
    lines = [lines_of(chunk, find_all([chunk.text], needles)[0], LIMIT) for chunk in chunks]
    weighed = NeedleWeights(needles, [union(one.found) for one in lines])
    return [Composer(one, weighed) for one in lines]


def snippets(text: str, question: str) -> list[Snippet]:
    found = []
    for composer in composers(text, question):
        taken: set[tuple[int, str]] = set()
        while (snippet := composer.compose(taken)) is not None:
            found.append(snippet)
            taken |= snippet.keys
    return found


def test_a_hit_that_fits_is_shown_whole() -> None:
    text = "# Boat\n\n- the engine is a Yanmar\n- the sail is new"

    (snippet,) = snippets(text, "engine")

    assert (snippet.text, snippet.first, snippet.last) == (text, 1, 4)


def test_the_passage_that_matched_is_shown_not_the_top() -> None:
    lines = [f"- {number} {FILLER}" for number in range(1, 17)]
    lines[11] = "- the beehive stand is in Odile's shed"

    first = snippets("\n".join(lines), "beehive stand")[0]

    assert lines[11] in first.text.split("\n")
    assert first.first <= 12 <= first.last


def test_the_answer_that_follows_a_question_is_shown_before_longer_lines_further_up() -> None:
    lines = [f"- {number} {FILLER} {FILLER}" for number in range(1, 9)]
    lines[5] = "- Ada: what did you use on the warped kiln door?"
    lines[6] = "- Ben: a plank of larch, and two days in the sun."

    first = snippets("\n".join(lines), "what was used on the warped kiln door?")[0]

    assert {lines[5], lines[6]} <= set(first.text.split("\n"))


def test_what_stands_beside_the_match_is_shown_before_equal_lines_further_away() -> None:
    lines = [f"- {number:02d} {FILLER}" for number in range(1, 16)]
    lines[9] = "- 10 the kiln door"

    first = snippets("\n".join(lines), "kiln door")[0]

    shown = [line for line in first.text.split("\n") if line != GAP]
    assert {lines[8], lines[9], lines[10]} <= set(shown)
    assert lines[0] not in shown


def test_a_talk_of_short_lines_is_shown_in_a_few_pieces() -> None:
    lines = [f"Ines: number {n}, and what then?" if n % 2 else f"Marta: not yet, {n} is late" for n in range(1, 40)]
    lines[20] = "Marta: the kiln door needs descaling twice a year"

    first = snippets("\n".join(lines), "how often does the kiln door need descaling?")[0]

    assert lines[20] in first.text.split("\n")
    assert first.text.split("\n").count(GAP) <= MAX_GAPS


def test_left_out_lines_are_marked_and_every_shown_line_is_whole() -> None:
    lines = [f"- {number} {FILLER}" for number in range(1, 17)]
    lines[2] = "- the kiln got a new door"
    lines[10] = "- the kiln door was painted red"

    first = snippets("\n".join(lines), "kiln door")[0]

    shown = first.text.split("\n")
    assert {lines[2], lines[10]} <= set(shown)
    assert GAP in shown
    assert [line for line in shown if line != GAP] == [line for line in lines if line in shown]


def test_passages_far_apart_are_hits_of_their_own() -> None:
    lines = [f"- {number}" for number in range(1, 120)]
    lines[4] = "- kiln door"
    lines[100] = "- kiln door"

    found = snippets("\n".join(lines), "kiln door")

    assert {snippet.first <= 5 <= snippet.last for snippet in found} == {True, False}
    assert not any(snippet.first <= 5 and snippet.last >= 101 for snippet in found)


def test_the_heading_above_the_passage_is_shown_with_it() -> None:
    lines = ["## Pottery", *(f"- {number} {FILLER}" for number in range(2, 12))]
    lines[8] = "- the door was painted red"

    first = snippets("\n".join(lines), "painted red door")[0]

    assert first.text.startswith("## Pottery\n")
    assert lines[8] in first.text


def test_one_endless_line_is_shown_around_the_match() -> None:
    words = [f"word{number}" for number in range(220)]
    words[150] = "beehive"

    found = [s for s in snippets(" ".join(words), "beehive") if "beehive" in s.text]

    assert found[0].text.count("beehive") == 1
    assert (found[0].first, found[0].last) == (1, 1)


@limits(max_examples=40, deadline=None)
@given(text=markdown_texts(), question=st.sampled_from(["kiln", "the quick fox", "账单", "???", "x é"]))
def test_snippets_are_short_exact_and_disjoint(text: str, question: str) -> None:
    source = text.split("\n")
    for composer in composers(text, question):
        taken: set[tuple[int, str]] = set()
        while (snippet := composer.compose(taken)) is not None:
            assert 0 < len(snippet.text) <= LIMIT
            assert 1 <= snippet.first <= snippet.last <= len(source)
            # Only the heading of a section is shown with each of its passages.
            assert all(line.startswith("#") for _, line in taken & snippet.keys)
            taken |= snippet.keys


def test_neighbouring_chunks_do_not_show_the_same_lines_twice(tmp_path: Path) -> None:
    lines = [f"- kiln firing {number}: {FILLER} {number}" for number in range(60)]
    with SearchBench(tmp_path) as bench:
        bench.put({"memory/kiln.md": "\n".join(lines)})

        hits = bench.hits("kiln firing", settings(max_results=10))

        shown = [line for hit in hits for line in hit.snippet.split("\n") if line != GAP]
        assert len(hits) > 3
        assert len(shown) == len(set(shown))


@pytest.mark.parametrize("mark", ["<!-- importance: 9 -->", "<!-- trigger: boat -->"])
def test_annotations_are_not_shown(tmp_path: Path, mark: str) -> None:
    with SearchBench(tmp_path) as bench:
        bench.put({"MEMORY.md": f"- the boat is blue {mark}\n- the car is red"})

        (hit,) = bench.hits("boat blue")

        assert (hit.snippet, hit.start_line, hit.end_line) == ("- the boat is blue", 1, 1)


def test_a_line_with_a_stretch_of_blanks_longer_than_a_snippet_is_not_torn() -> None:
    text = f"# List\n\nkiln{' ' * 900}ferry\n\n \nheron\n"
    for snippet in snippets(text, "kiln ferry heron"):
        assert "kiln\n" not in snippet.text.replace(" ", "")
        assert "\n\n\n\n" not in snippet.text
    assert any("ferry\n\n\nheron" in snippet.text for snippet in snippets(text, "kiln ferry heron"))
