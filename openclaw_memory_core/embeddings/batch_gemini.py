"""Batch jobs of the Gemini API, ``:asyncBatchEmbedContent``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from openclaw_memory_core.embeddings.batch import BatchLimits, BatchResult, JobState, Phase
from openclaw_memory_core.errors import ProviderReplyError

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.http import Reply

_REQUEST_SECONDS = 60.0
_UPLOAD_SECONDS = 600.0
_PHASES: Mapping[str, Phase] = {
    "SUCCEEDED": "done",
    "COMPLETED": "done",
    "DONE": "done",
    "FAILED": "failed",
    "CANCELLED": "failed",
    "CANCELED": "failed",
    "EXPIRED": "failed",
}


class GeminiService(Protocol):
    """What is needed of the provider."""

    @property
    def base_url(self) -> str:
        """Address with the version, without a slash at the end."""

    def call(self, method: str, url: str, data: bytes | None, *, headers: Mapping[str, str], timeout: float) -> Reply:
        """Any request with the provider's key."""

    def document_request(self, text: str) -> dict[str, Any]:
        """The request for one document."""


class GeminiBatches:
    """Jobs of one model."""

    limits = BatchLimits()

    def __init__(self, service: GeminiService, model: str) -> None:
        self._service = service
        self._model = model

    def submit(self, texts: Mapping[str, str], label: str) -> str:
        """Upload the lines and start a job."""
        lines = [
            json.dumps({"key": key, "request": self._service.document_request(text)}, ensure_ascii=False)
            for key, text in texts.items()
        ]
        batch = {"displayName": label, "inputConfig": {"file_name": self._upload("\n".join(lines), label)}}
        url = f"{self._service.base_url}/models/{self._model}:asyncBatchEmbedContent"
        return _name(self._json("POST", url, {"batch": batch}))

    def find(self, label: str) -> str | None:
        """Look through the latest jobs."""
        found = self._json("GET", f"{self._service.base_url}/batches?pageSize=100", None)
        for job in found.get("operations") or found.get("batches") or []:
            if _deep(job, ("displayName",)) == label:
                return _name(job)
        return None

    def state(self, job: str) -> JobState:
        """How the job stands."""
        found = self._json("GET", f"{self._service.base_url}/{job}", None)
        word = str(_deep(found, ("state",)) or ("DONE" if found.get("done") else "PENDING"))
        file = _deep(found, ("responsesFile", "responses_file", "fileName", "file_name"), skip=("inputConfig",))
        phase = _PHASES.get(word.upper().rpartition("_")[2], "running")
        if phase == "done" and found.get("error"):
            phase = "failed"
        return JobState(phase, word, (file,) if isinstance(file, str) else ())

    def results(self, state: JobState) -> Iterator[BatchResult]:
        """One result for each readable line."""
        for file in state.files:
            url = f"{_beside(self._service.base_url, 'download')}/{file}:download?alt=media"
            body = self._service.call("GET", url, None, headers={}, timeout=_UPLOAD_SECONDS).body
            for line in body.splitlines():
                result = _result(line)
                if result is not None:
                    yield result

    def cancel(self, job: str) -> None:
        """Ask the service to stop."""
        self._json("POST", f"{self._service.base_url}/{job}:cancel", {})

    def _upload(self, lines: str, label: str) -> str:
        """Metadata and content in one ``multipart/related`` request; returns the file's name."""
        about = json.dumps({"file": {"displayName": f"{label}.jsonl", "mimeType": "application/jsonl"}})
        parts = (("application/json; charset=UTF-8", about), ("application/jsonl", lines))
        text = "".join(f"--{label}\r\nContent-Type: {kind}\r\n\r\n{part}\r\n" for kind, part in parts)
        reply = self._service.call(
            "POST",
            f"{_beside(self._service.base_url, 'upload')}/files?uploadType=multipart",
            f"{text}--{label}--\r\n".encode(),
            headers={"Content-Type": f"multipart/related; boundary={label}"},
            timeout=_UPLOAD_SECONDS,
        )
        return _name(reply.json().get("file"))

    def _json(self, method: str, url: str, body: Any) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {} if body is None else {"Content-Type": "application/json"}
        reply = self._service.call(method, url, data, headers=headers, timeout=_REQUEST_SECONDS).json()
        if not isinstance(reply, dict):
            raise ProviderReplyError("the reply of gemini is not an object")
        return reply


def _beside(base: str, word: str) -> str:
    """``https://host/v1beta`` → ``https://host/upload/v1beta``."""
    rest, _, version = base.rpartition("/")
    return f"{rest}/{word}/{version}"


def _name(thing: Any) -> str:
    found = thing.get("name") if isinstance(thing, dict) else None
    if not isinstance(found, str) or not found:
        raise ProviderReplyError("gemini named nothing in its reply")
    return found


def _deep(data: Any, names: tuple[str, ...], *, skip: tuple[str, ...] = ()) -> Any:
    """The first value under one of *names*, at any depth: its place has moved between versions of the API."""
    if not isinstance(data, dict):
        return None
    for name in names:
        if isinstance(data.get(name), str):
            return data[name]
    for name, value in data.items():
        found = None if name in skip else _deep(value, names, skip=skip)
        if found is not None:
            return found
    return None


def _result(line: bytes) -> BatchResult | None:
    try:
        data = json.loads(line)
        key = data["key"]
    except (ValueError, KeyError, TypeError):
        return None
    try:
        values = data["response"]["embedding"]["values"]
    except (KeyError, TypeError):
        values = None
    return BatchResult(str(key), values)
