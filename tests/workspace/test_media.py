"""Images and audio under extra paths: told by content, bounded in size, never through a link."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from openclaw_memory_core.config.model import ExtraPath, MultimodalConfig
from openclaw_memory_core.errors import NoteReadError
from openclaw_memory_core.workspace.media import MediaRef, modality_of_name, parse_reference, sniff
from openclaw_memory_core.workspace.media_source import MediaSource

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
MP3 = b"ID3\x04" + bytes(40)


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def source(tmp_path: Path, *extra: ExtraPath, **config: object) -> MediaSource:
    paths = extra or (ExtraPath(tmp_path / "media"),)
    return MediaSource(tmp_path / "workspace", paths, MultimodalConfig(enabled=True, **config))  # type: ignore[arg-type]


def paths(media: MediaSource) -> list[str]:
    return [ref.path for ref in media.scan().documents]


@pytest.mark.parametrize(
    ("head", "mime"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x01\x02\x03\x0aWEBPVP8 ", "image/webp"),
        (b"\0\0\0\x18ftypheic", "image/heic"),
        (b"\0\0\0\x18ftypmif1", "image/heif"),
        (MP3, "audio/mpeg"),
        (b"\xff\xfb\x90\x00", "audio/mpeg"),
        (b"RIFF\x01\x02\x03\x04WAVEfmt ", "audio/wav"),
        (b"OggS\0\2", "audio/ogg"),
        (b"fLaC\0", "audio/flac"),
        (b"\0\0\0\x20ftypM4A ", "audio/mp4"),
        (b"\xff\xf1\x50\x80", "audio/aac"),
        (b"# a note", None),
        (b"%PDF-1.7", None),
        (b"", None),
        (b"\xff\xfe<\0h\0", "audio/mpeg"),
    ],
)
def test_the_first_bytes_tell_what_it_is(head: bytes, mime: str | None) -> None:
    assert sniff(head) == mime


def test_the_extension_is_only_a_promise() -> None:
    assert modality_of_name("a/B.JPEG") == "image"
    assert modality_of_name("x.opus") == "audio"
    assert modality_of_name("notes.md") is None
    assert modality_of_name("png") is None


def test_a_reference_survives_being_a_text() -> None:
    reference = MediaRef("image/png", "ab" * 32, "../media/my: picture\n1.png")

    assert parse_reference(reference.encode()) == reference
    assert parse_reference("openclaw-media: is a word") is None
    assert parse_reference("a note") is None


def test_files_of_the_wanted_kinds_are_found_at_any_depth(tmp_path: Path) -> None:
    write(tmp_path / "media" / "a.png", PNG)
    write(tmp_path / "media" / "trips" / "b.mp3", MP3)
    write(tmp_path / "media" / "note.md", b"# note")
    write(tmp_path / "media" / ".git" / "c.png", PNG)

    assert paths(source(tmp_path)) == ["../media/a.png", "../media/trips/b.mp3"]
    assert paths(source(tmp_path, modalities=("image",))) == ["../media/a.png"]


def test_a_pattern_and_a_single_file_count_as_for_notes(tmp_path: Path) -> None:
    write(tmp_path / "media" / "a.png", PNG)
    write(tmp_path / "media" / "trips" / "b.png", PNG)
    write(tmp_path / "alone.mp3", MP3)

    assert paths(source(tmp_path, ExtraPath(tmp_path / "media", "trips/*.png"))) == ["../media/trips/b.png"]
    assert paths(source(tmp_path, ExtraPath(tmp_path / "alone.mp3"))) == ["../alone.mp3"]
    assert paths(source(tmp_path, ExtraPath(tmp_path / "workspace"), ExtraPath(tmp_path / "gone"))) == []


def test_the_workspace_as_an_extra_path_gives_plain_names(tmp_path: Path) -> None:
    write(tmp_path / "workspace" / "pictures" / "a.png", PNG)

    assert paths(source(tmp_path, ExtraPath(tmp_path / "workspace"))) == ["pictures/a.png"]


def test_what_lies_about_its_kind_or_is_too_large_is_named(tmp_path: Path) -> None:
    write(tmp_path / "media" / "page.png", b"<html>")
    write(tmp_path / "media" / "sound.png", MP3)
    write(tmp_path / "media" / "large.png", PNG + bytes(5000))

    scan = source(tmp_path, max_file_bytes=1000).scan()

    assert scan.documents == ()
    assert {one.path: one.code for one in scan.skipped} == {
        "../media/page.png": "not-media",
        "../media/sound.png": "not-media",
        "../media/large.png": "too-large",
    }


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "a.png", PNG)
    (tmp_path / "media").mkdir()
    (tmp_path / "media" / "b.png").symlink_to(tmp_path / "elsewhere" / "a.png")
    (tmp_path / "media" / "folder").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "linked").symlink_to(tmp_path / "elsewhere")

    assert paths(source(tmp_path, ExtraPath(tmp_path / "media"), ExtraPath(tmp_path / "linked"))) == []


def test_a_document_is_a_label_with_a_reference_to_the_content(tmp_path: Path) -> None:
    write(tmp_path / "media" / "2026-05-04.png", PNG)
    media = source(tmp_path)
    (ref,) = media.scan().documents

    document = media.load(ref)

    assert document.text == "Image file: ../media/2026-05-04.png"
    assert document.content_hash == hashlib.sha256(PNG).hexdigest()
    assert document.embed_text is not None
    reference = parse_reference(document.embed_text)
    assert reference is not None
    assert media.read(reference) == PNG
    assert source(tmp_path).read(reference) == PNG


def test_content_that_has_changed_is_not_sent_under_the_old_name(tmp_path: Path) -> None:
    path = write(tmp_path / "media" / "a.png", PNG)
    media = source(tmp_path)
    document = media.load(media.scan().documents[0])
    write(path, PNG + b"x")
    reference = parse_reference(document.embed_text or "")
    assert reference is not None

    with pytest.raises(NoteReadError, match="changed"):
        media.read(reference)
    path.unlink()
    with pytest.raises(NoteReadError):
        media.read(reference)


def test_a_reference_leads_to_nothing_but_known_files(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.png", PNG)
    reference = MediaRef("image/png", hashlib.sha256(secret.read_bytes()).hexdigest(), "../secret.png")

    with pytest.raises(NoteReadError):
        source(tmp_path).read(reference)
