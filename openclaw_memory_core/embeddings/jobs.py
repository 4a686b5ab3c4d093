"""The jobs that were submitted and not collected yet, kept through restarts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.batch import JobStore

_STATE = "embedding.jobs"
_FORGOTTEN_AFTER_SECONDS = 14 * 24 * 3600.0
"""No service keeps results so long."""


class KeepsState(Protocol):
    """The part of the index store that is needed here."""

    def state(self, key: str) -> Any:
        """A small JSON value, None if unset."""

    def set_state(self, key: str, value: Any) -> None:
        """Keep a small JSON value."""


class StateJobs:
    """Jobs kept with the index.

    :param store: gives the open store; asked anew each time, for a damaged one may have been replaced.
    """

    def __init__(self, store: Callable[[], KeepsState]) -> None:
        self._store = store

    def load(self) -> Any:
        """The jobs as they were saved."""
        return self._store().state(_STATE)

    def save(self, value: Any) -> None:
        """Keep the jobs."""
        self._store().set_state(_STATE, value)


@dataclass(frozen=True, slots=True)
class Job:
    """A job.

    :param identity: key of the provider's identity; a job is collected only by the provider that submitted it.
    :param label: our own name for it.
    :param id: the service's name; None until it is known.
    :param hashes: hashes of its texts.
    :param at: when it was submitted, seconds since 1970.
    """

    identity: str
    label: str
    id: str | None
    hashes: frozenset[str]
    at: float


class JobList:
    """Jobs of one identity; those of others are kept as they are."""

    def __init__(self, store: JobStore, identity: str, *, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._identity = identity
        self._clock = clock
        self._lock = threading.Lock()
        self._loaded: list[Job] | None = None

    def reload(self) -> None:
        """Look again at what is stored: another process may have changed it."""
        with self._lock:
            self._loaded = None

    def running(self) -> list[Job]:
        """The jobs of this identity."""
        with self._lock:
            return [job for job in self._all() if job.identity == self._identity]

    def keys(self) -> set[str]:
        """Hashes of all texts in these jobs."""
        return {key for job in self.running() for key in job.hashes}

    def add(self, label: str, hashes: list[str]) -> Job:
        """Write down a job before it is submitted."""
        job = Job(self._identity, label, None, frozenset(hashes), self._clock())
        self._change(None, job)
        return job

    def replace(self, job: Job, found: str | None) -> None:
        """Write down the service's name of *job*; without one the job is forgotten: it was never accepted."""
        self._change(job, replace(job, id=found) if found else None)

    def remove(self, job: Job) -> None:
        """Forget a job."""
        self._change(job, None)

    def _change(self, old: Job | None, new: Job | None) -> None:
        with self._lock:
            jobs = [job for job in self._all() if old is None or job.label != old.label]
            if new is not None:
                jobs.append(new)
            self._loaded = jobs
            self._store.save([_to_json(job) for job in jobs])

    def _all(self) -> list[Job]:
        if self._loaded is None:
            value = self._store.load()
            found = [_from_json(item) for item in value] if isinstance(value, list) else []
            oldest = self._clock() - _FORGOTTEN_AFTER_SECONDS
            self._loaded = [job for job in found if job is not None and job.at >= oldest]
        return self._loaded


def _to_json(job: Job) -> dict[str, Any]:
    return {"identity": job.identity, "label": job.label, "id": job.id, "hashes": sorted(job.hashes), "at": job.at}


def _from_json(item: Any) -> Job | None:
    try:
        return Job(item["identity"], item["label"], item["id"], frozenset(item["hashes"]), float(item["at"]))
    except (KeyError, TypeError, ValueError):
        return None
