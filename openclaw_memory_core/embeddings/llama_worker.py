"""``python -m openclaw_memory_core.embeddings.llama_worker``: llama.cpp as a Python package behind ``/v1/embeddings``.

Listens on 127.0.0.1 only, wants the key of ``LLAMA_API_KEY``, and ends when its standard input is closed.  xllamacpp
brings llama.cpp's own server; llama-cpp-python gets one from here.
"""

from __future__ import annotations

import argparse
import hmac
import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from importlib.util import find_spec
from typing import Any

Embed = Callable[[Sequence[str]], list[list[float]]]


def load(path: str, context_size: int) -> Embed:
    """The function that embeds with the model at *path*."""
    llama = import_module("llama_cpp").Llama(
        model_path=path,
        embedding=True,
        n_ctx=context_size,
        n_batch=context_size,
        n_ubatch=context_size,
        verbose=False,
    )

    def embed(texts: Sequence[str]) -> list[list[float]]:
        data = llama.create_embedding(list(texts))["data"]
        return [pooled(item["embedding"]) for item in sorted(data, key=lambda item: item["index"])]

    return embed


def own_server(path: str, context_size: int, port: int, key: str) -> Any:
    """The server of xllamacpp; it answers as long as the object lives."""
    xllamacpp = import_module("xllamacpp")
    options = xllamacpp.CommonParams()
    options.model.path = path
    options.embedding = True
    options.warmup = False
    options.n_ctx = options.n_batch = options.n_ubatch = context_size
    options.n_parallel = 1
    options.hostnames = ["127.0.0.1"]
    options.port = port
    options.api_keys = [key]
    return xllamacpp.Server(options)


def pooled(vector: Any) -> list[float]:
    """One vector a text: the mean where a model without pooling gives one a token."""
    if vector and isinstance(vector[0], list):
        return [sum(column) / len(vector) for column in zip(*vector, strict=True)]
    return list(vector)


class Handler(BaseHTTPRequestHandler):
    """``GET /health`` and ``POST /v1/embeddings``."""

    embed: Embed
    key: str
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Ready as soon as anything is answered: the model is loaded before the port opens."""
        self._answer(200, {"status": "ok"})

    def do_POST(self) -> None:
        """Embed ``input``."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not hmac.compare_digest(self.headers.get("Authorization") or "", f"Bearer {self.key}"):
            self._answer(401, {"error": {"message": "wrong key"}})
            return
        try:
            vectors = type(self).embed(json.loads(body)["input"])
        except (ValueError, RuntimeError, KeyError, TypeError) as error:
            self._answer(400, {"error": {"message": type(error).__name__}})
            return
        self._answer(200, {"data": [{"index": i, "embedding": vector} for i, vector in enumerate(vectors)]})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Requests are not logged."""

    def _answer(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def serve(embed: Embed, port: int, key: str) -> None:
    """Answer requests one after the other until the process ends."""
    handler = type("BoundHandler", (Handler,), {"embed": staticmethod(embed), "key": key})
    with HTTPServer(("127.0.0.1", port), handler) as server:
        server.serve_forever()


def main() -> None:
    """Entry point of the process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--ctx-size", type=int, required=True)
    options = parser.parse_args()
    threading.Thread(target=_end_with_input, daemon=True).start()
    key = os.environ["LLAMA_API_KEY"]
    if find_spec("xllamacpp") is not None:
        server = own_server(options.model, options.ctx_size, options.port, key)
        threading.Event().wait()
        del server
    else:
        serve(load(options.model, options.ctx_size), options.port, key)


def _end_with_input() -> None:
    while sys.stdin.buffer.read(1):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
