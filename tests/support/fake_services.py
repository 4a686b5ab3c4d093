"""Servers that speak the protocols of the providers, strictly: what the real service refuses they refuse too."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from support.fake_batches import GeminiBatchDesk, OpenAIBatchDesk
from support.fake_embeddings import KEY, words_vector
from support.local_server import LocalServer, Request, Response

Vectors = list[list[float]]


class FakeService(LocalServer):
    """Common part: keeps texts, makes vectors, refuses too many.

    :param mangle: changes the vectors of every reply, to misbehave.
    :param refuse: requests with one of these exact texts are refused.
    """

    prefix = "/v1"
    fields = frozenset({"model", "input"})
    dimension_field: str | None = "dimensions"

    def __init__(self, *, key: str | None = KEY, max_items: int | None = None, refuse: Sequence[str] = ()) -> None:
        super().__init__()
        self.key = key
        self.max_items = max_items
        self.refuse = set(refuse)
        self.shuffle = False
        self.mangle: Callable[[Vectors], Vectors] = lambda vectors: vectors
        self.embedded: list[str] = []

    @property
    def url(self) -> str:
        """Base URL for the provider."""
        return self.origin + self.prefix

    def handle(self, request: Request) -> Response:
        if not self.authorised(request):
            return self.refused_key(request)
        if request.method != "POST" or request.path != f"{self.prefix}/embeddings":
            return Response(404, {"error": {"message": "no such path"}})
        body = request.json()
        unknown = set(body) - self.fields - {self.dimension_field}
        if unknown:
            return Response(400, {"error": {"message": f"Unrecognized request argument: {sorted(unknown)}"}})
        return self.check(body) or self.embed(body["input"], body)

    def authorised(self, request: Request) -> bool:
        return self.key is None or request.headers.get("authorization") == f"Bearer {self.key}"

    def refused_key(self, request: Request) -> Response:
        given = request.headers.get("authorization", "nothing")
        return Response(401, {"error": {"message": f"Incorrect API key provided: {given}", "code": "invalid_api_key"}})

    def check(self, body: dict[str, Any]) -> Response | None:
        """What this service refuses beyond the common rules."""
        return None

    def embed(self, texts: Sequence[str], body: dict[str, Any]) -> Response:
        dimensions = body.get(self.dimension_field or "") or 16
        return self.too_much(texts) or Response(200, self.reply(self.vectors(texts, dimensions)))

    def too_much(self, texts: Sequence[str]) -> Response | None:
        if self.max_items is not None and len(texts) > self.max_items:
            return Response(400, {"fault": f"the tray holds {self.max_items}"})
        if self.refuse.intersection(texts) or not all(text.strip() for text in texts):
            return Response(400, {"error": {"message": "one input is not acceptable"}})
        return None

    def vectors(self, texts: Sequence[str], dimensions: int = 16) -> Vectors:
        with self.lock:
            self.embedded.extend(texts)
        return self.mangle([words_vector(text, dimensions) for text in texts])

    def reply(self, vectors: Vectors) -> Any:
        data = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)]
        if self.shuffle:
            random.Random(3).shuffle(data)
        return {"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


class FakeOpenAI(FakeService):
    fields = frozenset({"model", "input", "encoding_format", "user", "input_type"})

    def check(self, body: dict[str, Any]) -> Response | None:
        if body.get("encoding_format") not in (None, "float"):
            return Response(400, {"error": {"message": "this server knows float only"}})
        return None


class FakeDeepInfra(FakeOpenAI):
    prefix = "/v1/openai"


class FakeMistral(FakeService):
    fields = frozenset({"model", "input", "encoding_format", "output_dtype"})
    dimension_field = "output_dimension"

    def refused_key(self, request: Request) -> Response:
        return Response(401, {"message": "Unauthorized", "request_id": "1"})


class FakeVoyage(FakeService):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.batches = OpenAIBatchDesk(self.vectors, lambda line: line["body"]["input"])

    def handle(self, request: Request) -> Response:
        answer = self.batches.handle(request, self.prefix) if self.authorised(request) else None
        return answer or super().handle(request)

    fields = frozenset({"model", "input", "input_type", "truncation", "output_dtype", "encoding_format"})
    dimension_field = "output_dimension"

    def check(self, body: dict[str, Any]) -> Response | None:
        if body.get("encoding_format") not in (None, "base64"):
            return Response(400, {"detail": "encoding_format must be null or base64"})
        if body.get("input_type") not in ("query", "document"):
            return Response(400, {"detail": "input_type must be query or document"})
        return None


class FakeOllama(FakeService):
    prefix = ""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"key": None, **settings})

    def handle(self, request: Request) -> Response:
        if not self.authorised(request):
            return Response(401, {"error": "unauthorized"})
        if request.path != "/api/embed":
            return Response(404, b"404 page not found", {"Content-Type": "text/plain"})
        body = request.json()
        if body.get("model") == "absent":
            return Response(404, {"error": 'model "absent" not found, try pulling it first'})
        return self.embed(body["input"], body)

    def reply(self, vectors: Vectors) -> Any:
        return {"model": "nomic-embed-text", "embeddings": vectors, "total_duration": 1}


class FakeGemini(FakeService):
    prefix = "/v1beta"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.batches = GeminiBatchDesk(self.vectors, lambda line: line["request"]["content"]["parts"][0]["text"])

    def handle(self, request: Request) -> Response:
        if request.headers.get("x-goog-api-key") != self.key:
            details = [{"reason": "API_KEY_INVALID"}]
            message = f"API key not valid: {request.headers.get('x-goog-api-key')}"
            return Response(400, {"error": {"code": 400, "message": message, "details": details}})
        answer = self.batches.handle(request)
        if answer is not None:
            return answer
        model, _, operation = request.path.removeprefix("/v1beta/models/").partition(":")
        body = request.json()
        if operation == "embedContent":
            requests = [body]
        elif operation == "batchEmbedContents":
            requests = body["requests"]
            if len(requests) > 100 or any(item["model"] != f"models/{model}" for item in requests):
                return Response(400, {"error": {"message": "at most 100 requests of this model"}})
        else:
            return Response(404, {"error": {"message": "no such operation"}})
        texts = ["".join(part.get("text", "") for part in item["content"]["parts"]) for item in requests]
        dimensions = requests[0].get("outputDimensionality", 16) if requests else 16
        refusal = self.too_much(texts)
        if refusal is not None:
            return refusal
        vectors = [{"values": vector} for vector in self.vectors(texts, dimensions)]
        return Response(200, {"embedding": vectors[0]} if operation == "embedContent" else {"embeddings": vectors})


class FakeCopilot(FakeOpenAI):
    """GitHub's exchange and the service behind it, with tokens that end when told."""

    prefix = ""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.github_token, self.key = self.key, "copilot-session-0"
        self.exchanges = 0
        self.expires_at = 4_000_000_000
        self.service: str | None = None

    def handle(self, request: Request) -> Response:
        if request.path != "/copilot_internal/v2/token":
            return super().handle(request)
        if request.headers.get("authorization") != f"token {self.github_token}":
            return Response(401, {"message": f"Bad credentials {request.headers.get('authorization')}"})
        self.exchanges += 1
        self.key = f"copilot-session-{self.exchanges}"
        endpoints = {"api": self.service or self.origin}
        return Response(200, {"token": self.key, "expires_at": self.expires_at, "endpoints": endpoints})


