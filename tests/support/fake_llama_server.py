"""A stand-in for ``llama-server``: reads the same options, speaks the same protocol, dies on what is no GGUF.

Run as a program: ``python fake_llama_server.py --model FILE --port N …``.
"""

from __future__ import annotations

import argparse
import json
import os
import stat
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


def install(folder: Path) -> Path:
    """Put it into *folder* under the name ``llama-server``, as a program."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "llama-server"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__).resolve()}" "$@"\n', encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def tiny_gguf(path: Path) -> Path:
    """The head of a GGUF file: enough for whoever looks at the magic only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"GGUF" + (3).to_bytes(4, "little") + bytes(16))
    return path


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._answer(200, {"status": "ok"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Authorization") != f"Bearer {os.environ['LLAMA_API_KEY']}":
            self._answer(401, {"error": {"message": "Invalid API Key"}})
            return
        texts = json.loads(body)["input"]
        if "die" in texts:
            os._exit(134)
        data = [{"index": i, "embedding": [3.0 * len(text), 4.0 * len(text)]} for i, text in enumerate(texts)]
        self._answer(200, {"data": list(reversed(data)), "pid": os.getpid()})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def _answer(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--embedding", action="store_true")
    for size in ("--ctx-size", "--batch-size", "--ubatch-size"):
        parser.add_argument(size, type=int, required=True)
    options = parser.parse_args()
    if options.model.read_bytes()[:4] != b"GGUF":
        os.abort()
    HTTPServer((options.host, options.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
