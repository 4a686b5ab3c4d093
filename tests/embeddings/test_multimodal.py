"""Images and audio through the whole index, with gemini-embedding-2."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.bench import Bench
from support.fake_embeddings import KEY
from support.fake_services import FakeGemini
from support.local_server import Request, Response

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


class SeeingGemini(FakeGemini):
    """Also takes inline data: its vector is that of the words this server sees in it."""

    def __init__(self) -> None:
        super().__init__(key=KEY)
        self.seen: list[dict[str, str]] = []

    def handle(self, request: Request) -> Response:
        body = request.json()
        for item in body.get("requests", [body]):
            for part in item["content"]["parts"]:
                if "inlineData" in part:
                    self.seen.append(part.pop("inlineData"))
                    part["text"] = "a lighthouse at dusk"
        return super().handle(replace(request, body=json.dumps(body).encode()))


def bench(tmp_path: Path, url: str, **search: Any) -> Bench:
    extra = tmp_path / "pictures"
    extra.mkdir(exist_ok=True)
    (extra / "sea.png").write_bytes(PNG)
    settings = {
        "provider": "gemini",
        "model": "gemini-embedding-2",
        "remote": {"baseUrl": url, "apiKey": KEY},
        "extraPaths": [str(extra)],
        "multimodal": {"enabled": True},
        **search,
    }
    return Bench(tmp_path, search=settings)


def test_an_image_is_found_by_what_is_in_it(tmp_path: Path) -> None:
    with SeeingGemini() as server:
        subject = bench(tmp_path, server.url)
        subject.write("memory/bread.md", "flour, water, salt and yeast\n")

        report = subject.index()
        answer = subject.answer("lighthouse at dusk")

        assert report.missing == 0
        assert server.seen == [{"mimeType": "image/png", "data": base64.b64encode(PNG).decode()}]
        best = answer["results"][0]
        assert best["path"] == "../pictures/sea.png"
        assert best["snippet"] == "Image file: ../pictures/sea.png"


def test_an_unchanged_image_is_not_sent_again_and_a_removed_one_goes(tmp_path: Path) -> None:
    with SeeingGemini() as server:
        subject = bench(tmp_path, server.url)
        subject.index()
        subject.index()
        assert len(server.seen) == 1

        (tmp_path / "pictures" / "sea.png").unlink()
        assert subject.index().removed == 1


@pytest.mark.parametrize(
    "settings", [{"multimodal": {"enabled": False}}, {"model": "gemini-embedding-001"}, {"extraPaths": []}]
)
def test_otherwise_images_are_no_documents(tmp_path: Path, settings: dict[str, Any]) -> None:
    with SeeingGemini() as server:
        subject = bench(tmp_path, server.url, **settings)
        subject.write("memory/bread.md", "flour, water, salt and yeast\n")

        subject.index()

        assert server.seen == []
        assert [text.removeprefix("title: none | text: ") for text in server.embedded] == [
            "flour, water, salt and yeast"
        ]
