"""Cases chunking-*: odd files go into the index whole and come out at their lines."""

from __future__ import annotations

from pathlib import Path

from support.bench import Bench, remote
from support.fake_embeddings import FakeEmbeddings


def test_case_chunking_01_one_endless_line(tmp_path: Path) -> None:
    endless = "abcdefghij" * 6000
    with FakeEmbeddings(max_input_tokens=8192) as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        bench.write("memory/dump.md", f"# Export\n{endless}\nowner: Kofi\n")

        report = bench.index()

        assert report.complete
        assert report.provider_error is None
        assert report.unembedded == {}
        assert fs.embedded == fs.inputs  # nothing was refused
        assert report.chunks > 1
        hit = bench.answer("Kofi")["results"][0]
        assert hit["path"] == "memory/dump.md"
        assert hit["startLine"] <= 3 <= hit["endLine"]


def test_case_chunking_02_byte_order_mark_before_the_first_heading(tmp_path: Path) -> None:
    text = "# Roof repair\n\nDeposit paid to Brandt & Sons\n"
    snippets = []
    for name, data in (("with", b"\xef\xbb\xbf" + text.encode()), ("without", text.encode())):
        bench = Bench(tmp_path / name)
        bench.write("memory/roof.md", data)
        bench.index()

        hit = bench.answer("roof repair deposit")["results"][0]

        assert hit["startLine"] == 1
        assert not bench.get("memory/roof.md")["text"].startswith("\ufeff")
        snippets.append(hit["snippet"])
    assert snippets[0] == snippets[1]
    assert not snippets[0].startswith("\ufeff")


def test_case_chunking_03_empty_and_blank_files(tmp_path: Path) -> None:
    with FakeEmbeddings(refuse_blank=True) as fs:
        bench = Bench(tmp_path, search=remote(fs.url))
        bench.write("memory/2026-05-04.md", b"")
        bench.write("memory/blank.md", "\n" * 50)
        bench.write("memory/real.md", "The kiln is hot.\n")

        for _ in range(2):
            report = bench.index()
            assert report.complete
            assert report.failed == {}

        assert len(fs.inputs) == 1
        assert "The kiln is hot." in fs.inputs[0]
        status = bench.status()
        assert status["dirty"] is False
        assert status["issues"] == []
