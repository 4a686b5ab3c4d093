"""An index of an older format is built anew from the notes, and nothing is paid for twice."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from support.bench import Bench, remote
from support.fake_embeddings import FakeEmbeddings

from openclaw_memory_core.index.store.schema import FORMAT


def test_the_next_sync_builds_it_with_the_vectors_there_are(tmp_path: Path) -> None:
    with FakeEmbeddings() as service:
        bench = Bench(tmp_path, search=remote(service.url))
        bench.write("MEMORY.md", "- the heron nests by the mill <!-- trigger: heron -->\n")
        bench.write("memory/2026-05-04.md", "the walrus sleeps\n")
        bench.index()
        sent = len(service.embedded)
        with closing(sqlite3.connect(bench.state / "memory" / "main.sqlite")) as db:
            db.execute(f"PRAGMA user_version = {FORMAT - 1}")

        assert bench.status()["files"] == 0
        answer = bench.answer("walrus", wait=10.0)

        assert answer["results"][0]["path"] == "memory/2026-05-04.md"
        assert bench.status()["files"] == 2
        assert service.embedded[sent:] == ["walrus"]
