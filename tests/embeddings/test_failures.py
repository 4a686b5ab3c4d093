"""Every answer that is no success becomes the right error."""

from __future__ import annotations

import json
from email.utils import formatdate

import pytest

from openclaw_memory_core.embeddings.failures import HttpFailure, retry_after
from openclaw_memory_core.errors import (
    EmbeddingError,
    ProviderAuthError,
    ProviderInputError,
    ProviderQuotaError,
    ProviderRateLimitError,
    ProviderUnavailableError,
)


def error(status: int, body: object = "", **headers: str) -> EmbeddingError:
    text = body if isinstance(body, str) else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpFailure("openai", "https://api.example.com/v1", status, named, text).error()


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, "", ProviderAuthError),
        (403, {"error": {"status": "PERMISSION_DENIED"}}, ProviderAuthError),
        (400, {"error": {"message": "API key not valid. Please pass a valid API key."}}, ProviderAuthError),
        (402, "", ProviderQuotaError),
        (429, {"error": {"code": "insufficient_quota"}}, ProviderQuotaError),
        (429, {"error": {"message": "You exceeded your current quota, please check your plan"}}, ProviderQuotaError),
        (403, {"message": "billing is not enabled"}, ProviderAuthError),
        (429, "", ProviderRateLimitError),
        (429, {"error": {"code": "rate_limit_exceeded"}}, ProviderRateLimitError),
        (400, {"error": {"message": "too long"}}, ProviderInputError),
        (413, "<html>", ProviderInputError),
        (422, {"detail": [{"msg": "bad"}]}, ProviderInputError),
        (500, {"error": {"message": "input (1502 tokens) is too large to process"}}, ProviderInputError),
        (500, {"error": "the input length exceeds the context length"}, ProviderInputError),
        (404, {"error": "model not found"}, ProviderUnavailableError),
        (405, "", ProviderUnavailableError),
        (301, "", ProviderUnavailableError),
        (500, "", ProviderUnavailableError),
        (503, "", ProviderUnavailableError),
        (529, "", ProviderUnavailableError),
    ],
)
def test_status_and_body_decide_the_kind(status: int, body: object, kind: type[EmbeddingError]) -> None:
    found = error(status, body)

    assert type(found) is kind
    assert found.status == status


def test_quota_with_a_time_to_wait_is_a_rate_limit() -> None:
    assert type(error(429, {"error": {"code": "quota_exceeded"}}, retry_after="30")) is ProviderRateLimitError
    assert type(error(429, {"error": {"code": "quota_exceeded"}})) is ProviderQuotaError


def test_a_busy_server_that_names_a_time_is_waited_for() -> None:
    found = error(503, retry_after="12")

    assert isinstance(found, ProviderRateLimitError)
    assert found.retry_after == 12


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"Retry-After": "2"}, "", 2.0),
        ({"retry-after": "0.25"}, "", 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, "", 1.5),
        ({"Retry-After": formatdate(1_000_060, usegmt=True)}, "", 60.0),
        ({"Retry-After": formatdate(999_000, usegmt=True)}, "", 0.0),
        ({}, '{"error": {"details": [{"retryDelay": "34.5s"}]}}', 34.5),
        ({"Retry-After": "soon"}, "", None),
        ({"Retry-After": "-5"}, "", None),
        ({"Retry-After": "inf"}, "", None),
        ({}, "", None),
    ],
)
def test_the_time_to_wait_is_read_in_every_form(headers: dict[str, str], body: str, seconds: float | None) -> None:
    assert retry_after(headers, body, now=1_000_000.0) == seconds


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": "model is loading"}}, ": model is loading"),
        ({"error": "plain"}, ": plain"),
        ({"detail": [{"loc": ["x"], "msg": "field required"}]}, ": field required"),
        ([{"error": {"message": "in a list"}}], ": in a list"),
        ("just words\nand more", ": just words and more"),
        ("<html><body>502 Bad Gateway</body></html>", ""),
        ({"error": {"code": 7}}, ""),
        ("", ""),
    ],
)
def test_the_message_says_who_what_where_and_the_servers_reason(body: object, said: str) -> None:
    assert error(500, body).message == f"openai answered 500 at https://api.example.com/v1{said}"


def test_a_long_reason_is_cut() -> None:
    assert len(error(500, "word " * 5000).message) < 300
