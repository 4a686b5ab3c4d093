"""Cases of the area cjk."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.search_bench import SearchBench
from support.store import document

from openclaw_memory_core.config.model import ChunkingConfig
from openclaw_memory_core.index.chunking import chunk_document


@pytest.mark.parametrize("query", ["账单", "机房", "新机房"])
def test_case_cjk_01_two_character_word(tmp_path: Path, query: str) -> None:
    with SearchBench(tmp_path) as bench:
        bench.put({"memory/ops.md": "周五把账单系统迁到新机房", "memory/tea.md": "下午喝茶"})
        assert bench.paths(query) == ["memory/ops.md"]


def test_case_cjk_02_size_of_a_text_without_spaces() -> None:
    text = "".join(chr(0x4E00 + number) for number in range(3000))

    chunks = chunk_document(document("memory/diary.md", text), ChunkingConfig(), input_tokens=512)

    assert all(len(chunk.embed_text) <= 512 for chunk in chunks)
    assert set("".join(chunk.text for chunk in chunks)) == set(text)
