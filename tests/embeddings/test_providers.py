"""What is particular to single providers."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from support.fake_embeddings import KEY, FakeEmbeddings, words_vector
from support.fake_services import FakeBedrock, FakeCopilot, FakeGemini, FakeOllama, FakeOpenAI, FakeService, FakeVoyage
from support.local_server import Response
from support.providers import embedder, numbered, provider_settings

from openclaw_memory_core.config.model import ProviderEntry, RemoteConfig, Secret
from openclaw_memory_core.embeddings.http import Http
from openclaw_memory_core.embeddings.providers.bedrock import region
from openclaw_memory_core.embeddings.providers.copilot import CopilotProvider
from openclaw_memory_core.embeddings.providers.gemini import key_header
from openclaw_memory_core.embeddings.providers.ollama import query_prefix
from openclaw_memory_core.embeddings.registry import create_provider
from openclaw_memory_core.errors import (
    MissingKeyError,
    ProviderAuthError,
    ProviderRateLimitError,
    ProviderReplyError,
    ProviderUnavailableError,
)


def sent(server: FakeService | FakeEmbeddings) -> dict[str, Any]:
    """Body of the last request."""
    body: dict[str, Any] = server.requests[-1].json()
    return body


def embed(name: str, server: FakeService | FakeEmbeddings, kind: Any = "document", **changes: Any) -> Any:
    settings = {"url": server.url, "key": KEY, **changes}
    provider = create_provider(provider_settings(name, **settings))
    try:
        return provider.embed(["hello"], kind, timeout=10)
    finally:
        provider.close()


def test_openai_gets_model_and_input_and_nothing_it_might_refuse() -> None:
    with FakeOpenAI() as server:
        embed("openai", server, model="openai/text-embedding-3-large")

        assert sent(server) == {"model": "text-embedding-3-large", "input": ["hello"], "encoding_format": "float"}


def test_input_types_are_sent_where_configured() -> None:
    with FakeOpenAI() as server:
        embed("openai-compatible", server, "query", model="m", query_input_type="query")
        assert sent(server)["input_type"] == "query"
        embed("openai-compatible", server, "document", model="m", query_input_type="query")
        assert "input_type" not in sent(server)


def test_configured_headers_are_sent_and_win() -> None:
    with FakeOpenAI(key=None) as server:
        embed("openai", server, headers={"X-Organization": "org-1", "authorization": "Custom abc"})

        headers = server.requests[-1].headers
        assert headers["x-organization"] == "org-1"
        assert headers["authorization"] == "Custom abc"


def test_without_a_key_no_authorization_is_sent() -> None:
    with FakeOpenAI(key=None) as server:
        embed("openai-compatible", server, model="m", key=None)

        assert "authorization" not in server.requests[-1].headers


def test_what_the_openai_client_reads_from_the_environment_goes_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "from-the-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Leak: from-the-environment")
    with FakeOpenAI(key=None) as server:
        embed("openai-compatible", server, model="m", key=None)

        assert "from-the-environment" not in str(server.requests[-1])


def test_neither_keys_nor_notes_are_logged_at_any_level(caplog: pytest.LogCaptureFixture) -> None:
    note = "Dr. Lindqvist said the biopsy result is due on Friday"
    with caplog.at_level(logging.DEBUG), FakeOpenAI(key="other") as server:
        provider = create_provider(provider_settings("openai", url=server.url, key=KEY, headers={"X-Api-Key": KEY}))
        with pytest.raises(ProviderAuthError):
            provider.embed([note], "document", timeout=10)
        provider.close()

    assert not any(KEY[i : i + 6] in caplog.text for i in range(len(KEY) - 5))
    assert "Lindqvist" not in caplog.text


def test_a_limited_key_makes_way_for_the_next() -> None:
    with FakeOpenAI(key=None) as server:
        server.fail(429, times=1)
        env = {"OPENAI_API_KEY": "first-key", "OPENAI_API_KEYS": "second-key"}
        provider = create_provider(provider_settings("openai", own_url=server.url, env=env))

        provider.embed(["hello"], "document", timeout=10)
        provider.embed(["again"], "document", timeout=10)
        provider.close()

        assert [request.headers["authorization"] for request in server.requests] == [
            "Bearer first-key",
            "Bearer second-key",
            "Bearer second-key",
        ]


def test_a_query_string_in_the_address_is_kept() -> None:
    with FakeOpenAI() as server:
        embed("openai", server, url=f"{server.url}/?api-version=2024-02-01")

        assert server.requests[-1].path == "/v1/embeddings"
        assert server.requests[-1].query == {"api-version": ["2024-02-01"]}


def test_voyage_always_says_what_kind_of_text_it_is() -> None:
    with FakeVoyage() as server:
        embed("voyage", server, "query", model="voyage/voyage-3")
        assert (sent(server)["model"], sent(server)["input_type"]) == ("voyage-3", "query")
        embed("voyage", server, "document")
        assert sent(server)["input_type"] == "document"


def test_gemini_asks_in_its_own_form() -> None:
    with FakeGemini() as server:
        embed("gemini", server, "query", model="models/gemini-embedding-001")
        assert server.requests[-1].path == "/v1beta/models/gemini-embedding-001:embedContent"
        assert sent(server) == {"content": {"parts": [{"text": "hello"}]}, "taskType": "RETRIEVAL_QUERY"}

        embed("gemini", server, "document", dimensions=256)
        (request,) = sent(server)["requests"]
        assert request == {
            "model": "models/gemini-embedding-001",
            "content": {"parts": [{"text": "hello"}]},
            "taskType": "RETRIEVAL_DOCUMENT",
            "outputDimensionality": 256,
        }


def test_gemini_2_is_told_the_task_in_words_and_its_preview_is_not() -> None:
    with FakeGemini() as server:
        embed("gemini", server, "query", model="gemini-embedding-2")
        assert sent(server) == {"content": {"parts": [{"text": "task: search result | query: hello"}]}}
        embed("gemini", server, "document", model="gemini-embedding-2-preview")
        assert sent(server)["requests"][0]["taskType"] == "RETRIEVAL_DOCUMENT"


def test_gemini_never_puts_the_key_into_the_address_and_drops_a_compatibility_suffix() -> None:
    with FakeGemini() as server:
        embed("gemini", server, url=f"{server.url}/openai/")

        assert server.requests[-1].query == {}
        assert server.requests[-1].headers["x-goog-api-key"] == KEY


def test_a_gemini_key_that_is_json_with_a_token_is_a_bearer_token() -> None:
    assert key_header(json.dumps({"token": "ya29", "projectId": "p"})) == {"Authorization": "Bearer ya29"}
    assert key_header("{broken") == {"x-goog-api-key": "{broken"}
    assert key_header("plain") == {"x-goog-api-key": "plain"}


def test_ollama_queries_carry_the_words_their_family_wants() -> None:
    with FakeOllama() as server:
        embed("ollama", server, "query", key=None)
        assert sent(server) == {"model": "nomic-embed-text", "input": ["search_query: hello"]}
        embed("ollama", server, "document", key=None)
        assert sent(server)["input"] == ["hello"]
    assert query_prefix("qwen3-embedding:0.6b").startswith("Instruct: ")
    assert query_prefix("mxbai-embed-large").startswith("Represent this sentence")
    assert query_prefix("bge-m3") == ""


def test_ollama_with_the_address_of_its_compatible_api_is_the_same_ollama() -> None:
    plain = create_provider(provider_settings("ollama", url="http://10.0.0.5:11434"))
    compatible = create_provider(provider_settings("ollama", url="http://10.0.0.5:11434/v1/"))

    assert plain.info.identity == compatible.info.identity


def test_the_ollama_key_of_the_environment_goes_to_ollama_com_only() -> None:
    env = {"OLLAMA_API_KEY": "cloud-key"}
    with FakeOllama() as server:
        embed("ollama", server, key=None, env=env)
        assert "authorization" not in server.requests[-1].headers
    cloud = create_provider(provider_settings("ollama", url="https://ollama.com", env=env))
    fake = create_provider(provider_settings("ollama", url="https://ollama.com.evil.org", env=env))
    assert len(cloud._keys) == 1  # type: ignore[attr-defined]
    assert len(fake._keys) == 0  # type: ignore[attr-defined]


def test_an_absent_ollama_model_is_said_with_its_own_words() -> None:
    with FakeOllama() as server, pytest.raises(ProviderUnavailableError, match="try pulling it"):
        embed("ollama", server, key=None, model="absent")


def test_copilot_exchanges_once_and_again_when_the_token_ends() -> None:
    now = [1000.0]
    with FakeCopilot(key="gh-token-123456") as server:
        server.expires_at = 2000
        settings = provider_settings("github-copilot", own_url=server.url, key="gh-token-123456")
        provider = CopilotProvider(settings, clock=lambda: now[0])

        provider.embed(["a"], "document", timeout=10)
        provider.embed(["b"], "document", timeout=10)
        assert server.exchanges == 1
        now[0] = 1950.0
        provider.embed(["c"], "document", timeout=10)
        provider.close()

        assert server.exchanges == 2


def test_copilot_renews_a_token_that_was_ended_early() -> None:
    with FakeCopilot(key="gh-token-123456") as server:
        settings = provider_settings("github-copilot", own_url=server.url, key="gh-token-123456")
        provider = CopilotProvider(settings)
        provider.embed(["a"], "document", timeout=10)
        server.key = "ended"

        assert provider.embed(["b"], "document", timeout=10) == [pytest.approx(words_vector("b"))]
        provider.close()


def test_the_github_token_never_reaches_the_service() -> None:
    with FakeCopilot(key="gh-token-123456") as github, FakeOpenAI(key="copilot-session-1") as service:
        service.prefix = ""
        github.service = service.origin
        settings = provider_settings("github-copilot", own_url=github.url, key="gh-token-123456")
        provider = CopilotProvider(settings)
        provider.embed(["a"], "document", timeout=10)
        provider.close()

        assert "gh-token" not in str(service.requests)
        assert [request.path for request in github.requests] == ["/copilot_internal/v2/token"]


def test_copilot_refuses_a_service_address_that_is_not_encrypted() -> None:
    with FakeCopilot(key="gh-token-123456") as server:
        server.service = "http://evil.example.com"
        provider = CopilotProvider(provider_settings("github-copilot", own_url=server.url, key="gh-token-123456"))

        with pytest.raises(ProviderReplyError, match="not encrypted"):
            provider.embed(["a"], "document", timeout=10)


def test_bedrock_finds_its_region() -> None:
    assert region("https://bedrock-runtime.eu-central-1.amazonaws.com", {}) == "eu-central-1"
    assert region("eu-west-3", {"AWS_REGION": "us-west-2"}) == "eu-west-3"
    assert region("", {"AWS_REGION": "us-west-2", "AWS_DEFAULT_REGION": "x"}) == "us-west-2"
    assert region("", {"AWS_DEFAULT_REGION": "ap-south-1"}) == "ap-south-1"
    assert region("", {}) == "us-east-1"


def test_bedrock_without_credentials_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("boto3")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with FakeBedrock() as server, pytest.raises(MissingKeyError, match="bedrock"):
        embed("bedrock", server, key=None)


def test_a_custom_entry_that_speaks_ollama_is_served_by_that_adapter() -> None:
    from support.providers import resolve

    with FakeOllama() as server:
        entry = ProviderEntry("ollama-5080", base_url=server.url, api="ollama")
        found = resolve("ollama-5080", entries=[entry])

        assert found.provider is not None
        assert found.provider.info.identity["provider"] == "ollama-5080"
        assert embedder(found.provider).embed_documents(numbered(3), lambda _: None).done == 3


def test_a_custom_entry_uses_its_own_key_and_headers() -> None:
    from support.providers import resolve

    with FakeOpenAI(key="own-key") as server:
        entry = ProviderEntry("box", server.url, Secret("own-key"), {"X-Box": "1"})
        found = resolve("box", model="m", entries=[entry], env={"OPENAI_API_KEY": "not-this"}, remote=RemoteConfig())

        assert found.provider is not None
        found.provider.embed(["a"], "document", timeout=10)
        found.provider.close()
        assert server.requests[-1].headers["x-box"] == "1"


def test_a_service_that_answers_base64_is_told_apart_from_one_that_works() -> None:
    with FakeOpenAI() as server:
        server.fail(response=Response(200, {"data": [{"index": 0, "embedding": "AACAPw=="}]}))

        with pytest.raises(ProviderReplyError):
            embed("openai", server)


def test_an_error_page_that_breaks_off_is_still_an_error_of_that_status() -> None:
    with FakeOllama() as server:
        server.fail(response=Response(429, b"x" * 5000, {"Retry-After": "3"}, truncate=10))

        with pytest.raises(ProviderRateLimitError):
            embed("ollama", server, key=None)


def test_what_describes_a_connection_shows_no_secret() -> None:
    assert KEY not in repr(Http("ollama", [KEY]))
