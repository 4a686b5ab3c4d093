"""Batch jobs: collected by name, bounded in time, resumed after a restart, never paid for twice."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fake_batches import BatchDesk
from support.fake_embeddings import KEY, FakeEmbeddings, words_vector
from support.fake_services import FakeGemini, FakeVoyage
from support.local_server import LocalServer
from support.providers import FakeTime, numbered, provider_settings, unpack

from openclaw_memory_core.cancel import CancelToken
from openclaw_memory_core.config.model import BatchConfig
from openclaw_memory_core.embeddings.batch import BatchLimits, ForgetfulJobStore, cut
from openclaw_memory_core.embeddings.embedder import Embedder
from openclaw_memory_core.embeddings.registry import create_provider
from openclaw_memory_core.errors import CancelledError, ProviderUnavailableError


class DiskStore:
    """Keeps the value as JSON text, as the index does."""

    def __init__(self) -> None:
        self.text = "null"

    def load(self) -> Any:
        return json.loads(self.text)

    def save(self, value: Any) -> None:
        self.text = json.dumps(value)


@dataclass
class Bench:
    """A service with batch jobs and what is needed to use it."""

    name: str
    server: Any
    store: DiskStore
    time: FakeTime

    @property
    def desk(self) -> BatchDesk:
        desk: BatchDesk = self.server.batches
        return desk

    def embedder(self, **config: Any) -> Embedder:
        """As after a start of the process: everything new but the store."""
        provider = create_provider(provider_settings(self.name, url=self.server.url, key=KEY))
        settings = BatchConfig(enabled=True, **config)
        return Embedder(
            provider,
            sleep=self.time.sleep,
            clock=self.time.clock,
            rng=lambda: 0.0,
            batch=settings,
            jobs=self.store,
        )

    def direct_calls(self) -> int:
        words = ("/embeddings", ":batchEmbedContents")
        return sum(1 for request in self.server.requests if request.path.endswith(words))


@pytest.fixture(params=["openai", "voyage", "gemini"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    servers: dict[str, type[LocalServer]] = {"openai": FakeEmbeddings, "voyage": FakeVoyage, "gemini": FakeGemini}
    with servers[request.param](key=KEY) as server:  # type: ignore[call-arg]
        yield Bench(request.param, server, DiskStore(), FakeTime())


def test_all_texts_go_through_a_job_and_land_under_their_hashes(bench: Bench) -> None:
    got: dict[str, bytes] = {}
    subject = bench.embedder()

    report = subject.embed_documents(numbered(40) | {"blank": " "}, got.update)
    subject.close()

    assert report.done == 40
    assert report.blank == {"blank"}
    assert bench.direct_calls() == 0
    assert len(bench.desk.jobs) == 1
    for key, text in numbered(40).items():
        assert unpack(got[key]) == pytest.approx(words_vector(text), abs=1e-6)
    assert bench.store.load() == []


def test_a_line_that_failed_and_one_that_is_missing_are_sent_directly_once(bench: Bench) -> None:
    bench.desk.failing = {"text number 3"}
    bench.desk.missing = {"text number 5"}
    got: dict[str, bytes] = {}
    subject = bench.embedder()

    report = subject.embed_documents(numbered(20), got.update)
    subject.close()

    assert report.done == len(got) == 20
    assert bench.direct_calls() == 1
    assert sorted(bench.server.embedded) == sorted(numbered(20).values())


def test_a_job_that_never_ends_is_left_at_the_limit_and_cancelled(bench: Bench) -> None:
    bench.desk.stuck = "validating"
    started = bench.time.now
    subject = bench.embedder(timeout_minutes=10.0)

    report = subject.embed_documents(numbered(5), lambda _: None)
    subject.close()

    assert report.done == 5
    assert 600 <= bench.time.now - started <= 910
    assert list(bench.desk.jobs) == bench.desk.cancelled
    assert bench.direct_calls() == 1
    status = subject.batch_status()
    assert status is not None
    assert status["failures"] == 1
    assert "timeoutMinutes" in status["lastError"]


def test_after_two_failures_texts_are_sent_directly_at_once(bench: Bench) -> None:
    bench.desk.final = "failed"
    subject = bench.embedder()

    for number in range(3):
        report = subject.embed_documents({f"k{number}": f"note {number}"}, lambda _: None)
        assert report.done == 1
    subject.close()

    assert len(bench.desk.jobs) == 2
    status = subject.batch_status()
    assert status is not None
    assert (status["enabled"], status["limit"]) == (False, 2)


def test_a_success_forgives_one_failure(bench: Bench) -> None:
    subject = bench.embedder()
    for number, final in enumerate(["failed", "completed", "failed", "completed"]):
        bench.desk.final = final
        subject.embed_documents({f"k{number}": f"note {number}"}, lambda _: None)
    subject.close()

    assert len(bench.desk.jobs) == 4
    status = subject.batch_status()
    assert status is not None
    assert status["enabled"]


def test_a_service_without_batches_is_used_directly(bench: Bench) -> None:
    for path in ("/files", "/batches", ":asyncBatchEmbedContent"):
        bench.server.fail(404, path=path, times=9)
    subject = bench.embedder()

    assert subject.embed_documents(numbered(4), lambda _: None).done == 4
    assert subject.embed_documents({"x": "another"}, lambda _: None).done == 1
    subject.close()

    status = subject.batch_status()
    assert status is not None
    assert not status["enabled"]
    assert bench.desk.jobs == {}


def test_a_job_submitted_before_a_restart_is_collected_and_not_submitted_again(bench: Bench) -> None:
    token = CancelToken()
    bench.desk.stuck = "in_progress"
    bench.time.sleep = lambda _: token.cancel()  # type: ignore[method-assign]
    first = bench.embedder()
    with pytest.raises(CancelledError):
        first.embed_documents(numbered(6), lambda _: None, cancel=token)
    first.close()

    bench.desk.stuck = None
    bench.time = FakeTime()
    got: dict[str, bytes] = {}
    second = bench.embedder()
    report = second.embed_documents(numbered(8), got.update)
    second.close()

    assert report.done == len(got) == 8
    assert sorted(bench.desk.submitted) == sorted(numbered(8).values())
    assert bench.direct_calls() == 0


def test_a_job_whose_id_was_not_written_down_is_found_by_its_label(bench: Bench) -> None:
    first = bench.embedder(wait=False)
    first.embed_documents(numbered(3), lambda _: None)
    first.close()
    records = bench.store.load()
    bench.store.save([record | {"id": None} for record in records])

    second = bench.embedder()
    report = second.embed_documents(numbered(3), lambda _: None)
    second.close()

    assert report.done == 3
    assert len(bench.desk.jobs) == 1


def test_a_label_that_the_service_does_not_know_means_the_job_was_never_accepted(bench: Bench) -> None:
    first = bench.embedder(wait=False)
    first.embed_documents(numbered(3), lambda _: None)
    first.close()
    bench.store.save([record | {"id": None, "label": "unknown"} for record in bench.store.load()])

    second = bench.embedder()
    assert second.embed_documents(numbered(3), lambda _: None).done == 3
    second.close()

    assert len(bench.desk.jobs) == 2


def test_without_waiting_texts_are_pending_until_a_later_run(bench: Bench) -> None:
    bench.desk.polls = 2
    subject = bench.embedder(wait=False)

    reports = [subject.embed_documents(numbered(3), lambda _: None) for _ in range(3)]
    subject.close()

    assert [(report.done, report.pending) for report in reports] == [(0, 3), (0, 3), (3, 0)]
    assert bench.direct_calls() == 0


def test_jobs_of_another_identity_are_left_alone(bench: Bench) -> None:
    foreign = {"identity": "other", "label": "l", "id": "batch_77", "hashes": ["h0"], "at": time.time()}
    bench.store.save([foreign])
    subject = bench.embedder()

    assert subject.embed_documents(numbered(2), lambda _: None).done == 2
    subject.close()

    assert bench.store.load() == [foreign]


@pytest.mark.parametrize("kept", ["no list", [1], [{"id": 3}], [{"identity": "x", "label": "l", "id": "b"}], {}])
def test_a_damaged_record_of_jobs_is_forgotten(kept: Any) -> None:
    store = ForgetfulJobStore()
    store.save(kept)
    with FakeEmbeddings(key=KEY) as server:
        provider = create_provider(provider_settings("openai", url=server.url, key=KEY))
        subject = Embedder(provider, sleep=lambda _: None, batch=BatchConfig(enabled=True), jobs=store)
        server.batches.polls = 0

        assert subject.embed_documents(numbered(2), lambda _: None).done == 2
        subject.close()


def test_a_job_the_service_has_forgotten_is_sent_again(bench: Bench) -> None:
    first = bench.embedder(wait=False)
    first.embed_documents(numbered(3), lambda _: None)
    first.close()
    bench.desk.jobs.clear()

    second = bench.embedder()
    assert second.embed_documents(numbered(3), lambda _: None).done == 3
    second.close()
    assert bench.direct_calls() == 1


def test_an_expired_job_gives_what_it_has() -> None:
    with FakeEmbeddings(key=KEY) as server:
        server.batches.final = "expired"
        server.batches.missing = {"text number 1"}
        provider = create_provider(provider_settings("openai", url=server.url, key=KEY))
        subject = Embedder(provider, sleep=lambda _: None, batch=BatchConfig(enabled=True, poll_interval_ms=1))

        assert subject.embed_documents(numbered(3), lambda _: None).done == 3
        subject.close()

        assert server.inputs == ["text number 1"]
        assert len(server.embedded) == 3


def test_trouble_while_asking_keeps_the_job(bench: Bench) -> None:
    subject = bench.embedder(timeout_minutes=1.0)
    bench.desk.polls = 1000
    bench.server.fail(500, method="GET", path="batches", times=1000)

    report = subject.embed_documents(numbered(3), lambda _: None)

    assert isinstance(report.error, ProviderUnavailableError)
    assert report.pending == 3
    assert bench.direct_calls() == 0
    bench.server.repair()
    bench.desk.polls = 0
    assert subject.embed_documents(numbered(3), lambda _: None).done == 3
    subject.close()
    assert len(bench.desk.jobs) == 1


def test_a_failing_start_is_tried_again_and_then_counted(bench: Bench) -> None:
    for path in ("/batches", ":asyncBatchEmbedContent"):
        bench.server.fail(503, method="POST", path=path, times=2)
    subject = bench.embedder()

    assert subject.embed_documents(numbered(3), lambda _: None).done == 3
    subject.close()
    assert len(bench.desk.jobs) == 1


def test_cancelling_does_not_wait_for_the_next_look() -> None:
    with FakeEmbeddings(key=KEY) as server:
        server.batches.stuck = "validating"
        provider = create_provider(provider_settings("openai", url=server.url, key=KEY))
        subject = Embedder(provider, batch=BatchConfig(enabled=True, poll_interval_ms=60_000))
        token = CancelToken()
        threading.Timer(0.2, token.cancel).start()
        started = time.monotonic()

        with pytest.raises(CancelledError):
            subject.embed_documents(numbered(3), lambda _: None, cancel=token)
        subject.close()

        assert time.monotonic() - started < 3


def test_jobs_run_side_by_side_up_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    from openclaw_memory_core.embeddings.batch_openai import OpenAIBatches

    with FakeEmbeddings(key=KEY) as server:
        provider = create_provider(provider_settings("openai", url=server.url, key=KEY))
        api = provider.batch_api()  # type: ignore[attr-defined]
        small = OpenAIBatches(api.wire, api.line, limits=BatchLimits(requests=2))
        monkeypatch.setattr(provider, "batch_api", lambda: small, raising=False)
        clock = FakeTime()
        subject = Embedder(
            provider, sleep=clock.sleep, clock=clock.clock, batch=BatchConfig(enabled=True, concurrency=3)
        )
        server.batches.polls = 0

        assert subject.embed_documents(numbered(9), lambda _: None).done == 9
        subject.close()

        assert [len(job["texts"]) for job in server.batches.jobs.values()] == [2, 2, 2, 2, 1]
        kinds = [request.method for request in server.requests if request.path.startswith("/v1/batches")]
        assert kinds[:4] == ["POST", "POST", "POST", "GET"]


def test_too_large_a_file_is_halved() -> None:
    with FakeEmbeddings(key=KEY) as server:
        server.fail(413, path="/files", times=1)
        clock = FakeTime()
        provider = create_provider(provider_settings("openai", url=server.url, key=KEY))
        subject = Embedder(provider, sleep=clock.sleep, clock=clock.clock, batch=BatchConfig(enabled=True))

        assert subject.embed_documents(numbered(8), lambda _: None).done == 8
        subject.close()

        assert [len(job["texts"]) for job in server.batches.jobs.values()] == [4, 4]


def test_voyage_says_model_and_options_once() -> None:
    with FakeVoyage(key=KEY) as server:
        clock = FakeTime()
        provider = create_provider(provider_settings("voyage", url=server.url, key=KEY, dimensions=16))
        subject = Embedder(provider, sleep=clock.sleep, clock=clock.clock, batch=BatchConfig(enabled=True))
        subject.embed_documents(numbered(2), lambda _: None)
        subject.close()

        (job,) = server.batches.jobs.values()
        assert job["request_params"] == {"model": "voyage-4-large", "input_type": "document", "output_dimension": 16}
        assert job["completion_window"] == "12h"


def test_batches_are_off_unless_configured_and_only_where_offered() -> None:
    with FakeEmbeddings(key=KEY) as server:
        provider = create_provider(provider_settings("openai", url=server.url, key=KEY))
        compatible = create_provider(provider_settings("openai-compatible", url=server.url, key=KEY, model="m"))

        assert Embedder(provider).batch_status() is None
        assert Embedder(provider, batch=BatchConfig()).batch_status() is None
        assert Embedder(compatible, batch=BatchConfig(enabled=True)).batch_status() is None
        assert Embedder(provider, batch=BatchConfig(enabled=True)).batch_status() is not None


@given(st.lists(st.text(min_size=1, max_size=30), max_size=30), st.integers(1, 7), st.integers(50, 400))
def test_groups_hold_every_text_once_and_keep_the_limits(texts: list[str], requests: int, size: int) -> None:
    named = {str(i): text for i, text in enumerate(texts)}

    groups = list(cut(named, BatchLimits(requests, size), 10))

    assert [key for group in groups for key in group] == [key for key, text in named.items() if text.strip()]
    for group in groups:
        assert len(group) <= requests
        lines = sum(len(json.dumps(text, ensure_ascii=False).encode()) + 10 for text in group.values())
        assert len(group) == 1 or lines <= size
