"""Counting tokens: exactly where tiktoken's data is already on this machine, by estimate everywhere else."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from openclaw_memory_core.workspace.tokens import estimate_tokens

if TYPE_CHECKING:
    import tiktoken

logger = logging.getLogger(__name__)

_BASE_URL = "https://openaipublic.blob.core.windows.net/encodings"
# Name and SHA-256 of the rank files, as tiktoken itself demands them.
_ENCODINGS = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
_PIECE = 50_000
_CLEAR = 2.0


class TokenCounter(Protocol):
    """Says how many tokens a text has for a model."""

    @property
    def name(self) -> str:
        """What counts, for status: ``estimate`` or the name of an encoding."""

    def count(self, text: str) -> int:
        """Tokens of *text*."""


class EstimateCounter:
    """Counts by character class; right within about a quarter for prose in any script."""

    name = "estimate"

    def count(self, text: str) -> int:
        """Estimated tokens of *text*."""
        return estimate_tokens(text)


class TiktokenCounter:
    """Counts with one of tiktoken's encodings, which is loaded at the first count."""

    def __init__(self, encoding: str) -> None:
        self.name = encoding
        self._encoding: tiktoken.Encoding | None = None
        self._broken = False

    def count(self, text: str) -> int:
        """Tokens of *text*; the estimate if the encoding turns out to be unusable."""
        encoding = self._load()
        if encoding is None:
            return estimate_tokens(text)
        # The time for one piece grows faster than its length where a text has no blanks.
        return sum(len(encoding.encode_ordinary(text[i : i + _PIECE])) for i in range(0, len(text), _PIECE))

    def _load(self) -> tiktoken.Encoding | None:
        if self._encoding is None and not self._broken:
            try:
                import tiktoken

                self._encoding = tiktoken.get_encoding(self.name)
            except Exception:  # whatever is wrong with an optional accelerator, the estimate is there
                logger.warning("tiktoken cannot load %s; tokens are estimated.", self.name, exc_info=True)
                self._broken = True
        return self._encoding


class DeferredCounter:
    """The best counter that needs no download, chosen at the first count: most processes never count.

    :param env: as for :func:`default_counter`.
    """

    def __init__(self, env: Mapping[str, str] | None = None) -> None:
        self._env = env

    @functools.cached_property
    def _counter(self) -> TokenCounter:
        return default_counter(self._env)

    @property
    def name(self) -> str:
        """What counts."""
        return self._counter.name

    def count(self, text: str) -> int:
        """Tokens of *text*."""
        return self._counter.count(text)


def default_counter(env: Mapping[str, str] | None = None) -> TokenCounter:
    """The best counter that needs no download.

    tiktoken fetches a missing rank file without a time limit and replaces one that is damaged, so it is used only when
    the file is present with the right hash.

    :param env: environment variables, for ``TIKTOKEN_CACHE_DIR`` and ``DATA_GYM_CACHE_DIR``.
    """
    folder = _cache_folder(os.environ if env is None else env)
    for name, digest in _ENCODINGS.items():
        if folder is not None and _has_ranks(folder, name, digest):
            return TiktokenCounter(name)
    return EstimateCounter()


def count_near(texts: Iterable[str], threshold: int, counter: TokenCounter) -> int:
    """Tokens of all *texts*, counted exactly only where the estimate is too close to *threshold* to decide."""
    parts = list(texts)
    rough = sum(estimate_tokens(part) for part in parts)
    if rough * _CLEAR < threshold or rough > threshold * _CLEAR:
        return rough
    return sum(counter.count(part) for part in parts)


def _cache_folder(env: Mapping[str, str]) -> Path | None:
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if name in env:
            return Path(env[name]) if env[name] else None
    import tempfile  # not every start needs to know where temporary files go

    return Path(tempfile.gettempdir()) / "data-gym-cache"


def _has_ranks(folder: Path, name: str, digest: str) -> bool:
    import hashlib

    url = f"{_BASE_URL}/{name}.tiktoken"
    file = folder / hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()
    try:
        return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == digest
    except OSError:
        return False
