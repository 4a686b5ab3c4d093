"""A GGUF model on this machine, through ``llama-server`` or llama-cpp-python, or a llama-server that runs already."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from openclaw_memory_core.embeddings.base import EmbeddingProvider, InputKind, ProviderInfo
from openclaw_memory_core.embeddings.download import DownloadProgress, ModelSource, fetch, model_source
from openclaw_memory_core.embeddings.http import Http
from openclaw_memory_core.embeddings.llama_process import LlamaProcess, backend
from openclaw_memory_core.embeddings.providers.openai import OpenAIProvider, Shape
from openclaw_memory_core.embeddings.vectors import normalised, ordered
from openclaw_memory_core.errors import ProviderReplyError, ProviderUnavailableError

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.settings import ProviderSettings

DEFAULT_MODEL = "hf:ggml-org/embeddinggemma-300m-qat-q8_0-GGUF/embeddinggemma-300m-qat-Q8_0.gguf"
_CONTEXT_SIZE = 2048


class LocalProvider:
    """Downloads the model if need be, starts its process at the first text, scales vectors to length 1."""

    def __init__(self, settings: ProviderSettings, *, on_download: DownloadProgress | None = None) -> None:
        self._settings = settings
        self._reference = (settings.local.model_path or DEFAULT_MODEL).strip()
        self._source = model_source(self._reference, settings.env)
        self._file = None if self._source else _existing(self._reference, settings.home)
        self._runner = backend(settings.env)
        self._on_download = on_download
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._process: LlamaProcess | None = None
        name = self._source.name if self._source else Path(self._reference).name
        self._info = ProviderInfo(
            settings.name, name, self._identity(name), limits=settings.limits("embeddinggemma"), local=True
        )

    @property
    def info(self) -> ProviderInfo:
        """Static facts; nothing is downloaded or loaded for them."""
        return self._info

    def embed(self, texts: Sequence[str], kind: InputKind, *, timeout: float) -> list[Sequence[float]]:  # noqa: ARG002
        """One vector a text, in order."""
        process = self._started(timeout)
        body = {"model": self._info.model, "input": list(texts)}
        url = f"{process.url}/embeddings"
        reply = Http("local").post(url, body, headers=process.headers, timeout=timeout, notes=texts)
        data = reply.get("data") if isinstance(reply, dict) else None
        if not isinstance(data, list):
            raise ProviderReplyError("the reply of the local model has no data list")
        return [normalised(vector) for vector in ordered(data, len(texts))]

    def close(self) -> None:
        """Stop a download and end the process."""
        self._stop.set()
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.close()

    def _started(self, timeout: float) -> LlamaProcess:
        with self._lock:
            if self._process is None:
                self._stop.clear()
                model = self._file or self._fetched(self._source)
                size = self._settings.local.context_size or _CONTEXT_SIZE
                self._process = LlamaProcess(self._runner, model, context_size=size, env=self._settings.env)
            process = self._process
        process.ensure(timeout=timeout)
        return process

    def _fetched(self, source: ModelSource | None) -> Path:
        assert source is not None  # noqa: S101  either a file or a source
        folder = self._settings.local.model_cache_dir or self._settings.state_dir / "models"
        return fetch(source, folder, progress=self._on_download, stop=self._stop)

    def _identity(self, name: str) -> dict[str, str]:
        identity = {"provider": "local", "model": name}
        # The same name with another size is another model; reading all of it to be sure would take seconds.
        return identity | ({"bytes": str(self._file.stat().st_size)} if self._file else {})


def create(settings: ProviderSettings) -> EmbeddingProvider:
    """The provider of *settings*; downloads and starts nothing.

    ``models.providers.local.baseUrl`` names a llama-server that runs already.
    """
    if settings.own_url:
        return OpenAIProvider(settings, Shape(unit=True))
    return LocalProvider(settings)


def _existing(reference: str, home: Path) -> Path:
    path = home / reference[2:] if reference.startswith(("~/", "~\\")) else Path(reference)
    if not path.is_file():
        raise ProviderUnavailableError(
            f"the local model {reference} does not exist", hint="Set local.modelPath to a GGUF file or an hf: address."
        )
    return path
