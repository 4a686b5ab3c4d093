"""Google's Gemini API in its native form, over plain HTTP: no extra package is needed for it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.embeddings.address import public_url
from openclaw_memory_core.embeddings.batch_gemini import GeminiBatches
from openclaw_memory_core.embeddings.http import Http, Reply
from openclaw_memory_core.embeddings.keys import sensitive_values
from openclaw_memory_core.embeddings.vectors import normalised
from openclaw_memory_core.errors import NoteError, ProviderInputError, ProviderReplyError
from openclaw_memory_core.workspace.media import MediaRef, parse_reference

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import Secret
    from openclaw_memory_core.embeddings.base import InputKind, ProviderInfo
    from openclaw_memory_core.embeddings.batch import BatchApi
    from openclaw_memory_core.embeddings.settings import ProviderSettings

_TASKS: Mapping[InputKind, str] = {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}
_PREFIXES: Mapping[InputKind, str] = {"query": "task: search result | query: ", "document": "title: none | text: "}


class GeminiProvider:
    """``:embedContent`` for a query, ``:batchEmbedContents`` for documents; vectors are scaled to length 1."""

    def __init__(self, settings: ProviderSettings) -> None:
        self.base_url = settings.base_url().removesuffix("/openai")
        info = settings.info()
        self._info = replace(info, identity={**info.identity, "endpoint": public_url(self.base_url)})
        self._settings = settings
        self._read_media: Callable[[MediaRef], bytes] | None = None
        self._keys = settings.keyring()
        self._headers = settings.headers()
        self._http = Http(settings.name, [*self._keys.values(), *sensitive_values(self._headers)])

    @property
    def info(self) -> ProviderInfo:
        """Static facts."""
        return self._info

    def embed(self, texts: Sequence[str], kind: InputKind, *, timeout: float) -> list[Sequence[float]]:
        """One vector a text, in order."""
        parts = [[self._part(text, kind)] for text in texts]
        return self._embed(parts, kind, timeout=timeout, notes=texts)

    def content_request(self, parts: Sequence[Mapping[str, Any]], kind: InputKind) -> dict[str, Any]:
        """The request for one content, as ``:embedContent`` takes it."""
        request: dict[str, Any] = {"content": {"parts": list(parts)}}
        task = self._settings.input_type(kind) or (None if self._speaks_in_prefixes() else _TASKS[kind])
        if task:
            request["taskType"] = task
        if self._settings.dimensions:
            request["outputDimensionality"] = self._settings.dimensions
        return request

    def document_request(self, text: str) -> dict[str, Any]:
        """The request for one document, for batch jobs."""
        return self.content_request([self._part(text, "document")], "document")

    @property
    def takes_media(self) -> bool:
        """True for gemini-embedding-2, the first of its kind."""
        return self._info.model.startswith("gemini-embedding-2")

    def read_media_with(self, read: Callable[[MediaRef], bytes]) -> None:
        """Where images and sounds come from."""
        self._read_media = read

    def call(self, method: str, url: str, data: bytes | None, *, headers: Mapping[str, str], timeout: float) -> Reply:
        """Any request to this service with its key; returns the reply as it came."""
        return self._keys.each(
            lambda key: self._http.send(
                method, url, data, headers={**self._headers_for(key), **headers}, timeout=timeout
            )
        )

    def batch_api(self) -> BatchApi:
        """Jobs of the asynchronous embedding endpoint."""
        return GeminiBatches(self, self._info.model)

    def close(self) -> None:
        """Nothing is kept open."""

    def _embed(
        self, contents: Sequence[Sequence[Mapping[str, Any]]], kind: InputKind, *, timeout: float, notes: Sequence[str]
    ) -> list[Sequence[float]]:
        model = f"models/{self._info.model}"
        requests = [self.content_request(parts, kind) for parts in contents]
        if kind == "query" and len(requests) == 1:
            reply = self._post(f"{model}:embedContent", requests[0], timeout, notes)
            return [_values(reply.get("embedding"))]
        body = {"requests": [{"model": model, **request} for request in requests]}
        found = self._post(f"{model}:batchEmbedContents", body, timeout, notes).get("embeddings")
        if not isinstance(found, list):
            raise ProviderReplyError("the reply of gemini has no list of embeddings")
        return [_values(item) for item in found]

    def _post(self, path: str, body: Any, timeout: float, notes: Sequence[str]) -> dict[str, Any]:
        reply = self._keys.each(
            lambda key: self._http.post(
                f"{self.base_url}/{path}", body, headers=self._headers_for(key), timeout=timeout, notes=notes
            )
        )
        if not isinstance(reply, dict):
            raise ProviderReplyError("the reply of gemini is not an object")
        return reply

    def _headers_for(self, key: Secret | None) -> dict[str, str]:
        return ({} if key is None else key_header(key.reveal())) | self._headers

    def _speaks_in_prefixes(self) -> bool:
        return self._info.model.startswith("gemini-embedding-2") and "preview" not in self._info.model

    def _part(self, text: str, kind: InputKind) -> dict[str, Any]:
        reference = parse_reference(text) if self._read_media is not None and kind == "document" else None
        if reference is None or self._read_media is None:
            return {"text": self._prefixed(text, kind)}
        try:
            data = self._read_media(reference)
        except NoteError as error:
            raise ProviderInputError(error.message) from error
        return {"inlineData": {"mimeType": reference.mime, "data": base64.b64encode(data).decode("ascii")}}

    def _prefixed(self, text: str, kind: InputKind) -> str:
        return _PREFIXES[kind] + text if self._speaks_in_prefixes() else text


def key_header(key: str) -> dict[str, str]:
    """How a key is sent: as it is, or as a bearer token where it is JSON with a token."""
    if key.lstrip().startswith("{"):
        try:
            token = json.loads(key).get("token")
        except (ValueError, AttributeError):
            token = None
        if isinstance(token, str) and token:
            return {"Authorization": f"Bearer {token}"}
    return {"x-goog-api-key": key}


def _values(item: Any) -> list[float]:
    values = item.get("values") if isinstance(item, dict) else None
    if not isinstance(values, list):
        raise ProviderReplyError("an embedding in the reply of gemini has no values")
    try:
        return normalised(values)
    except (TypeError, OverflowError, ValueError):
        raise ProviderReplyError("an embedding of gemini holds something that is not a number") from None


def create(settings: ProviderSettings) -> GeminiProvider:
    """The provider of *settings*; makes no request."""
    return GeminiProvider(settings)
