"""What goes into a search and what comes out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from openclaw_memory_core.config.model import Source
from openclaw_memory_core.index.model import Moment
from openclaw_memory_core.privacy import Visible
from openclaw_memory_core.records import record

SearchMode = Literal["hybrid", "keyword", "vector"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """One question.

    :param max_results: None for the configured number.
    :param min_score: None for the configured threshold.
    :param visible: what this caller may see.
    :param explain: fill :attr:`SearchHit.explanation` and :attr:`SearchResponse.debug`.
    :param deadline: seconds that the query's embedding may take.
    """

    query: str
    max_results: int | None = None
    min_score: float | None = None
    visible: Visible = field(default_factory=Visible)
    explain: bool = False
    deadline: float = 20.0


@record
class SearchHit:
    """One passage.  Lines are those of *snippet* in the document *path*."""

    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str
    source: Source
    vector_score: float | None = None
    text_score: float | None = None
    importance: int | None = None
    date: dt.date | None = None
    session_key: str | None = None
    explanation: Mapping[str, Any] | None = None


@record
class SearchResponse:
    """The answer, honest about how it came about.

    :param mode: which legs took part.
    :param degraded: why a leg that should have taken part did not; None if all is well.
    :param misspelt: words of the question that stand in no note, and were taken for others.
    :param corrected: words that were looked for instead.
    :param missing: identifiers and quoted phrases of the question that stand in no note.
    :param moment: of the index that answered; None if it was not asked.
    """

    hits: tuple[SearchHit, ...]
    mode: SearchMode
    degraded: str | None = None
    debug: Mapping[str, Any] | None = None
    misspelt: tuple[str, ...] = ()
    corrected: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    moment: Moment | None = None
