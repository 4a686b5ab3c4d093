"""FS: an OpenAI-compatible embedding service on 127.0.0.1 with an honest log and scripted misbehaviour.

::

    with FakeEmbeddings(max_items=16) as fs:
        fs.fail(429, retry_after=2, times=3)      # the next three calls
        ...                                       # remote.baseUrl = fs.url
        assert fs.inputs == ["text one", ...]     # every text that was sent, in order
"""

from __future__ import annotations

import hashlib
import math
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from support.fake_batches import OpenAIBatchDesk
from support.local_server import LocalServer, Request, Response

KEY = "sk-test-7QxVb2mKq9ZtLw4RnY8pDs3F"
"""A key in the usual form, for tests that look whether it leaks."""


def words_vector(text: str, dimensions: int = 16) -> list[float]:
    """A unit vector made from the words of a text: same text same vector, shared words make texts similar."""
    total = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()):
        seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
        source = random.Random(seed)
        for i in range(dimensions):
            total[i] += source.gauss(0.0, 1.0)
    norm = math.sqrt(sum(x * x for x in total))
    return [x / norm for x in total] if norm else [1.0] + [0.0] * (dimensions - 1)


def count_tokens(text: str) -> int:
    """One token for four ASCII characters, one for any other character."""
    plain = sum(1 for char in text if ord(char) < 128)
    return math.ceil(plain / 4) + len(text) - plain


class FakeEmbeddings(LocalServer):
    """The service.  All settings may be changed while it runs.

    :param vectors: scripted vectors by exact text; other texts get :func:`words_vector`.
    :param key: when given, requests without exactly this bearer token are refused with 401.
    :param max_items: more inputs in a request are refused (400, odd wording).
    :param max_input_tokens: a longer input is refused (400).
    :param max_total_tokens: more tokens in a request are refused (400).
    :param max_body_bytes: a longer body is refused (413).
    :param refuse: a request with one of these exact texts is refused (400).
    :param refuse_blank: a request with an empty or all-white input is refused (400).
    :param fail_after: after so many embedded inputs every request is answered with 500 (None: never).
    :param shuffle: the ``data`` list comes in random order, each item with its ``index``.
    :param delay: seconds before each answer.
    """

    def __init__(
        self,
        *,
        dimensions: int = 16,
        vectors: Mapping[str, Sequence[float]] | None = None,
        key: str | None = None,
        max_items: int | None = None,
        max_input_tokens: int | None = None,
        max_total_tokens: int | None = None,
        max_body_bytes: int | None = None,
        refuse: Sequence[str] = (),
        refuse_blank: bool = True,
        fail_after: int | None = None,
        shuffle: bool = False,
        delay: float = 0.0,
    ) -> None:
        super().__init__()
        self.dimensions = dimensions
        self.vectors = dict(vectors or {})
        self.key = key
        self.max_items = max_items
        self.max_input_tokens = max_input_tokens
        self.max_total_tokens = max_total_tokens
        self.max_body_bytes = max_body_bytes
        self.refuse = set(refuse)
        self.refuse_blank = refuse_blank
        self.fail_after = fail_after
        self.shuffle = shuffle
        self.delay = delay
        self.inputs: list[str] = []
        """Every text received by ``/embeddings``, also of requests that were refused."""
        self.embedded: list[str] = []
        """Every text that was answered with a vector (direct calls and batches)."""
        self.batches = OpenAIBatchDesk(self._embed, lambda line: line["body"]["input"])
        """Files and batch jobs; its attributes script their trouble."""

    @property
    def url(self) -> str:
        """Base URL, ``/v1`` included."""
        return f"{self.origin}/v1"

    @property
    def calls(self) -> list[Request]:
        """The requests to ``/embeddings`` only."""
        return [request for request in self.requests if request.path.endswith("/embeddings")]

    def vector(self, text: str) -> list[float]:
        """The vector this service gives to *text*."""
        return list(self.vectors.get(text) or words_vector(text, self.dimensions))

    def answer(self, request: Request) -> Response:
        """Also log the inputs."""
        if request.path.endswith("/embeddings"):
            with self.lock:
                self.inputs.extend(self._inputs(request))
        return super().answer(request)

    def handle(self, request: Request) -> Response:
        """``/v1/embeddings``, files and batches; everything else is 404."""
        if self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}":
            return Response(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})
        if request.method == "POST" and request.path == "/v1/embeddings":
            return self._embeddings(request)
        answer = self.batches.handle(request, "/v1")
        if answer is not None:
            return answer
        return Response(404, {"error": {"message": f"no such path: {request.path}"}})

    def _embeddings(self, request: Request) -> Response:
        texts = self._inputs(request)
        refusal = self._refusal(request, texts)
        if refusal is not None:
            return refusal
        data = self.data(texts)
        usage = sum(map(count_tokens, texts))
        body = {
            "object": "list",
            "model": request.json().get("model"),
            "data": data,
            "usage": {"prompt_tokens": usage, "total_tokens": usage},
        }
        return Response(200, body, delay=self.delay)

    def data(self, texts: Sequence[str]) -> list[dict[str, Any]]:
        """The ``data`` list of a reply."""
        vectors = self._embed(list(texts))
        data = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)]
        if self.shuffle:
            random.Random(len(self.requests)).shuffle(data)
        return data

    def _embed(self, texts: list[str]) -> list[list[float]]:
        with self.lock:
            self.embedded.extend(texts)
        return [self.vector(text) for text in texts]

    def _refusal(self, request: Request, texts: Sequence[str]) -> Response | None:
        tokens = [count_tokens(text) for text in texts]
        if self.fail_after is not None and len(self.embedded) + len(texts) > self.fail_after:
            return Response(500, {"error": {"message": "the machine is on fire"}})
        if self.max_body_bytes is not None and len(request.body) > self.max_body_bytes:
            return Response(413, b"<html>Request Entity Too Large</html>", {"Content-Type": "text/html"})
        if self.max_items is not None and len(texts) > self.max_items:
            return Response(400, {"detail": f"basket overfull, {self.max_items} apples at a time please"})
        if self.max_input_tokens is not None and max(tokens, default=0) > self.max_input_tokens:
            return Response(400, {"error": {"message": "one of your lines is beyond me"}})
        if self.max_total_tokens is not None and sum(tokens) > self.max_total_tokens:
            return Response(400, {"error": {"message": "that is more than I can swallow"}})
        if self.refuse_blank and any(not text.strip() for text in texts):
            return Response(400, {"error": {"message": "'$.input' is invalid"}})
        if self.refuse.intersection(texts):
            return Response(422, {"error": {"message": "content refused"}})
        return None

    @staticmethod
    def _inputs(request: Request) -> list[str]:
        try:
            value = request.json().get("input", [])
        except ValueError:
            return []
        return [value] if isinstance(value, str) else list(value)
