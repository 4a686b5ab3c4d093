"""Zstandard, where this Python has a decoder: in the standard library from 3.14 on, else the package ``zstandard``."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

LONGEST: Final = 4_194_304
"""Bytes of one decoded event; OpenClaw writes no longer ones."""

Decoder = Callable[[bytes], bytes]


def decoder() -> Decoder | None:
    """Decodes one frame of at most :data:`LONGEST` bytes and raises ``ValueError`` for a damaged or longer one.

    None where no decoder is installed.
    """
    for load in (_standard, _package):
        try:
            return load()
        except ImportError:
            continue
    return None


def _standard() -> Decoder:
    zstd: Any = import_module("compression.zstd")

    def decode(data: bytes) -> bytes:
        reader = zstd.ZstdDecompressor()
        try:
            text: bytes = reader.decompress(data, LONGEST + 1)
        except zstd.ZstdError as error:
            raise ValueError(str(error)) from error
        return _whole(text, ended=reader.eof)

    return decode


def _package() -> Decoder:
    zstd: Any = import_module("zstandard")

    def decode(data: bytes) -> bytes:
        try:
            with zstd.ZstdDecompressor().stream_reader(data) as reader:
                text: bytes = reader.read(LONGEST + 1)
        except zstd.ZstdError as error:
            raise ValueError(str(error)) from error
        return _whole(text, ended=len(text) <= LONGEST)

    return decode


def _whole(text: bytes, *, ended: bool) -> bytes:
    if not ended or len(text) > LONGEST:
        raise ValueError("the event is too long or cut off")
    return text
