"""Plain JSON over HTTP with the standard library, for services that do not speak the OpenAI shape."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.embeddings.address import is_loopback, public_url
from openclaw_memory_core.embeddings.failures import HttpFailure
from openclaw_memory_core.errors import (
    EmbeddingError,
    ProviderReplyError,
    ProviderTimeoutError,
    ProviderUnavailableError,
)

if TYPE_CHECKING:
    import urllib.request

_LONGEST_ERROR_BODY = 65_536


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with a 2xx status.  Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The decoded body.

        :raises ProviderReplyError: it is not JSON.
        """
        try:
            return json.loads(self.body)
        except ValueError:
            raise ProviderReplyError("the reply is not JSON") from None


@dataclass(frozen=True, slots=True)
class Http:
    """Requests in the name of one provider.  Never follows a redirect, never uses a proxy for this machine.

    :param secrets: must not appear in any message.
    """

    provider: str
    secrets: Sequence[str] = field(default=(), repr=False)

    def post(
        self, url: str, body: Any, *, headers: Mapping[str, str], timeout: float, notes: Sequence[str] = ()
    ) -> Any:
        """``POST`` with a JSON body; returns the decoded answer.

        :param notes: texts in the body, which must not appear in any message.
        :raises EmbeddingError: one of its subclasses.
        """
        data = json.dumps(body, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json", **headers}
        return self.send("POST", url, data, headers=headers, timeout=timeout, notes=notes).json()

    def get(self, url: str, *, headers: Mapping[str, str], timeout: float) -> Any:
        """``GET``; returns the decoded answer."""
        return self.send("GET", url, None, headers=headers, timeout=timeout).json()

    def send(
        self,
        method: str,
        url: str,
        data: bytes | None,
        *,
        headers: Mapping[str, str],
        timeout: float,
        notes: Sequence[str] = (),
    ) -> Reply:
        """Any request; returns the answer as it came."""
        with self.open(method, url, data, headers=headers, timeout=timeout, notes=notes) as response:
            body = response.read()
            return Reply(response.status, {name.lower(): value for name, value in response.headers.items()}, body)

    @contextmanager
    def open(
        self,
        method: str,
        url: str,
        data: bytes | None,
        *,
        headers: Mapping[str, str],
        timeout: float,
        notes: Sequence[str] = (),
    ) -> Iterator[Any]:
        """Any request; gives the open answer, to be read in pieces."""
        import urllib.request

        if not url.startswith(("http://", "https://")):
            raise ProviderUnavailableError(f"{self.provider} has no http or https address")
        headers = {"User-Agent": _AGENT, **headers}
        request = urllib.request.Request(url, data, method=method, headers=headers)  # noqa: S310  checked above
        try:
            with _opener(url).open(request, timeout=timeout) as response:
                yield response
            return
        except (OSError, http.client.HTTPException, ValueError) as error:
            problem = self._translate(error, url, notes)
        # Raised out here, so that the library's error, which holds the request, does not hang on to ours.
        raise problem

    def _translate(self, error: Exception, url: str, notes: Iterable[str]) -> EmbeddingError:
        import urllib.error

        address = public_url(url)
        if isinstance(error, urllib.error.HTTPError):
            with error:
                body = _what_is_left(error)
            failure = HttpFailure(self.provider, address, error.code, dict(error.headers.items()), body)
            return failure.error(secrets=self.secrets, notes=notes)
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(reason, TimeoutError):
            return ProviderTimeoutError(f"{self.provider} at {address} did not answer in time")
        kind = type(reason).__name__ if isinstance(reason, Exception) else "connection error"
        return ProviderUnavailableError(
            f"{self.provider} cannot be reached at {address} ({kind})",
            hint="Is the address right and the service running?",
        )


def _what_is_left(error: Any) -> str:
    """The body of an error, as far as it can be read."""
    try:
        data: bytes = error.read(_LONGEST_ERROR_BODY)
    except (OSError, http.client.HTTPException):
        return ""
    return data.decode("utf-8", "replace")


_AGENT = "openclaw-memory-core"


def _opener(url: str) -> urllib.request.OpenerDirector:
    import urllib.request

    class NoRedirect(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            """A redirect would carry note text and keys to another host."""

    handlers: list[Any] = [NoRedirect()]
    if is_loopback(url):
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)
