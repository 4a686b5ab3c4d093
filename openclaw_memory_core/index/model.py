"""Rows of the index as the rest of the package sees them; no SQL in sight."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from openclaw_memory_core.records import record

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import Source

Moment = tuple[str, int, int]
"""File, generation and revision of an index: equal moments have equal content.  Each file counts anew."""


@record
class Chunk:
    """A piece of a document.

    :param start_line: 1-based first line in the document, inclusive.
    :param end_line: 1-based last line, inclusive.
    :param text: what is indexed and shown: annotations stripped, the rest as in the file.
    :param text_hash: SHA-256 (hex) of *embed_text* (what the provider gets).
    :param embed_text: text for the provider; usually *text*.
    :param headings: headings above the chunk, outermost first.
    """

    start_line: int
    end_line: int
    text: str
    text_hash: str
    embed_text: str
    headings: tuple[str, ...] = ()
    importance: int | None = None


@record
class StoredChunk:
    """A chunk as a search gets it back.  *id* is only valid within the generation it came from.

    :param line_map: for transcripts: the line to report for each line from *start_line* to *end_line*, in order;
        None means the line itself.
    """

    id: int
    path: str
    source: Source
    start_line: int
    end_line: int
    text: str
    headings: tuple[str, ...]
    curated: bool
    date: dt.date | None
    mtime: float
    importance: int | None
    session_key: str | None
    line_map: tuple[int, ...] | None = None


@record
class IndexIdentity:
    """What must be equal for the index to be valid.

    :param embedding: identity of the provider; ``{"provider": "none"}`` for keywords only.
    :param chunking: target, overlap and version of the chunker.
    :param text: tokenizer and version of the text index.
    """

    embedding: Mapping[str, str]
    chunking: Mapping[str, str]
    text: Mapping[str, str]

    @property
    def has_vectors(self) -> bool:
        """False for a keyword-only index."""
        return self.embedding.get("provider", "none") != "none"


@record
class Term:
    """One thing to look for in the text.

    :param text: a word, or several words of a phrase.
    :param phrase: the words must stand together in this order.
    :param prefix: match words that begin so.
    :param weight: how much a hit counts, 1 is normal.
    """

    text: str
    phrase: bool = False
    prefix: bool = False
    weight: float = 1.0


class KeywordHit(NamedTuple):
    """*rank* is SQLite's bm25(): negative, smaller is better."""

    chunk_id: int
    rank: float


class VectorHit(NamedTuple):
    """*cosine* is the similarity, −1 to 1."""

    chunk_id: int
    cosine: float


@record
class PathHit:
    """*specificity*: 3 full path, 2 base name, 1 stem, 0 some words; *chunk_id* is the first chunk of the file."""

    chunk_id: int
    path: str
    specificity: int
    rank: float


@record
class IndexCounts:
    """What the active generation holds, by source."""

    files: Mapping[str, int] = field(default_factory=dict)
    chunks: Mapping[str, int] = field(default_factory=dict)
    vectors: int = 0
    cache_entries: int = 0


@record
class FileState:
    """What the index knows of a document: enough to see whether it changed."""

    path: str
    source: Source
    content_hash: str
    stat: tuple[int, int, int, int, int]
    indexed_at: float
    chunks: int
    missing_vectors: int
    curated: bool = False
    date: dt.date | None = None
    session_key: str | None = None
