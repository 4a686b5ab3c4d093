"""What every provider must do, run against a server that speaks its protocol."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from support.fake_embeddings import KEY, words_vector
from support.fake_services import (
    FakeBedrock,
    FakeCopilot,
    FakeDeepInfra,
    FakeGemini,
    FakeMistral,
    FakeOllama,
    FakeOpenAI,
    FakeService,
    FakeVoyage,
)
from support.local_server import Response
from support.providers import FakeTime, embedder, numbered, provider_settings, unpack

from openclaw_memory_core.embeddings.base import EmbeddingProvider
from openclaw_memory_core.embeddings.registry import PROVIDERS, create_provider
from openclaw_memory_core.embeddings.vectors import normalised
from openclaw_memory_core.errors import (
    EmbeddingError,
    ProviderAuthError,
    ProviderRateLimitError,
    ProviderReplyError,
    ProviderTimeoutError,
    ProviderUnavailableError,
)


@dataclass(frozen=True)
class Case:
    """A provider and the server it is tested against.

    :param keyed: the provider sends a key.
    :param indexed: the protocol numbers its vectors.
    :param at_home: the address is given as the provider's own (``models.providers``), not under ``remote``.
    """

    name: str
    server: Callable[..., FakeService]
    model: str | None = None
    keyed: bool = True
    indexed: bool = True
    at_home: bool = False

    def provider(self, server: FakeService, *, key: str | None = KEY, **changes: Any) -> EmbeddingProvider:
        changes = {"model": self.model, **changes}
        key = key if self.keyed else None
        if self.at_home:
            settings = provider_settings(self.name, own_url=server.url, key=key, **changes)
        else:
            settings = provider_settings(self.name, url=server.url, key=key, **changes)
        return create_provider(settings)


CASES = [
    Case("openai", FakeOpenAI),
    Case("openai-compatible", FakeOpenAI, model="bge-small"),
    Case("gemini", FakeGemini, indexed=False),
    Case("voyage", FakeVoyage),
    Case("mistral", FakeMistral),
    Case("deepinfra", FakeDeepInfra),
    Case("lmstudio", FakeOpenAI, at_home=True),
    Case("ollama", FakeOllama, keyed=False, indexed=False),
    Case("github-copilot", FakeCopilot),
    Case("local", FakeOpenAI, at_home=True),
    Case("bedrock", FakeBedrock, keyed=False, indexed=False),
    Case("bedrock", FakeBedrock, model="cohere.embed-multilingual-v3", keyed=False, indexed=False),
    Case("bedrock", FakeBedrock, model="amazon.nova-2-multimodal-embeddings-v1:0", keyed=False, indexed=False),
]


@pytest.fixture(params=CASES, ids=lambda case: case.name if case.model is None else f"{case.name}-{case.model[:6]}")
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Case:
    chosen: Case = request.param
    if chosen.name == "bedrock":
        pytest.importorskip("boto3")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATESTACCESSKEY")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "aws-secret-for-tests-only")
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return chosen


@pytest.fixture
def server(case: Case) -> Iterator[FakeService]:
    with case.server() as running:
        yield running


@pytest.fixture
def provider(case: Case, server: FakeService) -> Iterator[EmbeddingProvider]:
    subject = case.provider(server)
    yield subject
    subject.close()


def embedding_calls(server: FakeService) -> int:
    return sum(1 for request in server.requests if request.path != "/copilot_internal/v2/token")


def not_the_exchange(server: FakeService, status: int = 500, **fault: Any) -> None:
    """Order a failure for the embedding call only."""
    path = "/embeddings" if isinstance(server, FakeCopilot) else ""
    server.fail(status, path=path, **fault)


def test_every_provider_has_a_case() -> None:
    assert {case.name for case in CASES} | {"embedded"} == set(PROVIDERS)


def test_each_text_gets_its_own_vector(case: Case, server: FakeService, provider: EmbeddingProvider) -> None:
    texts = ["the ferry leaves at nine", "Oslo in May", "漢字 und Öl 🙂"]

    vectors = provider.embed(texts, "document", timeout=10)

    sent = server.embedded
    assert [normalised(vector) for vector in vectors] == [pytest.approx(words_vector(text), abs=1e-6) for text in sent]
    assert all(text in given for text, given in zip(texts, sent, strict=True))


def test_a_query_gets_one_vector(server: FakeService, provider: EmbeddingProvider) -> None:
    (vector,) = provider.embed(["when does it leave"], "query", timeout=10)

    assert normalised(vector) == pytest.approx(words_vector(server.embedded[0]), abs=1e-6)
    assert server.embedded[0].endswith("when does it leave")


def test_vectors_may_come_in_any_order(case: Case, server: FakeService, provider: EmbeddingProvider) -> None:
    if not case.indexed:
        pytest.skip("the protocol numbers nothing; its order counts")
    server.shuffle = True
    texts = [f"word{i}" for i in range(8)]

    vectors = provider.embed(texts, "document", timeout=10)

    assert [normalised(vector) for vector in vectors] == [pytest.approx(words_vector(text), abs=1e-6) for text in texts]


def test_a_length_can_be_asked_for(case: Case, server: FakeService) -> None:
    if case.model and "cohere" in case.model:
        pytest.skip("version 3 has one length")
    subject = case.provider(server, dimensions=8)

    (vector,) = subject.embed(["a b c"], "document", timeout=10)
    subject.close()

    assert len(vector) == 8
    assert subject.info.dimensions == 8
    assert subject.info.identity["dimensions"] == "8"


def test_a_refused_key_is_an_auth_error_without_the_key(case: Case, server: FakeService) -> None:
    if not case.keyed:
        pytest.skip("no key of ours")
    wrong = "sk-wrong-0123456789abcdefghijklmnop"
    subject = case.provider(server, key=wrong)

    with pytest.raises(ProviderAuthError) as caught:
        subject.embed(["hello"], "query", timeout=10)
    subject.close()

    said = f"{caught.value} {caught.value.hint} {caught.value.__cause__!r} {caught.value.__context__!r} {subject!r}"
    assert not any(wrong[i : i + 6] in said for i in range(len(wrong) - 5))
    assert "127.0.0.1" in str(caught.value)
    assert caught.value.status in (400, 401, 403)


def test_neither_key_nor_text_is_in_what_describes_the_provider(case: Case, provider: EmbeddingProvider) -> None:
    assert KEY not in f"{provider.info!r} {provider!r}"
    assert provider.info.id == case.name


def test_a_server_that_takes_few_texts_gets_few(case: Case, server: FakeService, provider: EmbeddingProvider) -> None:
    server.max_items = 5

    report = embedder(provider).embed_documents(numbered(23), lambda _: None)

    assert report.done == 23
    assert len(server.embedded) == 23


def test_a_text_that_is_refused_is_named_and_the_rest_goes_on(case: Case, server: FakeService) -> None:
    server.refuse = {"text number 3"}
    subject = case.provider(server)

    report = embedder(subject).embed_documents(numbered(9), lambda _: None)
    subject.close()

    assert set(report.failed) == {"h3"}
    assert report.done == 8


@pytest.mark.parametrize("asked", [None, 3.0], ids=["no time given", "three seconds"])
def test_a_rate_limit_is_waited_out(
    asked: float | None, case: Case, server: FakeService, provider: EmbeddingProvider
) -> None:
    faketime = FakeTime()
    not_the_exchange(server, 429, times=2, retry_after=asked)

    report = embedder(provider, faketime).embed_documents(numbered(4), lambda _: None)

    assert report.done == 4
    assert sum(faketime.slept) == pytest.approx(6.0)


def test_a_rate_limit_carries_the_time_to_wait(server: FakeService, provider: EmbeddingProvider) -> None:
    not_the_exchange(server, 429, retry_after=7)

    with pytest.raises(ProviderRateLimitError) as caught:
        provider.embed(["hello"], "query", timeout=10)

    assert caught.value.retry_after == 7


def test_two_crashes_are_survived(server: FakeService, provider: EmbeddingProvider) -> None:
    not_the_exchange(server, 500, times=2)

    assert embedder(provider).embed_documents(numbered(4), lambda _: None).done == 4


def test_endless_crashes_end_the_run_soon(server: FakeService, provider: EmbeddingProvider) -> None:
    server.fail(500, times=math.inf)

    report = embedder(provider).embed_documents(numbered(50), lambda _: None)

    assert isinstance(report.error, ProviderUnavailableError)
    assert report.done == 0
    assert embedding_calls(server) <= 6


def test_a_slow_server_is_left_in_time(server: FakeService, provider: EmbeddingProvider) -> None:
    provider.embed(["warm up"], "query", timeout=10)
    not_the_exchange(server, response=Response(delay=5))
    started = time.monotonic()

    with pytest.raises(ProviderTimeoutError):
        embedder(provider).embed_query("hello", timeout=0.2)

    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    "response",
    [
        Response(200, b'{"data": [{"embedding": [0.1, 0.2'),
        Response(200, b""),
        Response(200, b"<html>login first</html>", {"Content-Type": "text/html"}),
        Response(200, []),
        Response(200, {"data": None, "embeddings": None, "embedding": None}),
        Response(
            200, {"data": [{"embedding": "AAAA", "index": 0}], "embeddings": ["AAAA"], "embedding": {"values": 3}}
        ),
    ],
    ids=["cut JSON", "nothing", "a page", "a list", "nulls", "other types"],
)
def test_a_reply_that_makes_no_sense_is_a_reply_error(
    response: Response, server: FakeService, provider: EmbeddingProvider
) -> None:
    not_the_exchange(server, response=response)

    with pytest.raises(ProviderReplyError):
        provider.embed(["hello"], "document", timeout=10)


@pytest.mark.parametrize(
    "response", [Response(hang_up=True), Response(200, b"{" + b" " * 500, truncate=100)], ids=["no answer", "cut off"]
)
def test_a_connection_that_breaks_is_tried_again(
    response: Response, server: FakeService, provider: EmbeddingProvider
) -> None:
    not_the_exchange(server, response=response)

    assert embedder(provider).embed_documents(numbered(3), lambda _: None).done == 3


def test_too_few_vectors_are_never_paired(case: Case, server: FakeService, provider: EmbeddingProvider) -> None:
    server.mangle = lambda vectors: vectors[1:]
    got: dict[str, bytes] = {}

    report = embedder(provider).embed_documents(numbered(4), got.update)

    assert got == {}
    assert isinstance(report.error, ProviderReplyError)


def test_a_vector_with_nan_is_named_and_the_others_are_kept(server: FakeService, provider: EmbeddingProvider) -> None:
    embedder(provider).embed_documents({"warm": "up"}, lambda _: None)
    server.mangle = lambda vectors: [
        [math.nan] * 16 if vector == words_vector_of(server, 2) else vector for vector in vectors
    ]
    got: dict[str, bytes] = {}

    report = embedder(provider).embed_documents(numbered(4), got.update)

    assert set(report.failed) == {"h2"}
    assert set(got) == {"h0", "h1", "h3"}


def words_vector_of(server: FakeService, number: int) -> list[float]:
    """Vector of the text with this number, as the server got it (some providers add words before it)."""
    sent = next((text for text in server.embedded if text.endswith(f"text number {number}")), "none")
    return words_vector(sent)


def test_a_vector_of_another_length_is_never_stored(server: FakeService, provider: EmbeddingProvider) -> None:
    server.mangle = lambda vectors: [
        vector[:8] if vector == words_vector_of(server, 2) else vector for vector in vectors
    ]
    got: dict[str, bytes] = {}

    report = embedder(provider).embed_documents(numbered(4), got.update)

    assert "h2" not in got
    assert {len(unpack(vector)) for vector in got.values()} == {16}
    assert set(report.failed) == {"h2"}


def test_a_redirect_is_not_followed(server: FakeService, provider: EmbeddingProvider) -> None:
    with FakeOpenAI(key=None) as elsewhere:
        not_the_exchange(server, 307, headers={"Location": f"{elsewhere.url}/embeddings"})

        with pytest.raises(EmbeddingError):
            provider.embed(["secret plans"], "document", timeout=10)

        assert elsewhere.requests == []


def test_nobody_at_home_is_said_with_the_address(case: Case) -> None:
    with case.server() as gone:
        subject = case.provider(gone)

    with pytest.raises(ProviderUnavailableError, match=r"127\.0\.0\.1"):
        subject.embed(["hello"], "query", timeout=10)
    subject.close()


def test_text_of_a_note_is_not_in_the_error(server: FakeService, provider: EmbeddingProvider) -> None:
    note = "Dr. Lindqvist said the biopsy result is due on Friday"
    not_the_exchange(server, 400, body={"error": {"message": f"cannot read {note}"}, "message": f"cannot read {note}"})

    with pytest.raises(EmbeddingError) as caught:
        provider.embed([note], "document", timeout=10)

    assert "Lindqvist" not in f"{caught.value} {caught.value.__context__!r}"


def test_requests_are_json_in_utf8_with_our_name_on_them(server: FakeService, provider: EmbeddingProvider) -> None:
    provider.embed(["漢字 🙂"], "document", timeout=10)

    request = server.requests[-1]
    assert "漢字 🙂" in json.dumps(request.json(), ensure_ascii=False)
    assert not any(name.startswith("x-stainless-") and name != "x-stainless-raw-response" for name in request.headers)
