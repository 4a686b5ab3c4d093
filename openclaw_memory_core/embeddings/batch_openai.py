"""Batch jobs in OpenAI's form: a file of lines goes up, a job works through it, files of lines come down."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.embeddings.batch import BatchLimits, BatchResult, JobState, Phase
from openclaw_memory_core.errors import ProviderReplyError

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.wire import OpenAIWire

_REQUEST_SECONDS = 60.0
_UPLOAD_SECONDS = 600.0
_PHASES: Mapping[str, Phase] = {
    "completed": "done",
    "failed": "failed",
    "expired": "failed",
    "cancelled": "failed",
    "canceled": "failed",
}
_LABEL = "openclaw_memory"


@dataclass(frozen=True, slots=True)
class OpenAIBatches:
    """Jobs of OpenAI, and of Voyage with another line and other options.

    :param line: makes the fields of a line, beside ``custom_id``, from a text.
    :param window: ``completion_window``.
    :param extra: further fields of the request that starts a job.
    """

    wire: OpenAIWire
    line: Callable[[str], Mapping[str, Any]]
    window: str = "24h"
    extra: Mapping[str, Any] = field(default_factory=dict)
    limits: BatchLimits = field(default_factory=BatchLimits)

    def submit(self, texts: Mapping[str, str], label: str) -> str:
        """Upload the lines and start a job."""
        lines = (json.dumps({"custom_id": key, **self.line(text)}, ensure_ascii=False) for key, text in texts.items())
        name = (f"{label}.jsonl", "\n".join(lines).encode(), "application/jsonl")
        uploaded = self._call(
            lambda client, options: client.files.create(file=name, purpose="batch", **options), _UPLOAD_SECONDS
        )
        job = self._call(
            lambda client, options: client.batches.create(
                input_file_id=_id(uploaded),
                endpoint="/v1/embeddings",
                completion_window=self.window,
                metadata={"source": "openclaw-memory", _LABEL: label},
                extra_body=dict(self.extra),
                **options,
            )
        )
        return _id(job)

    def find(self, label: str) -> str | None:
        """Look through the latest jobs."""
        page = self._call(lambda client, options: client.batches.list(limit=100, **options))
        for job in getattr(page, "data", None) or []:
            metadata = getattr(job, "metadata", None)
            if isinstance(metadata, dict) and metadata.get(_LABEL) == label:
                return _id(job)
        return None

    def state(self, job: str) -> JobState:
        """How the job stands; the file of errors is not needed, for what is not in the results has failed."""
        found = self._call(lambda client, options: client.batches.retrieve(job, **options))
        word = str(getattr(found, "status", None))
        output = getattr(found, "output_file_id", None)
        return JobState(_PHASES.get(word, "running"), word, (output,) if isinstance(output, str) and output else ())

    def results(self, state: JobState) -> Iterator[BatchResult]:
        """One result for each readable line."""
        for file in state.files:
            for line in self.wire.lines(file, timeout=_REQUEST_SECONDS):
                result = _result(line)
                if result is not None:
                    yield result

    def cancel(self, job: str) -> None:
        """Ask the service to stop."""
        self._call(lambda client, options: client.batches.cancel(job, **options))

    def _call(self, request: Callable[[Any, dict[str, Any]], Any], timeout: float = _REQUEST_SECONDS) -> Any:
        return self.wire.call(lambda client: request(client, {"timeout": timeout}))


def _id(thing: Any) -> str:
    found = getattr(thing, "id", None)
    if not isinstance(found, str) or not found:
        raise ProviderReplyError("the batch service named nothing in its reply")
    return found


def _result(line: bytes) -> BatchResult | None:
    try:
        data = json.loads(line)
        key = data["custom_id"]
    except (ValueError, KeyError, TypeError):
        return None
    try:
        response = data["response"]
        values = response["body"]["data"][0]["embedding"] if response["status_code"] == 200 else None
    except (KeyError, TypeError, IndexError):
        values = None
    return BatchResult(str(key), values)
