"""The OpenAI shape over HTTP, through the openai client, which is imported at the first request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

from openclaw_memory_core.embeddings.address import is_loopback, public_url
from openclaw_memory_core.embeddings.failures import HttpFailure
from openclaw_memory_core.embeddings.keys import Keyring, sensitive_values
from openclaw_memory_core.errors import (
    EmbeddingError,
    ProviderReplyError,
    ProviderTimeoutError,
    ProviderUnavailableError,
)

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import Secret

T = TypeVar("T")

_NEEDED = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "user-agent",
        # The client looks for this one in the request to know that we want the answer as it came.
        "x-stainless-raw-response",
    }
)
_CONNECT_SECONDS = 10.0


class OpenAIWire:
    """One service that speaks the OpenAI shape.

    :param keys: keys of this address; none means that no ``Authorization`` is sent.
    :param headers: sent with every request; they win over our own.
    """

    def __init__(self, provider: str, base_url: str, keys: Keyring, headers: Mapping[str, str]) -> None:
        self._provider = provider
        self._base_url = base_url
        self._keys = keys
        self._headers = dict(headers)
        self._lock = threading.Lock()
        self._client: Any = None
        self._present = threading.local()

    def embeddings(self, body: Mapping[str, Any], *, timeout: float) -> list[Any]:
        """``POST /embeddings``; returns the ``data`` list.

        :raises EmbeddingError: one of its subclasses.
        """
        reply = self.call(lambda client: self._post(client, body, timeout), notes=body["input"])
        data = reply.get("data") if isinstance(reply, dict) else None
        if not isinstance(data, list):
            raise ProviderReplyError(f"the reply of {self._provider} at {self.address} has no data list")
        return data

    @property
    def address(self) -> str:
        """Base URL for messages."""
        return public_url(self._base_url)

    def call(self, request: Callable[[Any], T], *, notes: Sequence[str] = ()) -> T:
        """Run *request* with the client and a key; the next key is tried where one is rate-limited."""

        def with_key(key: Secret | None) -> T:
            try:
                # Added at the very last moment (see _finish): some versions of the client log the headers they know.
                self._present.headers = self._headers_for(key)
                return request(self._connected())
            except Exception as error:
                problem = self._translate(error, notes)
            # Raised out here: the client's own error holds what was sent, and would hang on to ours.
            raise problem

        return self._keys.each(with_key)

    def lines(self, file_id: str, *, timeout: float) -> Iterator[bytes]:
        """The lines of a file that the service keeps for us, read as they arrive.

        :raises EmbeddingError: one of its subclasses, also halfway.
        """
        stack = ExitStack()

        def opened(client: Any) -> Any:
            content = client.files.with_streaming_response.content(file_id, timeout=self._timeout(timeout))
            return stack.enter_context(content)

        with stack:
            reader = self.call(opened).iter_lines()
            while True:
                try:
                    line = next(reader, None)
                except Exception as error:
                    problem = self._translate(error, ())
                else:
                    if line is None:
                        return
                    yield line.encode() if isinstance(line, str) else line
                    continue
                raise problem

    def close(self) -> None:
        """Close the connections; requests under way fail."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _post(self, client: Any, body: Mapping[str, Any], timeout: float) -> Any:
        rest = {name: value for name, value in body.items() if name not in ("model", "input")}
        response = client.embeddings.with_raw_response.create(
            model=body["model"],
            input=list(body["input"]),
            # Plain numbers, because not every service knows base64; "encoding_format" in the body wins.
            encoding_format="float",
            extra_body=rest,
            timeout=self._timeout(timeout),
        )
        return json.loads(response.http_response.content)

    def _timeout(self, seconds: float) -> Any:
        import openai

        return openai.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))

    def _headers_for(self, key: Secret | None) -> dict[str, str]:
        headers = {} if key is None else {"Authorization": f"Bearer {key.reveal()}"}
        given = {name.lower() for name in self._headers}
        return {name: value for name, value in headers.items() if name.lower() not in given} | self._headers

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> Any:
        import openai

        address, _, query = self._base_url.partition("?")
        transport = openai.DefaultHttpxClient(
            # A redirect would carry the note's text, and custom headers with keys in them, to another host.
            follow_redirects=False,
            trust_env=not is_loopback(address),
            event_hooks={"request": [self._finish]},
        )
        return openai.OpenAI(
            api_key="unused",
            base_url=address,
            default_query=dict(pair.partition("=")[::2] for pair in query.split("&")) if query else None,
            default_headers={"User-Agent": "openclaw-memory-core"},
            max_retries=0,
            http_client=transport,
        )

    def _finish(self, request: Any) -> None:
        """Last touch to a request: our headers, and none that the client adds about machine, user or environment."""
        for name in list(request.headers):
            if name.lower() not in _NEEDED:
                del request.headers[name]
        request.headers.update(self._present.headers)

    def _translate(self, error: Exception, notes: Sequence[str]) -> Exception:
        """Our error for one of the client's; what we do not know is returned as it is."""
        import openai

        if isinstance(error, openai.APIStatusError):
            return self._failure(error, notes)
        if isinstance(error, openai.APITimeoutError):
            return ProviderTimeoutError(f"{self._provider} at {self.address} did not answer in time")
        if isinstance(error, openai.APIConnectionError):
            reason = type(error.__cause__).__name__ if error.__cause__ else "connection error"
            return ProviderUnavailableError(
                f"{self._provider} cannot be reached at {self.address} ({reason})",
                hint="Is the address right and the service running?",
            )
        if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError)):
            return ProviderReplyError(f"the reply of {self._provider} at {self.address} is not JSON")
        if isinstance(error, (openai.OpenAIError, RuntimeError, ValueError)):
            # RuntimeError: the client was closed meanwhile.  The text may quote what was sent: tell only its kind.
            message = f"the request to {self._provider} at {self.address} failed ({type(error).__name__})"
            return ProviderUnavailableError(message)
        return error

    def _failure(self, error: Any, notes: Sequence[str]) -> EmbeddingError:
        response = error.response
        failure = HttpFailure(self._provider, self.address, response.status_code, dict(response.headers), response.text)
        secrets = [*self._keys.values(), *sensitive_values(self._headers)]
        return failure.error(secrets=secrets, notes=notes)
