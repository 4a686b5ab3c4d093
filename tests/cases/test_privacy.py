"""Cases privacy-*: what a group must not see, by any name or path, and what no message may hold."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from support.bench import GROUP, MAIN, Bench, remote
from support.fake_embeddings import KEY, FakeEmbeddings
from support.local_server import Request, Response


def _start(bench: Bench, session: object) -> str:
    with bench.slot() as slot:
        return "\n".join(file.text for file in slot.session_start(session).files)  # type: ignore[arg-type]


def test_case_privacy_01_group_chat(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("MEMORY.md", "- door code 4417\n")

    assert "door code 4417" in _start(bench, MAIN)
    assert _start(bench, GROUP) == ""


def test_case_privacy_02_the_same_file_by_another_name(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    curated = bench.write("MEMORY.md", "- door code 4417\n")
    today = bench.workspace / "memory" / "2026-05-05.md"
    today.parent.mkdir()
    today.symlink_to(curated)

    assert "4417" not in _start(bench, GROUP)

    today.unlink()
    today.hardlink_to(curated)
    assert "4417" not in _start(bench, GROUP)


def test_case_privacy_03_asking_in_the_group(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("MEMORY.md", "- door code 4417\n")
    bench.write("memory/2026-05-04.md", "- the gate was painted\n")
    bench.index()

    hidden = bench.answer("door code", session=GROUP)
    daily = bench.answer("gate painted", session=GROUP)

    assert hidden["results"] == []
    assert "MEMORY.md" in hidden["withheld"][0]
    assert [hit["path"] for hit in daily["results"]] == ["memory/2026-05-04.md"]
    assert bench.paths("door code") == ["MEMORY.md"]


@pytest.mark.parametrize("name", ["memory/2026-05-05.md", "docs/copy.md"])
def test_a_hard_link_made_after_indexing_shows_nothing_to_a_group(tmp_path: Path, name: str) -> None:
    bench = Bench(tmp_path, search={"extraPaths": ["docs"]})
    note = bench.write(name, "- door code 4417\n")
    bench.index()
    (bench.workspace / "MEMORY.md").hardlink_to(note)

    assert bench.answer("door code", session=GROUP)["results"] == []
    assert bench.get(name, session=GROUP)["status"] == "error"
    bench.index()
    assert bench.answer("door code", session=GROUP)["results"] == []
    assert bench.answer("door code")["results"] != []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("../secret.md", "error"),
        ("memory/../../secret.md", "error"),
        ("{srv}/secret.md", "error"),
        ("memory/%2e%2e/secret.md", "error"),
        ("memory/../MEMORY.md", "ok"),
    ],
)
def test_case_privacy_04_paths_that_climb(tmp_path: Path, path: str, expected: str) -> None:
    bench = Bench(tmp_path)
    bench.write("MEMORY.md", "- mine\n")
    bench.write("memory/a.md", "- a\n")
    secret = tmp_path / "secret.md"
    answers = []
    for exists in (True, False):
        if exists:
            secret.write_text("top secret\n", encoding="utf-8")
        else:
            secret.unlink()
        answer = bench.get(path.format(srv=tmp_path))
        assert answer["status"] == expected
        assert "top secret" not in json.dumps(answer)
        answers.append(answer)

    assert answers[0] == answers[1], "the answer tells whether the file exists"


class EchoingServer(FakeEmbeddings):
    """Refuses everybody and repeats the Authorization header, as some gateways do."""

    def handle(self, request: Request) -> Response:
        return Response(401, {"error": {"message": f"bad credentials: {request.headers.get('authorization')}"}})


def test_case_privacy_05_the_key_in_an_error(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with EchoingServer() as fs, caplog.at_level(logging.DEBUG):
        bench = Bench(tmp_path, search=remote(fs.url, apiKey=KEY))
        bench.write("memory/a.md", "- something\n")
        report = bench.index()
        answer = bench.answer("something")
        status = bench.status(deep=True)

    seen = "\n".join([str(report.provider_error), str(report.to_dict()), str(answer), str(status), caplog.text])
    assert KEY not in seen
    assert KEY[len(KEY) // 2 :] not in seen
    assert KEY[: len(KEY) // 2] not in seen
    assert answer["unavailable"] is True
    assert "401" in answer["error"]
    assert fs.url.split("//")[1].split("/")[0] in seen
