"""``sessions_search``: keyword search over the transcripts a caller may see, read from the files themselves.

No index is kept: what is hidden is never looked at, so it can neither take a place nor leave a trace.  The work is
bounded: transcripts are read from the last changed on until the budget is spent, and what was read stays in memory
until its file changes.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from openclaw_memory_core.privacy import Audience
from openclaw_memory_core.sessions.jsonl import read_events
from openclaw_memory_core.sessions.library import TranscriptFile, TranscriptLibrary
from openclaw_memory_core.sessions.matching import Candidate, Match, Query, fold, rank, snippet
from openclaw_memory_core.sessions.transcripts import Utterance, utterances

DEFAULT_LIMIT = 10
MAX_LIMIT = 25
MAX_QUERY_CHARS = 4096
MAX_ANSWER_BYTES = 32_768
READ_BUDGET = 67_108_864
CACHE_CHARS = 33_554_432

_Spoken = list[tuple[Utterance, str]]


class TranscriptReader:
    """Reads the conversation of transcripts and keeps it, up to a size, until the file changes.  Thread-safe."""

    def __init__(self, cache_chars: int = CACHE_CHARS) -> None:
        self._limit = cache_chars
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[tuple[int, int, int], _Spoken, int]] = OrderedDict()
        self._size = 0

    def spoken(self, transcript: TranscriptFile) -> _Spoken:
        """Utterances with their folded text; empty if the file cannot be read."""
        name = str(transcript.file)
        with self._lock:
            known = self._kept.get(name)
            if known is not None and known[0] == transcript.signature:
                self._kept.move_to_end(name)
                return known[1]
        try:
            found = [(one, fold(one.text)) for one in utterances(read_events(transcript.file))]
        except OSError:
            return []
        self._keep(name, transcript.signature, found)
        return found

    def _keep(self, name: str, signature: tuple[int, int, int], found: _Spoken) -> None:
        size = sum(2 * len(folded) for _, folded in found) + 1
        with self._lock:
            old = self._kept.pop(name, None)
            self._size += size - (old[2] if old is not None else 0)
            self._kept[name] = (signature, found, size)
            while self._size > self._limit and self._kept:
                _, (_, _, gone) = self._kept.popitem(last=False)
                self._size -= gone


def search_transcripts(
    library: TranscriptLibrary,
    reader: TranscriptReader,
    who: Audience,
    query: str,
    *,
    session_key: str | None = None,
    limit: int = DEFAULT_LIMIT,
    own_id: str | None = None,
    budget: int = READ_BUDGET,
) -> dict[str, Any]:
    """The answer of ``sessions_search``.

    :param session_key: only this session.
    :param own_id: id of the caller's own transcript.
    :param budget: bytes of transcripts to read at most.
    """
    denial = library.denial(who, session_key) if session_key is not None else None
    if denial is not None:
        return denial
    files = library.transcripts(who, own_id=own_id)
    if session_key is not None:
        wanted = library.resolve(who, session_key)
        files = [one for one in files if one.session_key == wanted or _is_own(one, wanted, who, own_id)]
    terms = Query(query)
    chosen, left_out = _within(files, budget)
    candidates = [
        Candidate(one, folded, origin)
        for origin, transcript in enumerate(chosen)
        for one, folded in reader.spoken(transcript)
    ]
    matches = rank(terms, candidates) if terms else []
    answer: dict[str, Any] = {"results": [_result(match, chosen, terms) for match in matches[:limit]]}
    if left_out:
        answer["truncated"] = True
        answer["warning"] = f"{left_out} older transcripts were not searched; name a sessionKey to search one of them."
    return _bounded(answer)


def _is_own(transcript: TranscriptFile, wanted: str, who: Audience, own_id: str | None) -> bool:
    unknown = transcript.session_key is None and own_id is not None
    return unknown and wanted == who.key and transcript.session_id == str(own_id).lower()


def _within(files: Sequence[TranscriptFile], budget: int) -> tuple[list[TranscriptFile], int]:
    chosen: list[TranscriptFile] = []
    for one in files:
        budget -= one.signature[0]
        if budget < 0 and chosen:
            break
        chosen.append(one)
    return chosen, len(files) - len(chosen)


def _result(match: Match, files: Sequence[TranscriptFile], query: Query) -> dict[str, Any]:
    spoken, transcript = match.candidate.utterance, files[match.candidate.origin]
    result: dict[str, Any] = {
        "sessionKey": transcript.session_key,
        "sessionId": transcript.session_id,
        "timestamp": spoken.timestamp,
        "role": spoken.role,
        "snippet": snippet(spoken.text, query),
        "score": round(match.score, 4),
    }
    return result if spoken.message_id is None else {**result, "messageId": spoken.message_id}


def _bounded(answer: dict[str, Any]) -> dict[str, Any]:
    while (
        answer["results"] and len(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")) > MAX_ANSWER_BYTES
    ):
        answer["results"].pop()
        answer["truncated"] = True
    return answer
