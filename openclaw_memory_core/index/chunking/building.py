"""From spans of units to chunks with exact lines, headings and hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from openclaw_memory_core.index.chunking.outline import Outline, heading_title
from openclaw_memory_core.index.model import Chunk
from openclaw_memory_core.workspace.tokens import estimate_tokens

if TYPE_CHECKING:
    from openclaw_memory_core.index.chunking.packing import Span
    from openclaw_memory_core.workspace.annotations import Entry

_HEADING_TOKENS = 48


def embed_text(text: str, headings: Sequence[str], input_tokens: int | None = None) -> str:
    """What the provider gets for a chunk: the headings above it, then its text with plain line ends.

    :param input_tokens: largest input of the provider; outer headings that would go beyond it are left out.
    """
    text = text.replace("\r\n", "\n") if "\r" in text else text
    if not headings:
        return text
    room = _HEADING_TOKENS
    if input_tokens is not None:
        room = min(room, input_tokens - estimate_tokens(text) - 1)
    kept: list[str] = []
    for title in reversed(headings):
        room -= estimate_tokens(title) + 1
        if room < 0:
            break
        kept.append(title)
    return f"{' > '.join(reversed(kept))}\n{text}" if kept else text


def regions(shape: Outline, entries: Sequence[Entry]) -> Iterator[tuple[int, int, Entry | None]]:
    """Tile the units with the entries of a curated file and what stands between them: (first, last, entry)."""
    at = 0
    for entry in entries:
        first, last = shape.units(entry.start_line, entry.end_line)
        if first > at:
            yield at, first, None
        if last > max(first, at):
            yield max(first, at), last, entry
            at = last
    if at < len(shape):
        yield at, len(shape), None


def without_bare_headings(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Drop chunks that are only a heading which the chunk after them carries anyway."""
    kept: list[Chunk] = []
    following: Chunk | None = None
    for chunk in reversed(chunks):
        title = None if "\n" in chunk.text else heading_title(chunk.text)
        if not (title and following and following.headings[: len(chunk.headings) + 1] == (*chunk.headings, title)):
            kept.append(chunk)
            following = chunk
    return kept[::-1]


class ChunkBuilder:
    """Makes chunks of one text.

    :param text: what the outline was made of: annotations already taken out.
    """

    def __init__(self, text: str, shape: Outline, input_tokens: int | None) -> None:
        self._text = text
        self._shape = shape
        self._input_tokens = input_tokens

    def chunk(self, span: Span, entry: Entry | None = None) -> Chunk | None:
        """The chunk of *span*; None if it is blank."""
        shape = self._shape
        text, skipped = _trim(self._text, shape.starts[span.start], shape.starts[span.end])
        if not text:
            return None
        line = shape.lines[span.start] + skipped
        headings = shape.path(span.start)
        to_embed = embed_text(text, headings, self._input_tokens)
        return Chunk(
            start_line=line,
            end_line=line + text.count("\n"),
            text=text,
            text_hash=hashlib.sha256(to_embed.encode("utf-8", "surrogatepass")).hexdigest(),
            embed_text=to_embed,
            headings=headings,
            importance=entry.importance if entry else None,
        )


def _trim(text: str, start: int, end: int) -> tuple[str, int]:
    """``text[start:end]`` without blank lines around it, and the number of lines dropped before it."""
    piece = text[start:end]
    body = piece.rstrip()
    if not body:
        return "", 0
    last = piece.find("\n", len(body))
    if last >= 0:
        piece = piece[:last].removesuffix("\r")
    lead = len(body) - len(body.lstrip())
    if not lead:
        return piece, 0
    first = piece.rfind("\n", 0, lead) + 1
    return piece[first:], piece.count("\n", 0, first)
