"""What :class:`Embedder` does around a provider: batches, halves, retries, hands over, keeps deadlines."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fake_embeddings import words_vector
from support.providers import FakeTime, ScriptedProvider, embedder, numbered, unpack

from openclaw_memory_core.cancel import CancelToken
from openclaw_memory_core.embeddings.base import ProviderLimits
from openclaw_memory_core.embeddings.embedder import Embedder
from openclaw_memory_core.embeddings.sizes import Packer, estimate
from openclaw_memory_core.embeddings.vectors import pack
from openclaw_memory_core.errors import (
    CancelledError,
    EmbeddingError,
    MissingKeyError,
    ProviderAuthError,
    ProviderInputError,
    ProviderQuotaError,
    ProviderRateLimitError,
    ProviderReplyError,
    ProviderTimeoutError,
    ProviderUnavailableError,
)
from openclaw_memory_core.workspace.tokens import estimate_tokens


def sizes(provider: ScriptedProvider) -> list[int]:
    return [len(call) for call in provider.calls]


def once(error: EmbeddingError, times: int = 1):
    """Behaviour: fail the first calls, then work."""
    left = [times]

    def behave(texts: Sequence[str], kind: str) -> None:
        if left[0] > 0:
            left[0] -= 1
            raise error

    return behave


def refusing(predicate, error: EmbeddingError | None = None):
    def behave(texts: Sequence[str], kind: str) -> None:
        if predicate(texts):
            raise error or ProviderInputError("no", status=400)

    return behave


def test_each_text_is_embedded_once_and_handed_over_under_its_hash() -> None:
    provider = ScriptedProvider()
    got: dict[str, bytes] = {}

    report = embedder(provider).embed_documents(numbered(30), got.update)

    assert report.done == 30
    assert report.error is None
    assert not report.failed
    assert unpack(got["h7"]) == pytest.approx(words_vector("text number 7"), abs=1e-6)
    assert sorted(text for call in provider.calls for text in call) == sorted(numbered(30).values())


def test_blank_texts_are_never_sent_and_are_named() -> None:
    provider = ScriptedProvider()

    report = embedder(provider).embed_documents({"a": "", "b": " \n\t ", "c": "words"}, lambda _: None)

    assert provider.calls == [["words"]]
    assert report.blank == {"a", "b"}
    assert report.done == 1


def test_nothing_to_do_makes_no_request() -> None:
    provider = ScriptedProvider()

    report = embedder(provider).embed_documents({}, lambda _: None)

    assert (report.done, provider.calls) == (0, [])


@given(
    texts=st.lists(st.text(alphabet="abc дж漢字🙂 ", min_size=1, max_size=60), max_size=40, unique=True),
    items=st.integers(1, 10) | st.none(),
    tokens=st.integers(1, 60) | st.none(),
    size=st.integers(1, 120) | st.none(),
)
def test_no_request_is_beyond_a_limit_unless_a_single_text_is(
    texts: list[str], items: int | None, tokens: int | None, size: int | None
) -> None:
    limits = ProviderLimits(items=items, tokens=tokens, body_bytes=size, concurrency=1)
    provider = ScriptedProvider(limits=limits)

    report = embedder(provider).embed_documents({str(i): text for i, text in enumerate(texts)}, lambda _: None)

    assert report.done == sum(1 for text in texts if text.strip())
    for call in provider.calls:
        assert items is None or len(call) <= items
        if len(call) > 1:
            assert tokens is None or sum(map(estimate_tokens, call)) <= tokens
            assert size is None or sum(len(text.encode()) for text in call) <= size


def test_a_refused_size_is_halved_and_remembered_for_the_rest_of_the_run() -> None:
    provider = ScriptedProvider(
        refusing(lambda texts: len(texts) > 16), limits=ProviderLimits(items=60, tokens=None, concurrency=1)
    )

    report = embedder(provider).embed_documents(numbered(180), lambda _: None)

    assert report.done == 180
    assert sizes(provider)[:7] == [60, 30, 30, 15, 15, 15, 15]
    assert set(sizes(provider)[7:]) == {15}


@pytest.mark.parametrize(
    "error",
    [
        ProviderInputError("no", status=400),
        ProviderUnavailableError("crash", status=500),
        ProviderReplyError("not JSON"),
        ProviderTimeoutError("slow"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_one_text_that_spoils_every_request_is_found_and_named(error: EmbeddingError) -> None:
    provider = ScriptedProvider(refusing(lambda texts: "text number 7" in texts, error))

    report = embedder(provider).embed_documents(numbered(60), lambda _: None)

    assert set(report.failed) == {"h7"}
    assert report.done == 59
    assert report.error is None


def test_two_texts_that_spoil_their_requests_are_both_named() -> None:
    spoilt = {"text number 3", "text number 40"}
    provider = ScriptedProvider(refusing(lambda texts: spoilt & set(texts)))

    report = embedder(provider).embed_documents(numbered(60), lambda _: None)

    assert set(report.failed) == {"h3", "h40"}
    assert report.done == 58


def test_a_provider_that_refuses_everything_is_not_asked_for_every_text() -> None:
    provider = ScriptedProvider(refusing(lambda _: True))

    report = embedder(provider).embed_documents(numbered(500), lambda _: None)

    assert isinstance(report.error, ProviderInputError)
    assert len(provider.calls) < 25


@pytest.mark.parametrize("error", [ProviderAuthError("no"), ProviderQuotaError("broke"), MissingKeyError("none")])
def test_what_no_retry_can_mend_ends_the_run_after_one_request(error: EmbeddingError) -> None:
    provider = ScriptedProvider(refusing(lambda _: True, error), limits=ProviderLimits(items=1, concurrency=4))

    report = embedder(provider).embed_documents(numbered(20), lambda _: None)

    assert report.error is error
    assert len(provider.calls) == 1


def test_an_unknown_model_is_not_tried_again() -> None:
    provider = ScriptedProvider(refusing(lambda _: True, ProviderUnavailableError("no such model", status=404)))

    report = embedder(provider).embed_documents(numbered(5), lambda _: None)

    assert report.error is not None
    assert len(provider.calls) == 1


@pytest.mark.parametrize("error", [ProviderUnavailableError("refused"), ProviderUnavailableError("busy", status=502)])
def test_passing_trouble_is_tried_again_after_growing_pauses(error: EmbeddingError) -> None:
    faketime = FakeTime()
    provider = ScriptedProvider(once(error, 2))

    report = embedder(provider, faketime).embed_documents(numbered(5), lambda _: None)

    assert report.done == 5
    assert len(provider.calls) == 3
    assert faketime.slept == [0.5, 1.0]


def test_a_dead_server_ends_the_run_after_three_tries() -> None:
    provider = ScriptedProvider(refusing(lambda _: True, ProviderUnavailableError("refused")))

    report = embedder(provider).embed_documents(numbered(900), lambda _: None)

    assert isinstance(report.error, ProviderUnavailableError)
    assert report.done == 0
    assert not report.failed
    assert len(provider.calls) == 3


def test_a_server_that_dies_midway_keeps_what_was_done() -> None:
    answered = []

    def behave(texts: Sequence[str], kind: str) -> None:
        if len(answered) >= 3:
            raise ProviderUnavailableError("on fire", status=500)
        answered.append(len(texts))

    provider = ScriptedProvider(behave, limits=ProviderLimits(items=10, concurrency=1))
    got: dict[str, bytes] = {}

    report = embedder(provider).embed_documents(numbered(100), got.update)

    assert report.done == len(got) == 30
    assert report.error is not None
    assert len(provider.calls) <= 10


def test_jitter_only_lengthens_what_the_server_asked_for() -> None:
    faketime = FakeTime()
    provider = ScriptedProvider(once(ProviderRateLimitError("slow", retry_after=7.0)))
    subject = Embedder(provider, sleep=faketime.sleep, clock=faketime.clock, rng=lambda: 0.999)

    subject.embed_documents(numbered(3), lambda _: None)

    assert 7.0 <= sum(faketime.slept) <= 7.5


def test_a_rate_limit_closes_the_door_for_everybody() -> None:
    faketime = FakeTime()
    seen: list[float] = []
    lock = threading.Lock()

    def behave(texts: Sequence[str], kind: str) -> None:
        with lock:
            seen.append(faketime.now)
            if len(seen) <= 3:
                raise ProviderRateLimitError("slow", retry_after=2.0)

    provider = ScriptedProvider(behave, limits=ProviderLimits(items=1, concurrency=4))

    report = embedder(provider, faketime).embed_documents(numbered(12), lambda _: None)

    assert report.done == 12
    assert [b - a for a, b in pairwise(seen[:4])] == [2.0, 2.0, 2.0]


def test_rate_limits_without_end_end_the_run() -> None:
    provider = ScriptedProvider(refusing(lambda _: True, ProviderRateLimitError("slow", retry_after=1.0)))

    report = embedder(provider).embed_documents(numbered(12), lambda _: None)

    assert isinstance(report.error, ProviderRateLimitError)
    assert len(provider.calls) == 6


def test_a_pause_of_an_hour_is_not_waited_for_and_not_ignored_later() -> None:
    faketime = FakeTime()
    provider = ScriptedProvider(once(ProviderRateLimitError("slow", retry_after=3000.0)))
    subject = embedder(provider, faketime)

    first = subject.embed_documents(numbered(3), lambda _: None)
    second = subject.embed_documents(numbered(3), lambda _: None)
    with pytest.raises(ProviderRateLimitError):
        subject.embed_query("why", timeout=5)

    assert isinstance(first.error, ProviderRateLimitError)
    assert isinstance(second.error, ProviderRateLimitError)
    assert len(provider.calls) == 1
    assert faketime.slept == []
    faketime.now += 3001
    assert subject.embed_documents(numbered(3), lambda _: None).done == 3


def test_only_one_request_goes_out_until_the_provider_has_answered() -> None:
    inside = []
    most = [0]
    first = threading.Event()
    lock = threading.Lock()

    def behave(texts: Sequence[str], kind: str) -> None:
        with lock:
            inside.append(1)
            if not first.is_set():
                most[0] = max(most[0], len(inside))
        first.wait(0.05)
        first.set()
        with lock:
            inside.pop()

    provider = ScriptedProvider(behave, limits=ProviderLimits(items=1, concurrency=4))

    embedder(provider).embed_documents(numbered(10), lambda _: None)

    assert most[0] == 1


def test_requests_run_in_parallel_once_the_provider_is_proven() -> None:
    together = threading.Barrier(3)
    calls = []

    def behave(texts: Sequence[str], kind: str) -> None:
        calls.append(1)
        if len(calls) > 1:
            together.wait(5)

    provider = ScriptedProvider(behave, limits=ProviderLimits(items=1, concurrency=3))

    assert embedder(provider).embed_documents(numbered(7), lambda _: None).done == 7


def test_a_model_in_this_process_is_not_waited_for() -> None:
    together = threading.Barrier(2)

    def behave(texts: Sequence[str], kind: str) -> None:
        together.wait(10)

    provider = ScriptedProvider(behave, limits=ProviderLimits(items=4, concurrency=2, in_process=True))

    assert embedder(provider).embed_documents(numbered(8), lambda _: None).done == 8


def test_requests_to_a_model_in_this_process_become_smaller_so_that_all_workers_end_together() -> None:
    limits = ProviderLimits(items=32, concurrency=2, in_process=True)
    packer = Packer(numbered(200), limits)

    found = [len(request) for request in iter(packer.take, [])]

    assert sum(found) == 200
    assert found == sorted(found, reverse=True)
    assert (found[0], found[-1] <= 4) == (32, True)


def test_a_vector_that_is_not_finite_is_named_and_its_neighbours_are_kept() -> None:
    def behave(texts: Sequence[str], kind: str) -> list[list[float]]:
        return [[math.nan, 1.0] if text.endswith(" 2") else [1.0, 0.0] for text in texts]

    report = embedder(ScriptedProvider(behave)).embed_documents(numbered(5), lambda _: None)

    assert set(report.failed) == {"h2"}
    assert report.done == 4


@pytest.mark.parametrize(
    "reply",
    [[[1.0, 0.0]] * 4, [[1.0, 0.0]] * 6, [[]] * 5, [[1.0, "x"]] * 5, [[1.0, None]] * 5],
    ids=["too few", "too many", "empty", "text", "null"],
)
def test_a_reply_that_does_not_fit_is_never_stored(reply: list[list[float]]) -> None:
    provider = ScriptedProvider(lambda texts, kind: reply)
    got: dict[str, bytes] = {}

    report = embedder(provider).embed_documents(numbered(5), got.update)

    assert got == {}
    assert isinstance(report.error, ProviderReplyError)


def test_vectors_of_another_length_than_expected_are_never_stored() -> None:
    provider = ScriptedProvider(dimensions=8)
    got: dict[str, bytes] = {}

    report = embedder(provider).embed_documents(numbered(5), got.update)

    assert got == {}
    assert "16 numbers, 8 were expected" in str(report.error)


def test_one_vector_of_another_length_is_named() -> None:
    def behave(texts: Sequence[str], kind: str) -> list[list[float]]:
        return [[1.0] if text.endswith(" 2") else [1.0, 0.0] for text in texts]

    report = embedder(ScriptedProvider(behave)).embed_documents(numbered(5), lambda _: None)

    assert set(report.failed) == {"h2"}


def test_results_are_handed_over_while_the_run_goes_on_and_in_the_callers_thread() -> None:
    release = threading.Event()

    def behave(texts: Sequence[str], kind: str) -> None:
        if "text number 9" in texts:
            assert release.wait(5)

    provider = ScriptedProvider(behave, limits=ProviderLimits(items=1, concurrency=1))
    threads = set()

    def on_vectors(vectors: object) -> None:
        threads.add(threading.current_thread())
        release.set()

    assert embedder(provider).embed_documents(numbered(10), on_vectors).done == 10
    assert threads == {threading.current_thread()}


def test_cancelling_returns_at_once_and_keeps_what_arrived() -> None:
    never = threading.Event()
    token = CancelToken()

    def behave(texts: Sequence[str], kind: str) -> None:
        if "text number 3" in texts:
            token.cancel()
            never.wait(5)

    provider = ScriptedProvider(behave, limits=ProviderLimits(items=1, concurrency=1))
    got: dict[str, bytes] = {}

    with pytest.raises(CancelledError):
        embedder(provider).embed_documents(numbered(10), got.update, cancel=token)
    never.set()

    assert set(got) == {"h0", "h1", "h2"}


def test_cancelling_ends_a_long_pause_too() -> None:
    token = CancelToken()

    def behave(texts: Sequence[str], kind: str) -> None:
        threading.Timer(0.05, token.cancel).start()
        raise ProviderRateLimitError("slow", retry_after=60.0)

    with pytest.raises(CancelledError):
        Embedder(ScriptedProvider(behave)).embed_documents(numbered(2), lambda _: None, cancel=token)


def test_what_the_store_raises_ends_the_run_and_comes_through() -> None:
    def full(vectors: object) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        embedder(ScriptedProvider()).embed_documents(numbered(5), full)


def test_a_bug_in_a_provider_is_raised_not_swallowed() -> None:
    def behave(texts: Sequence[str], kind: str) -> None:
        raise KeyError("bug")

    with pytest.raises(KeyError):
        embedder(ScriptedProvider(behave)).embed_documents(numbered(5), lambda _: None)


def test_progress_counts_up_to_all_texts() -> None:
    seen: list[tuple[int, int]] = []
    provider = ScriptedProvider(limits=ProviderLimits(items=4, concurrency=1))

    embedder(provider).embed_documents(numbered(10), lambda _: None, progress=lambda *at: seen.append(at))

    assert seen == [(4, 10), (8, 10), (10, 10)]


def test_a_query_gives_one_packed_vector() -> None:
    assert embedder(ScriptedProvider()).embed_query("a ferry", timeout=5) == pack(words_vector("a ferry"))


def test_the_same_query_is_not_paid_twice() -> None:
    provider = ScriptedProvider()
    subject = embedder(provider)

    assert subject.embed_query("a ferry", timeout=5) == subject.embed_query("a ferry", timeout=5)
    assert len(provider.calls) == 1


def test_a_probe_always_asks() -> None:
    provider = ScriptedProvider()
    subject = embedder(provider)

    assert (subject.probe(timeout=5), subject.probe(timeout=5)) == (16, 16)
    assert provider.calls == [["ping"], ["ping"]]


def test_a_query_returns_at_its_deadline_whatever_the_provider_does() -> None:
    never = threading.Event()

    def behave(texts: Sequence[str], kind: str) -> None:
        never.wait(5)

    with pytest.raises(ProviderTimeoutError):
        Embedder(ScriptedProvider(behave)).embed_query("why", timeout=0.05)
    never.set()


def test_a_query_is_tried_again_within_its_deadline_only() -> None:
    faketime = FakeTime()
    provider = ScriptedProvider(once(ProviderUnavailableError("blip"), 1))

    assert embedder(provider, faketime).embed_query("why", timeout=5)
    assert faketime.slept == [0.5]

    patient = ScriptedProvider(once(ProviderRateLimitError("slow", retry_after=30.0)))
    with pytest.raises(ProviderRateLimitError):
        embedder(patient).embed_query("why", timeout=5)
    assert len(patient.calls) == 1


def test_a_query_waits_while_indexing_was_asked_to_slow_down() -> None:
    faketime = FakeTime()
    provider = ScriptedProvider(once(ProviderRateLimitError("slow", retry_after=400.0)))
    subject = embedder(provider, faketime)
    subject.embed_documents(numbered(2), lambda _: None)

    with pytest.raises(ProviderRateLimitError, match="400 s"):
        subject.embed_query("why", timeout=20)
    faketime.now += 395
    assert subject.embed_query("why", timeout=20)
    assert sum(faketime.slept) == pytest.approx(5.0)


def test_a_blank_query_is_refused_without_a_request() -> None:
    provider = ScriptedProvider()

    with pytest.raises(ProviderInputError):
        embedder(provider).embed_query("  ", timeout=5)
    assert provider.calls == []


def test_lone_surrogates_do_not_reach_the_provider() -> None:
    provider = ScriptedProvider()

    embedder(provider).embed_documents({"a": "bad \ud800 text"}, lambda _: None)

    assert provider.calls == [["bad ? text"]]


def test_the_estimate_counts_what_would_be_sent() -> None:
    counted = estimate(["", "  ", "abcd" * 10, "漢字"])

    assert (counted.texts, counted.tokens) == (2, 12)


def test_a_worker_asks_for_no_more_before_its_vectors_are_stored() -> None:
    stored: set[str] = set()
    answered: list[str] = []

    def behave(texts: Sequence[str], kind: str) -> None:
        assert set(answered) == stored
        answered.extend(texts)

    provider = ScriptedProvider(behave, limits=ProviderLimits(items=3, concurrency=1))

    def on_vectors(vectors: Mapping[str, bytes]) -> None:
        time.sleep(0.005)
        stored.update(texts[key] for key in vectors)

    texts = numbered(15)
    assert embedder(provider).embed_documents(texts, on_vectors).done == 15


TROUBLE = [
    ProviderRateLimitError("slow", retry_after=1.0),
    ProviderRateLimitError("slow"),
    ProviderUnavailableError("refused"),
    ProviderUnavailableError("crash", status=500),
    ProviderUnavailableError("busy", status=503),
    ProviderReplyError("not JSON"),
    ProviderTimeoutError("slow"),
    ProviderInputError("too much", status=413),
    ProviderAuthError("no"),
]


@given(
    script=st.lists(st.sampled_from([None, None, None, *TROUBLE]), max_size=40),
    bad=st.sets(st.integers(0, 29), max_size=3),
    items=st.integers(1, 12),
    most=st.integers(1, 12),
    workers=st.integers(1, 4),
)
def test_whatever_a_server_does_every_text_is_done_once_or_accounted_for(
    script: list[EmbeddingError | None], bad: set[int], items: int, most: int, workers: int
) -> None:
    lock = threading.Lock()
    left = list(script)
    refused = {f"text number {number}" for number in bad}
    answered: list[str] = []

    def behave(texts: Sequence[str], kind: str) -> None:
        with lock:
            error = left.pop(0) if left else None
            if error is not None:
                raise error
            if len(texts) > most or refused & set(texts):
                raise ProviderInputError("no", status=400)
            answered.extend(texts)

    provider = ScriptedProvider(behave, limits=ProviderLimits(items=items, concurrency=workers))
    got: dict[str, bytes] = {}

    report = embedder(provider).embed_documents(numbered(30), got.update)

    texts = numbered(30)
    assert sorted(texts[key] for key in got) == sorted(answered)
    assert len(answered) == len(set(answered)) == report.done
    assert not set(report.failed) & set(got)
    for key, vector in got.items():
        assert vector == pack(words_vector(texts[key]))
    if report.error is None:
        assert len(got) + len(report.failed) == 30
        assert {texts[key] for key in report.failed} >= refused


def test_after_a_run_no_worker_is_left() -> None:
    before = set(threading.enumerate())
    provider = ScriptedProvider(limits=ProviderLimits(items=1, concurrency=4))

    embedder(provider).embed_documents(numbered(20), lambda _: None)

    assert set(threading.enumerate()) <= before
