"""From an HTTP answer that is no success to one of our errors, the same for every service."""

from __future__ import annotations

import email.utils
import json
import math
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from openclaw_memory_core.embeddings.redact import redact
from openclaw_memory_core.errors import (
    EmbeddingError,
    ProviderAuthError,
    ProviderInputError,
    ProviderQuotaError,
    ProviderRateLimitError,
    ProviderUnavailableError,
)

_LONGEST_MESSAGE = 200
_QUOTA = re.compile(r"(?i)insufficient_quota|exceeded your current quota|billing|out of credit|payment required")
_QUOTA_UNTIL_PAID = re.compile(r"(?i)quota_exceeded")
# llama.cpp and Ollama call it an error of their own.
_TOO_LARGE = re.compile(r"(?i)too large to process|input length exceeds|exceeds? (?:the )?(?:available )?context")
_BAD_KEY = re.compile(r"(?i)api[ _-]?key (?:not valid|invalid|expired)|API_KEY_INVALID|invalid[ _]api[ _]key")


@dataclass(frozen=True, slots=True)
class HttpFailure:
    """An answer with a status that is not 2xx.

    :param provider: id of the provider, for the message.
    :param address: where the request went, without secrets.
    """

    provider: str
    address: str
    status: int
    headers: Mapping[str, str]
    body: str

    def error(self, *, secrets: Iterable[str] = (), notes: Iterable[str] = ()) -> EmbeddingError:
        """The error that says this, without *secrets* and without the text of *notes*."""
        said = redact(_message(self.body), secrets, notes)
        said = f": {said[:_LONGEST_MESSAGE]}" if said else ""
        text = f"{self.provider} answered {self.status} at {self.address}{said}"
        if self.status in (401, 403) or (self.status == 400 and _BAD_KEY.search(self.body)):
            return ProviderAuthError(text, status=self.status, hint=f"Check the API key of {self.provider}.")
        wait = retry_after(self.headers, self.body)
        if self.status == 402 or self._quota_is_used_up(wait):
            return ProviderQuotaError(text, status=self.status, hint=f"Check plan and billing of {self.provider}.")
        if self.status == 429 or (self.status == 503 and wait is not None):
            return ProviderRateLimitError(text, retry_after=wait, status=self.status)
        if self.status in (400, 413, 422) or (self.status == 500 and _TOO_LARGE.search(self.body)):
            return ProviderInputError(text, status=self.status)
        if self.status == 404:
            hint = "Check the model's name and the base URL."
            return ProviderUnavailableError(text, status=self.status, hint=hint)
        if 300 <= self.status < 400:
            hint = "The address redirects elsewhere; configure the final one, keys are not carried along."
            return ProviderUnavailableError(text, status=self.status, hint=hint)
        return ProviderUnavailableError(text, status=self.status)

    def _quota_is_used_up(self, wait: float | None) -> bool:
        if self.status not in (400, 403, 429):
            return False
        return bool(_QUOTA.search(self.body)) or (wait is None and bool(_QUOTA_UNTIL_PAID.search(self.body)))


def retry_after(headers: Mapping[str, str], body: str = "", *, now: float | None = None) -> float | None:
    """Seconds the server asks us to wait: ``retry-after-ms``, ``Retry-After`` (seconds or date), or RetryInfo."""
    lower = {name.lower(): value for name, value in headers.items()}
    milliseconds = _number(lower.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = lower.get("retry-after")
    seconds = _number(value)
    if seconds is not None:
        return seconds
    if value:
        date = email.utils.parsedate_tz(value)
        if date is not None:
            return max(0.0, email.utils.mktime_tz(date) - (time.time() if now is None else now))
    found = re.search(r'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"', body)
    return float(found.group(1)) if found else None


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _message(body: str) -> str:
    """The sentence a service puts into its error, wherever it puts it; nothing for pages of HTML."""
    try:
        found = _sentence(json.loads(body))
    except ValueError:
        found = "" if "<" in body[:200] else body
    return " ".join(found.split())[:1000]


def _sentence(data: Any) -> str:
    if isinstance(data, str):
        return data
    if isinstance(data, list):
        return next((text for item in data if (text := _sentence(item))), "")
    if isinstance(data, dict):
        for name in ("error", "message", "detail", "msg", "title"):
            if text := _sentence(data.get(name)):
                return text
    return ""
