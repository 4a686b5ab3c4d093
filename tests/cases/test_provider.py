"""Cases provider-*: slow, strict, absent and disorderly services."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.bench import Bench, remote
from support.fake_embeddings import KEY, FakeEmbeddings
from support.local_server import Request, Response

from openclaw_memory_core.embeddings import embedder
from openclaw_memory_core.embeddings.retry import RetryPolicy
from openclaw_memory_core.index.report import SyncProgress


@pytest.fixture
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual retries with short pauses."""
    monkeypatch.setattr(embedder, "RetryPolicy", partial(RetryPolicy, first_delay=0.001, longest_delay=0.001))


def refusing_address() -> str:
    """A base URL on this machine where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


def at_home(url: str) -> dict[str, Any]:
    """The address of OpenAI, so that the key of the environment may go there."""
    return {"providers": {"openai": {"baseUrl": url}}}


@pytest.mark.parametrize("asked", [0.4])
def test_case_provider_01_wait_as_long_as_the_server_asks(tmp_path: Path, asked: float) -> None:
    # The case asks for two seconds; the window is scaled so that the test is quick.
    with FakeEmbeddings(max_total_tokens=60) as fs:
        fs.fail(429, retry_after=asked, times=3, path="/embeddings")
        bench = Bench(tmp_path, search=remote(fs.url, nonBatchConcurrency=4))
        for number in range(12):
            bench.write(f"memory/n{number}.md", f"note {number} of the heron {'and the reed ' * 12}\n")

        report = bench.index()

        assert report.missing == 0
        arrivals = [request.at for request in fs.calls]
        assert all(later - earlier >= asked for earlier, later in pairwise(arrivals[:4]))


@pytest.mark.slow
def test_case_provider_01_with_the_two_seconds_of_the_case(tmp_path: Path) -> None:
    test_case_provider_01_wait_as_long_as_the_server_asks(tmp_path, 2)


def test_case_provider_02_limit_on_items_in_a_request(tmp_path: Path) -> None:
    with FakeEmbeddings(max_items=16) as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        for number in range(60):
            bench.write(f"memory/n{number}.md", f"note {number}\n")

        report = bench.index()

        assert report.missing == 0
        assert len(fs.embedded) == len(set(fs.embedded)) == 60
        assert bench.status()["vectors"] == 60


@pytest.mark.usefixtures("_hasty")
@pytest.mark.parametrize("query", ["heron", "qwertzuiop"])
def test_case_provider_03_automatic_provider_no_way_to_reach_it(tmp_path: Path, query: str) -> None:
    bench = Bench(tmp_path, models=at_home(refusing_address()))
    del bench.search_settings["provider"]
    bench.env["OPENAI_API_KEY"] = KEY
    for word in ("heron", "otter", "beaver"):
        bench.write(f"memory/{word}.md", f"a {word} at the river\n")

    report = bench.index()
    answer = bench.answer(query)

    assert report.provider_error is not None
    assert [hit["path"] for hit in answer["results"]] == (["memory/heron.md"] if query == "heron" else [])
    assert answer["mode"] == "keyword"
    bootstrap = answer["debug"]["embeddingBootstrap"]
    assert bootstrap["ok"] is False
    assert bootstrap["degradedTo"] == "keyword-only"
    assert "127.0.0.1" in bootstrap["reason"]
    assert answer["warning"]
    assert KEY not in json.dumps(answer)


def test_case_provider_04_fallback_none_means_none(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        search = {"provider": "local", "fallback": "none", "local": {"modelPath": "/absent/model.gguf"}}
        bench = Bench(tmp_path, search=search, models=at_home(fs.url))
        bench.env["OPENAI_API_KEY"] = KEY
        bench.write("memory/heron.md", "a heron at the river\n")

        bench.index()
        bench.write("memory/otter.md", "an otter at the river\n")
        bench.index()
        answer = bench.answer("heron")

        assert fs.requests == []
        assert [hit["path"] for hit in answer["results"]] == ["memory/heron.md"]
        status = bench.status()
        assert status["vectors"] == 0
        assert "/absent/model.gguf" in status["providerError"]


def test_case_provider_05_answers_out_of_order(tmp_path: Path) -> None:
    with FakeEmbeddings(shuffle=True) as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        texts = [f"{word} at the river" for word in ("heron", "otter", "beaver", "salmon", "willow", "ferry")]
        for number, text in enumerate(texts):
            bench.write(f"memory/n{number}.md", text + "\n")
        bench.index()

        for number, text in enumerate(texts):
            best = bench.answer(text)["results"][0]
            assert best["path"] == f"memory/n{number}.md"
            assert best["vectorScore"] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.usefixtures("_hasty")
def test_case_provider_a_named_provider_that_fails_is_unavailable_and_says_why(tmp_path: Path) -> None:
    bench = Bench(tmp_path, search=remote(refusing_address()))
    bench.write("memory/heron.md", "a heron at the river\n")
    bench.index()

    answer = bench.answer("heron")

    assert answer["unavailable"] is True
    assert answer["results"] == []
    assert "127.0.0.1" in answer["error"]


def test_case_provider_switching_back_and_forth_costs_each_text_once_per_provider(tmp_path: Path) -> None:
    with FakeEmbeddings() as one, FakeEmbeddings(dimensions=8) as two:
        bench = Bench(tmp_path, search=remote(one.url))
        for number in range(30):
            bench.write(f"memory/n{number}.md", f"note {number} of the heron\n")

        for server in (one, two, one, two, one):
            bench.search_settings["remote"] = {"baseUrl": server.url}
            assert bench.index().missing == 0

        assert (len(one.inputs), len(two.inputs)) == (30, 30)


@pytest.mark.skipif(os.name == "nt", reason="sends SIGKILL")
@pytest.mark.parametrize("answered", [0, 3, 15])
def test_case_provider_a_killed_run_sends_nothing_twice(tmp_path: Path, answered: int) -> None:
    with FakeEmbeddings(max_items=4) as fs:
        bench = Bench(tmp_path, search=remote(fs.url, nonBatchConcurrency=1))
        texts = {f"note {number} of the heron" for number in range(24)}
        for number, text in enumerate(sorted(texts)):
            bench.write(f"memory/n{number}.md", text + "\n")
        command = [sys.executable, "-m", "openclaw_memory_core", "--config", str(bench.config_file()), "index"]
        env = {**os.environ, "HOME": str(bench.home), "OPENCLAW_STATE_DIR": str(bench.state)}
        running: list[subprocess.Popen[bytes]] = []

        def kill(request: Request) -> Response:
            running[0].kill()
            return Response(hang_up=True)

        original = fs.handle

        def handle(request: Request) -> Response:
            return kill(request) if running and len(fs.embedded) >= answered else original(request)

        fs.handle = handle  # type: ignore[method-assign]
        with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            running.append(process)
            process.wait(timeout=60)
        running.clear()
        paid = len(fs.embedded)

        report = bench.index()

        assert answered <= paid < 24
        assert report.missing == 0
        assert sorted(fs.embedded) == sorted(texts)


def test_case_provider_a_paid_run_says_beforehand_what_it_will_send(tmp_path: Path) -> None:
    with FakeEmbeddings(key=KEY) as fs:
        bench = Bench(tmp_path, search={"provider": "openai", "remote": {"baseUrl": fs.url, "apiKey": KEY}})
        for number in range(10):
            bench.write(f"memory/n{number}.md", f"note {number} of the heron\n")
        told: list[tuple[int, int, int]] = []

        def note(state: SyncProgress) -> None:
            if state.tokens:
                told.append((state.total, state.tokens, len(fs.requests)))

        with bench.core() as core:
            core.sync(progress=note)
            core.sync(progress=note)
        bench.write("memory/n3.md", "another note of the heron\n")
        with bench.core() as core:
            core.sync(progress=note)

        (texts, tokens, requests), (later, _, _) = told
        assert (texts, requests, later) == (10, 0, 1)
        assert 40 <= tokens <= 80


def test_case_provider_the_command_line_says_it_on_stderr_only(tmp_path: Path) -> None:
    with FakeEmbeddings(key=KEY) as fs:
        bench = Bench(tmp_path, search={"provider": "openai", "remote": {"baseUrl": fs.url, "apiKey": KEY}})
        bench.write("memory/n.md", "note of the heron\n")
        command = [sys.executable, "-m", "openclaw_memory_core", "--config", str(bench.config_file()), "index"]
        env = {**os.environ, "HOME": str(bench.home), "OPENCLAW_STATE_DIR": str(bench.state)}

        first = subprocess.run(command, env=env, capture_output=True, encoding="utf-8")
        second = subprocess.run(command, env=env, capture_output=True, encoding="utf-8")

        assert "Sending 1 text, about 5 tokens, to openai." in first.stderr
        assert "Sending" not in first.stdout + second.stdout + second.stderr
        assert "1 text embedded" in first.stdout
