"""Search: query understanding, legs, fusion, recency, diversity, snippets, explanation."""

from __future__ import annotations

from openclaw_memory_core.search.model import SearchHit, SearchMode, SearchRequest, SearchResponse
from openclaw_memory_core.search.searcher import QueryEmbedder, Searcher

__all__ = ["QueryEmbedder", "SearchHit", "SearchMode", "SearchRequest", "SearchResponse", "Searcher"]
