"""Amazon Bedrock through boto3: Titan, Cohere and Nova models, credentials from the AWS chain."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.embeddings.base import InputKind, ProviderInfo
from openclaw_memory_core.embeddings.failures import HttpFailure
from openclaw_memory_core.embeddings.vectors import listed
from openclaw_memory_core.errors import (
    EmbeddingError,
    MissingKeyError,
    ProviderReplyError,
    ProviderTimeoutError,
    ProviderUnavailableError,
)

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.settings import ProviderSettings

_REGION_IN_HOST = re.compile(r"bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com")
_COHERE_TYPES: Mapping[InputKind, str] = {"query": "search_query", "document": "search_document"}
_NOVA_PURPOSES: Mapping[InputKind, str] = {"query": "GENERIC_RETRIEVAL", "document": "GENERIC_INDEX"}
_COHERE_ITEMS = 96


class BedrockProvider:
    """``InvokeModel``; Cohere models take many texts a request, the others one."""

    def __init__(self, settings: ProviderSettings) -> None:
        self._settings = settings
        self._model = settings.model_name()
        self._address = (settings.remote.base_url or settings.own_url or "").strip()
        self._region = region(self._address, settings.env)
        limits = replace(settings.limits(self._model), items=_COHERE_ITEMS if _is_cohere(self._model) else 1)
        identity = {"provider": settings.name, "model": self._model, "region": self._region}
        if settings.dimensions:
            identity["dimensions"] = str(settings.dimensions)
        self._info = ProviderInfo(
            settings.name, self._model, identity, limits=limits, dimensions=settings.dimensions, paid=True
        )
        self._lock = threading.Lock()
        self._client: Any = None

    @property
    def info(self) -> ProviderInfo:
        """Static facts."""
        return self._info

    def embed(self, texts: Sequence[str], kind: InputKind, *, timeout: float) -> list[Sequence[float]]:
        """One vector a text, in order."""
        if _is_cohere(self._model):
            return self._cohere(texts, kind, timeout)
        return [self._single(text, kind, timeout) for text in texts]

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _cohere(self, texts: Sequence[str], kind: InputKind, timeout: float) -> list[Sequence[float]]:
        body: dict[str, Any] = {
            "texts": list(texts),
            "input_type": self._settings.input_type(kind) or _COHERE_TYPES[kind],
            "truncate": "END",
        }
        if self._settings.dimensions:
            body["output_dimension"] = self._settings.dimensions
        found = self._invoke(body, timeout, texts).get("embeddings")
        if isinstance(found, dict):
            found = found.get("float")
        return listed(found, "bedrock")

    def _single(self, text: str, kind: InputKind, timeout: float) -> Sequence[float]:
        if "nova" in self._model:
            found = self._invoke(self._nova_body(text, kind), timeout, [text]).get("embeddings")
            first = found[0] if isinstance(found, list) and found else None
            vector = first.get("embedding") if isinstance(first, dict) else None
        else:
            vector = self._invoke(self._titan_body(text), timeout, [text]).get("embedding")
        return listed([vector], "bedrock")[0]

    def _titan_body(self, text: str) -> dict[str, Any]:
        body: dict[str, Any] = {"inputText": text}
        if "v2" in self._model:
            body["normalize"] = True
            if self._settings.dimensions:
                body["dimensions"] = self._settings.dimensions
        return body

    def _nova_body(self, text: str, kind: InputKind) -> dict[str, Any]:
        parameters: dict[str, Any] = {
            "embeddingPurpose": self._settings.input_type(kind) or _NOVA_PURPOSES[kind],
            "text": {"truncationMode": "END", "value": text},
        }
        if self._settings.dimensions:
            parameters["embeddingDimension"] = self._settings.dimensions
        return {"taskType": "SINGLE_EMBEDDING", "singleEmbeddingParams": parameters}

    def _invoke(self, body: Mapping[str, Any], timeout: float, notes: Sequence[str]) -> dict[str, Any]:
        try:
            response = self._connected(timeout).invoke_model(
                modelId=self._model, body=json.dumps(body), accept="application/json", contentType="application/json"
            )
            reply = json.loads(response["body"].read())
        except ValueError:
            raise ProviderReplyError("the reply of bedrock is not JSON") from None
        except Exception as error:
            problem = self._translate(error, notes)
        else:
            if not isinstance(reply, dict):
                raise ProviderReplyError("the reply of bedrock is not an object")
            return reply
        raise problem

    def _connected(self, timeout: float) -> Any:
        with self._lock:
            if self._client is None:
                config = import_module("botocore.config").Config(
                    read_timeout=max(timeout, self._info.limits.document_timeout),
                    connect_timeout=10,
                    retries={"total_max_attempts": 1},
                )
                is_region = bool(_REGION_IN_HOST.search(self._address)) or "://" not in self._address
                # A session of its own: the shared one would keep the credentials of an earlier configuration.
                self._client = (
                    import_module("boto3.session")
                    .Session()
                    .client(
                        "bedrock-runtime",
                        region_name=self._region,
                        endpoint_url=None if is_region else self._address,
                        config=config,
                    )
                )
            return self._client

    def _translate(self, error: Exception, notes: Sequence[str]) -> Exception:
        known = import_module("botocore.exceptions")
        where = self._address or f"region {self._region}"
        if isinstance(error, known.ClientError):
            return _service_error(error, where, notes)
        if isinstance(error, (known.NoCredentialsError, known.PartialCredentialsError, known.TokenRetrievalError)):
            return MissingKeyError(
                'No API key found for provider "bedrock"', hint="Set AWS credentials or AWS_BEARER_TOKEN_BEDROCK."
            )
        if isinstance(error, (known.ReadTimeoutError, known.ConnectTimeoutError)):
            return ProviderTimeoutError(f"bedrock in {where} did not answer in time")
        if isinstance(error, (known.BotoCoreError, OSError)):
            return ProviderUnavailableError(f"bedrock cannot be reached in {where} ({type(error).__name__})")
        return error


def region(address: str, env: Mapping[str, str]) -> str:
    """The AWS region: from the address, else from the environment, else the default of the service."""
    found = _REGION_IN_HOST.search(address)
    if found:
        return found.group(1)
    if address and "://" not in address:
        return address
    return env.get("AWS_REGION", "").strip() or env.get("AWS_DEFAULT_REGION", "").strip() or "us-east-1"


def _is_cohere(model: str) -> bool:
    return "cohere." in model


def _service_error(error: Any, where: str, notes: Sequence[str]) -> EmbeddingError:
    facts = error.response.get("ResponseMetadata", {})
    body = json.dumps({"error": error.response.get("Error", {}).get("Message", "")})
    status = int(facts.get("HTTPStatusCode", 500))
    return HttpFailure("bedrock", where, status, facts.get("HTTPHeaders", {}), body).error(notes=notes)


def create(settings: ProviderSettings) -> BedrockProvider:
    """The provider of *settings*; makes no request and does not load boto3."""
    return BedrockProvider(settings)