class FakeBedrock(FakeService):
    """``InvokeModel`` for Titan, Cohere and Nova; looks whether requests are signed."""

    prefix = ""

    def handle(self, request: Request) -> Response:
        authorization = request.headers.get("authorization", "")
        if not authorization.startswith("AWS4-HMAC-SHA256 Credential=AKIATEST"):
            return Response(403, {"message": f"The security token is invalid: {authorization}"})
        model = request.path.removeprefix("/model/").removesuffix("/invoke").replace("%3A", ":")
        body = request.json()
        if "cohere." in model:
            return self._cohere(body)
        if "nova" in model:
            parameters = body["singleEmbeddingParams"]
            texts, dimensions = [parameters["text"]["value"]], parameters.get("embeddingDimension", 16)
        else:
            texts, dimensions = [body["inputText"]], body.get("dimensions", 16)
        refusal = self.too_much(texts)
        if refusal is not None:
            return refusal
        vector = self.vectors(texts, dimensions)
        if "nova" in model:
            found = [{"embeddingType": "TEXT", "embedding": item} for item in vector]
            return Response(200, {"embeddings": found})
        return Response(200, {"embedding": vector[0] if vector else None, "inputTextTokenCount": 3})

    def _cohere(self, body: dict[str, Any]) -> Response:
        texts = body["texts"]
        if len(texts) > 96 or body["input_type"] not in ("search_query", "search_document"):
            return Response(400, {"message": "Malformed input request"})
        return self.too_much(texts) or Response(200, {"embeddings": self.vectors(texts), "texts": texts})
