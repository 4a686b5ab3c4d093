"""Takes texts through batch jobs, within the time allowed, and gives back what is better sent directly."""

from __future__ import annotations

import logging
import queue
import secrets
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from openclaw_memory_core.embeddings.base import ProviderInfo, Vector, identity_key
from openclaw_memory_core.embeddings.batch import BatchApi, JobState, JobStore, cut
from openclaw_memory_core.embeddings.jobs import Job, JobList
from openclaw_memory_core.embeddings.retry import RetryPolicy, remedy
from openclaw_memory_core.embeddings.vectors import dimensions, pack
from openclaw_memory_core.errors import (
    EmbeddingError,
    ProviderInputError,
    ProviderRateLimitError,
    ProviderReplyError,
    ProviderTimeoutError,
)

if TYPE_CHECKING:
    from openclaw_memory_core.cancel import CancelToken
    from openclaw_memory_core.config.model import BatchConfig
    from openclaw_memory_core.embeddings.run import OnVectors, Progress

log = logging.getLogger(__name__)

T = TypeVar("T")

STRIKES = 2
"""So many failures in a row, and texts are sent directly for the rest of the process."""

_LONGEST_POLL_SECONDS = 300.0
_LONGEST_SUBMIT_PAUSE_SECONDS = 60.0
_HANDED_OVER_AT_ONCE = 256
_LINE_OVERHEAD = 400
_NOT_OFFERED = frozenset({404, 405, 501})


@dataclass(slots=True)
class BatchOutcome:
    """What became of the texts.

    :param done: texts whose vectors were handed over.
    :param left: texts to send directly.
    :param pending: texts in jobs that are still running, and texts that wait for a free job.
    :param error: why the jobs that run could not be asked; nothing of them is lost.
    """

    done: int = 0
    left: dict[str, str] = field(default_factory=dict)
    pending: int = 0
    requests: int = 0
    error: EmbeddingError | None = None


class BatchRunner:
    """The batch side of one provider; keeps count of its failures."""

    def __init__(
        self,
        api: BatchApi,
        info: ProviderInfo,
        config: BatchConfig,
        store: JobStore,
        *,
        clock: Callable[[], float],
        pause: Callable[[float, threading.Event], None],
        rng: Callable[[], float],
    ) -> None:
        self.api = api
        self.info = info
        self.config = config
        self.jobs = JobList(store, identity_key(info.identity))
        self.clock = clock
        self.pause = pause
        self.rng = rng
        self.retry = RetryPolicy(first_delay=0.3, longest_delay=2.0)
        self.failures = 0
        self.disabled = False
        self._last_error: str | None = None

    @property
    def enabled(self) -> bool:
        """False once it has failed too often."""
        return not self.disabled

    def status(self) -> dict[str, Any]:
        """For ``status``: settings, failures in a row, the last error."""
        return {
            "enabled": not self.disabled,
            "failures": self.failures,
            "limit": STRIKES,
            "wait": self.config.wait,
            "concurrency": self.config.concurrency,
            "pollIntervalMs": self.config.poll_interval_ms,
            "timeoutMs": int(self.config.timeout_minutes * 60_000),
            "lastError": self._last_error,
            "lastProvider": self.info.id,
        }

    def run(
        self, texts: Mapping[str, str], on_vectors: OnVectors, cancel: CancelToken | None, progress: Progress | None
    ) -> BatchOutcome:
        """Embed *texts* by jobs; jobs of an earlier run are collected first and never submitted again.

        :raises CancelledError: *cancel* was set; submitted jobs are remembered.
        """
        return _Run(self, texts, on_vectors, cancel, progress).run()

    def strike(self, error: EmbeddingError | str, *, final: bool = False) -> None:
        """Count a failure; *final* ones switch batches off at once."""
        self.failures += 1
        self._last_error = error if isinstance(error, str) else error.message
        self.disabled = self.disabled or final or self.failures >= STRIKES
        log.warning("batch embedding with %s failed: %s", self.info.id, self._last_error)


class _UnclearError(Exception):
    """Nobody knows whether a job was accepted."""

    def __init__(self, reason: EmbeddingError) -> None:
        super().__init__(reason.message)
        self.reason = reason


