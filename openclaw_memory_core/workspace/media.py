"""Images and audio: what counts as one, told by its first bytes, and how one stands where a text is expected."""

from __future__ import annotations

import os
import re
from typing import Literal

from openclaw_memory_core.records import record

Modality = Literal["image", "audio"]

_EXTENSIONS: dict[Modality, frozenset[str]] = {
    "image": frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif", ".heic", ".heif"}),
    "audio": frozenset({".mp3", ".wav", ".ogg", ".opus", ".m4a", ".m2a", ".aac", ".flac"}),
}
HEAD_BYTES = 32
"""So many bytes tell what a file is."""

_HEADS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb".{4}ftyp(?:heic|heix|hevc|hevx|heim|heis)", re.DOTALL), "image/heic"),
    (re.compile(rb".{4}ftyp(?:mif1|msf1)", re.DOTALL), "image/heif"),
    (re.compile(rb"RIFF.{4}WAVE", re.DOTALL), "audio/wav"),
    (re.compile(rb"OggS"), "audio/ogg"),
    (re.compile(rb"fLaC"), "audio/flac"),
    (re.compile(rb".{4}ftyp(?:M4A |M4B |mp42|mp41|isom|dash)", re.DOTALL), "audio/mp4"),
    (re.compile(rb"ID3"), "audio/mpeg"),
    # ADTS (AAC) has layer 00 after its twelve sync bits, MPEG audio has another one.
    (re.compile(rb"\xff[\xf0\xf1\xf8\xf9]"), "audio/aac"),
    (re.compile(rb"\xff[\xe2-\xef\xf2-\xf7\xfa-\xff]"), "audio/mpeg"),
)

_REFERENCE = re.compile(r"openclaw-media:([a-z]+/[a-z0-9]+):([0-9a-f]{64}):(.+)", re.DOTALL)


@record
class MediaRef:
    """A file in place of a text.

    :param mime: what its first bytes say.
    :param sha256: of its content, in hexadecimal.
    :param path: as the index knows it.
    """

    mime: str
    sha256: str
    path: str

    def encode(self) -> str:
        """The reference as the text that goes to the embedder."""
        return f"openclaw-media:{self.mime}:{self.sha256}:{self.path}"


def parse_reference(text: str) -> MediaRef | None:
    """The reference that *text* is, None for an ordinary text."""
    found = _REFERENCE.fullmatch(text)
    return MediaRef(*found.groups()) if found else None


def modality_of_name(name: str) -> Modality | None:
    """What a file's name promises, None for anything else."""
    extension = os.path.splitext(name)[1].lower()  # noqa: PTH122  a name, not a path
    return next((modality for modality, known in _EXTENSIONS.items() if extension in known), None)


def sniff(head: bytes) -> str | None:
    """MIME type by the first :data:`HEAD_BYTES` bytes, None for what is neither image nor audio."""
    return next((mime for pattern, mime in _HEADS if pattern.match(head)), None)


def label(modality: Modality, path: str) -> str:
    """The text by which such a file is found and shown."""
    return f"{modality.capitalize()} file: {path}"
