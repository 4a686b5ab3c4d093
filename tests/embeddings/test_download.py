"""Model files: resumed, checked, never half there."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.local_server import LocalServer, Request, Response

from openclaw_memory_core.embeddings.download import ModelSource, fetch, model_source
from openclaw_memory_core.errors import EmbeddingError, ProviderReplyError, ProviderUnavailableError

CONTENT = b"GGUF" + bytes(range(256)) * 40
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Hub(LocalServer):
    """Serves :data:`CONTENT`, with ranges."""

    def __init__(self) -> None:
        super().__init__()
        self.content = CONTENT
        self.ranges = True
        self.headers: dict[str, str] = {}

    def handle(self, request: Request) -> Response:
        if request.path == "/start":
            headers = {"Location": f"{self.origin}/model.gguf", "X-Linked-ETag": f'"{SHA256}"'}
            return Response(302, b"", headers)
        wanted = request.headers.get("range", "")
        if self.ranges and wanted:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            if start >= len(self.content):
                return Response(416, b"")
            return Response(206, self.content[start:], self.headers)
        return Response(200, self.content, self.headers)


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub() as server:
        yield server


def source(hub: Hub, path: str = "/model.gguf", sha256: str | None = None) -> ModelSource:
    return ModelSource(hub.origin + path, "model.gguf", sha256)


def ranges(hub: Hub) -> list[str | None]:
    return [request.headers.get("range") for request in hub.requests]


def test_a_file_is_fetched_once(hub: Hub, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []

    first = fetch(source(hub), tmp_path / "cache", progress=lambda *at: seen.append(at))
    second = fetch(source(hub), tmp_path / "cache")

    assert first == second == tmp_path / "cache" / "model.gguf"
    assert first.read_bytes() == CONTENT
    assert len(hub.requests) == 1
    assert seen[-1] == (len(CONTENT), len(CONTENT))


def test_what_broke_off_is_continued_where_it_ended(hub: Hub, tmp_path: Path) -> None:
    hub.fail(response=Response(200, CONTENT, truncate=3000))

    assert fetch(source(hub), tmp_path).read_bytes() == CONTENT
    first, second = ranges(hub)
    assert first is None
    assert second == "bytes=3000-"


def test_a_later_process_continues_too(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "model.gguf.part").write_bytes(CONTENT[:5000])

    assert fetch(source(hub, sha256=SHA256), tmp_path).read_bytes() == CONTENT
    assert ranges(hub) == ["bytes=5000-"]
    assert not (tmp_path / "model.gguf.part").exists()


def test_a_server_without_ranges_starts_over(hub: Hub, tmp_path: Path) -> None:
    hub.ranges = False
    (tmp_path / "model.gguf.part").write_bytes(b"x" * 100)

    assert fetch(source(hub), tmp_path).read_bytes() == CONTENT


def test_a_part_that_is_whole_already_is_checked_and_used(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "model.gguf.part").write_bytes(CONTENT)

    assert fetch(source(hub, sha256=SHA256), tmp_path).read_bytes() == CONTENT


def test_a_wrong_checksum_is_refused_and_nothing_is_left(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(ProviderReplyError, match="checksum"):
        fetch(source(hub, sha256="0" * 64), tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_the_checksum_of_the_hub_counts_also_across_a_redirect(hub: Hub, tmp_path: Path) -> None:
    hub.content = CONTENT[:-1] + b"!"

    with pytest.raises(ProviderReplyError, match="checksum"):
        fetch(source(hub, "/start"), tmp_path)
    hub.content = CONTENT
    assert fetch(source(hub, "/start"), tmp_path).read_bytes() == CONTENT


def test_a_page_instead_of_a_model_is_refused(hub: Hub, tmp_path: Path) -> None:
    hub.content = b"<html>please log in</html>"

    with pytest.raises(ProviderReplyError, match="not a GGUF"):
        fetch(source(hub), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_not_tried_again(hub: Hub, tmp_path: Path) -> None:
    hub.fail(404, times=9)

    with pytest.raises(ProviderUnavailableError, match="404"):
        fetch(source(hub), tmp_path)
    assert len(hub.requests) == 1


def test_a_crashing_server_is_tried_three_times(hub: Hub, tmp_path: Path) -> None:
    hub.fail(503, times=9)

    with pytest.raises(ProviderUnavailableError):
        fetch(source(hub), tmp_path)
    assert len(hub.requests) == 3


def test_a_download_can_be_stopped_and_keeps_its_part(hub: Hub, tmp_path: Path) -> None:
    stop = threading.Event()
    hub.content = b"GGUF" + bytes(3 << 20)

    with pytest.raises(EmbeddingError, match="stopped"):
        fetch(source(hub), tmp_path, stop=stop, progress=lambda *_: stop.set())
    assert (tmp_path / "model.gguf.part").stat().st_size > 0
    assert len(hub.requests) == 1


def test_only_encrypted_addresses_are_used(tmp_path: Path) -> None:
    with pytest.raises(ProviderUnavailableError, match="https"):
        fetch(ModelSource("http://models.example.com/m.gguf", "m.gguf"), tmp_path)


def test_references_are_understood() -> None:
    hub = model_source("hf:owner/repo/sub/file.gguf", {})
    assert hub == ModelSource(
        "https://huggingface.co/owner/repo/resolve/main/sub/file.gguf", "owner__repo__sub__file.gguf"
    )
    web = model_source(f"https://x.org/a%20b.gguf?download=1#sha256={SHA256.upper()}", {})
    assert web is not None
    assert web.sha256 == SHA256
    assert web.url == "https://x.org/a%20b.gguf?download=1"
    assert web.name.endswith("-a_b.gguf")
    assert model_source("~/models/m.gguf", {}) is None
    with pytest.raises(ProviderUnavailableError, match="does not name a file"):
        model_source("hf:owner/repo", {})


@pytest.mark.parametrize("name", ["../../etc/passwd", "..", "a/../../b.gguf", "%2e%2e%2fx"])
def test_a_name_never_leaves_the_folder(name: str) -> None:
    found = model_source(f"hf:owner/repo/{name}", {})

    assert found is not None
    assert "/" not in found.name
    assert not found.name.startswith(".")
