"""From a search response to the JSON of ``memory_search``, honest about what the reader cannot see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.records import record

if TYPE_CHECKING:
    from openclaw_memory_core.errors import OpenClawMemoryError
    from openclaw_memory_core.search.model import SearchHit, SearchResponse

SCORE_DIGITS = 4

NAMED = 3
"""Words named in a warning at most."""


@record
class Freshness:
    """How far the index can be trusted at this moment.

    :param stale: notes have changed since they were indexed.
    :param partial: some texts or files are not in the index yet.
    :param reason: for people; None when all is well.
    :param action: what to do about it.
    """

    stale: bool = False
    partial: bool = False
    reason: str | None = None
    action: str | None = None


@record
class ProviderFacts:
    """Who made the vectors, and why not the first choice.

    :param bootstrap: what went wrong with the provider that should have answered; None if nothing did.
    """

    provider: str
    model: str
    fallback_from: str | None = None
    fallback_reason: str | None = None
    bootstrap: Mapping[str, Any] | None = None


def search_answer(
    response: SearchResponse,
    facts: ProviderFacts,
    freshness: Freshness,
    *,
    withheld: Sequence[str] = (),
    citations: bool = False,
    explain: bool = False,
) -> dict[str, Any]:
    """The answer of ``memory_search``.  Fields that have nothing to say are left out."""
    answer: dict[str, Any] = {
        "results": [_hit(hit, citations=citations, explain=explain) for hit in response.hits],
        "provider": facts.provider,
        "model": facts.model,
        "mode": response.mode,
    }
    if facts.fallback_from:
        answer["fallback"] = {"from": facts.fallback_from, "reason": facts.fallback_reason or "unknown"}
    if freshness.stale:
        answer["stale"] = True
    if freshness.partial or response.degraded:
        answer["partial"] = True
    if withheld:
        answer["withheld"] = list(withheld)
    warnings = [sentence(text) for text in (*_not_found(response), response.degraded, freshness.reason) if text]
    if warnings:
        answer["warning"] = " ".join(warnings)
    if freshness.action and freshness.reason:
        answer["action"] = freshness.action
    debug = dict(response.debug or {}) if explain else {}
    if facts.bootstrap is not None:
        debug["embeddingBootstrap"] = dict(facts.bootstrap)
    if debug:
        answer["debug"] = debug
    return answer


def disabled_answer(reason: str, action: str) -> dict[str, Any]:
    """The answer when memory search is switched off."""
    return {"results": [], "disabled": True, "error": reason, "warning": reason, "action": action}


def unavailable_answer(error: OpenClawMemoryError, facts: ProviderFacts | None = None) -> dict[str, Any]:
    """The answer when search should work and cannot: never an ordinary empty list."""
    answer: dict[str, Any] = {
        "results": [],
        "unavailable": True,
        "code": error.code,
        "error": error.message,
        "warning": "Memory search is unavailable; this is not the same as nothing found.",
        "action": error.hint or "run: openclaw-memory status --deep",
    }
    if facts is not None:
        answer["provider"], answer["model"] = facts.provider, facts.model
        if facts.bootstrap is not None:
            answer["debug"] = {"embeddingBootstrap": dict(facts.bootstrap)}
    return answer


def sentence(text: str) -> str:
    """*text* with a capital letter and a full stop, so that another sentence may follow it; a path keeps its name."""
    text = text.strip()
    first = text.partition(" ")[0]
    begun = f"{text[:1].upper()}{text[1:]}" if first.isalpha() else text
    return begun if begun.endswith((".", "!", "?", ".)")) else f"{begun}."


def citation(path: str, start_line: int, end_line: int) -> str:
    """``path#L5`` or ``path#L5-L9``."""
    return f"{path}#L{start_line}" if end_line <= start_line else f"{path}#L{start_line}-L{end_line}"


def _not_found(response: SearchResponse) -> Iterable[str]:
    """What the results are not about, although the question asks for it."""
    if not response.hits:
        return
    if response.missing:
        yield f"No note holds {_quoted(response.missing)}; these are the nearest others."
    if response.corrected:
        instead = ", ".join(response.corrected[:NAMED])
        yield f"No note holds {_quoted(response.misspelt)}; looked for {instead} instead."


def _quoted(words: Sequence[str]) -> str:
    quoted = [f'"{word}"' for word in words[:NAMED]]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def _hit(hit: SearchHit, *, citations: bool, explain: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "path": hit.path,
        "startLine": hit.start_line,
        "endLine": hit.end_line,
        "score": round(hit.score, SCORE_DIGITS),
        "snippet": hit.snippet,
        "source": hit.source,
    }
    optional: dict[str, Any] = {
        "citation": citation(hit.path, hit.start_line, hit.end_line) if citations else None,
        "vectorScore": None if hit.vector_score is None else round(hit.vector_score, SCORE_DIGITS),
        "textScore": None if hit.text_score is None else round(hit.text_score, SCORE_DIGITS),
        "importance": hit.importance,
        "date": None if hit.date is None else hit.date.isoformat(),
        "sessionKey": hit.session_key,
        "debug": dict(hit.explanation) if explain and hit.explanation is not None else None,
    }
    fields.update({name: value for name, value in optional.items() if value is not None})
    return fields