class _Run:
    """State of one :meth:`BatchRunner.run`."""

    def __init__(
        self,
        runner: BatchRunner,
        texts: Mapping[str, str],
        on_vectors: OnVectors,
        cancel: CancelToken | None,
        progress: Progress | None,
    ) -> None:
        self._runner = runner
        self._api = runner.api
        self._jobs = runner.jobs
        self._config = runner.config
        self._texts = texts
        self._on_vectors = on_vectors
        self._cancel = cancel
        self._progress = progress
        self._stop = threading.Event()
        self._outcome = BatchOutcome()
        self._deadlines: dict[str, float] = {}
        self._dimensions = runner.info.dimensions
        self._total = sum(1 for text in texts.values() if text.strip())

    def run(self) -> BatchOutcome:
        self._jobs.reload()
        self._recover()
        taken = self._jobs.keys()
        fresh = {key: text for key, text in self._texts.items() if key not in taken}
        groups = deque(cut(fresh, self._api.limits, _LINE_OVERHEAD))
        interval = self._config.poll_interval_ms / 1000
        try:
            while groups or self._jobs.running():
                self._submit_more(groups)
                self._poll()
                if self._outcome.error is not None or not self._config.wait or self._runner.disabled:
                    break
                if self._jobs.running():
                    self._sleep(interval)
                    interval = min(interval * 2, _LONGEST_POLL_SECONDS)
        finally:
            self._stop.set()
        self._settle(groups)
        return self._outcome

    def _settle(self, groups: deque[dict[str, str]]) -> None:
        waiting = {key: text for group in groups for key, text in group.items()}
        if self._runner.disabled:
            self._outcome.left |= waiting
            waiting = {}
        self._outcome.pending = len(waiting) + len(self._jobs.keys() & self._texts.keys())

    def _recover(self) -> None:
        """Find the ids of jobs that were submitted but not written down."""
        for job in self._jobs.running():
            if job.id is None:
                try:
                    found = self._call(lambda label=job.label: self._api.find(label))  # type: ignore[misc]
                except EmbeddingError as error:
                    self._outcome.error = error
                    return
                self._jobs.replace(job, found)

    def _submit_more(self, groups: deque[dict[str, str]]) -> None:
        while groups and not self._runner.disabled and self._outcome.error is None:
            if len(self._jobs.running()) >= max(1, self._config.concurrency):
                return
            self._submit(groups.popleft(), groups)

    def _submit(self, group: dict[str, str], groups: deque[dict[str, str]]) -> None:
        job = self._jobs.add(f"openclaw-memory-{secrets.token_hex(8)}", list(group))
        try:
            self._jobs.replace(job, self._with_retries(group, job))
        except _UnclearError as unclear:
            # Perhaps the service has it.  It stays written down, and the next run asks by its label.
            self._outcome.error = unclear.reason
        except EmbeddingError as error:
            self._jobs.remove(job)
            if isinstance(error, ProviderInputError) and error.status == 413 and len(group) > 1:
                keys = list(group)
                halves = (keys[len(keys) // 2 :], keys[: len(keys) // 2])
                groups.extendleft({key: group[key] for key in half} for half in halves)
                return
            self._outcome.left |= group
            self._runner.strike(error, final=error.status in _NOT_OFFERED or remedy(error) == "stop")

    def _with_retries(self, group: dict[str, str], job: Job) -> str:
        """Submit; a request whose answer got lost is looked up before it is made again."""
        retry = self._runner.retry
        last: EmbeddingError | None = None
        for attempt in range(1, retry.attempts + 1):
            self._outcome.requests += 1
            try:
                return self._call(lambda: self._api.submit(group, job.label))
            except EmbeddingError as error:
                if remedy(error) not in ("again", "wait") and not isinstance(error, ProviderTimeoutError):
                    raise
                last = error
            asked = last.retry_after if isinstance(last, ProviderRateLimitError) else None
            self._sleep(min(asked or retry.delay(attempt, self._runner.rng), _LONGEST_SUBMIT_PAUSE_SECONDS))
            try:
                found = self._call(lambda: self._api.find(job.label))
            except EmbeddingError as error:
                raise _UnclearError(error) from None
            if found is not None:
                return found
        assert last is not None  # noqa: S101  at least one attempt was made
        raise last

    def _poll(self) -> None:
        for job in self._jobs.running():
            assert job.id is not None  # noqa: S101  recovered or just submitted
            deadline = self._deadlines.setdefault(job.label, self._runner.clock() + self._config.timeout_minutes * 60)
            try:
                state = self._call(lambda name=job.id: self._api.state(name))  # type: ignore[misc]
            except EmbeddingError as error:
                self._poll_failed(job, error, late=self._runner.clock() >= deadline)
                continue
            if state.phase != "running":
                self._collect(job, state)
            elif self._runner.clock() >= deadline:
                self._give_up(job, state)

    def _poll_failed(self, job: Job, error: EmbeddingError, *, late: bool) -> None:
        if error.status == 404:
            self._drop(job, f"the service does not know job {job.id} any more")
        elif late or remedy(error) == "stop":
            # The job is still there and paid for: it is asked again at the next run.
            self._outcome.error = error

    def _collect(self, job: Job, state: JobState) -> None:
        arrived: dict[str, Vector] = {}
        done: set[str] = set()
        try:
            for result in self._api.results(state):
                if self._cancel is not None:
                    self._cancel.raise_if_cancelled()
                vector = self._vector(result.values) if result.key in job.hashes else None
                if vector is None:
                    continue
                arrived[result.key] = vector
                done.add(result.key)
                if len(arrived) >= _HANDED_OVER_AT_ONCE:
                    self._hand_over(arrived)
                    arrived = {}
        except EmbeddingError as error:
            self._outcome.error = error
            self._hand_over(arrived)
            return
        self._hand_over(arrived)
        self._jobs.remove(job)
        self._leave(set(job.hashes) - done)
        if state.phase == "failed":
            self._runner.strike(f"job {job.id} ended as {state.word}")
        else:
            self._runner.failures = 0

    def _give_up(self, job: Job, state: JobState) -> None:
        try:
            self._call(lambda: self._api.cancel(job.id or ""))
        except EmbeddingError as error:
            log.info("job %s could not be cancelled: %s", job.id, error.message)
        limit = f"{self._config.timeout_minutes:g} minutes"
        self._drop(job, f"job {job.id} was still {state.word} after {limit} (remote.batch.timeoutMinutes)")

    def _drop(self, job: Job, why: str) -> None:
        self._jobs.remove(job)
        self._leave(set(job.hashes))
        self._runner.strike(why)

    def _leave(self, keys: set[str]) -> None:
        self._outcome.left |= {key: text for key, text in self._texts.items() if key in keys}

    def _vector(self, values: Any) -> Vector | None:
        if not isinstance(values, list) or not values:
            return None
        try:
            vector = pack(values)
        except ProviderReplyError:
            return None
        self._dimensions = self._dimensions or dimensions(vector)
        return vector if dimensions(vector) == self._dimensions else None

    def _hand_over(self, vectors: dict[str, Vector]) -> None:
        if not vectors:
            return
        self._on_vectors(vectors)
        self._outcome.done += len(vectors.keys() & self._texts.keys())
        if self._progress is not None:
            self._progress(self._outcome.done, self._total)

    def _call(self, request: Callable[[], T]) -> T:
        """Run a request beside this thread, so that a cancel ends the wait at once."""
        answer: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

        def work() -> None:
            try:
                answer.put((request(), None))
            except BaseException as error:
                answer.put((None, error))

        threading.Thread(target=work, name="batch", daemon=True).start()
        while True:
            if self._cancel is not None:
                self._cancel.raise_if_cancelled()
            try:
                value, error = answer.get(timeout=0.1)
            except queue.Empty:
                continue
            if error is not None:
                raise error
            return value  # type: ignore[return-value]

    def _sleep(self, seconds: float) -> None:
        until = self._runner.clock() + seconds
        while (left := until - self._runner.clock()) > 0:
            if self._cancel is not None:
                self._cancel.raise_if_cancelled()
            self._runner.pause(min(left, 0.1) if self._cancel is not None else left, self._stop)
