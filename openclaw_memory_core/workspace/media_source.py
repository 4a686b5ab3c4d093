"""Images and audio under extra paths as documents: one label each, the content only for the embedding provider."""

# Paths are strings here, as the operating system takes them: a Path rewrites names and costs more than the call.
# ruff: noqa: PTH118

from __future__ import annotations

import dataclasses
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from openclaw_memory_core.errors import NoteReadError
from openclaw_memory_core.workspace.documents import Document, DocumentRef, Scan, Skipped
from openclaw_memory_core.workspace.fs import Stamp, is_link, opened, read_all, retry_transient, stamp
from openclaw_memory_core.workspace.globs import compile_glob
from openclaw_memory_core.workspace.media import HEAD_BYTES, MediaRef, label, modality_of_name, sniff
from openclaw_memory_core.workspace.places import IGNORED_FOLDERS, stored_path

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import ExtraPath, MultimodalConfig, Source


@dataclasses.dataclass(frozen=True, slots=True)
class _File:
    """A file with the name of an image or a sound: *parts* below the trusted folder *above*."""

    above: str
    parts: tuple[str, ...]
    stored: str
    st: os.stat_result


class MediaSource:
    """Never follows a link, never gives a file whose first bytes say something else than its name.

    :param root: the workspace; paths are relative to it.
    """

    def __init__(self, root: Path, extra_paths: Sequence[ExtraPath], config: MultimodalConfig) -> None:
        self._root = os.path.abspath(root)  # noqa: PTH100
        self._extra = tuple(extra_paths)
        self._config = config
        self._known: dict[str, tuple[Stamp, str | None]] = {}
        self._places: dict[str, _File] = {}

    @property
    def name(self) -> Source:
        """``memory``: such files are part of the notes."""
        return "memory"

    def scan(self) -> Scan:
        """Every image and sound of the configured kinds."""
        documents: dict[str, DocumentRef] = {}
        places: dict[str, _File] = {}
        skipped: list[Skipped] = []
        unseen: list[str] = []
        for file in self._files(unseen):
            if file.stored in places:
                continue
            places[file.stored] = file
            problem = self._problem(file, unseen)
            if problem is not None:
                skipped.append(Skipped(file.stored, *problem))
                continue
            documents[file.stored] = DocumentRef(path=file.stored, source="memory", stat=stamp(file.st))
        self._places = places
        return Scan(tuple(documents[path] for path in sorted(documents)), tuple(skipped), tuple(unseen))

    def load(self, ref: DocumentRef) -> Document:
        """A label, and a reference that :meth:`read` understands.

        :raises NoteReadError: it is gone, or is no image or sound any more.
        """
        data, st = self._content(ref.path)
        mime = sniff(data[:HEAD_BYTES])
        modality = modality_of_name(ref.path)
        if mime is None or modality is None or not mime.startswith(modality):
            raise NoteReadError(f"{ref.path} is neither an image nor a sound")
        digest = hashlib.sha256(data).hexdigest()
        reference = MediaRef(mime, digest, ref.path).encode()
        current = dataclasses.replace(ref, stat=stamp(st))
        return Document(current, label(modality, ref.path), digest, embed_text=reference)

    def watch_roots(self) -> Sequence[str]:
        """The extra paths."""
        return [str(extra.path) for extra in self._extra]

    def read(self, reference: MediaRef) -> bytes:
        """The content that a reference stands for.

        :raises NoteReadError: it has changed since, or cannot be read.
        """
        data, _ = self._content(reference.path)
        if hashlib.sha256(data).hexdigest() != reference.sha256:
            raise NoteReadError(f"{reference.path} has changed since it was looked at")
        return data

    def _content(self, path: str) -> tuple[bytes, os.stat_result]:
        if path not in self._places:
            self.scan()
        file = self._places.get(path)
        if file is None:
            raise NoteReadError(f"{path} is not there any more")
        try:
            return retry_transient(lambda: _read(file, self._config.max_file_bytes))
        except OSError as error:
            raise NoteReadError(f"{path} cannot be read ({error.strerror or type(error).__name__})") from error

    def _problem(self, file: _File, unseen: list[str]) -> tuple[str, str] | None:
        """Code and reason why a file is left out."""
        if file.st.st_size > self._config.max_file_bytes:
            return "too-large", f"larger than {self._config.max_file_bytes} bytes (multimodal.maxFileBytes)"
        try:
            mime = self._mime(file)
        except OSError as error:
            unseen.append(file.stored)
            return "unreadable", error.strerror or type(error).__name__
        modality = modality_of_name(file.stored) or ""
        if mime is None or not mime.startswith(modality):
            return "not-media", "its content is not what its name says"
        return None

    def _mime(self, file: _File) -> str | None:
        """What the first bytes say; remembered as long as the stamp is the same."""
        known = self._known.get(file.stored)
        if known is None or known[0] != stamp(file.st):
            with opened(file.above, file.parts) as (descriptor, st):
                known = (stamp(st), sniff(os.read(descriptor, HEAD_BYTES)))
            self._known[file.stored] = known
        return known[1]

    def _files(self, unseen: list[str]) -> Iterator[_File]:
        for extra in self._extra:
            base = os.path.normpath(extra.path)
            known = stored_path(base, self._root)
            try:
                st = os.lstat(base)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                unseen.append(known)
                continue
            if stat.S_ISDIR(st.st_mode) and not is_link(st):
                yield from self._folder(base, known, extra.pattern, unseen)
            elif stat.S_ISREG(st.st_mode) and self._wanted(base):
                above, name = os.path.split(base)
                yield _File(above, (name,), known, st)

    def _folder(self, base: str, known: str, pattern: str | None, unseen: list[str]) -> Iterator[_File]:
        # The workspace itself as an extra path: its files are known by their plain names.
        prefix = () if known == "." else (known,)
        matches = compile_glob(pattern).matches if pattern else None
        above, name = os.path.split(base)
        for parts, st in _below(base, known, unseen):
            if self._wanted(parts[-1]) and (matches is None or matches("/".join(parts))):
                yield _File(above, (name, *parts), "/".join((*prefix, *parts)), st)

    def _wanted(self, name: str) -> bool:
        return modality_of_name(name) in self._config.modalities


def _below(folder: str, known: str, unseen: list[str]) -> Iterator[tuple[tuple[str, ...], os.stat_result]]:
    """Regular files below *folder* as their parts; links and folders of tools are passed over."""
    pending: list[tuple[str, ...]] = [()]
    while pending:
        parts = pending.pop()
        try:
            with os.scandir(os.path.join(folder, *parts)) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            unseen.append("/".join((known, *parts)))
            continue
        for entry in found:
            st = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(st.st_mode) and not is_link(st) and entry.name not in IGNORED_FOLDERS:
                pending.append((*parts, entry.name))
            elif stat.S_ISREG(st.st_mode):
                # scandir on Windows knows no inode.
                yield (*parts, entry.name), st if st.st_ino else os.lstat(entry.path)


def _read(file: _File, limit: int) -> tuple[bytes, os.stat_result]:
    with opened(file.above, file.parts) as (descriptor, st):
        if st.st_size > limit:
            raise OSError(f"larger than {limit} bytes")
        return read_all(descriptor), st
