"""Cases vector-*: with and without the extension, across models, with twins."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.bench import Bench, remote
from support.fake_embeddings import FakeEmbeddings


def _thirty(bench: Bench) -> dict[str, list[float]]:
    vectors = {}
    for number in range(30):
        text = f"note number {number:02d}"
        bench.write(f"memory/n{number:02d}.md", text + "\n")
        # No word in common with the query; nearness falls with the number.
        vectors[text] = [1.0 - number / 40, number / 40, *([0.1] * 14)]
    return vectors


def test_case_vector_01_vector_extension_cannot_be_loaded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    answers = {}
    for name, extra in (("with", {}), ("without", {"store": {"vector": {"extensionPath": "/nowhere/vec0"}}})):
        with FakeEmbeddings() as fs:
            bench = Bench(tmp_path / name, search={**remote(fs.url), "query": {"minScore": 0}, **extra})
            fs.vectors.update(_thirty(bench))
            fs.vectors["zebra"] = [1.0, *([0.0] * 15)]
            caplog.clear()
            bench.index()
            indexing = [r for r in caplog.records if r.levelname == "WARNING"]
            caplog.clear()
            answers[name] = [hit["path"] for hit in bench.answer("zebra", max_results=5)["results"]]
            searching = [r for r in caplog.records if r.levelname == "WARNING"]
            status = bench.status()["store"]["vector"]
            if name == "without":
                assert status["extension"] is False
                assert "/nowhere/vec0" in status["reason"]
                # One a start, not one a chunk.
                assert len(indexing) <= 1
                assert len(searching) <= 1
                assert "Vector search runs in this process" in caplog.text
            else:
                assert status["extension"] is True
                assert indexing + searching == []

    assert answers["with"] == [f"memory/n{n:02d}.md" for n in range(5)]
    assert answers["without"] == answers["with"]


def test_case_vector_02_model_change_with_another_vector_length(tmp_path: Path) -> None:
    with FakeEmbeddings(dimensions=8) as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        for number in range(20):
            bench.write(f"memory/n{number:02d}.md", f"topic {number:02d} heron\n")
        bench.index()
        fs.dimensions = 12
        before = len(fs.embedded)
        bench.search_settings["model"] = "birch"

        at_once = bench.answer("topic 07")

        assert at_once["results"][0]["path"] == "memory/n07.md"
        assert at_once["mode"] == "keyword"
        assert at_once["partial"] is True
        assert at_once["warning"]

        bench.index()
        texts = [text for text in fs.embedded[before:] if "heron" in text]
        after = bench.answer("topic 07")

        assert len(texts) == 20
        assert after["mode"] == "hybrid"
        assert "warning" not in after
        assert bench.status()["store"]["vector"]["dimensions"] == 12


def test_case_vector_03_twin_notes(tmp_path: Path) -> None:
    with FakeEmbeddings() as fs:
        bench = Bench(tmp_path, search={**remote(fs.url), "query": {"minScore": 0}})
        text = "sharpen the chisels before the oak arrives\n"
        mon = bench.write("memory/mon.md", text)
        bench.write("memory/tue.md", text)
        fs.vectors["grind tools"] = fs.vector(text.strip())
        both, one = ["memory/mon.md", "memory/tue.md"], ["memory/tue.md"]

        for expected in (both, one, both):
            bench.index()
            for query in ("grind tools", "chisels oak"):
                assert sorted(set(bench.paths(query))) == expected
            mon.unlink() if mon.exists() else mon.write_text(text, encoding="utf-8")

        assert sum("chisels before" in sent for sent in fs.embedded) == 1
