"""Chunks: exact lines, never too large, cut where Markdown has its borders."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import markdown_texts

from openclaw_memory_core.config.model import ChunkingConfig, Source
from openclaw_memory_core.index.chunking import chunk_document, chunk_limit, chunking_identity, embed_text
from openclaw_memory_core.index.chunking.outline import outline
from openclaw_memory_core.index.chunking.packing import Packer
from openclaw_memory_core.index.model import Chunk
from openclaw_memory_core.workspace.documents import Document, DocumentRef
from openclaw_memory_core.workspace.tokens import estimate_tokens

SMALL = ChunkingConfig(tokens=40, overlap=8)


def chunks_of(
    text: str,
    config: ChunkingConfig | None = None,
    *,
    curated: bool = False,
    source: Source = "memory",
    input_tokens: int | None = None,
) -> list[Chunk]:
    ref = DocumentRef("MEMORY.md" if curated else "memory/a.md", source, (0, 0, 0, 0, 0), curated=curated)
    return chunk_document(Document(ref, text, "hash"), config or ChunkingConfig(), input_tokens=input_tokens)


def lines_of(text: str, chunk: Chunk) -> str:
    return "\n".join(text.split("\n")[chunk.start_line - 1 : chunk.end_line])


@given(markdown_texts(), st.integers(4, 200), st.integers(0, 90))
def test_spans_tile_the_text(text: str, tokens: int, overlap: int) -> None:
    limit = tokens * 4
    overlap = min(overlap * 4, limit // 2)
    shape = outline(text, max(overlap, limit // 8, 4))
    spans = list(Packer(shape, limit, overlap).spans(0, len(shape)))
    assert "".join(text[shape.starts[s.core] : shape.starts[s.end]] for s in spans) == text
    assert all(s.start <= s.core < s.end for s in spans)
    assert all(a.core < b.start <= b.core == a.end for a, b in pairwise(spans))
    assert all(estimate_tokens(text[shape.starts[s.start] : shape.starts[s.end]]) <= tokens for s in spans)


@given(markdown_texts(), st.integers(16, 200), st.integers(0, 90))
def test_chunks_name_exactly_the_lines_they_hold(text: str, tokens: int, overlap: int) -> None:
    for chunk in chunks_of(text, ChunkingConfig(tokens, overlap)):
        assert chunk.text.strip()
        assert chunk.text in lines_of(text, chunk)
        assert chunk.text.count("\n") == chunk.end_line - chunk.start_line
        assert estimate_tokens(chunk.text) <= tokens


@given(markdown_texts(), st.integers(16, 200))
def test_every_line_with_text_is_in_a_chunk(text: str, tokens: int) -> None:
    chunks = chunks_of(text, ChunkingConfig(tokens, 8))
    held = {line for chunk in chunks for line in range(chunk.start_line, chunk.end_line + 1)}
    assert {n for n, line in enumerate(text.split("\n"), 1) if line.strip()} <= held


@given(markdown_texts(), st.integers(16, 60))
def test_no_input_is_larger_than_the_provider_takes(text: str, input_tokens: int) -> None:
    for chunk in chunks_of(text, input_tokens=input_tokens):
        assert estimate_tokens(chunk.embed_text) <= input_tokens


def test_same_text_gives_same_chunks_whatever_the_path() -> None:
    assert chunks_of("# A\n\ntext\n" * 50) == chunks_of("# A\n\ntext\n" * 50)


def test_short_note_is_one_chunk_without_its_blank_ends() -> None:
    (chunk,) = chunks_of("\n\n# Roof\n\nDeposit paid.\n\n\n")
    assert (chunk.start_line, chunk.end_line, chunk.text) == (3, 5, "# Roof\n\nDeposit paid.")


@pytest.mark.parametrize("text", ["", "\n" * 50, "  \n\t\n", "\r\n\r\n", "\u3000\n"])
def test_blank_text_gives_no_chunk(text: str) -> None:
    assert chunks_of(text) == []


def test_sections_begin_new_chunks_and_carry_the_headings_above_them() -> None:
    body = "Some words about it. " * 8
    text = f"# Trip\n\n{body}\n\n## Lisbon\n\n{body}\n\n### Hotel\n\n{body}\n\n## Porto\n\n{body}\n"
    chunks = chunks_of(text, ChunkingConfig(60, 10))
    assert [c.text.split("\n")[0] for c in chunks] == ["# Trip", "## Lisbon", "### Hotel", "## Porto"]
    assert [c.headings for c in chunks] == [(), ("Trip",), ("Trip", "Lisbon"), ("Trip",)]


def test_small_sections_share_a_chunk() -> None:
    text = "# Day\n\n## Morning\n\nCoffee.\n\n## Noon\n\nSoup.\n"
    assert len(chunks_of(text)) == 1


def test_heading_is_never_left_alone_at_the_end_of_a_chunk() -> None:
    text = ("word " * 30 + "\n\n# Head\n\n## Sub\n\n") * 20
    for chunk in chunks_of(text, SMALL)[:-1]:
        assert not chunk.text.rstrip().endswith(("# Head", "## Sub"))


def test_hash_in_a_fence_or_front_matter_is_no_heading() -> None:
    text = "---\n# not a title\ntags: [a]\n---\n# Real\n\n```sh\n# comment\n" + "echo hello world\n" * 40 + "```\nend\n"
    headings = {title for chunk in chunks_of(text, SMALL) for title in chunk.headings}
    assert headings == {"Real"}


def test_tag_without_blank_is_no_heading() -> None:
    assert all(not c.headings for c in chunks_of("#project\n\n" + "word " * 300, SMALL))


@pytest.mark.parametrize(("underline", "title"), [("=====", "Plan"), ("-----", "Plan")])
def test_underlined_headings_count(underline: str, title: str) -> None:
    chunks = chunks_of(f"Plan\n{underline}\n\n" + "word " * 300, SMALL)
    assert chunks[-1].headings == (title,)


def test_rule_between_paragraphs_is_no_heading() -> None:
    assert all(not c.headings for c in chunks_of("First part.\n\n---\n\n" + "word " * 300, SMALL))


@pytest.mark.parametrize("fence", ["```", "~~~~", "  ```"])
def test_code_block_that_fits_stays_whole(fence: str) -> None:
    code = f"{fence}py\n" + "value = compute(value)\n" * 18 + f"{fence}"
    text = "Intro sentence here.\n\n" * 12 + code + "\n\n" + "After it. " * 60
    holding = [c for c in chunks_of(text, ChunkingConfig(120, 20)) if "compute" in c.text]
    assert len(holding) == 1
    assert code in holding[0].text


def test_code_block_that_does_not_fit_is_cut_between_lines() -> None:
    text = "```\n" + "\n".join(f"line number {n}" for n in range(200)) + "\n```\n"
    for chunk in chunks_of(text, SMALL):
        assert chunk.text == lines_of(text, chunk)


def test_list_items_stay_whole() -> None:
    text = "\n".join(f"- item {n} has a few words\n  and a second line" for n in range(60))
    for chunk in chunks_of(text, SMALL)[1:]:
        assert chunk.text.startswith("- item")
        assert chunk.text.endswith("second line")


def test_running_text_overlaps_at_sentences() -> None:
    text = " ".join(f"Sentence number {n} is here." for n in range(100))
    chunks = chunks_of(text, SMALL)
    for one, two in pairwise(chunks):
        start = two.text[:26]
        assert start.startswith("Sentence number")
        assert start in one.text
        assert (two.start_line, two.end_line) == (1, 1)


def test_no_overlap_when_it_is_switched_off() -> None:
    text = " ".join(f"Sentence number {n} is here." for n in range(100))
    assert "".join(c.text for c in chunks_of(text, ChunkingConfig(40, 0))) == text


def test_endless_line_is_cut_and_gives_itself_back() -> None:
    run = "".join(chr(97 + n % 26) for n in range(60_000))
    chunks = chunks_of(f"# Export\n{run}\nowner: Kofi", ChunkingConfig(400, 0))
    assert all(c.start_line <= 2 <= c.end_line for c in chunks if run[:0] in c.text)
    assert "".join(c.text for c in chunks).replace("# Export\n", "").replace("\nowner: Kofi", "") == run
    assert [(c.start_line <= 3 <= c.end_line) for c in chunks if "Kofi" in c.text] == [True]


def test_cjk_counts_a_token_a_character() -> None:
    chunks = chunks_of("今天把账单系统迁到新机房" * 250)
    assert max(len(c.text) for c in chunks) <= 400
    assert len(chunks) < 12


def test_emoji_families_and_accents_are_not_torn() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    chunks = chunks_of(family * 200 + "e\u0301" * 400, ChunkingConfig(20, 0))
    assert all(not c.text.startswith(("\u200d", "\u0301")) for c in chunks)
    assert all(not c.text.endswith("\u200d") for c in chunks)


def test_windows_line_ends_stay_in_the_text_but_not_in_what_is_embedded() -> None:
    unix = "# A\n\nfirst line\nsecond line\n"
    (windows_chunk,) = chunks_of(unix.replace("\n", "\r\n"))
    (unix_chunk,) = chunks_of(unix)
    assert windows_chunk.text == "# A\r\n\r\nfirst line\r\nsecond line"
    assert windows_chunk.text_hash == unix_chunk.text_hash
    assert (windows_chunk.start_line, windows_chunk.end_line) == (1, 4)


def test_annotations_are_taken_out_and_lines_stay() -> None:
    text = "# Notes\n\nfirst <!-- importance: 7 -->\n<!-- trigger: x -->\n\nlast line\n"
    (chunk,) = chunks_of(text)
    assert "<!--" not in chunk.text
    assert (chunk.start_line, chunk.end_line) == (1, 6)
    assert chunk.text.split("\n")[5] == "last line"
    assert chunk.importance is None


def test_curated_file_gives_one_chunk_an_entry() -> None:
    text = (
        "# People\n\n- Alice likes tea <!-- trigger: alice, tea --> <!-- importance: 8 -->\n"
        "  and lives in Porto\n- Bob has a dog\n"
    )
    alice, bob = chunks_of(text, curated=True)
    assert (alice.text, alice.start_line, alice.end_line) == ("- Alice likes tea\n  and lives in Porto", 3, 4)
    assert alice.importance == 8
    assert (bob.text, bob.importance) == ("- Bob has a dog", None)
    assert alice.headings == bob.headings == ("People",)


def test_curated_heading_is_a_chunk_of_its_own_only_if_nothing_below_carries_it() -> None:
    text = "# People\n\n## Family\n- Alice\n## Boats <!-- trigger: boats -->\n- Heron\n## Empty\n# About\nSome text.\n"
    chunks = chunks_of(text, curated=True)
    assert [c.text for c in chunks] == ["- Alice", "- Heron", "## Empty", "# About\nSome text."]
    assert [c.headings for c in chunks][:2] == [("People", "Family"), ("People", "Boats")]


def test_large_entry_is_cut_and_every_piece_keeps_its_annotations() -> None:
    text = "- " + "A long story follows here. " * 60 + "<!-- importance: 7 -->\n- short\n"
    pieces = [c for c in chunks_of(text, SMALL, curated=True) if "story" in c.text]
    assert len(pieces) > 5
    assert {c.importance for c in pieces} == {7}


def test_transcripts_are_cut_between_lines_whatever_they_say() -> None:
    text = "\n".join(f"User: # {n} is a number\nAssistant: ```yes```" for n in range(60))
    chunks = chunks_of(text, SMALL, source="sessions")
    assert all(c.headings == () for c in chunks)
    assert all(c.text == lines_of(text, c) for c in chunks)


def test_headings_go_before_the_text_to_embed_as_far_as_they_fit() -> None:
    assert embed_text("text", ("A", "B")) == "A > B\ntext"
    assert embed_text("text", ()) == "text"
    assert embed_text("text", ("x" * 400, "B")) == "B\ntext"
    assert embed_text("word " * 20, ("Heading",), input_tokens=26) == "word " * 20


def test_identity_names_what_changes_chunks() -> None:
    config = ChunkingConfig(400, 80)
    assert chunking_identity(config) == chunking_identity(config, 8000)
    assert chunking_identity(config) != chunking_identity(config, 256)
    assert chunk_limit(config, 256) == 256
    assert chunk_limit(config) == 400
