"""Batch jobs: what one is, whatever the service, and where submitted ones are remembered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from openclaw_memory_core.embeddings.sizes import sendable

Phase = Literal["running", "done", "failed"]


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """What one job may hold."""

    requests: int = 50_000
    bytes: int = 199_229_440


@dataclass(frozen=True, slots=True)
class JobState:
    """How a job stands.

    :param phase: *failed* stands for failed, expired and cancelled alike; some results may be there all the same.
    :param word: what the service calls it.
    :param files: what to read the results from.
    """

    phase: Phase
    word: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchResult:
    """One line of the results: a vector, or None where the service could not embed this text."""

    key: str
    values: Any


class BatchApi(Protocol):
    """Batch jobs of one service.  Every method but :meth:`results` is one or two short requests."""

    @property
    def limits(self) -> BatchLimits:
        """What one job may hold."""

    def submit(self, texts: Mapping[str, str], label: str) -> str:
        """Start a job over *texts* (hash → text); returns its id.

        :param label: by which :meth:`find` finds it again.
        """

    def find(self, label: str) -> str | None:
        """Id of the job with this label, for the case that we were killed before its id was written down."""

    def state(self, job: str) -> JobState:
        """How the job stands."""

    def results(self, state: JobState) -> Iterator[BatchResult]:
        """What has come out, in any order."""

    def cancel(self, job: str) -> None:
        """Ask the service to stop."""


@runtime_checkable
class OffersBatches(Protocol):
    """A provider with a batch API."""

    def batch_api(self) -> BatchApi:
        """The API; makes no request."""


class JobStore(Protocol):
    """Keeps a small JSON value through restarts; the index's ``state``/``set_state`` will do."""

    def load(self) -> Any:
        """The value, None if there is none."""

    def save(self, value: Any) -> None:
        """Keep *value*; it must be safe on disk when this returns."""


class ForgetfulJobStore:
    """For callers that have no store: jobs are remembered within this process only."""

    def __init__(self) -> None:
        self._value: Any = None

    def load(self) -> Any:
        """The value."""
        return self._value

    def save(self, value: Any) -> None:
        """Keep *value* until the process ends."""
        self._value = value


def cut(texts: Mapping[str, str], limits: BatchLimits, overhead: int) -> Iterator[dict[str, str]]:
    """*texts* in groups of one job each; blank ones are left out.

    :param overhead: bytes that a line needs beside the text.
    """
    group: dict[str, str] = {}
    size = 0
    for key, text in texts.items():
        if not text.strip():
            continue
        clean = sendable(text)
        cost = len(json.dumps(clean, ensure_ascii=False).encode()) + overhead
        if group and (len(group) >= limits.requests or size + cost > limits.bytes):
            yield group
            group, size = {}, 0
        group[key] = clean
        size += cost
    if group:
        yield group
