"""Fetches a model file: resumes what was cut off, checks what arrived, and never leaves half a file under its name."""

from __future__ import annotations

import hashlib
import http.client
import logging
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from openclaw_memory_core.embeddings.address import is_loopback, public_url
from openclaw_memory_core.errors import EmbeddingError, ProviderReplyError, ProviderUnavailableError

log = logging.getLogger(__name__)

DownloadProgress = Callable[[int, int | None], None]
"""Takes bytes present and bytes in all, if known."""

_BLOCK = 1 << 20
_ATTEMPTS = 3
_MAGIC = b"GGUF"
_SHA256 = re.compile(r"^[0-9a-f]{64}$")


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where a model file comes from.

    :param url: address to fetch it from.
    :param name: file name in the cache.
    :param sha256: expected checksum, from ``#sha256=…`` at the end of the address.
    """

    url: str
    name: str
    sha256: str | None = None


def model_source(reference: str, env: Mapping[str, str]) -> ModelSource | None:
    """What ``hf:owner/repo/file.gguf`` or an ``https:`` address stands for; None for a path.

    ``HF_ENDPOINT`` replaces ``https://huggingface.co``, as everywhere.
    """
    address, _, fragment = reference.partition("#")
    sha256 = fragment.removeprefix("sha256=").lower() if fragment.startswith("sha256=") else None
    if address.startswith("hf:"):
        parts = address.removeprefix("hf:").strip("/").split("/")
        if len(parts) < 3:
            raise ProviderUnavailableError(
                f"{reference} does not name a file", hint="Write hf:owner/repository/file.gguf."
            )
        owner, repository, *path = parts
        endpoint = (env.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")
        url = f"{endpoint}/{owner}/{repository}/resolve/main/{'/'.join(path)}"
        return ModelSource(url, _safe("__".join(parts)), sha256)
    if address.startswith(("http:", "https:")):
        base = unquote(urlsplit(address).path.rpartition("/")[2]) or "model.gguf"
        return ModelSource(address, f"{hashlib.sha256(address.encode()).hexdigest()[:12]}-{_safe(base)}", sha256)
    return None


def fetch(
    source: ModelSource,
    folder: Path,
    *,
    timeout: float = 60.0,
    progress: DownloadProgress | None = None,
    stop: threading.Event | None = None,
) -> Path:
    """The file, downloaded if it is not in *folder* yet.

    :param timeout: seconds without a single byte.
    :raises ProviderUnavailableError: it cannot be fetched, or is not what it should be.
    """
    target = folder / source.name
    if target.is_file():
        return target
    if not source.url.startswith("https:") and not is_loopback(source.url):
        raise ProviderUnavailableError("a model is downloaded over https only", hint="Use an https or hf: address.")
    download = _Download(source, target, timeout, progress or _log_progress, stop or threading.Event())
    return download.run()


class _Download:
    def __init__(
        self, source: ModelSource, target: Path, timeout: float, progress: DownloadProgress, stop: threading.Event
    ) -> None:
        self._source = source
        self._target = target
        self._part = target.with_name(target.name + ".part")
        self._timeout = timeout
        self._progress = progress
        self._stop = stop
        self._expected = source.sha256
        self._size: int | None = None

    def run(self) -> Path:
        self._target.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._continue()
                break
            except EmbeddingError as error:
                if attempt == _ATTEMPTS or (error.status is not None and error.status < 500):
                    raise
                log.warning("download of %s interrupted: %s; going on", self._source.name, error.message)
        self._check()
        self._part.replace(self._target)
        return self._target

    def _continue(self) -> None:
        """Fetch what is still missing."""
        present = self._part.stat().st_size if self._part.exists() else 0
        response = self._ask(present)
        if response is None:
            return
        with response:
            resumed = response.status == 206
            self._note_checksum(response.headers)
            length = response.headers.get("Content-Length")
            start = present if resumed else 0
            self._size = start + int(length) if length and length.isdigit() else None
            with self._part.open("ab" if resumed else "wb") as file:
                while block := self._read(response):
                    file.write(block)
                    self._progress(file.tell(), self._size)
        have = self._part.stat().st_size
        if self._size is not None and have < self._size:
            raise ProviderUnavailableError(f"the connection ended after {have} of {self._size} bytes")

    def _ask(self, present: int) -> Any:
        import urllib.error
        import urllib.request

        headers = {"User-Agent": "openclaw-memory-core", "Accept-Encoding": "identity"}
        if present:
            headers["Range"] = f"bytes={present}-"
        request = urllib.request.Request(self._source.url, headers=headers)  # noqa: S310  checked by fetch
        try:
            return _opener(self._source.url, self._note_checksum).open(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 416 and present:
                    # Nothing is left to fetch, or what is here belongs to an older file: the check will tell.
                    return None
                raise self._failed(f"answered {error.code}", error.code) from None
        except (OSError, http.client.HTTPException) as error:
            raise self._failed(f"cannot be reached ({type(error).__name__})") from None

    def _read(self, response: Any) -> bytes:
        if self._stop.is_set():
            raise ProviderUnavailableError("the download was stopped", status=499)
        try:
            block: bytes = response.read(_BLOCK)
        except (OSError, http.client.HTTPException) as error:
            raise self._failed(f"broke off ({type(error).__name__})") from None
        return block

    def _failed(self, what: str, status: int | None = None) -> ProviderUnavailableError:
        where = public_url(self._source.url)
        return ProviderUnavailableError(f"the model at {where} {what}", status=status, hint="Is the address right?")

    def _note_checksum(self, headers: Any) -> None:
        for name in ("X-Linked-ETag", "ETag"):
            value = (headers.get(name) or "").strip().removeprefix("W/").strip('"').lower()
            if self._expected is None and _SHA256.match(value):
                self._expected = value

    def _check(self) -> None:
        with self._part.open("rb") as file:
            is_model = file.read(len(_MAGIC)) == _MAGIC
            file.seek(0)
            found = hashlib.file_digest(file, "sha256").hexdigest() if self._expected else None
        if is_model and found == self._expected:
            return
        self._part.unlink()
        what = "is not a GGUF file" if not is_model else "does not have the checksum it should have"
        raise ProviderReplyError(f"what was downloaded from {public_url(self._source.url)} {what}")


def _opener(url: str, on_redirect: Callable[[Any], None]) -> Any:
    import urllib.request

    class Redirect(urllib.request.HTTPRedirectHandler):
        """Follows to https only, and looks at the headers on the way: the checksum is in the first answer."""

        def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
            on_redirect(headers)
            if not newurl.startswith("https:") and not is_loopback(newurl):
                return None
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    handlers: list[Any] = [Redirect()]
    if is_loopback(url):
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name).lstrip(".")[-150:] or "model.gguf"


def _log_progress(present: int, size: int | None) -> None:
    # One line for each twentieth, or for each 16 MB where the size is unknown.
    step = max(1, (size or 16 * 20 * _BLOCK) // 20)
    if present % step < _BLOCK:
        log.info("downloading the model: %d of %s MB", present >> 20, size >> 20 if size else "?")
